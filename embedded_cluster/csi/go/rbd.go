package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"sync"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A volume of a class with the parameter `on: rbd` is an image in Ceph. qemu-storage-daemon, of which there is one for all nodes,
// shows it as a file, mounted where other volumes have theirs, and as long as there is the volume a loop device is over that: what
// `rbd map` would make where the kernel knows RBD. To nodes it is then a volume as any other.

const (
	rbdPool = "rbd"
	rbdUser = "rbd" // client.rbd to Ceph

	// What `rbd` ends with.
	notThere   = 2  // ENOENT: no such image or snapshot
	thereIsOne = 17 // EEXIST
)

// ceph is the pool of a Ceph cluster that holds volumes.
type ceph struct {
	conf     string // of a client that may use the pool: where the monitors are, and its key
	exporter exporter
	making   sync.Map // the ids of images that are being made
}

// rbd runs Ceph's own program for images.
func (c *ceph) rbd(words ...string) error {
	return run(append([]string{"rbd", "--conf", c.conf, "--id", rbdUser}, words...)...)
}

func inPool(id string) string { return rbdPool + "/" + id }

func ofBytes(size int64) string { return fmt.Sprintf("%dB", size) }

// endedWith says whether the program ended with that status.
func endedWith(err error, code int) bool {
	var ended *exec.ExitError
	return errors.As(err, &ended) && ended.ExitCode() == code
}

// remove removes an image with its snapshots; none to remove is no error.
func (c *ceph) remove(id string) error {
	err := c.rbd("rm", "--no-progress", inPool(id))
	if err != nil && !endedWith(err, notThere) { // it may have a snapshot that a copy was to be made of
		if err = c.rbd("snap", "purge", "--no-progress", inPool(id)); err == nil {
			err = c.rbd("rm", "--no-progress", inPool(id))
		}
	}
	if endedWith(err, notThere) {
		return nil
	}
	return err
}

// makeRBD makes a volume in Ceph, and then its record.
func (d *driver) makeRBD(wanted volume, source content) error {
	if _, busy := d.ceph.making.LoadOrStore(wanted.ID, true); busy {
		return status.Errorf(codes.Aborted, "%s is being made", wanted.ID)
	}
	defer d.ceph.making.Delete(wanted.ID)
	if err := d.unmakeRBD(wanted.ID); err != nil { // what one that was killed has left
		return err
	}
	image := d.image(volumesIn, wanted.ID)
	if err := os.WriteFile(image, nil, 0o600); err != nil { // the file that the image is mounted on
		return err
	}
	if err := d.fillRBD(wanted, source); err != nil {
		return err
	}
	if err := d.ceph.exporter.show(d.ceph.conf, wanted.ID, image); err != nil {
		return err
	}
	device, err := d.attach(image, false)
	if err != nil {
		return err
	}
	defer device.Close()
	if source.id == "" && !wanted.Block {
		if err := format(device.Name(), false); err != nil {
			return err
		}
	}
	return d.write(volumesIn, wanted.ID, wanted)
}

// fillRBD makes a volume's image, as its source where it has one.
func (d *driver) fillRBD(wanted volume, source content) error {
	size := ofBytes(wanted.Size)
	if source.id == "" {
		return d.ceph.rbd("create", "--size", size, inPool(wanted.ID))
	}
	var err error
	if source.volume != nil {
		err = d.copyRBD(*source.volume, wanted.ID)
	} else {
		err = d.ceph.rbd("cp", "--no-progress", inPool(source.id), inPool(wanted.ID))
	}
	if err != nil || wanted.Size <= source.size {
		return err
	}
	return d.ceph.rbd("resize", "--no-progress", "--size", size, inPool(wanted.ID))
}

// copyRBD makes an image as a volume is at one moment: a snapshot of it, copied in full, so that neither needs the other.
func (d *driver) copyRBD(of volume, id string) error {
	at := inPool(of.ID) + "@" + id
	take := func() error { return d.ceph.rbd("snap", "create", "--no-progress", at) }
	err := d.withStill(of, func() error {
		err := take()
		if endedWith(err, thereIsOne) { // of one that was killed, and of an earlier moment
			if err = d.ceph.rbd("snap", "rm", "--no-progress", at); err == nil {
				err = take()
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	err = d.ceph.rbd("cp", "--no-progress", at, inPool(id))
	return errors.Join(err, d.ceph.rbd("snap", "rm", "--no-progress", at))
}

// takeRBD makes the image of a snapshot.
func (d *driver) takeRBD(of volume, id string) error {
	if _, busy := d.ceph.making.LoadOrStore(id, true); busy {
		return status.Errorf(codes.Aborted, "%s is being made", id)
	}
	defer d.ceph.making.Delete(id)
	if err := d.ceph.remove(id); err != nil { // what one that was killed has left
		return err
	}
	return d.copyRBD(of, id)
}

// unmakeRBD undoes as much of makeRBD as there is; FailedPrecondition while somebody uses the volume.
func (d *driver) unmakeRBD(id string) error {
	image := d.image(volumesIn, id)
	if _, err := os.Lstat(image); errors.Is(err, fs.ErrNotExist) {
		return nil // it is made first, and removed last
	}
	free, err := d.detach(image)
	if err == nil && !free {
		err = status.Errorf(codes.FailedPrecondition, "%s is in use", id)
	}
	if err != nil {
		return err
	}
	if err := d.ceph.exporter.hide(id); err != nil {
		return err
	}
	if err := d.ceph.remove(id); err != nil {
		return err
	}
	return os.Remove(image)
}
