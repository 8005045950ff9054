package main

import (
	"context"
	"os"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func (d *driver) ControllerExpandVolume(
	_ context.Context, asked *csi.ControllerExpandVolumeRequest,
) (*csi.ControllerExpandVolumeResponse, error) {
	if asked.GetVolumeId() == "" || asked.GetCapacityRange() == nil {
		return nil, status.Error(codes.InvalidArgument, "no volume id, or no size")
	}
	is, err := d.volume(asked.GetVolumeId())
	if err != nil {
		return nil, err
	}
	never, err := d.has(neverGrows, is.Fault)
	if err != nil {
		return nil, err
	}
	if never {
		return nil, status.Error(codes.Unavailable, "the pool is being brought into order; try again later")
	}
	if err := d.keptSmallBySnapshots(is); err != nil {
		return nil, err
	}
	inName, err := d.has(growsInNameOnly, is.Fault)
	if err != nil {
		return nil, err
	}
	forGood, err := d.has(refusedForGood, is.Fault)
	if err != nil {
		return nil, err
	}
	if forGood && is.Refused {
		return nil, status.Errorf(codes.FailedPrecondition, "an earlier expansion of %s has failed", is.ID)
	}
	size, err := sizeFor(asked.GetCapacityRange(), is.Size)
	if err == nil && size > is.Size {
		err = d.enlargeVolume(is, size, inName)
	}
	if err != nil {
		if is.Refused = forGood; forGood {
			if kept := d.write(volumesIn, is.ID, is); kept != nil {
				return nil, kept
			}
		}
		return nil, err
	}
	// Also where it was that large before: the call may be repeated after the driver was killed.
	return &csi.ControllerExpandVolumeResponse{CapacityBytes: size, NodeExpansionRequired: !inName}, nil
}

func (d *driver) enlargeVolume(is volume, size int64, inName bool) error {
	if !is.RBD { // Ceph promises more than it has
		room, err := d.room()
		if err != nil {
			return err
		}
		if size-is.Size > room {
			return status.Errorf(codes.OutOfRange, "%d bytes more are asked for, and there is room for %d", size-is.Size, room)
		}
	}
	file, err := locked(d.image(volumesIn, is.ID))
	if err != nil {
		return err
	}
	defer file.Close()
	if !inName {
		if err := enlarge(file, size); err != nil {
			return err
		}
		if err := d.loseBulk(file, is.Fault); err != nil {
			return err
		}
	}
	is.Size = size
	return d.write(volumesIn, is.ID, is)
}

func (d *driver) NodeExpandVolume(_ context.Context, asked *csi.NodeExpandVolumeRequest) (*csi.NodeExpandVolumeResponse, error) {
	if asked.GetVolumeId() == "" || asked.GetVolumePath() == "" {
		return nil, status.Error(codes.InvalidArgument, "no volume id, or no path")
	}
	is, err := d.volume(asked.GetVolumeId())
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(asked.GetVolumePath()); err != nil {
		return nil, status.Errorf(codes.NotFound, "the volume is not at %s: %v", asked.GetVolumePath(), err)
	}
	inName, err := d.has(growsInNameOnly, is.Fault)
	if err != nil || inName {
		return &csi.NodeExpandVolumeResponse{CapacityBytes: is.Size}, err
	}
	// No pod has it yet where it is asked for at the path to which it is staged.
	if asked.GetVolumePath() == asked.GetStagingTargetPath() {
		if only, err := d.has(growsOnlyInUse, is.Fault); only || err != nil {
			return &csi.NodeExpandVolumeResponse{CapacityBytes: is.Size}, err
		}
	}
	file, err := locked(d.image(volumesIn, is.ID))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	device, err := d.deviceOver(file.Name())
	if err != nil {
		return nil, err
	}
	if device == nil {
		return nil, status.Errorf(codes.FailedPrecondition, "%s is not attached", is.ID)
	}
	defer device.Close()
	if err := unix.IoctlSetInt(int(device.Fd()), unix.LOOP_SET_CAPACITY, 0); err != nil {
		return nil, err
	}
	if !is.Block {
		if err := grow(asked.GetVolumePath()); err != nil {
			return nil, err
		}
	}
	return &csi.NodeExpandVolumeResponse{CapacityBytes: is.Size}, nil
}

// grow has a mounted file system fill its device; where it does, that changes nothing. One of the fault oldFileSystem stays as it is.
func grow(path string) error {
	var is unix.Statfs_t
	if err := unix.Statfs(path, &is); err != nil || is.Type == unix.EXT2_SUPER_MAGIC {
		return err
	}
	return run("xfs_growfs", "-d", path)
}
