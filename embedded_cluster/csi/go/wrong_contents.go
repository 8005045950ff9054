package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// keeps says whether the image of a volume that is deleted stays in the pool: always, so that another volume begins as it, or if no
// node ever had it. A volume without a record, which was half made, goes.
func (d *driver) keeps(image string, is volume) (bool, error) {
	if is.ID == "" {
		return false, nil
	}
	if keeps, err := d.has(keepsSpace, is.Fault); keeps || err != nil {
		return keeps, err
	}
	if shown, err := d.has(showsEarlier, is.Fault); err != nil {
		return false, err
	} else if shown {
		return true, d.write(keptIn, is.ID, is)
	}
	keeps, err := d.has(keepsUnused, is.Fault)
	if err != nil || !keeps {
		return false, err
	}
	_, err = os.Stat(stagedOf(image))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return false, err
}

// beginAsEarlier has a new volume with the fault showsEarlier begin as one that was deleted, of its size and mode; false where there
// is none, or where it is a copy.
func (d *driver) beginAsEarlier(wanted volume, source content) (bool, error) {
	shows, err := d.has(showsEarlier, wanted.Fault)
	if err != nil || !shows || source.id != "" {
		return false, err
	}
	ids, err := d.ids(keptIn)
	if err != nil {
		return false, err
	}
	for _, id := range ids {
		var earlier volume
		if err := d.read(keptIn, id, &earlier); err != nil && !absent(err) {
			return false, err
		}
		if earlier.Fault != wanted.Fault || earlier.Block != wanted.Block || earlier.Size != wanted.Size {
			continue
		}
		err := os.Rename(d.image(keptIn, id), d.image(volumesIn, wanted.ID))
		if errors.Is(err, fs.ErrNotExist) { // another one has begun as it
			continue
		}
		return err == nil, errors.Join(err, os.Remove(d.record(keptIn, id)))
	}
	return false, nil
}

// emptyNeighbors removes the files of all other volumes of a class with the fault deletesNeighbors.
func (d *driver) emptyNeighbors(is volume) error {
	empties, err := d.has(deletesNeighbors, is.Fault)
	if err != nil || !empties || is.ID == "" {
		return err
	}
	ids, err := d.ids(volumesIn)
	if err != nil {
		return err
	}
	for _, id := range ids {
		other, err := d.volume(id)
		if id == is.ID || absent(err) || err == nil && (other.Fault != is.Fault || other.Block) {
			continue
		}
		if err := errors.Join(err, d.emptyImage(id)); err != nil {
			return err
		}
	}
	return nil
}

// emptyImage removes all files of a volume, whichever nodes have it: mounted here once more, it is the same file system.
func (d *driver) emptyImage(id string) (err error) {
	file, err := locked(d.image(volumesIn, id))
	if absent(err) {
		return nil // gone meanwhile
	}
	if err != nil {
		return err
	}
	defer file.Close()
	path := filepath.Join(d.folder, frozenIn, id)
	if err := d.mountImage(file.Name(), path, false); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release(path)) }()
	return empty(path)
}

// stagedOf is where it is counted how often nodes got a volume, by the faults formatsAgain, formatsSlowly and keepsUnused.
func stagedOf(image string) string { return image + ".staged" }

// formattedAt is the time at which a volume with the fault formatsAgain is formatted once more, counted from 1.
const formattedAt = 4

// formatTakes is how long the first mount of a volume of so many bytes takes with the fault formatsSlowly.
func formatTakes(size int64) time.Duration {
	return time.Duration(max(0, size/gibibyte-8)) * 4 * time.Second
}

// countStaged counts that a node gets a volume, which has it already where the call is repeated. With the fault formatsAgain it
// formats the volume when it is time, as soon as no other node has it. The image's lock is held.
func (d *driver) countStaged(is volume, image, path string) error {
	again, err := d.has(formatsAgain, is.Fault)
	if err != nil {
		return err
	}
	unused, err := d.has(keepsUnused, is.Fault)
	if err != nil {
		return err
	}
	slow, err := d.has(formatsSlowly, is.Fault)
	if err != nil || !again && !unused && !slow {
		return err
	}
	if device, err := mountedAt(path); device != "" || err != nil {
		return err
	}
	text, err := os.ReadFile(stagedOf(image))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	count, _ := strconv.Atoi(string(text)) // 0 at first
	count++
	if slow && count == 1 {
		time.Sleep(formatTakes(is.Size))
	}
	if again && !is.Block && count == formattedAt {
		device, err := d.deviceOver(image)
		if err != nil {
			return err
		}
		if device != nil {
			device.Close()
			count-- // at the next time
		} else if err := format(image, false); err != nil {
			return err
		}
	}
	return os.WriteFile(stagedOf(image), []byte(strconv.Itoa(count)), 0o600)
}
