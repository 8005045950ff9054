package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func (d *driver) ControllerGetCapabilities(
	context.Context, *csi.ControllerGetCapabilitiesRequest,
) (*csi.ControllerGetCapabilitiesResponse, error) {
	var all []*csi.ControllerServiceCapability
	for _, each := range []csi.ControllerServiceCapability_RPC_Type{
		csi.ControllerServiceCapability_RPC_CREATE_DELETE_VOLUME,
		csi.ControllerServiceCapability_RPC_LIST_VOLUMES,
		csi.ControllerServiceCapability_RPC_GET_CAPACITY,
		csi.ControllerServiceCapability_RPC_CREATE_DELETE_SNAPSHOT,
		csi.ControllerServiceCapability_RPC_LIST_SNAPSHOTS,
		csi.ControllerServiceCapability_RPC_CLONE_VOLUME,
		csi.ControllerServiceCapability_RPC_EXPAND_VOLUME,
		csi.ControllerServiceCapability_RPC_MODIFY_VOLUME,
	} {
		rpc := &csi.ControllerServiceCapability_RPC{Type: each}
		all = append(all, &csi.ControllerServiceCapability{Type: &csi.ControllerServiceCapability_Rpc{Rpc: rpc}})
	}
	return &csi.ControllerGetCapabilitiesResponse{Capabilities: all}, nil
}

// A volume is a file of this host, so that several nodes of it can have it; a file system is then the same one on all.
var accessModes = []csi.VolumeCapability_AccessMode_Mode{
	csi.VolumeCapability_AccessMode_SINGLE_NODE_WRITER,
	csi.VolumeCapability_AccessMode_SINGLE_NODE_READER_ONLY,
	csi.VolumeCapability_AccessMode_MULTI_NODE_READER_ONLY,
	csi.VolumeCapability_AccessMode_MULTI_NODE_SINGLE_WRITER,
	csi.VolumeCapability_AccessMode_MULTI_NODE_MULTI_WRITER,
}

// modeOf tells whether raw block devices are asked for, or file systems; InvalidArgument for what cannot be had.
func modeOf(asked ...*csi.VolumeCapability) (block bool, err error) {
	if len(asked) == 0 || slices.Contains(asked, nil) {
		return false, status.Error(codes.InvalidArgument, "no volume capability")
	}
	blocks := 0
	for _, each := range asked {
		if !slices.Contains(accessModes, each.GetAccessMode().GetMode()) {
			return false, status.Errorf(codes.InvalidArgument, "no volume can have access mode %s", each.GetAccessMode().GetMode())
		}
		if kind := each.GetMount().GetFsType(); kind != "" && kind != "xfs" {
			return false, status.Errorf(codes.InvalidArgument, "no volume can have file system %q: all are xfs", kind)
		}
		switch each.GetAccessType().(type) {
		case *csi.VolumeCapability_Block:
			blocks++
		case *csi.VolumeCapability_Mount:
		default:
			return false, status.Error(codes.InvalidArgument, "a capability is neither of a mount nor of a block device")
		}
	}
	if blocks > 0 && blocks < len(asked) {
		return false, status.Error(codes.InvalidArgument, "no volume is a mount and a block device")
	}
	return blocks > 0, nil
}

// onRBD says whether the volumes of a StorageClass are in Ceph.
func onRBD(parameters map[string]string) bool { return parameters["on"] == "rbd" }

// faultOf reads the parameters of a StorageClass.
func faultOf(parameters map[string]string) (own fault, err error) {
	for key, value := range parameters {
		switch {
		case key == "on" && value == "rbd":
			if parameters["fault"] != "" {
				return "", status.Error(codes.InvalidArgument, "no volume in Ceph has a fault")
			}
		case key == "fault":
			found, err := parseFaults(value)
			if err != nil || len(found) != 1 || found[0] == groupByDriver {
				return "", status.Errorf(codes.InvalidArgument, "a class cannot have the fault %q: %v", value, err)
			}
			own = found[0]
		case !strings.HasPrefix(key, "csi.storage.k8s.io/"):
			return "", status.Errorf(codes.InvalidArgument, "parameter %q is not known", key)
		}
	}
	return own, nil
}

