package main

import (
	"context"
	"os"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"
)

func (d *driver) CreateSnapshot(_ context.Context, asked *csi.CreateSnapshotRequest) (*csi.CreateSnapshotResponse, error) {
	if asked.GetName() == "" || asked.GetSourceVolumeId() == "" {
		return nil, status.Error(codes.InvalidArgument, "a snapshot without a name, or of no volume")
	}
	if _, err := faultOf(asked.GetParameters()); err != nil {
		return nil, err
	}
	id := idOf("snap", asked.GetName())
	there, err := d.snapshot(id)
	if absent(err) {
		there, err = d.take(id, asked.GetSourceVolumeId())
	}
	if err != nil {
		return nil, err
	}
	if there.Volume != asked.GetSourceVolumeId() {
		return nil, status.Errorf(codes.AlreadyExists, "%s is of %s", id, there.Volume)
	}
	shown, err := d.shown(there)
	return &csi.CreateSnapshotResponse{Snapshot: shown}, err
}

// take makes a snapshot of a volume.
func (d *driver) take(id, volumeID string) (snapshot, error) {
	of, err := d.volume(volumeID)
	if err != nil {
		return snapshot{}, err
	}
	if room, err := d.room(); err != nil || d.capacity > 0 && of.Size > room {
		return snapshot{}, status.Errorf(codes.ResourceExhausted, "a snapshot of %d bytes, and there is room for %d (%v)", of.Size, room, err)
	}
	if err := d.countTaken(of, id); err != nil {
		return snapshot{}, err
	}
	is := snapshot{ID: id, Volume: of.ID, Size: of.Size, Block: of.Block, RBD: of.RBD, Fault: of.Fault}
	if of.RBD {
		err = d.takeRBD(of, id)
	} else {
		err = makeImage(d.image(snapshotsIn, id), func(file *os.File) error {
			if done, err := d.copyWrongly(of, file); done || err != nil {
				return err
			}
			return d.copyVolume(of, file)
		})
	}
	if err != nil {
		return snapshot{}, err
	}
	is.Created = time.Now().UTC()
	if err := d.write(snapshotsIn, id, is); err != nil {
		return snapshot{}, err
	}
	return is, d.slowDown(of)
}

// shown is a snapshot as CSI has it.
func (d *driver) shown(is snapshot) (*csi.Snapshot, error) {
	never, err := d.has(neverReady, is.Fault)
	return &csi.Snapshot{
		SnapshotId: is.ID, SourceVolumeId: is.Volume, SizeBytes: is.Size, GroupSnapshotId: is.Group,
		CreationTime: timestamppb.New(is.Created), ReadyToUse: !never,
	}, err
}

func (d *driver) DeleteSnapshot(_ context.Context, asked *csi.DeleteSnapshotRequest) (*csi.DeleteSnapshotResponse, error) {
	if asked.GetSnapshotId() == "" {
		return nil, status.Error(codes.InvalidArgument, "no snapshot id")
	}
	is, err := d.snapshot(asked.GetSnapshotId())
	if absent(err) {
		return &csi.DeleteSnapshotResponse{}, nil
	}
	if err == nil && is.Group != "" {
		err = status.Errorf(codes.InvalidArgument, "%s goes with its group %s", is.ID, is.Group)
	}
	if err != nil {
		return nil, err
	}
	if is.RBD {
		if err := d.ceph.remove(is.ID); err != nil {
			return nil, err
		}
	}
	if err := d.deletedBeforeCopies(is.ID, is.Fault); err != nil {
		return nil, err
	}
	return &csi.DeleteSnapshotResponse{}, d.removeSnapshot(is.ID)
}

func (p pool) removeSnapshot(id string) error {
	for _, path := range []string{p.image(snapshotsIn, id), p.record(snapshotsIn, id)} {
		if err := os.RemoveAll(path); err != nil {
			return err
		}
	}
	return nil
}

func (d *driver) ListSnapshots(_ context.Context, asked *csi.ListSnapshotsRequest) (*csi.ListSnapshotsResponse, error) {
	ids, err := d.ids(snapshotsIn)
	if err != nil {
		return nil, err
	}
	found := map[string]snapshot{}
	var wanted []string
	for _, id := range ids {
		is, err := d.snapshot(id)
		if absent(err) {
			continue // gone meanwhile
		}
		if err != nil {
			return nil, err
		}
		if matches(asked.GetSnapshotId(), id) && matches(asked.GetSourceVolumeId(), is.Volume) {
			found[id] = is
			wanted = append(wanted, id)
		}
	}
	ids, next, err := page(wanted, asked.GetStartingToken(), asked.GetMaxEntries())
	if err != nil {
		return nil, err
	}
	answer := &csi.ListSnapshotsResponse{NextToken: next}
	for _, id := range ids {
		shown, err := d.shown(found[id])
		if err != nil {
			return nil, err
		}
		answer.Entries = append(answer.Entries, &csi.ListSnapshotsResponse_Entry{Snapshot: shown})
	}
	return answer, nil
}

func matches(wanted, is string) bool { return wanted == "" || wanted == is }
