package main

import (
	"os"
	"path/filepath"
	"strings"
)

// Longhorn sets the time-out of what it takes for a SCSI disk (/sys/block/DEVICE/device/timeout), which a loop device lacks. The node has
// a file system in memory over /sys/block, with links to the kernel's devices: there a folder takes the place of the link.

func (n notes) sysBlock(device string) string {
	return filepath.Join(strings.TrimSuffix(n.folder, notesFolder), "sys/block", device)
}

const kernelsDevices = "/sys/devices/virtual/block/"

func pretendScsi(kept notes, device string) error {
	folder := kept.sysBlock(device)
	if link, err := os.Readlink(folder); err == nil && link != "" {
		if err := os.Remove(folder); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Join(folder, "device"), 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(kernelsDevices + device)
	if err != nil {
		return err
	}
	for _, each := range entries {
		if err := os.Symlink(kernelsDevices+device+"/"+each.Name(), filepath.Join(folder, each.Name())); err != nil && !os.IsExist(err) {
			return err
		}
	}
	return os.WriteFile(filepath.Join(folder, "device", "timeout"), []byte("30\n"), 0o644)
}

// forgetScsi puts the link back.
func forgetScsi(kept notes, device string) {
	folder := kept.sysBlock(device)
	if info, err := os.Stat(filepath.Join(folder, "device", "timeout")); err != nil || !info.Mode().IsRegular() {
		return
	}
	if os.RemoveAll(folder) == nil {
		os.Symlink(kernelsDevices+device, folder)
	}
}
