package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func (d *driver) NodeGetInfo(context.Context, *csi.NodeGetInfoRequest) (*csi.NodeGetInfoResponse, error) {
	most, err := d.most()
	return &csi.NodeGetInfoResponse{NodeId: d.node, MaxVolumesPerNode: most}, err
}

func (d *driver) NodeGetCapabilities(
	context.Context, *csi.NodeGetCapabilitiesRequest,
) (*csi.NodeGetCapabilitiesResponse, error) {
	has := []csi.NodeServiceCapability_RPC_Type{
		csi.NodeServiceCapability_RPC_STAGE_UNSTAGE_VOLUME,
		csi.NodeServiceCapability_RPC_EXPAND_VOLUME,
		csi.NodeServiceCapability_RPC_GET_VOLUME_STATS,
	}
	takes, err := d.has(groupByDriver, "")
	if takes {
		has = append(has, csi.NodeServiceCapability_RPC_VOLUME_MOUNT_GROUP)
	}
	var all []*csi.NodeServiceCapability
	for _, each := range has {
		rpc := &csi.NodeServiceCapability_RPC{Type: each}
		all = append(all, &csi.NodeServiceCapability{Type: &csi.NodeServiceCapability_Rpc{Rpc: rpc}})
	}
	return &csi.NodeGetCapabilitiesResponse{Capabilities: all}, err
}

// known has the record of the volume and the lock of its image; whoever asks closes that.
func (d *driver) known(id, path string, asked *csi.VolumeCapability) (is volume, file *os.File, err error) {
	if id == "" || path == "" || asked == nil {
		return is, nil, status.Error(codes.InvalidArgument, "no volume id, no path or no capability")
	}
	if is, err = d.volume(id); err != nil {
		return is, nil, err
	}
	block, err := modeOf(asked)
	if err != nil {
		return is, nil, err
	}
	if block != is.Block {
		return is, nil, status.Errorf(codes.InvalidArgument, "%s is of the other volume mode", id)
	}
	file, err = locked(d.image(volumesIn, id))
	return is, file, err
}

func (d *driver) NodeStageVolume(_ context.Context, asked *csi.NodeStageVolumeRequest) (*csi.NodeStageVolumeResponse, error) {
	is, file, err := d.known(asked.GetVolumeId(), asked.GetStagingTargetPath(), asked.GetVolumeCapability())
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if refuses, err := d.has(oneNodeRefuses, is.Fault); err != nil {
		return nil, err
	} else if refuses && strings.HasSuffix(d.node, "-2") {
		return nil, status.Errorf(codes.Internal, "%s has no path to the storage", d.node)
	}
	if err := d.awaitTurn(is); err != nil {
		return nil, err
	}
	done, err := d.mayHave(is)
	if err != nil {
		return nil, err
	}
	defer done()
	if err := d.countStaged(is, file.Name(), asked.GetStagingTargetPath()); err != nil {
		return nil, err
	}
	if is.Block {
		image, err := d.imageHere(is)
		if err != nil {
			return nil, err
		}
		return &csi.NodeStageVolumeResponse{}, d.stageBlock(is.ID, image)
	}
	path, options := asked.GetStagingTargetPath(), asked.GetVolumeCapability().GetMount().GetMountFlags()
	if ignored, err := d.has(optionsIgnored, is.Fault); err != nil {
		return nil, err
	} else if ignored {
		options = nil
	}
	sameID, err := d.has(keepsID, is.Fault)
	if err != nil {
		return nil, err
	}
	if err := d.mountImage(file.Name(), path, sameID, options...); err != nil {
		return nil, err
	}
	if only, err := d.has(growsOnlyInUse, is.Fault); only || err != nil {
		return &csi.NodeStageVolumeResponse{}, err
	}
	// What was restored to a larger volume, or expanded while nobody had it.
	return &csi.NodeStageVolumeResponse{}, grow(path)
}

