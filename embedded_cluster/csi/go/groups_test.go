package main

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
)

// groupOf has a group snapshot taken, and gives the snapshot of each volume.
func (l lab) groupOf(name string, volumes ...string) map[string]string {
	l.t.Helper()
	answer, err := l.CreateVolumeGroupSnapshot(ctx, &csi.CreateVolumeGroupSnapshotRequest{Name: name, SourceVolumeIds: volumes})
	l.need(err)
	taken := map[string]string{}
	for _, each := range answer.GetGroupSnapshot().GetSnapshots() {
		taken[each.GetSourceVolumeId()] = each.GetSnapshotId()
	}
	return taken
}

func TestSnapshotsOfAGroupAreRestored(t *testing.T) {
	l := newLab(t)
	one, two := l.made(request("one")), l.made(request("two"))
	for _, each := range []string{one, two} {
		l.wrote(l.used(each), "before", "")
	}
	taken := l.groupOf("group", one, two)
	l.wrote(l.at("pods", one), "after", "")
	for _, each := range []string{one, two} {
		restored := l.used(l.made(request("restored-"+each, from(taken[each]))))
		if found := l.names(restored); found != "before" {
			t.Errorf("%s: %q", each, found)
		}
	}
}

func TestSnapshotsOfAGroupAreOfOneMoment(t *testing.T) {
	l := newLab(t)
	// By the order of writing the first has as many files, or one more.
	if first, second := l.heldByAGroup(); first != second && first != second+1 {
		t.Fatalf("the first has %d files, the second %d", first, second)
	}
}

func TestSnapshotsOfAGroupAreOfTwoMoments(t *testing.T) {
	l := newLab(t)
	if first, second := l.heldByAGroup(faulty(groupTwoMoments)); first+2 > second {
		t.Fatalf("the first has %d files, the second %d, which were written one by one in turn", first, second)
	}
}

// heldByAGroup is how many files the snapshots of two volumes have, in the order in which the driver takes them, while files
// are written to them in turn.
func (l lab) heldByAGroup(more ...func(*csi.CreateVolumeRequest)) (first, second int) {
	l.t.Helper()
	volumes := []string{l.made(request("one", more...)), l.made(request("two", more...))}
	slices.Sort(volumes)
	paths := []string{l.used(volumes[0]), l.used(volumes[1])}
	done := make(chan map[string]string)
	go func() { done <- l.groupOf("group", volumes...) }()
	var taken map[string]string
	for number := 1; taken == nil; number++ {
		for _, each := range paths {
			l.wrote(each, strconv.Itoa(number), "")
		}
		select {
		case taken = <-done:
		case <-time.After(20 * time.Millisecond):
		}
	}
	held := func(id string) int {
		return len(strings.Fields(l.names(l.used(l.made(request("restored-"+id, from(taken[id])))))))
	}
	return held(volumes[0]), held(volumes[1])
}