func (d *driver) CreateVolume(_ context.Context, asked *csi.CreateVolumeRequest) (*csi.CreateVolumeResponse, error) {
	if asked.GetName() == "" {
		return nil, status.Error(codes.InvalidArgument, "a volume without a name")
	}
	block, err := modeOf(asked.GetVolumeCapabilities()...)
	if err != nil {
		return nil, err
	}
	own, err := faultOf(asked.GetParameters())
	if err != nil {
		return nil, err
	}
	label, err := labelOf(asked.GetMutableParameters())
	if err != nil {
		return nil, err
	}
	wanted := volume{
		ID: idOf("vol", asked.GetName()), Block: block, RBD: onRBD(asked.GetParameters()), Fault: own, Label: label,
		Created: time.Now().UTC().Format(time.RFC3339),
	}
	if wanted.RBD && d.ceph == nil {
		return nil, status.Error(codes.InvalidArgument, "there is no Ceph here")
	}
	source, err := d.sourceOf(asked.GetVolumeContentSource())
	if err != nil {
		return nil, err
	}
	wanted.Source = source.id
	there, err := d.volume(wanted.ID)
	if err == nil {
		same := there.Block == block && there.RBD == wanted.RBD && there.Source == source.id && there.Fault == own
		if !same || !fits(asked.GetCapacityRange(), there.Size) {
			return nil, status.Errorf(codes.AlreadyExists, "%s is another volume of that name", there.ID)
		}
		return made(there, asked.GetVolumeContentSource()), nil
	}
	if !absent(err) {
		return nil, err
	}
	if wanted.Size, err = d.sizeOf(asked.GetCapacityRange(), wanted, source); err != nil {
		return nil, err
	}
	if some, err := d.has(refusesSome, own); err != nil {
		return nil, err
	} else if some {
		if err := d.refusals.refuse(asked.GetName()); err != nil {
			return nil, err
		}
	}
	if err := d.wait(own); err != nil {
		return nil, err
	}
	if err := d.beforeMaking(asked.GetName(), own, source.id != ""); err != nil {
		return nil, err
	}
	begin := d.make
	if wanted.RBD {
		begin = d.makeRBD
	}
	if alone, err := d.has(oneCloneAtATime, own); err != nil {
		return nil, err
	} else if alone && source.volume != nil {
		begin = d.cloneAlone
	}
	if err := begin(wanted, source); err != nil {
		return nil, err
	}
	return made(wanted, asked.GetVolumeContentSource()), nil
}

func made(what volume, source *csi.VolumeContentSource) *csi.CreateVolumeResponse {
	return &csi.CreateVolumeResponse{Volume: &csi.Volume{
		VolumeId: what.ID, CapacityBytes: what.Size, ContentSource: source,
	}}
}

// sizeOf chooses the size of a new volume, and sees that there is room for it.
func (d *driver) sizeOf(asked *csi.CapacityRange, wanted volume, source content) (int64, error) {
	least := int64(leastXFS)
	if wanted.Block {
		least = leastBlock
	}
	if source.id != "" {
		if source.block != wanted.Block {
			return 0, status.Errorf(codes.InvalidArgument, "%s is of the other volume mode", source.id)
		}
		if source.rbd != wanted.RBD {
			return 0, status.Errorf(codes.InvalidArgument, "%s is not in the same storage", source.id)
		}
		if required := asked.GetRequiredBytes(); required > 0 && required < source.size {
			return 0, status.Errorf(codes.OutOfRange, "%s has %d bytes, and %d are asked for", source.id, source.size, required)
		}
		least = source.size
		if asked.GetRequiredBytes() == 0 {
			asked = &csi.CapacityRange{RequiredBytes: least, LimitBytes: asked.GetLimitBytes()}
		}
	}
	size, err := sizeFor(asked, least)
	if err != nil || wanted.RBD { // Ceph promises more than it has
		return size, err
	}
	room, err := d.room()
	if err == nil && size > room {
		err = status.Errorf(codes.ResourceExhausted, "%d bytes are asked for, and there is room for %d", size, room)
	}
	return size, err
}

