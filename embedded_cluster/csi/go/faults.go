package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	restoredEmpty    fault = "snapshot-empty"         // what is restored is a new, empty file system
	sharesWithSource fault = "clone-shares"           // a clone is its source under another name
	groupIgnored     fault = "group-ignored"          // fsGroup is taken from the kubelet, and forgotten; never of one class
	lostAtUnpublish  fault = "data-lost-at-unpublish" // all files go when a pod does
	sizeNotEnforced  fault = "size-not-enforced"      // a file system takes more than it was asked for
	nodesApart       fault = "nodes-apart"            // each node sees what was written on it alone
	mountsInside     fault = "mounts-inside"          // folders are mounts of their own, which no read-only mount covers
)

var allFaults = []fault{
	growsInNameOnly, neverGrows, neverReady, takenLate, takenEarly, twoMoments, restoredEmpty, sharesWithSource, groupIgnored,
	lostAtUnpublish, sizeNotEnforced, nodesApart, mountsInside,
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