// stageBlock attaches a volume for this node. It stays attached while any node has it, open or not.
func (d *driver) stageBlock(id, image string) error {
	here := filepath.Join(d.folder, stagedIn, id, d.node)
	if err := os.MkdirAll(filepath.Dir(here), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(here, nil, 0o600); err != nil {
		return err
	}
	device, err := d.attach(image, false)
	if err != nil {
		return err
	}
	return device.Close()
}

func (d *driver) NodeUnstageVolume(
	_ context.Context, asked *csi.NodeUnstageVolumeRequest,
) (*csi.NodeUnstageVolumeResponse, error) {
	id, path := asked.GetVolumeId(), asked.GetStagingTargetPath()
	if id == "" || path == "" {
		return nil, status.Error(codes.InvalidArgument, "no volume id, or no path")
	}
	is, err := d.volume(id)
	if err != nil {
		return nil, err
	}
	file, err := locked(d.image(volumesIn, id))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if !is.Block {
		return &csi.NodeUnstageVolumeResponse{}, unmount(path)
	}
	if err := os.Remove(filepath.Join(d.folder, stagedIn, id, d.node)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	if is.RBD { // its device is there as long as it is
		return &csi.NodeUnstageVolumeResponse{}, nil
	}
	image, err := d.imageHere(is)
	if err != nil {
		return nil, err
	}
	others, err := os.ReadDir(filepath.Join(d.folder, stagedIn, id))
	if err != nil && !errors.Is(err, os.ErrNotExist) || len(others) > 0 && image == file.Name() {
		return &csi.NodeUnstageVolumeResponse{}, err
	}
	free, err := d.detach(image)
	if err == nil && !free {
		err = status.Errorf(codes.Internal, "%s is still open", id)
	}
	return &csi.NodeUnstageVolumeResponse{}, err
}

func (d *driver) NodePublishVolume(
	_ context.Context, asked *csi.NodePublishVolumeRequest,
) (*csi.NodePublishVolumeResponse, error) {
	target, staged := asked.GetTargetPath(), asked.GetStagingTargetPath()
	is, file, err := d.known(asked.GetVolumeId(), target, asked.GetVolumeCapability())
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if staged == "" {
		return nil, status.Error(codes.InvalidArgument, "no staging path")
	}
	if is.Block && asked.GetReadonly() {
		return nil, status.Error(codes.InvalidArgument, "a raw block device cannot be had for reading alone")
	}
	if device, err := mountedAt(target); device != "" || err != nil {
		return &csi.NodePublishVolumeResponse{}, err
	}
	if err := d.firstAlone(is, target); err != nil {
		return nil, err
	}
	image, err := d.imageHere(is)
	if err != nil {
		return nil, err
	}
	device, err := d.deviceOver(image)
	if err != nil {
		return nil, err
	}
	if device == nil {
		return nil, status.Errorf(codes.FailedPrecondition, "%s is not staged", is.ID)
	}
	defer device.Close()
	if is.Block {
		return &csi.NodePublishVolumeResponse{}, bindDevice(device.Name(), target)
	}
	if there, err := mountedAt(staged); there == "" || err != nil {
		return nil, status.Errorf(codes.FailedPrecondition, "%s is not staged at %s: %v", is.ID, staged, err)
	}
	if nothing, err := d.has(mountsNothing, is.Fault); err != nil {
		return nil, err
	} else if nothing {
		return &csi.NodePublishVolumeResponse{}, errors.Join(os.MkdirAll(target, 0o777), os.Chmod(target, 0o777))
	}
	shown, err := d.inPlaceOf(is)
	if err != nil {
		return nil, err
	}
	if shown != is.ID {
		return &csi.NodePublishVolumeResponse{}, d.publishAnother(shown, target)
	}
	if err := d.publishFolder(is, staged, target, asked.GetReadonly()); err != nil {
		return nil, err
	}
	if err := d.giveToGroup(is, asked); err != nil {
		return nil, err
	}
	if walks, err := d.has(walksAtMount, is.Fault); walks || err != nil {
		if err := errors.Join(err, walk(staged)); err != nil {
			return nil, err
		}
	}
	return &csi.NodePublishVolumeResponse{}, d.rememberEarly(is)
}

func (d *driver) publishFolder(is volume, staged, target string, readOnly bool) error {
	apart, err := d.has(nodesApart, is.Fault)
	if err != nil {
		return err
	}
	if apart {
		staged = filepath.Join(staged, d.node)
		if err := os.MkdirAll(staged, 0o755); err != nil {
			return err
		}
	}
	inside, err := d.has(mountsInside, is.Fault)
	if err != nil {
		return err
	}
	if err := bindFolder(staged, target, readOnly); err != nil || !inside {
		return err
	}
	return mountFolders(staged, target)
}

func bindFolder(staged, target string, readOnly bool) error {
	if err := os.MkdirAll(target, 0o750); err != nil {
		return err
	}
	if err := unix.Mount(staged, target, "", unix.MS_BIND, ""); err != nil {
		return &os.PathError{Op: "bind", Path: target, Err: err}
	}
	if !readOnly {
		return nil
	}
	if err := unix.Mount("", target, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		return errors.Join(&os.PathError{Op: "remount read-only", Path: target, Err: err}, unmount(target))
	}
	return nil
}

func bindDevice(device, target string) error {
	if err := os.MkdirAll(filepath.Dir(target), 0o750); err != nil {
		return err
	}
	file, err := os.OpenFile(target, os.O_CREATE|os.O_RDONLY, 0o600)
	if err != nil {
		return err
	}
	file.Close()
	if err := unix.Mount(device, target, "", unix.MS_BIND, ""); err != nil {
		return &os.PathError{Op: "bind", Path: target, Err: err}
	}
	return nil
}

func (d *driver) NodeUnpublishVolume(
	_ context.Context, asked *csi.NodeUnpublishVolumeRequest,
) (*csi.NodeUnpublishVolumeResponse, error) {
	id, target := asked.GetVolumeId(), asked.GetTargetPath()
	if id == "" || target == "" {
		return nil, status.Error(codes.InvalidArgument, "no volume id, or no path")
	}
	is, err := d.volume(id)
	if err != nil {
		return nil, err
	}
	loses, err := d.has(lostAtUnpublish, is.Fault)
	if err != nil {
		return nil, err
	}
	if device, err := mountedAt(target); err != nil {
		return nil, err
	} else if device == "" && is.Fault == mountsNothing {
		if err := empty(target); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	} else if loses && !is.Block && strings.HasPrefix(device, "7:") { // 7: loop devices
		if err := empty(target); err != nil && !errors.Is(err, unix.EROFS) {
			return nil, err
		}
	}
	return &csi.NodeUnpublishVolumeResponse{}, errors.Join(unmountInside(target), unmount(target))
}

// empty removes all that is in a folder.
func empty(path string) error {
	entries, err := os.ReadDir(path)
	for _, entry := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(path, entry.Name())))
	}
	return err
}

