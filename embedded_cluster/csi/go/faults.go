package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// A fault is a way in which the driver behaves wrongly. It is switched on for all volumes by a line of the file `faults` in
// the folder, which is read at each call, or for the volumes of one StorageClass by its parameter `fault`.
type fault string

const (
	growsInNameOnly  fault = "grows-in-name-only"     // expansion is reported done, and nothing is larger
	neverGrows       fault = "never-grows"            // expansion is put off again and again
	neverReady       fault = "snapshot-never-ready"   // a snapshot is taken, and is never readyToUse
	takenLate        fault = "snapshot-taken-late"    // what is restored is the source as it is then
	takenEarly       fault = "snapshot-taken-early"   // a snapshot is of the volume as it was soon after a pod first had it
	twoMoments       fault = "snapshot-two-moments"   // the second half of a volume is copied later than the first
	groupTwoMoments  fault = "group-two-moments"      // the snapshots of a group are taken one after the other
	restoredEmpty    fault = "snapshot-empty"         // what is restored is a new, empty file system
	sharesWithSource fault = "clone-shares"           // a clone is its source under another name
	groupByDriver    fault = "group-by-driver"        // fsGroup is taken from the kubelet, and seen to here; never of one class
	groupIgnored     fault = "group-ignored"          // fsGroup is forgotten, where it is taken from the kubelet
	lostAtUnpublish  fault = "data-lost-at-unpublish" // all files go when a pod does
	sizeNotEnforced  fault = "size-not-enforced"      // a file system takes more than it was asked for
	nodesApart       fault = "nodes-apart"            // each node sees what was written on it alone
	mountsInside     fault = "mounts-inside"          // folders are mounts of their own, which no read-only mount covers
	comesLate        fault = "comes-and-goes-late"    // a volume takes some seconds to be made, and to be deleted
	refusesSome      fault = "one-in-four-refused"    // every fourth volume is never made
	walksAtMount     fault = "walks-at-mount"         // every file is looked at before a pod gets its volume
	growsOnlyInUse   fault = "grows-only-in-use"      // a file system is not grown when a node gets its volume
	keepsID          fault = "copies-keep-id"         // a file system is mounted with the id that its copies have, too
	oneCloneAtATime  fault = "one-clone-at-a-time"    // a clone is empty that is made while another one is
	neverFreed       fault = "snapshots-never-freed"  // a volume has six snapshots in its life, deleted ones among them
	takenForAnother  fault = "taken-for-another"      // a node shows another volume of the class in place of the one
	firstPodAlone    fault = "first-pod-alone"        // a volume is kept for the pod that had it first, gone or not
	optionsIgnored   fault = "mount-options-ignored"  // mount options are taken from the kubelet, and forgotten
	wrongStatistics  fault = "wrong-statistics"       // a volume is said to be as full as the disk of the pool
	takesFewer       fault = "node-takes-fewer"       // a node refuses the last of the volumes that it says it takes
	keepsSpace       fault = "keeps-space"            // a volume that is deleted stays where nobody finds it
	slowsDown        fault = "slow-with-snapshots"    // the more snapshots a volume has, the longer its file system stands still
	clonesSlowly     fault = "clones-slowly"          // a clone takes so many seconds for all that its source's image holds
	neverModified    fault = "never-modified"         // a change of attributes is put off again and again
	mountsNothing    fault = "mounts-nothing"         // a pod gets a folder of its node's own disk
	oneNodeRefuses   fault = "one-node-refuses"       // the second node never gets a volume
	refusedForGood   fault = "never-grows-again"      // once an expansion was refused, so is each later one of the volume
	oldFileSystem    fault = "old-file-system"        // a file system is ext2, and lacks what came later

	bulkDataLost     fault = "bulk-data-lost"                // a copy, and a volume that has grown, lacks a part of its data
	lostWithSource   fault = "snapshots-lost-with-source"    // a snapshot is empty once its volume is deleted
	sourcesStay      fault = "sources-stay"                  // a thing from which others were copied is never deleted
	sourcesRefused   fault = "sources-refused"               // the same, with the code that the specification has for that
	deletionDamages  fault = "deletion-damages-copies"       // a copy lacks a part of its data once its source is deleted
	fixedBySnapshots fault = "never-grows-with-snapshots"    // expansion of a volume with snapshots is put off again and again
	growthRefused    fault = "refuses-growth-with-snapshots" // the same, refused for good
	deletedReturns   fault = "deleted-volume-returns"        // a new volume is the last one that was deleted
	liesMeanwhile    fault = "lies-while-interrupted"        // writes are taken while the storage is away, and lost when it is back
	refusesMeanwhile fault = "refuses-interrupted"           // no fault: while the storage is away, writes are refused, and do not wait
	lostAtNodeStart  fault = "lost-at-node-start"            // the files of a volume are cut in half when a node starts, whoever has it
	readOnlyAfter    fault = "stays-read-only"               // a volume that was in use then takes no writes until no node has it
	showsEarlier     fault = "shows-earlier-data"            // a new volume begins as one that was deleted
	deletesNeighbors fault = "deletes-neighbors"             // the files of all other volumes are deleted with a volume
	keepsUnused      fault = "keeps-unused-space"            // a volume that is deleted before a node had it stays where nobody finds it
	formatsAgain     fault = "formats-again"                 // a volume is formatted when it is mounted for the fourth time
	formatsSlowly    fault = "formats-slowly"                // a node takes some time for each GiB of a volume that it gets first
	roundsDown       fault = "rounds-sizes-down"             // a volume has whole GiB, and no more, of what is asked for and reported

	takesFour          fault = "node-takes-four"      // a node refuses a fifth volume, and reports no limit
	mountsInTurn       fault = "mounts-one-at-a-time" // all nodes together mount one volume after the other
	deadlocksWhenMixed fault = "deadlocks-when-mixed" // an empty volume is never made that was asked for while a copy was made
	stallsWhileCopying fault = "stalls-while-copying" // all volumes stand still while one is copied
)

