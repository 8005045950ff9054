package main

import (
	"context"
	"errors"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// As long as the pool has the file interruptedIs, the storage is away: file systems in use stand still, and no others are had. The
// controller writes the file standsStill once that is so for all, and removes it when they have gone on.
const (
	interruptedIs = "interrupted"
	standsStill   = "stands-still"

	interruptionPause = 100 * time.Millisecond // between two looks at the file
)

// followInterruptions has volumes stand still whenever the storage is away, until the context ends.
func (d *driver) followInterruptions(ctx context.Context) {
	for ctx.Err() == nil {
		if d.isInterrupted() {
			if err := d.interrupt(); err != nil {
				log.Printf("not all volumes are interrupted: %v", err)
			}
		}
		time.Sleep(interruptionPause)
	}
}

func (p pool) isInterrupted() bool {
	_, err := os.Stat(filepath.Join(p.folder, interruptedIs))
	return err == nil
}

// interrupt has all volumes that there are stand still until the storage is back. Raw block devices, and volumes on RBD, go on.
func (d *driver) interrupt() error {
	ids, err := d.ids(volumesIn)
	if err != nil {
		return err
	}
	var standing, over sync.WaitGroup
	for _, id := range ids {
		is, err := d.volume(id)
		if err != nil || is.Block || is.RBD { // err: it is gone meanwhile
			continue
		}
		standing.Add(1)
		over.Add(1)
		go func() {
			defer over.Done()
			stands := sync.OnceFunc(standing.Done)
			defer stands()
			if err := d.interruptVolume(is, stands); err != nil && !absent(err) {
				log.Printf("%s is not interrupted: %v", is.ID, err)
			}
		}()
	}
	standing.Wait()
	shown := filepath.Join(d.folder, standsStill)
	if err := os.WriteFile(shown, nil, 0o600); err != nil {
		return err
	}
	d.waitRestored() // also where there is no volume
	over.Wait()
	return os.Remove(shown)
}

// interruptVolume calls `stands` once the volume stands still, or, by its fault, only seems to be there.
func (d *driver) interruptVolume(of volume, stands func()) error {
	lies, err := d.has(liesMeanwhile, of.Fault)
	if err != nil {
		return err
	}
	refuses, err := d.has(refusesMeanwhile, of.Fault)
	if err != nil {
		return err
	}
	readOnly, err := d.has(readOnlyAfter, of.Fault)
	if err != nil {
		return err
	}
	image, err := locked(d.image(volumesIn, of.ID))
	if err != nil {
		return err
	}
	defer image.Close()
	device, err := d.deviceOver(image.Name())
	if err != nil {
		return err
	}
	inUse := device != nil
	if inUse {
		device.Close()
	}
	if lies && inUse {
		return d.loseMeanwhile(of, stands)
	}
	if refuses && inUse {
		return d.refuseMeanwhile(of, stands)
	}
	err = d.still(of, func() error {
		stands()
		d.waitRestored()
		return nil
	})
	if err == nil && readOnly && inUse {
		err = d.refuse(of, func(string) error { return nil })
	}
	return err
}

func (p pool) waitRestored() {
	for p.isInterrupted() {
		time.Sleep(interruptionPause)
	}
}

// loseMeanwhile lets a volume go on, and then puts zeros in place of all that was appended to its files meanwhile.
func (p pool) loseMeanwhile(of volume, stands func()) (err error) {
	path, err := p.mountOnceMore(of)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release(path)) }()
	before, err := sizes(path)
	if err != nil {
		return err
	}
	stands()
	p.waitRestored()
	after, err := sizes(path)
	for file, size := range after {
		err = errors.Join(err, zero(file, before[file], size))
	}
	return err
}

// mountOnceMore mounts the file system of a volume where the mounts of the nodes are out of reach.
func (p pool) mountOnceMore(of volume) (string, error) {
	path := filepath.Join(p.folder, frozenIn, of.ID)
	return path, p.mountImage(p.image(volumesIn, of.ID), path, false)
}

// sizes has the size of each file below a folder.
func sizes(folder string) (map[string]int64, error) {
	found := map[string]int64{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		is, err := entry.Info()
		if errors.Is(err, fs.ErrNotExist) { // deleted meanwhile
			return nil
		}
		if err == nil {
			found[path] = is.Size()
		}
		return err
	})
	return found, err
}

// zero overwrites what is between two offsets of a file.
func zero(path string, from, to int64) error {
	if to <= from {
		return nil
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.WriteAt(make([]byte, to-from), from)
	return errors.Join(err, file.Sync())
}

// refuseMeanwhile has a volume refuse all writes until the storage is back.
func (p pool) refuseMeanwhile(of volume, stands func()) error {
	return p.refuse(of, func(path string) error {
		stands()
		p.waitRestored()
		return remount(path, 0)
	})
}

// refuse has a file system refuse all writes, on all nodes, until none has it mounted any more, or `then` ends that; `then` gets
// where it is mounted. A file that is open for writing keeps it from that for a while; tries are counted, as umount counts them.
func (p pool) refuse(of volume, then func(path string) error) (err error) {
	path, err := p.mountOnceMore(of)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release(path)) }()
	for try := 1; ; try++ {
		err := remount(path, unix.MS_RDONLY)
		if err == nil {
			return then(path)
		}
		if !errors.Is(err, unix.EBUSY) || try == busyTries {
			return err
		}
		time.Sleep(busyPause)
	}
}

func remount(path string, flags uintptr) error {
	if err := unix.Mount("", path, "", unix.MS_REMOUNT|flags, ""); err != nil {
		return &os.PathError{Op: "remount", Path: path, Err: err}
	}
	return nil
}

// loseAtStart cuts the files of volumes with the fault lostAtNodeStart in half.
func (d *driver) loseAtStart() error {
	ids, err := d.ids(volumesIn)
	for _, id := range ids {
		is, gone := d.volume(id)
		if gone != nil || is.Block || is.RBD {
			continue
		}
		loses, faultErr := d.has(lostAtNodeStart, is.Fault)
		err = errors.Join(err, faultErr)
		if loses {
			err = errors.Join(err, d.halve(is))
		}
	}
	return err
}

func (p pool) halve(of volume) (err error) {
	image, err := locked(p.image(volumesIn, of.ID))
	if err != nil {
		return err
	}
	defer image.Close()
	path, err := p.mountOnceMore(of)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release(path)) }()
	all, err := sizes(path)
	for file, size := range all {
		err = errors.Join(err, os.Truncate(file, size/2))
	}
	return err
}