// make makes the volume and then its record.
func (d *driver) make(wanted volume, source content) error {
	large := wanted.Size
	lax, err := d.has(sizeNotEnforced, wanted.Fault)
	if err != nil {
		return err
	}
	if lax {
		large *= 4
	}
	if less, err := d.has(roundsDown, wanted.Fault); err != nil {
		return err
	} else if less && large > gibibyte {
		large = large / gibibyte * gibibyte
	}
	image := d.image(volumesIn, wanted.ID)
	if earlier, err := d.beginAsEarlier(wanted, source); err != nil {
		return err
	} else if earlier {
		return d.write(volumesIn, wanted.ID, wanted)
	}
	shares, err := d.has(sharesWithSource, wanted.Fault)
	if err != nil {
		return err
	}
	empty, err := d.has(restoredEmpty, wanted.Fault)
	if err != nil {
		return err
	}
	old, err := d.has(oldFileSystem, wanted.Fault)
	if err != nil {
		return err
	}
	copied := source.id != "" && !(empty && source.snapshot != nil)
	if shares && source.volume != nil {
		err = os.Link(d.image(volumesIn, source.id), image)
		if errors.Is(err, fs.ErrExist) {
			err = nil
		}
	} else {
		err = makeImage(image, func(file *os.File) error {
			if copied {
				if err := d.copySource(source, file); err != nil {
					return err
				}
				if err := d.loseBulk(file, wanted.Fault); err != nil {
					return err
				}
			} else if back, err := d.bringBack(wanted, file); back || err != nil {
				return err
			}
			if err := enlarge(file, large); err != nil || copied || wanted.Block {
				return err
			}
			return format(file.Name(), old)
		})
	}
	if err != nil {
		return err
	}
	return d.write(volumesIn, wanted.ID, wanted)
}

// discard removes the image of a volume, or, with the fault deletedReturns or one of those that keep space, only its name.
func (d *driver) discard(image string, is volume) error {
	if returns, err := d.has(deletedReturns, is.Fault); err != nil || returns {
		return errors.Join(err, os.Rename(image, d.image(lastIn, lastID)))
	}
	keeps, err := d.keeps(image, is)
	if err != nil || !keeps {
		return errors.Join(err, os.Remove(image))
	}
	return os.Rename(image, d.image(keptIn, is.ID))
}

func (d *driver) DeleteVolume(_ context.Context, asked *csi.DeleteVolumeRequest) (*csi.DeleteVolumeResponse, error) {
	id := asked.GetVolumeId()
	if id == "" {
		return nil, status.Error(codes.InvalidArgument, "no volume id")
	}
	if !anyID.MatchString(id) {
		return &csi.DeleteVolumeResponse{}, nil // of no volume that there ever was
	}
	image := d.image(volumesIn, id)
	is, err := d.volume(id)
	if d.ceph != nil && (is.RBD || absent(err)) { // without a record it may be half made
		err = d.unmakeRBD(id)
	}
	if err != nil && !absent(err) {
		return nil, err
	}
	if err := d.wait(is.Fault); err != nil {
		return nil, err
	}
	if err := d.deletedBeforeCopies(id, is.Fault); err != nil {
		return nil, err
	}
	if err := d.emptyNeighbors(is); err != nil {
		return nil, err
	}
	file, err := locked(image)
	if err == nil {
		defer file.Close()
		if err := d.unused(file, image, id); err != nil {
			return nil, err
		}
		err = d.discard(image, is)
	}
	if err != nil && !absent(err) {
		return nil, err
	}
	if err := d.removeOfNodes(image); err != nil {
		return nil, err
	}
	for _, path := range []string{
		image + ".new", firstOf(image), filepath.Join(d.folder, stagedIn, id), filepath.Join(d.folder, takenIn, id),
		d.image(earlierIn, id), d.record(volumesIn, id),
	} {
		if err := os.RemoveAll(path); err != nil {
			return nil, err
		}
	}
	return &csi.DeleteVolumeResponse{}, nil
}

