package main

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// mostIn is a file of the pool with the number of volumes that a node takes at most; without it none is told. A kubelet asks when
// the driver is registered.
const mostIn = "most-volumes"

func (p pool) most() (int64, error) {
	text, err := os.ReadFile(filepath.Join(p.folder, mostIn))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
}

// takenAlone is held while a volume is counted and mounted: a kubelet asks for all of a pod's volumes at once.
var takenAlone sync.Mutex

// mostOfFour is how many volumes a node takes by the fault takesFour.
const mostOfFour = 4

// mayHave refuses the last volume of those that the node says it takes, by the fault takesFewer, and each beyond the fourth by the
// fault takesFour. Volumes are counted by their mounts; done is called when the volume is mounted, or is not to be.
func (d *driver) mayHave(is volume) (done func(), err error) {
	fewer, err := d.has(takesFewer, is.Fault)
	if err != nil {
		return func() {}, err
	}
	four, err := d.has(takesFour, is.Fault)
	if err != nil || !fewer && !four {
		return func() {}, err
	}
	most := int64(mostOfFour)
	if fewer {
		if most, err = d.most(); err != nil {
			return func() {}, err
		}
		most--
	}
	takenAlone.Lock()
	if err := d.hasRoom(most); err != nil {
		takenAlone.Unlock()
		return nil, err
	}
	return takenAlone.Unlock, nil
}

func (d *driver) hasRoom(most int64) error {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return err
	}
	staged := int64(0)
	for _, each := range parseMounts(string(text)) {
		if strings.Contains(each.path, "/kubernetes.io/csi/"+driverName+"/") && strings.HasSuffix(each.path, "/globalmount") {
			staged++
		}
	}
	if staged >= most {
		return status.Errorf(codes.ResourceExhausted, "%s has %d volumes and takes no more", d.node, staged)
	}
	return nil
}

// turnIn is a file of the pool that is locked while a volume with the fault mountsInTurn is about to be mounted, which takes turnTakes.
const (
	turnIn    = "turn"
	turnTakes = 15 * time.Second
)

// awaitTurn waits until no node mounts a volume with the fault mountsInTurn, and takes its time.
func (d *driver) awaitTurn(is volume) error {
	inTurn, err := d.has(mountsInTurn, is.Fault)
	if err != nil || !inTurn {
		return err
	}
	file, err := os.OpenFile(filepath.Join(d.folder, turnIn), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX); err != nil {
		return err
	}
	time.Sleep(turnTakes)
	return nil
}

// firstOf is where the path is kept at which a volume was published first, by the fault firstPodAlone.
func firstOf(image string) string { return image + ".first" }

// firstAlone refuses a volume to whoever is not the first that had it, by the fault firstPodAlone.
func (d *driver) firstAlone(is volume, target string) error {
	alone, err := d.has(firstPodAlone, is.Fault)
	if !alone || err != nil {
		return err
	}
	path := firstOf(d.image(volumesIn, is.ID))
	first, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return os.WriteFile(path, []byte(target), 0o600)
	}
	if err == nil && string(first) != target {
		err = status.Errorf(codes.FailedPrecondition, "%s is published at %s", is.ID, first)
	}
	return err
}

// imageHere is the image of a raw block volume on this node: that of all nodes or, by the fault nodesApart, one of its own.
func (d *driver) imageHere(is volume) (string, error) {
	image := d.image(volumesIn, is.ID)
	apart, err := d.has(nodesApart, is.Fault)
	if !apart || !is.Block || err != nil {
		return image, err
	}
	own := image + "." + d.node
	file, err := os.OpenFile(own, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", err
	}
	return own, errors.Join(enlarge(file, is.Size), file.Close())
}

// removeOfNodes removes the images that nodes have of their own, by the fault nodesApart.
func (d *driver) removeOfNodes(image string) error {
	found, err := filepath.Glob(image + ".*")
	for _, each := range found {
		if strings.HasSuffix(each, ".new") || each == firstOf(image) {
			continue
		}
		if _, err := d.detach(each); err != nil {
			return err
		}
		err = errors.Join(err, os.Remove(each))
	}
	return err
}
