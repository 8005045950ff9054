package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	freeSeconds = 20 // for a free loop device to be had, while others take them, too

	detachTries, detachPause = 100, 50 * time.Millisecond // for a loop device to be free again that nobody has open
)

// backing is what the kernel says of the files below loop devices: the name of each device that has one, and its path.
func backing() (map[string]string, error) {
	files, err := filepath.Glob("/sys/block/loop*/loop/backing_file")
	found := map[string]string{}
	for _, file := range files {
		if content, err := os.ReadFile(file); err == nil { // else detached meanwhile
			found[strings.Split(file, "/")[3]] = strings.TrimSuffix(string(content), "\n")
		}
	}
	return found, err
}

// deviceOver opens the loop device over an image of this pool; nil where there is none. While it is open, it stays what it is.
// No device is opened whose file is not one of the pool; of those it is told by the file itself, which may have several names.
func (p pool) deviceOver(image string) (*os.File, error) {
	var wanted unix.Stat_t
	if err := unix.Stat(image, &wanted); err != nil {
		return nil, err
	}
	devices, err := backing()
	for name, path := range devices {
		if !p.mayBe(path, image) {
			continue
		}
		device, err := os.OpenFile("/dev/"+name, os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		info, err := unix.IoctlLoopGetStatus64(int(device.Fd()))
		if err == nil && info.Inode == wanted.Ino && info.Device == wanted.Dev {
			return device, nil
		}
		device.Close()
	}
	return nil, err
}

func (p pool) isVolume(path string) bool {
	return filepath.Dir(path) == filepath.Join(p.folder, volumesIn)
}

// mayBe says whether that path may lead to a volume, or be the end of the path to an image: of a node whose mount namespace is
// gone the kernel shows paths from where they were mounted.
func (p pool) mayBe(path, image string) bool {
	return p.isVolume(path) || path != "/" && strings.HasSuffix(image, path)
}

// attach puts a loop device over an image, unless there is one. With `passing` the kernel detaches it when it is no longer
// open or mounted, whatever has become of this program.
func (p pool) attach(image string, passing bool) (*os.File, error) {
	if device, err := p.deviceOver(image); device != nil || err != nil {
		return device, err
	}
	file, err := os.OpenFile(image, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	control, err := os.OpenFile("/dev/loop-control", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer control.Close()
	for until := time.Now().Add(freeSeconds * time.Second); ; {
		number, err := unix.IoctlRetInt(int(control.Fd()), unix.LOOP_CTL_GET_FREE)
		if err != nil {
			return nil, fmt.Errorf("no free loop device: %w", err)
		}
		device, err := configure(fmt.Sprintf("/dev/loop%d", number), file, passing)
		if err == nil {
			return device, nil
		}
		if !errors.Is(err, unix.EBUSY) || time.Now().After(until) { // busy: somebody else was faster
			return nil, fmt.Errorf("/dev/loop%d: %w", number, err)
		}
	}
}

func configure(path string, file *os.File, passing bool) (*os.File, error) {
	device, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	config := unix.LoopConfig{Fd: uint32(file.Fd())}
	config.Info.Flags = unix.LO_FLAGS_DIRECT_IO // where the file system below can
	if passing {
		config.Info.Flags |= unix.LO_FLAGS_AUTOCLEAR
	}
	copy(config.Info.File_name[:len(config.Info.File_name)-1], file.Name())
	if err := unix.IoctlLoopConfigure(int(device.Fd()), &config); err != nil {
		device.Close()
		return nil, err
	}
	return device, nil
}

// detach lets the loop device over an image go, if there is one. It is false while somebody has it open or mounted. As umount
// does, it counts tries.
func (p pool) detach(image string) (bool, error) {
	for try := 1; ; try++ {
		device, err := p.deviceOver(image)
		if device == nil {
			return err == nil, err
		}
		// Where others have it open, too, the kernel only notes that it is to go with the last of them.
		err = unix.IoctlSetInt(int(device.Fd()), unix.LOOP_CLR_FD, 0)
		device.Close()
		if err != nil && !errors.Is(err, unix.ENXIO) {
			return false, err
		}
		if try == detachTries {
			return false, nil
		}
		time.Sleep(detachPause)
	}
}
