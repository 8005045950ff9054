package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	freeSeconds = 20 // for a free loop device to be had, while others take them, too
	blockSize   = 512

	detachTries, detachPause = 100, 50 * time.Millisecond // for a loop device to be free again that nobody else has open
)

// loop is a loop device of ours. The kernel detaches it when the last user closes it, and this program is the last unless
// the volume is mounted: so nothing is left of a program that was killed but what somebody still uses.
type loop struct {
	name string // such as loop7
	mark string // its name in the kernel's status, by which it is known to be ours
	disk uint64 // its number as a disk, by which it is known when the program that served it is dead
	file *os.File
}

// attach puts a free loop device over the file, with direct I/O, and `mark` (63 bytes at most) as its name.
func attach(path, mark string) (*loop, error) {
	// Not by os.OpenFile, whose poller would have the kernel ask this very process, which serves the file, for events: in a
	// process that is killed just then the question stays, and with it the process.
	descriptor, err := unix.Open(path, unix.O_RDWR|unix.O_DIRECT|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, os.NewSyscallError("open", err)
	}
	backing := os.NewFile(uintptr(descriptor), path)
	defer backing.Close()
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
		found, err := configure(fmt.Sprintf("loop%d", number), mark, backing)
		if err == nil {
			return found, nil
		}
		if !errors.Is(err, unix.EBUSY) || time.Now().After(until) { // busy: somebody else was faster
			return nil, fmt.Errorf("/dev/loop%d: %w", number, err)
		}
	}
}

func configure(name, mark string, backing *os.File) (*loop, error) {
	device, err := os.OpenFile("/dev/"+name, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	config := unix.LoopConfig{Fd: uint32(backing.Fd()), Size: blockSize}
	config.Info.Flags = unix.LO_FLAGS_DIRECT_IO | unix.LO_FLAGS_AUTOCLEAR
	copy(config.Info.File_name[:len(config.Info.File_name)-1], mark)
	if err := unix.IoctlLoopConfigure(int(device.Fd()), &config); err != nil {
		device.Close()
		return nil, err
	}
	// It offers discards, which change nothing: turned off they would be for whoever has the device next, too.
	return &loop{name: name, mark: mark, disk: serialOf(name), file: device}, nil
}

// grow has the kernel look at the file's size again.
func (l *loop) grow() error {
	return unix.IoctlSetInt(int(l.file.Fd()), unix.LOOP_SET_CAPACITY, 0)
}

// detach lets the device go, and says whether it is gone: not while somebody else has it open. Then it goes with the last user.
func (l *loop) detach() (bool, error) {
	err := unix.IoctlSetInt(int(l.file.Fd()), unix.LOOP_CLR_FD, 0)
	l.file.Close()
	if err != nil && !errors.Is(err, unix.ENXIO) {
		return false, fmt.Errorf("LOOP_CLR_FD of %s: %w", l.name, err)
	}
	// Tries are counted, and not the time: where the machine stands still for a while, so does who is about to let it go.
	for range detachTries {
		if !l.attached() {
			return true, nil
		}
		time.Sleep(detachPause)
	}
	return false, nil
}

// attached says whether the device still is what it was, and not detached, or another's by now.
func (l *loop) attached() bool {
	backing, err := os.ReadFile("/sys/class/block/" + l.name + "/loop/backing_file")
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(backing)), "/"+fileName) {
		return false
	}
	if l.disk != 0 {
		return serialOf(l.name) == l.disk
	}
	return markOf(l.name) == l.mark
}

// markOf tells the name that a loop device was given by who attached it; "" where it is attached to nothing, and where nobody serves
// its file any more: the kernel asks for that, too.
func markOf(name string) string {
	device, err := os.OpenFile("/dev/"+name, os.O_RDONLY, 0)
	if err != nil {
		return ""
	}
	defer device.Close()
	info, err := unix.IoctlLoopGetStatus64(int(device.Fd()))
	if err != nil {
		return ""
	}
	return strings.TrimRight(string(info.File_name[:]), "\x00")
}

// serialOf tells the number under which the kernel has the disk; each time that a loop device is attached it has another. 0 before Linux 5.15.
func serialOf(name string) uint64 {
	text, _ := os.ReadFile("/sys/class/block/" + name + "/diskseq")
	number, _ := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
	return number
}

// detachLeft detaches a device that a dead one of us left, if it is still that. It is true if nothing is left of it. A note without
// a device is of one that died before anybody could use it: that went with its program.
func detachLeft(old deviceNote) (bool, error) {
	left := &loop{name: old.Device, mark: old.Mark, disk: old.Serial}
	if old.Device == "" || !left.attached() {
		return true, nil
	}
	var err error
	if left.file, err = os.OpenFile("/dev/"+left.name, os.O_RDWR, 0); err != nil {
		return false, err
	}
	return left.detach()
}
