package main

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// lostPart is how many bytes a volume with the fault bulkDataLost, or a copy damaged by deletionDamages, lacks: zeros.
const lostPart = mebibyte

// loseBulk damages the image of a volume with the fault bulkDataLost.
func (p pool) loseBulk(image *os.File, own fault) error {
	loses, err := p.has(bulkDataLost, own)
	if err != nil || !loses {
		return err
	}
	return loseMiddle(image)
}

// loseMiddle writes zeros to the middle of the longest stretch of data, where no small file is if there is a large one.
func loseMiddle(image *os.File) error {
	is, err := image.Stat()
	if err != nil {
		return err
	}
	first, longest := int64(0), int64(0)
	for at := int64(0); at < is.Size(); {
		data, err := unix.Seek(int(image.Fd()), at, unix.SEEK_DATA)
		if errors.Is(err, unix.ENXIO) { // nothing but a hole
			break
		}
		if err != nil {
			return err
		}
		if at, err = unix.Seek(int(image.Fd()), data, unix.SEEK_HOLE); err != nil {
			return err
		}
		if at-data > longest {
			first, longest = data, at-data
		}
	}
	if longest < 4*lostPart { // small files and what the file system needs
		return nil
	}
	if _, err = image.WriteAt(make([]byte, lostPart), first+longest/2); err != nil {
		return err
	}
	return image.Sync()
}

// isLostWithSource says whether a snapshot with the fault lostWithSource has outlived its volume.
func (p pool) isLostWithSource(is snapshot) (bool, error) {
	lost, err := p.has(lostWithSource, is.Fault)
	if err != nil || !lost {
		return false, err
	}
	_, err = p.volume(is.Volume)
	if absent(err) {
		return true, nil
	}
	return false, err
}

// emptyLike makes an empty volume of the size of a snapshot.
func emptyLike(is snapshot, image *os.File) error {
	if err := enlarge(image, is.Size); err != nil || is.Block {
		return err
	}
	return format(image.Name(), false)
}

// copiesOf finds the volumes and snapshots that were made from a volume or a snapshot.
func (p pool) copiesOf(id string) (volumes []volume, snapshots int, err error) {
	ids, err := p.ids(volumesIn)
	if err != nil {
		return nil, 0, err
	}
	for _, other := range ids {
		is, err := p.volume(other)
		if err != nil && !absent(err) {
			return nil, 0, err
		}
		if err == nil && is.Source == id {
			volumes = append(volumes, is)
		}
	}
	snapshots, err = p.countSnapshots(id)
	return volumes, snapshots, err
}

// deletedBeforeCopies does what faults do when a volume or a snapshot is to be deleted before what was made from it: an error
// where it then stays.
func (p pool) deletedBeforeCopies(id string, own fault) error {
	var on [3]bool
	for place, each := range []fault{sourcesStay, sourcesRefused, deletionDamages} {
		var err error
		if on[place], err = p.has(each, own); err != nil {
			return err
		}
	}
	if on == [3]bool{} {
		return nil
	}
	volumes, snapshots, err := p.copiesOf(id)
	if err != nil || len(volumes)+snapshots == 0 {
		return err
	}
	if on[0] {
		return status.Errorf(codes.Internal, "%s is busy", id)
	}
	if on[1] {
		return status.Errorf(codes.FailedPrecondition, "%s has %d snapshots and %d clones", id, snapshots, len(volumes))
	}
	for _, each := range volumes {
		if err := p.damage(each.ID); err != nil {
			return err
		}
	}
	return nil
}

// damage has a volume lack a part of its data.
func (p pool) damage(id string) error {
	image, err := locked(p.image(volumesIn, id))
	if err != nil {
		return err
	}
	defer image.Close()
	return loseMiddle(image)
}

// keptSmallBySnapshots is the error for a volume that does not grow, by its fault, because it has snapshots.
func (p pool) keptSmallBySnapshots(is volume) error {
	never, err := p.has(fixedBySnapshots, is.Fault)
	if err != nil {
		return err
	}
	refused, err := p.has(growthRefused, is.Fault)
	if err != nil || !never && !refused {
		return err
	}
	count, err := p.countSnapshots(is.ID)
	if err != nil || count == 0 {
		return err
	}
	if refused {
		return status.Errorf(codes.FailedPrecondition, "%s has %d snapshots, and cannot grow", is.ID, count)
	}
	return status.Error(codes.Unavailable, "the pool is being brought into order; try again later")
}

// lastID is the one name in the folder lastIn.
const lastID = "last"

// bringBack has a new volume with the fault deletedReturns be the last one that was deleted, as large and with all that it had;
// false if there is none.
func (p pool) bringBack(wanted volume, image *os.File) (bool, error) {
	returns, err := p.has(deletedReturns, wanted.Fault)
	if err != nil || !returns || wanted.Block {
		return false, err
	}
	last, err := os.Open(p.image(lastIn, lastID))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer last.Close()
	return true, copyOf(last, image)
}
