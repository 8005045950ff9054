package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// locked has an image for this process, and this call, alone; NotFound where there is none. All that attaches, copies, grows
// or removes an image holds its lock; it is the file's own, so that two names of one file have one.
func locked(path string) (*os.File, error) {
	for {
		file, err := os.OpenFile(path, os.O_RDWR, 0)
		if errors.Is(err, fs.ErrNotExist) {
			return nil, status.Errorf(codes.NotFound, "there is no %s", path)
		}
		if err != nil {
			return nil, err
		}
		if err := unix.Flock(int(file.Fd()), unix.LOCK_EX); err != nil {
			file.Close()
			return nil, err
		}
		if same(file, path) { // else removed while this waited
			return file, nil
		}
		file.Close()
	}
}

func same(file *os.File, path string) bool {
	is, err := file.Stat()
	now, errNow := os.Stat(path)
	return err == nil && errNow == nil && os.SameFile(is, now)
}

// makeImage makes an image, unless it is there: under another name first, so that it is never half there.
func makeImage(path string, fill func(*os.File) error) error {
	unfinished := path + ".new"
	file, err := os.OpenFile(unfinished, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	defer func() { file.Close() }()
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return status.Errorf(codes.Aborted, "%s is being made", path)
	}
	if _, err := os.Stat(path); err == nil {
		return os.Remove(unfinished)
	}
	// What a killed driver began may still be written by mkfs, which goes on without it: this is another file.
	if err := os.Remove(unfinished); err != nil {
		return status.Errorf(codes.Aborted, "%s is being made: %v", path, err)
	}
	fresh, err := os.OpenFile(unfinished, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return status.Errorf(codes.Aborted, "%s is being made: %v", path, err)
	}
	file.Close()
	file = fresh
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return status.Errorf(codes.Aborted, "%s is being made", path)
	}
	if err := fill(file); err != nil {
		return errors.Join(err, os.Remove(unfinished))
	}
	return os.Rename(unfinished, path)
}

// copyOf copies all of one file to another: shared blocks where the file system has those, else without its holes.
func copyOf(from, to *os.File) error {
	if unix.IoctlFileClone(int(to.Fd()), int(from.Fd())) == nil {
		return nil
	}
	size, err := from.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if err := copyPart(from, to, 0, size); err != nil {
		return err
	}
	return enlarge(to, size)
}

// copyPart copies what is between two offsets of a file, to the same place of another, without its holes.
func copyPart(from, to *os.File, at, until int64) error {
	for at < until {
		data, err := unix.Seek(int(from.Fd()), at, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) || data >= until { // nothing but a hole
			break
		}
		if err != nil {
			return err
		}
		if at, err = unix.Seek(int(from.Fd()), data, unix.SEEK_HOLE); err != nil {
			return err
		}
		at = min(at, until)
		if _, err := from.Seek(data, io.SeekStart); err != nil {
			return err
		}
		if _, err := to.Seek(data, io.SeekStart); err != nil {
			return err
		}
		if _, err := io.CopyN(to, from, at-data); err != nil {
			return err
		}
	}
	return nil
}

// enlarge gives a file that size in bytes, unless it has more.
func enlarge(file *os.File, size int64) error {
	now, err := file.Stat()
	if err != nil || now.Size() >= size {
		return err
	}
	return file.Truncate(size)
}

// run runs a program; what it printed is in the error.
func run(words ...string) error {
	if output, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("`%s`: %w: %s", strings.Join(words, " "), err, strings.TrimSpace(string(output)))
	}
	return nil
}

func format(path string, old bool) error {
	if old { // no preallocation, no fractions of seconds
		return run("mkfs.ext2", "-q", "-F", "-I", "128", "-E", "nodiscard", path)
	}
	return run("mkfs.xfs", "-q", "-K", "-f", "-m", "reflink=1", path)
}
