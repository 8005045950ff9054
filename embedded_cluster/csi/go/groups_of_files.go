package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// giveToGroup gives what is on a published volume to the group that a pod's fsGroup asks for, as the kubelet does for
// drivers that do not take it: files and folders are the group's, which may read and write, and new files in a folder are,
// too. The kubelet passes a group only while the fault groupByDriver is on.
func (p pool) giveToGroup(is volume, asked *csi.NodePublishVolumeRequest) error {
	group := asked.GetVolumeCapability().GetMount().GetVolumeMountGroup()
	if group == "" || asked.GetReadonly() {
		return nil
	}
	if ignored, err := p.has(groupIgnored, is.Fault); ignored || err != nil {
		return err
	}
	id, err := strconv.Atoi(group)
	if err != nil {
		return status.Errorf(codes.InvalidArgument, "the group %q is no number", group)
	}
	return filepath.WalkDir(asked.GetTargetPath(), func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := os.Lchown(path, -1, id); err != nil || entry.Type()&fs.ModeSymlink != 0 {
			return err
		}
		about, err := entry.Info()
		if err != nil {
			return err
		}
		mode := about.Mode() | 0o660
		if entry.IsDir() {
			mode |= 0o110 | fs.ModeSetgid
		}
		return os.Chmod(path, mode)
	})
}
