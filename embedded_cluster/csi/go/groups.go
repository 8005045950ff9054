package main

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"
)

func (d *driver) GroupControllerGetCapabilities(
	context.Context, *csi.GroupControllerGetCapabilitiesRequest,
) (*csi.GroupControllerGetCapabilitiesResponse, error) {
	rpc := &csi.GroupControllerServiceCapability_RPC{
		Type: csi.GroupControllerServiceCapability_RPC_CREATE_DELETE_GET_VOLUME_GROUP_SNAPSHOT,
	}
	return &csi.GroupControllerGetCapabilitiesResponse{Capabilities: []*csi.GroupControllerServiceCapability{
		{Type: &csi.GroupControllerServiceCapability_Rpc{Rpc: rpc}},
	}}, nil
}

func (d *driver) CreateVolumeGroupSnapshot(
	_ context.Context, asked *csi.CreateVolumeGroupSnapshotRequest,
) (*csi.CreateVolumeGroupSnapshotResponse, error) {
	volumes := slices.Compact(slices.Sorted(slices.Values(asked.GetSourceVolumeIds())))
	if asked.GetName() == "" || len(volumes) == 0 {
		return nil, status.Error(codes.InvalidArgument, "a group without a name, or of no volume")
	}
	if _, err := faultOf(asked.GetParameters()); err != nil {
		return nil, err
	}
	id := idOf("group", asked.GetName())
	is, err := d.group(id)
	if absent(err) {
		is, err = d.takeGroup(id, volumes)
	}
	if err != nil {
		return nil, err
	}
	if !slices.Equal(is.Volumes, volumes) {
		return nil, status.Errorf(codes.AlreadyExists, "%s is of other volumes", id)
	}
	shown, err := d.shownGroup(is)
	return &csi.CreateVolumeGroupSnapshotResponse{GroupSnapshot: shown}, err
}

func (p pool) group(id string) (found group, err error) {
	err = p.read(groupsIn, id, &found)
	return found, err
}

// takeGroup makes snapshots of several volumes, of one moment: all stand still before the first is copied.
func (d *driver) takeGroup(id string, volumes []string) (group, error) {
	is := group{ID: id, Volumes: volumes}
	var of []volume
	for _, each := range volumes {
		found, err := d.volume(each)
		if err != nil {
			return is, err
		}
		if found.RBD {
			return is, status.Errorf(codes.InvalidArgument, "%s is in Ceph, of which there are no groups", each)
		}
		of = append(of, found)
	}
	apart, err := d.takenApart(of)
	if err != nil {
		return is, err
	}
	is.Created = time.Now().UTC()
	take := func() error {
		for _, each := range of {
			if err := d.takeMember(&is, each); err != nil {
				return err
			}
		}
		return nil
	}
	if apart {
		take = func() error { return d.takeApart(&is, of) }
	} else {
		for _, each := range slices.Backward(of) { // in the order of their ids, so that two groups do not wait for each other
			inner := take
			take = func() error { return d.withStill(each, inner) }
		}
	}
	if err := take(); err != nil {
		return is, err
	}
	return is, d.write(groupsIn, id, is)
}

// takeMember makes the snapshot of one volume of a group, which is locked and stands still.
func (d *driver) takeMember(is *group, of volume) error {
	taken := snapshot{
		ID: idOf("snap", is.ID+of.ID), Volume: of.ID, Size: of.Size, Block: of.Block, Fault: of.Fault, Group: is.ID,
		Created: is.Created,
	}
	// Of a try that was cut off there may be one, of an earlier moment.
	if err := d.removeSnapshot(taken.ID); err != nil {
		return err
	}
	if err := d.copyTo(of, taken.ID); err != nil {
		return err
	}
	if err := d.write(snapshotsIn, taken.ID, taken); err != nil {
		return err
	}
	is.Snapshots = append(is.Snapshots, taken.ID)
	return nil
}

// withStill does something while a volume is locked and stands still.
func (p pool) withStill(of volume, work func() error) error {
	file, err := locked(p.image(volumesIn, of.ID))
	if err != nil {
		return err
	}
	defer file.Close()
	return p.still(of, work)
}

// copyTo copies a volume that stands still to a snapshot's image.
func (p pool) copyTo(of volume, id string) error {
	from, err := os.Open(p.image(volumesIn, of.ID))
	if err != nil {
		return err
	}
	defer from.Close()
	return makeImage(p.image(snapshotsIn, id), func(to *os.File) error { return copyOf(from, to) })
}

func (d *driver) shownGroup(is group) (*csi.VolumeGroupSnapshot, error) {
	answer := &csi.VolumeGroupSnapshot{GroupSnapshotId: is.ID, CreationTime: timestamppb.New(is.Created), ReadyToUse: true}
	for _, id := range is.Snapshots {
		each, err := d.snapshot(id)
		if err != nil {
			return nil, err
		}
		shown, err := d.shown(each)
		if err != nil {
			return nil, err
		}
		answer.ReadyToUse = answer.ReadyToUse && shown.GetReadyToUse()
		answer.Snapshots = append(answer.Snapshots, shown)
	}
	return answer, nil
}

func (d *driver) DeleteVolumeGroupSnapshot(
	_ context.Context, asked *csi.DeleteVolumeGroupSnapshotRequest,
) (*csi.DeleteVolumeGroupSnapshotResponse, error) {
	id := asked.GetGroupSnapshotId()
	if id == "" {
		return nil, status.Error(codes.InvalidArgument, "no group snapshot id")
	}
	is, err := d.group(id)
	if absent(err) {
		return &csi.DeleteVolumeGroupSnapshotResponse{}, nil
	}
	if err == nil {
		err = ofGroup(is, asked.GetSnapshotIds())
	}
	if err != nil {
		return nil, err
	}
	for _, each := range is.Snapshots {
		err = errors.Join(err, d.removeSnapshot(each))
	}
	if err != nil {
		return nil, err
	}
	return &csi.DeleteVolumeGroupSnapshotResponse{}, os.Remove(d.record(groupsIn, id))
}

// ofGroup refuses snapshots that are not the group's.
func ofGroup(is group, snapshots []string) error {
	for _, each := range snapshots {
		if !slices.Contains(is.Snapshots, each) {
			return status.Errorf(codes.InvalidArgument, "%s is not of %s", each, is.ID)
		}
	}
	return nil
}

func (d *driver) GetVolumeGroupSnapshot(
	_ context.Context, asked *csi.GetVolumeGroupSnapshotRequest,
) (*csi.GetVolumeGroupSnapshotResponse, error) {
	if asked.GetGroupSnapshotId() == "" {
		return nil, status.Error(codes.InvalidArgument, "no group snapshot id")
	}
	is, err := d.group(asked.GetGroupSnapshotId())
	if err == nil {
		err = ofGroup(is, asked.GetSnapshotIds())
	}
	if err != nil {
		return nil, err
	}
	shown, err := d.shownGroup(is)
	return &csi.GetVolumeGroupSnapshotResponse{GroupSnapshot: shown}, err
}
