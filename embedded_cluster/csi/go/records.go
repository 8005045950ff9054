package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// The folders of the pool. A thing ID in one is ID.img, its content, and ID.json, its record, which is written last and
// removed last: without a record it is not there.
const (
	volumesIn   = "volumes"
	snapshotsIn = "snapshots"
	groupsIn    = "groups"
	stagedIn    = "staged"  // for each raw block volume a folder with a file for each node that has it
	earlierIn   = "earlier" // volumes as they were, for a snapshot by the fault takenEarly
	keptIn      = "kept"    // volumes that were deleted, by the fault keepsSpace
	frozenIn    = "frozen"  // file systems are mounted here while they are frozen
	lastIn      = "last"    // the last volume that was deleted, by the fault deletedReturns
	takenIn     = "taken"   // for each volume with the fault neverFreed a folder with a file for each snapshot that it ever had
)

// volume is the record of a volume.
type volume struct {
	ID      string `json:"id"`
	Size    int64  `json:"size"` // bytes, as promised
	Block   bool   `json:"block"`
	RBD     bool   `json:"rbd,omitempty"`    // an image in Ceph, which the file of the pool shows
	Source  string `json:"source,omitempty"` // the id of the volume or snapshot that it began as
	Fault   fault  `json:"fault,omitempty"`
	Label   string `json:"label,omitempty"`   // of its VolumeAttributesClass
	Refused bool   `json:"refused,omitempty"` // an expansion was refused, for the fault refusedForGood
	Created string `json:"created"`
}

// snapshot is the record of a snapshot.
type snapshot struct {
	ID      string    `json:"id"`
	Volume  string    `json:"volume"`
	Size    int64     `json:"size"` // bytes that a volume needs which begins as it
	Block   bool      `json:"block"`
	RBD     bool      `json:"rbd,omitempty"`
	Fault   fault     `json:"fault,omitempty"` // its volume's
	Group   string    `json:"group,omitempty"`
	Created time.Time `json:"created"`
}

// group is the record of snapshots that were taken at one moment.
type group struct {
	ID        string    `json:"id"`
	Snapshots []string  `json:"snapshots"`
	Volumes   []string  `json:"volumes"`
	Created   time.Time `json:"created"`
}

// pool is the folder with all volumes and snapshots.
type pool struct {
	folder   string
	capacity int64 // bytes that may be promised; 0: what the file system below has
}

var anyID = regexp.MustCompile(`^[a-z]+-[0-9a-f]{32}$`)

// idOf is the id of what is called `name`: the same each time that it is asked for, so that it is made once.
func idOf(prefix, name string) string {
	sum := sha256.Sum256([]byte(name))
	return prefix + "-" + hex.EncodeToString(sum[:16])
}

func (p pool) prepare() error {
	for _, name := range []string{volumesIn, snapshotsIn, groupsIn, stagedIn, earlierIn, frozenIn, takenIn, keptIn, lastIn} {
		if err := os.MkdirAll(filepath.Join(p.folder, name), 0o700); err != nil {
			return err
		}
	}
	return nil
}

func (p pool) image(in, id string) string  { return filepath.Join(p.folder, in, id+".img") }
func (p pool) record(in, id string) string { return filepath.Join(p.folder, in, id+".json") }

// write keeps a record, whole or not at all.
func (p pool) write(in, id string, what any) error {
	content, err := json.Marshal(what)
	if err != nil {
		return err
	}
	path := p.record(in, id)
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// read finds a record; NotFound where there is none, also for what cannot be an id.
func (p pool) read(in, id string, into any) error {
	if !anyID.MatchString(id) {
		return status.Errorf(codes.NotFound, "there is no %q in %s", id, in)
	}
	content, err := os.ReadFile(p.record(in, id))
	if errors.Is(err, fs.ErrNotExist) {
		return status.Errorf(codes.NotFound, "there is no %s in %s", id, in)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(content, into)
}

func (p pool) volume(id string) (found volume, err error) {
	err = p.read(volumesIn, id, &found)
	return found, err
}

func (p pool) snapshot(id string) (found snapshot, err error) {
	err = p.read(snapshotsIn, id, &found)
	return found, err
}

// ids lists what is in a folder of the pool.
func (p pool) ids(in string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(p.folder, in))
	var found []string
	for _, entry := range entries {
		if id, is := strings.CutSuffix(entry.Name(), ".json"); is {
			found = append(found, id)
		}
	}
	return found, err
}

func absent(err error) bool { return status.Code(err) == codes.NotFound }
