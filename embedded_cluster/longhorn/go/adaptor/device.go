package main

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	runFolder      = "/run/longhorn-block-devices" // one folder below it for each volume
	unmountSeconds = 5
)

// device is a volume as a block device: the engine's socket, a file over FUSE, a loop device over the file.
type device struct {
	notes  notes
	note   deviceNote
	volume *volume
	files  *fileServer
	loop   *loop
	lock   *os.File            // held for as long as this process has the device
	before func(device string) // called before the loop device is let go

	removing sync.Mutex
	removed  bool
	ended    chan struct{} // closed when `remove` has done what it can
}

// export makes a block device of what an engine serves. It goes when the engine does: then all I/O fails.
func export(kept notes, name, socket string, size int64, before func(string)) (_ *device, err error) {
	served, err := connect(socket)
	if err != nil {
		return nil, err
	}
	random := make([]byte, 6)
	rand.Read(random)
	folder := filepath.Join(runFolder, hex.EncodeToString(random))
	d := &device{
		notes:  kept,
		note:   deviceNote{Mark: filepath.Join(folder, fileName), Folder: folder},
		volume: newVolume(name, size, served),
		before: before,
		ended:  make(chan struct{}),
	}
	defer func() {
		if err != nil {
			d.remove()
		}
	}()
	if d.lock, err = kept.lock(filepath.Base(folder)); err != nil {
		return nil, err
	}
	if err := d.remember(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	if d.files, err = mount(folder, "longhorn-"+name, d.volume); err != nil {
		return nil, err
	}
	if d.loop, err = attach(d.note.Mark, d.note.Mark); err != nil {
		return nil, err
	}
	d.note.Device, d.note.Serial = d.loop.name, d.loop.disk
	if err := d.remember(); err != nil {
		return nil, err
	}
	go func() {
		<-served.gone
		d.remove()
	}()
	return d, nil
}

func (d *device) remember() error {
	return d.notes.write("devices", filepath.Base(d.note.Folder), d.note)
}

func (d *device) resize(size int64) error {
	if size < d.volume.size.Load() {
		return fmt.Errorf("%s cannot become smaller", d.volume.name)
	}
	d.volume.size.Store(size)
	if _, err := os.Stat(d.note.Mark); err != nil { // the kernel asks for the size
		return err
	}
	return d.loop.grow()
}

// remove takes the device away, in seconds whoever uses it. Who still does gets errors from then on, and the kernel detaches the
// device when he lets it go.
func (d *device) remove() error {
	d.removing.Lock()
	defer d.removing.Unlock()
	if d.removed {
		return nil
	}
	d.removed = true
	defer close(d.ended)
	gone, err := true, error(nil)
	if d.loop != nil {
		d.before(d.loop.name)
		gone, err = d.loop.detach()
	}
	d.volume.engine.close() // nothing waits for the engine any more
	if d.files != nil {
		if failed := unix.Unmount(d.note.Folder, unix.MNT_DETACH); failed != nil {
			err = errors.Join(err, fmt.Errorf("unmount %s: %w", d.note.Folder, failed))
		}
		if gone { // else the file is still used, and that ends with its last user
			select {
			case <-d.files.ended:
			case <-time.After(unmountSeconds * time.Second):
			}
		}
	}
	os.Remove(d.note.Folder)
	if d.lock != nil {
		defer d.lock.Close()
	}
	if gone {
		d.notes.forget(filepath.Base(d.note.Folder))
		log.Printf("%s: removed %s", d.volume.name, d.note.Device)
	} else {
		log.Printf("%s: %s is still used; it goes with its last user", d.volume.name, d.note.Device)
	}
	return err
}

// clean takes away what dead ones of us left on this node. It returns how many devices somebody still uses.
func clean(kept notes) (used int) {
	for _, old := range read[deviceNote](kept, "devices") {
		name := filepath.Base(old.Folder)
		if filepath.Dir(old.Folder) != runFolder || old.Mark != filepath.Join(old.Folder, fileName) {
			log.Printf("%s is no note of ours, and stays", kept.path("devices", name))
			continue
		}
		lock, err := kept.lock(name)
		if err != nil { // one of us has it, and lives
			continue
		}
		gone, err := detachLeft(old)
		if !gone {
			log.Printf("%s was left, and is still used (%v)", old.Device, err)
			used++
		}
		unix.Unmount(old.Folder, unix.MNT_DETACH) // fails where the mount went with its container
		os.Remove(old.Folder)
		if gone {
			kept.forget(name)
		}
		lock.Close()
	}
	for _, kind := range []string{"targets", "sessions"} {
		for _, each := range read[targetNote](kept, kind) {
			kept.remove(kind, each.Name)
		}
	}
	return used
}