// unused has no loop device left over an image; FailedPrecondition while somebody uses it. An image that is another volume's,
// too, by the fault sharesWithSource, goes without.
func (d *driver) unused(file *os.File, image, id string) error {
	var is unix.Stat_t
	if err := unix.Fstat(int(file.Fd()), &is); err != nil || is.Nlink > 1 {
		return err
	}
	free, err := d.detach(image)
	if err == nil && !free {
		err = status.Errorf(codes.FailedPrecondition, "%s is in use", id)
	}
	return err
}

func (d *driver) ValidateVolumeCapabilities(
	_ context.Context, asked *csi.ValidateVolumeCapabilitiesRequest,
) (*csi.ValidateVolumeCapabilitiesResponse, error) {
	if asked.GetVolumeId() == "" || len(asked.GetVolumeCapabilities()) == 0 {
		return nil, status.Error(codes.InvalidArgument, "no volume id, or no capabilities")
	}
	is, err := d.volume(asked.GetVolumeId())
	if err != nil {
		return nil, err
	}
	if block, err := modeOf(asked.GetVolumeCapabilities()...); err != nil || block != is.Block {
		return &csi.ValidateVolumeCapabilitiesResponse{Message: "the volume is of the other mode, or cannot do it"}, nil
	}
	return &csi.ValidateVolumeCapabilitiesResponse{Confirmed: &csi.ValidateVolumeCapabilitiesResponse_Confirmed{
		VolumeContext: asked.GetVolumeContext(), VolumeCapabilities: asked.GetVolumeCapabilities(), Parameters: asked.GetParameters(),
	}}, nil
}

func (d *driver) ListVolumes(_ context.Context, asked *csi.ListVolumesRequest) (*csi.ListVolumesResponse, error) {
	ids, err := d.ids(volumesIn)
	if err != nil {
		return nil, err
	}
	ids, next, err := page(ids, asked.GetStartingToken(), asked.GetMaxEntries())
	if err != nil {
		return nil, err
	}
	answer := &csi.ListVolumesResponse{NextToken: next}
	for _, id := range ids {
		is, err := d.volume(id)
		if absent(err) {
			continue // gone meanwhile
		}
		if err != nil {
			return nil, err
		}
		entry := &csi.ListVolumesResponse_Entry{Volume: &csi.Volume{VolumeId: id, CapacityBytes: is.Size}}
		answer.Entries = append(answer.Entries, entry)
	}
	return answer, nil
}

func (d *driver) GetCapacity(_ context.Context, asked *csi.GetCapacityRequest) (*csi.GetCapacityResponse, error) {
	if len(asked.GetVolumeCapabilities()) > 0 {
		if _, err := modeOf(asked.GetVolumeCapabilities()...); err != nil {
			return &csi.GetCapacityResponse{}, nil // none of such volumes
		}
	}
	room, err := d.room()
	return &csi.GetCapacityResponse{AvailableCapacity: room}, err
}

// room is how many bytes may still be promised: what is left of the pool's capacity or, where that has no bound, what the file
// system below has free now.
func (p pool) room() (int64, error) {
	if p.capacity == 0 {
		var is unix.Statfs_t
		err := unix.Statfs(p.folder, &is)
		return int64(is.Bavail) * is.Bsize, err
	}
	promised := int64(0)
	for _, in := range []string{volumesIn, snapshotsIn} {
		ids, err := p.ids(in)
		if err != nil {
			return 0, err
		}
		for _, id := range ids {
			var has struct{ Size int64 }
			if err := p.read(in, id, &has); err != nil && !absent(err) {
				return 0, err
			}
			promised += has.Size
		}
	}
	return max(0, p.capacity-promised), nil
}
