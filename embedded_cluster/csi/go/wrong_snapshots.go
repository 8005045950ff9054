package main

import (
	"errors"
	"io/fs"
	"log"
	"os"
	"time"
)

// How long after a pod first had a volume the state is that a snapshot by the fault takenEarly is of, how far apart the two
// halves of one by the fault twoMoments are, and how far apart the snapshots of a group by the fault groupTwoMoments.
var earlyAfter, betweenHalves, betweenMembers = 4 * time.Second, 2 * time.Second, 2 * time.Second

// copyWrongly copies a volume as its fault says; false where it has none that is about that.
func (p pool) copyWrongly(from volume, to *os.File) (bool, error) {
	early, err := p.has(takenEarly, from.Fault)
	if err != nil {
		return false, err
	}
	if early {
		earlier, err := os.Open(p.image(earlierIn, from.ID))
		if errors.Is(err, fs.ErrNotExist) { // no pod has had it for so long
			return false, nil
		}
		if err != nil {
			return false, err
		}
		defer earlier.Close()
		return true, copyOf(earlier, to)
	}
	apart, err := p.has(twoMoments, from.Fault)
	if err != nil || !apart {
		return false, err
	}
	return true, p.copyHalves(from, to)
}

// copyHalves copies each half of a volume as it is at one moment, and goes on with the volume's use in between.
func (p pool) copyHalves(from volume, to *os.File) error {
	file, err := locked(p.image(volumesIn, from.ID))
	if err != nil {
		return err
	}
	defer file.Close()
	is, err := file.Stat()
	if err != nil {
		return err
	}
	half := is.Size() / 2
	if err := p.still(from, func() error { return copyPart(file, to, 0, half) }); err != nil {
		return err
	}
	time.Sleep(betweenHalves)
	if err := p.still(from, func() error { return copyPart(file, to, half, is.Size()) }); err != nil {
		return err
	}
	return enlarge(to, is.Size())
}

// rememberEarly keeps a copy of a volume with the fault takenEarly, once, some time after a pod has got it.
func (d *driver) rememberEarly(of volume) error {
	early, err := d.has(takenEarly, of.Fault)
	if err != nil || !early || of.Block {
		return err
	}
	go func() {
		time.Sleep(earlyAfter)
		if err := makeImage(d.image(earlierIn, of.ID), func(file *os.File) error { return d.copyVolume(of, file) }); err != nil {
			log.Printf("no copy of %s for the fault %s: %v", of.ID, takenEarly, err)
		}
	}()
	return nil
}

// A volume with the fault slowsDown stands still for a part of each such time: for half of it with `halfStill` snapshots, for more
// with more.
const inTurn, halfStill = 500 * time.Millisecond, 3

// slowDown has a volume with the fault slowsDown stand still again and again, as long as it has snapshots.
func (d *driver) slowDown(of volume) error {
	slow, err := d.has(slowsDown, of.Fault)
	if err != nil || !slow || of.Block {
		return err
	}
	if _, already := d.slowed.LoadOrStore(of.ID, true); already {
		return nil
	}
	go func() {
		defer d.slowed.Delete(of.ID)
		for {
			count, err := d.countSnapshots(of.ID)
			if err == nil && count == 0 {
				return
			}
			still := inTurn * time.Duration(count) / time.Duration(count+halfStill)
			if err == nil {
				err = d.withStill(of, func() error {
					time.Sleep(still)
					return nil
				})
			}
			if absent(err) { // the volume is gone
				return
			}
			if err != nil {
				log.Printf("%s does not stand still for the fault %s: %v", of.ID, slowsDown, err)
			}
			time.Sleep(inTurn - still)
		}
	}()
	return nil
}

// countSnapshots counts the snapshots that there are of a volume.
func (p pool) countSnapshots(volumeID string) (int, error) {
	ids, err := p.ids(snapshotsIn)
	count := 0
	for _, id := range ids {
		is, err := p.snapshot(id)
		if absent(err) {
			continue // gone meanwhile
		}
		if err != nil {
			return 0, err
		}
		if is.Volume == volumeID {
			count++
		}
	}
	return count, err
}

// takenApart says whether one of the volumes has the fault groupTwoMoments: then all of their group are of different moments.
func (p pool) takenApart(of []volume) (bool, error) {
	for _, each := range of {
		if apart, err := p.has(groupTwoMoments, each.Fault); apart || err != nil {
			return apart, err
		}
	}
	return false, nil
}

// takeApart makes the snapshots of a group one after the other, each of one moment, and goes on with the volumes' use in
// between.
func (d *driver) takeApart(is *group, of []volume) error {
	for number, each := range of {
		if number > 0 {
			time.Sleep(betweenMembers)
		}
		if err := d.withStill(each, func() error { return d.takeMember(is, each) }); err != nil {
			return err
		}
	}
	return nil
}