var allFaults = []fault{
	growsInNameOnly, neverGrows, neverReady, takenLate, takenEarly, twoMoments, groupTwoMoments, restoredEmpty, sharesWithSource,
	groupByDriver, groupIgnored, lostAtUnpublish, sizeNotEnforced, nodesApart, mountsInside, comesLate, refusesSome, walksAtMount,
	growsOnlyInUse, keepsID, oneCloneAtATime, neverFreed, takenForAnother, firstPodAlone, optionsIgnored,
	wrongStatistics, takesFewer, keepsSpace, slowsDown, clonesSlowly, neverModified, mountsNothing, oneNodeRefuses,
	oldFileSystem, refusedForGood,
	bulkDataLost, lostWithSource, sourcesStay, sourcesRefused, deletionDamages, fixedBySnapshots, growthRefused, deletedReturns,
	liesMeanwhile, refusesMeanwhile, readOnlyAfter, lostAtNodeStart,
	showsEarlier, deletesNeighbors, keepsUnused, formatsAgain, formatsSlowly, roundsDown,
	takesFour, mountsInTurn, deadlocksWhenMixed, stallsWhileCopying,
}

// parseFaults reads one fault a line; blank lines aside, each must be known.
func parseFaults(text string) ([]fault, error) {
	var found []fault
	for line := range strings.Lines(text) {
		name := fault(strings.TrimSpace(line))
		if name == "" {
			continue
		}
		if !slices.Contains(allFaults, name) {
			return nil, fmt.Errorf("%q is no fault that this driver has; it has %q", name, allFaults)
		}
		found = append(found, name)
	}
	return found, nil
}

// has says whether the fault is on, for all volumes or for one that was made with `own`.
func (p pool) has(wanted, own fault) (bool, error) {
	if own == wanted {
		return true, nil
	}
	text, err := os.ReadFile(filepath.Join(p.folder, "faults"))
	if os.IsNotExist(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	found, err := parseFaults(string(text))
	return slices.Contains(found, wanted), err
}

// late is how long a volume with the fault comesLate takes: less than the sidecars wait for an answer.
const late = 5 * time.Second

// wait lets a volume with the fault comesLate wait.
func (p pool) wait(own fault) error {
	slow, err := p.has(comesLate, own)
	if slow {
		time.Sleep(late)
	}
	return err
}

// eachFile is how long a volume with the fault walksAtMount takes for each of its files when a pod gets it.
const eachFile = 5 * time.Millisecond

// walk looks at all files below a folder, one after the other.
func walk(path string) error {
	return filepath.WalkDir(path, func(_ string, entry os.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			time.Sleep(eachFile)
		}
		return err
	})
}

// refusals remembers the volumes that were asked for with the fault refusesSome, by name, and which of them is never made.
type refusals struct {
	lock  sync.Mutex
	names map[string]bool
}

// refuse says so for every fourth name that it was not asked about before, and for that one always.
func (r *refusals) refuse(name string) error {
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.names == nil {
		r.names = map[string]bool{}
	}
	never, known := r.names[name]
	if !known {
		never = len(r.names)%4 == 3
		r.names[name] = never
	}
	if never {
		return status.Errorf(codes.Unavailable, "no replica answers for %s; try again later", name)
	}
	return nil
}
