package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	freeze = 0xC0045877 // FIFREEZE and FITHAW of linux/fs.h
	thaw   = 0xC0045878

	busyTries, busyPause = 100, 50 * time.Millisecond // for a mount to be free that nobody uses
)

// mount is a line of the kernel's list.
type mount struct {
	device string // such as 7:3
	path   string
}

// parseMounts reads /proc/self/mountinfo.
func parseMounts(text string) []mount {
	var found []mount
	for line := range strings.Lines(text) {
		if words := strings.Fields(line); len(words) > 4 {
			found = append(found, mount{device: words[2], path: unescaped(words[4])})
		}
	}
	return found
}

// unescaped has the characters back that the kernel writes as a backslash and three octal digits.
func unescaped(path string) string {
	var whole strings.Builder
	for at := 0; at < len(path); at++ {
		if path[at] == '\\' && at+3 < len(path) {
			if code, err := strconv.ParseUint(path[at+1:at+4], 8, 8); err == nil {
				whole.WriteByte(byte(code))
				at += 3
				continue
			}
		}
		whole.WriteByte(path[at])
	}
	return whole.String()
}

// mountedAt tells the device that is mounted there, on top of others if there are several; "" for none.
func mountedAt(path string) (string, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	device := ""
	for _, each := range parseMounts(string(text)) {
		if each.path == filepath.Clean(path) {
			device = each.device
		}
	}
	return device, err
}

// mountImage mounts an image's file system, unless that is mounted there. Its lock is held. With `sameID` the kernel refuses
// what has the id of another file system that is mounted: of its source, or of its copy.
func (p pool) mountImage(image, path string, sameID bool, options ...string) error {
	if device, err := mountedAt(path); device != "" || err != nil {
		return err
	}
	if err := os.MkdirAll(path, 0o750); err != nil {
		return err
	}
	device, err := p.attach(image, true)
	if err != nil {
		return err
	}
	defer device.Close() // from then on the mount alone keeps it
	if slices.Contains(options, "discard") {
		if err := takesDiscards(device.Name()); err != nil {
			return err
		}
	}
	kind, err := kindOf(device)
	if err != nil {
		return err
	}
	words := []string{"mount", "-t", kind}
	if !sameID && kind == "xfs" {
		options = append([]string{"nouuid"}, options...) // a copy has the same one as its source
	}
	if len(options) > 0 {
		words = append(words, "-o", strings.Join(options, ","))
	}
	return run(append(words, device.Name(), path)...)
}

// kindOf tells the kind of a device's file system: ext2 only by the fault oldFileSystem.
func kindOf(device *os.File) (string, error) {
	start := make([]byte, 4)
	if _, err := device.ReadAt(start, 0); err != nil {
		return "", err
	}
	if string(start) == "XFSB" {
		return "xfs", nil
	}
	return "ext2", nil
}

// takesDiscards fails for a device that takes none: the kernel would drop the mount option discard without a word.
func takesDiscards(device string) error {
	most, err := os.ReadFile(filepath.Join("/sys/block", filepath.Base(device), "queue/discard_max_bytes"))
	if err == nil && strings.TrimSpace(string(most)) == "0" {
		return fmt.Errorf("%s takes no discards (or somebody has turned them off, which lasts as long as the device), "+
			"and is not mounted with the option discard", device)
	}
	return err
}

// umount waits for a file that is open there to be closed: a program that another call starts has, until it runs, all files open
// that are open here. Tries are counted, and not the time: where the machine stands still for a while, so does that program.
func umount(path string) error {
	for try := 1; ; try++ {
		err := unix.Unmount(path, 0)
		if err == nil {
			return nil
		}
		if !errors.Is(err, unix.EBUSY) || try == busyTries {
			return &os.PathError{Op: "umount", Path: path, Err: err}
		}
		time.Sleep(busyPause)
	}
}

// unmount unmounts whatever is mounted there, and removes the empty folder or file.
func unmount(path string) error {
	for {
		device, err := mountedAt(path)
		if err != nil {
			return err
		}
		if device == "" {
			break
		}
		if err := umount(path); err != nil {
			return err
		}
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// mountFolders makes each folder of a file system a mount of its own where that is mounted; nowhere else.
func mountFolders(of, path string) error {
	if err := unix.Mount("", path, "", unix.MS_PRIVATE, ""); err != nil {
		return &os.PathError{Op: "make private", Path: path, Err: err}
	}
	entries, err := os.ReadDir(of)
	for _, each := range entries {
		if each.IsDir() {
			err = errors.Join(err, bindFolder(filepath.Join(of, each.Name()), filepath.Join(path, each.Name()), false))
		}
	}
	return err
}

// unmountInside unmounts what is mounted below a folder, the last first.
func unmountInside(path string) error {
	text, err := os.ReadFile("/proc/self/mountinfo")
	for _, each := range slices.Backward(parseMounts(string(text))) {
		if strings.HasPrefix(each.path, filepath.Clean(path)+"/") {
			err = errors.Join(err, umount(each.path))
		}
	}
	return err
}

// still does something while nothing changes on a volume: its file system is frozen where it is mounted, on whatever node.
// A raw block device can only be brought up to date. The lock of its image is held.
func (p pool) still(of volume, work func() error) (err error) {
	image := p.image(volumesIn, of.ID)
	device, err := p.deviceOver(image)
	if err != nil {
		return err
	}
	if device == nil {
		return work()
	}
	defer device.Close()
	if of.Block {
		if err := device.Sync(); err != nil {
			return err
		}
		return work()
	}
	// Mounted once more, it is the same file system.
	path, err := p.mountOnceMore(of)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release(path)) }()
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	if err := unix.IoctlSetInt(int(folder.Fd()), freeze, 0); err != nil {
		return &os.PathError{Op: "freeze", Path: path, Err: err}
	}
	defer func() { err = errors.Join(err, unix.IoctlSetInt(int(folder.Fd()), thaw, 0)) }()
	return work()
}

// release has a file system go on, if it is frozen, and unmounts it.
func release(path string) error {
	if device, err := mountedAt(path); device == "" || err != nil {
		return err
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	err = unix.IoctlSetInt(int(folder.Fd()), thaw, 0)
	folder.Close()
	if err != nil && !errors.Is(err, unix.EINVAL) { // EINVAL: it is not frozen
		return &os.PathError{Op: "thaw", Path: path, Err: err}
	}
	return unmount(path)
}

// undoWhatAKilledOneLeft has frozen file systems go on, and detaches loop devices of volumes that are gone.
func (p pool) undoWhatAKilledOneLeft() error {
	if err := os.Remove(filepath.Join(p.folder, standsStill)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	frozen, err := os.ReadDir(filepath.Join(p.folder, frozenIn))
	if err != nil {
		return err
	}
	for _, each := range frozen {
		path := filepath.Join(p.folder, frozenIn, each.Name())
		if err := release(path); err != nil {
			return err
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	devices, err := backing()
	for name, path := range devices {
		image, gone := strings.CutSuffix(path, " (deleted)")
		if !gone || !p.isVolume(image) {
			continue
		}
		device, err := os.OpenFile("/dev/"+name, os.O_RDWR, 0)
		if err != nil {
			return err
		}
		err = unix.IoctlSetInt(int(device.Fd()), unix.LOOP_CLR_FD, 0)
		device.Close()
		if err != nil && !errors.Is(err, unix.ENXIO) {
			return err
		}
	}
	return err
}