func (d *driver) NodeGetVolumeStats(
	_ context.Context, asked *csi.NodeGetVolumeStatsRequest,
) (*csi.NodeGetVolumeStatsResponse, error) {
	id, path := asked.GetVolumeId(), asked.GetVolumePath()
	if id == "" || path == "" {
		return nil, status.Error(codes.InvalidArgument, "no volume id, or no path")
	}
	is, err := d.volume(id)
	if err != nil {
		return nil, err
	}
	if device, err := mountedAt(path); device == "" || err != nil {
		return nil, status.Errorf(codes.NotFound, "%s is not at %s: %v", id, path, err)
	}
	if is.Block {
		total := &csi.VolumeUsage{Unit: csi.VolumeUsage_BYTES, Total: is.Size}
		return &csi.NodeGetVolumeStatsResponse{Usage: []*csi.VolumeUsage{total}}, nil
	}
	if wrong, err := d.has(wrongStatistics, is.Fault); err != nil {
		return nil, err
	} else if wrong {
		path = d.folder
	}
	var has unix.Statfs_t
	if err := unix.Statfs(path, &has); err != nil {
		return nil, err
	}
	usage := func(unit csi.VolumeUsage_Unit, total, free, available uint64, each int64) *csi.VolumeUsage {
		return &csi.VolumeUsage{
			Unit: unit, Total: int64(total) * each, Available: int64(available) * each, Used: int64(total-free) * each,
		}
	}
	return &csi.NodeGetVolumeStatsResponse{Usage: []*csi.VolumeUsage{
		usage(csi.VolumeUsage_BYTES, has.Blocks, has.Bfree, has.Bavail, has.Bsize),
		usage(csi.VolumeUsage_INODES, has.Files, has.Ffree, has.Ffree, 1),
	}}, nil
}
