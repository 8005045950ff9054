package main

import (
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// cloning counts the clones that are being made of each volume with the fault oneCloneAtATime.
type cloning struct {
	lock sync.Mutex
	of   map[string]int
}

// cloneTakes is how long a clone with the fault oneCloneAtATime is being made: as others are asked for.
var cloneTakes = 2 * time.Second

// begin says whether another clone of the volume is being made; whoever asks calls end when its own is.
func (c *cloning) begin(id string) (busy bool, end func()) {
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.of == nil {
		c.of = map[string]int{}
	}
	busy = c.of[id] > 0
	c.of[id]++
	return busy, func() {
		c.lock.Lock()
		defer c.lock.Unlock()
		c.of[id]--
	}
}

// cloneAlone makes a clone, which takes some time, and makes an empty one while another one is being made.
func (d *driver) cloneAlone(wanted volume, source content) error {
	busy, end := d.cloning.begin(source.id)
	defer end()
	if busy {
		return d.make(wanted, content{})
	}
	time.Sleep(cloneTakes)
	return d.make(wanted, source)
}

// mostTaken is how many snapshots of a volume with the fault neverFreed are taken, ever.
const mostTaken = 6

// countTaken refuses a further snapshot of a volume with the fault neverFreed, and counts it if there was room. A snapshot of
// which the driver was asked before counts once.
func (d *driver) countTaken(of volume, id string) error {
	keeps, err := d.has(neverFreed, of.Fault)
	if err != nil || !keeps {
		return err
	}
	folder := filepath.Join(d.folder, takenIn, of.ID)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	taken, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	known := slices.ContainsFunc(taken, func(each os.DirEntry) bool { return each.Name() == id })
	if !known && len(taken) >= mostTaken {
		// No code of those that csi-snapshotter takes for a snapshot that may yet come, which it would not let be deleted.
		return status.Errorf(codes.FailedPrecondition, "%s has %d snapshots, and no more are had of one volume", of.ID, len(taken))
	}
	return os.WriteFile(filepath.Join(folder, id), nil, 0o600)
}

// anotherSeconds is how long a volume with the fault takenForAnother waits for the other one to be there.
const anotherSeconds = 3

// inPlaceOf finds the volume that a node shows in place of one with the fault takenForAnother: the first of those with it, if
// a node has it. It is the volume itself where that is the first, or alone.
func (d *driver) inPlaceOf(is volume) (string, error) {
	mixed, err := d.has(takenForAnother, is.Fault)
	if err != nil || !mixed || is.Block {
		return is.ID, err
	}
	ids, err := d.ids(volumesIn)
	if err != nil {
		return "", err
	}
	slices.Sort(ids)
	for _, id := range ids {
		other, err := d.volume(id)
		if absent(err) || err == nil && (other.Fault != is.Fault || other.Block) {
			continue
		}
		if err != nil || id == is.ID {
			return id, err
		}
		for until := time.Now().Add(anotherSeconds * time.Second); ; time.Sleep(50 * time.Millisecond) {
			device, err := d.deviceOver(d.image(volumesIn, id))
			if device != nil {
				device.Close()
				return id, err
			}
			if err != nil && !os.IsNotExist(err) {
				return "", err
			}
			if time.Now().After(until) {
				break
			}
		}
	}
	return is.ID, nil
}

// publishAnother mounts the file system of another volume where one is wanted; its own device is there already.
func (d *driver) publishAnother(id, target string) error {
	file, err := locked(d.image(volumesIn, id))
	if err != nil {
		return err
	}
	defer file.Close()
	return d.mountImage(file.Name(), target, false)
}

// clonePart is how long a clone with the fault clonesSlowly takes for each so many bytes that its source's image holds.
const clonePart, partBytes = 5 * time.Second, 100 * mebibyte

// copySlowly waits as a copy of all that the image of a source holds would take, where that has the fault clonesSlowly.
func (p pool) copySlowly(source volume) error {
	slow, err := p.has(clonesSlowly, source.Fault)
	if err != nil || !slow {
		return err
	}
	var is unix.Stat_t
	if err := unix.Stat(p.image(volumesIn, source.ID), &is); err != nil {
		return err
	}
	held := is.Blocks * 512 // the unit of st_blocks
	time.Sleep(time.Duration(float64(clonePart) * float64(held) / partBytes))
	return nil
}
