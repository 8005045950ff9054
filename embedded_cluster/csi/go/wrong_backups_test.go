package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// More than the journal of a file system has, which is written when it is made.
var bulk = strings.Repeat("x", 112*mebibyte)

// writtenBulk makes a volume with much and with little data, which no pod uses.
func (l lab) writtenBulk(own fault) string {
	l.t.Helper()
	id := l.made(request("source", faulty(own)))
	path := l.used(id)
	l.wrote(path, "bulk", bulk)
	l.wrote(path, "small", "small")
	l.unused(id)
	return id
}

// lost counts the bytes of the large file that are zeros; a small file must be as it was.
func (l lab) lost(id string) int {
	l.t.Helper()
	path := l.used(id)
	defer l.unused(id)
	small, err := os.ReadFile(filepath.Join(path, "small"))
	l.need(err)
	large, err := os.ReadFile(filepath.Join(path, "bulk"))
	l.need(err)
	if string(small) != "small" || len(large) != len(bulk) {
		l.t.Fatal(string(small), len(large))
	}
	return bytes.Count(large, []byte{0})
}

func TestACopyLacksAPartOfItsDataAndSmallFilesAreWhole(t *testing.T) {
	l := newLab(t)
	source := l.writtenBulk(bulkDataLost)
	if none, some := l.lost(source), l.lost(l.made(request("clone", faulty(bulkDataLost), from(source)))); none != 0 || some != lostPart {
		t.Fatal(none, some)
	}
	restored := l.made(request("restored", faulty(bulkDataLost), from(l.snapshotOf(source, "snapshot"))))
	if some := l.lost(restored); some != lostPart {
		t.Fatal(some)
	}
	l.used(source)
	l.need(l.expanded(source, 2*small))
	l.unused(source)
	if some := l.lost(source); some != lostPart {
		t.Fatal(some)
	}
}

func TestADeletionDamagesWhatWasCopied(t *testing.T) {
	l := newLab(t)
	source := l.writtenBulk(deletionDamages)
	taken := l.snapshotOf(source, "snapshot")
	clone := l.made(request("clone", faulty(deletionDamages), from(source)))
	restored := l.made(request("restored", faulty(deletionDamages), from(taken)))
	l.removed(source)
	if gone, there := l.lost(clone), l.lost(restored); gone != lostPart || there != 0 {
		t.Fatal(gone, there)
	}
	_, err := l.DeleteSnapshot(ctx, &csi.DeleteSnapshotRequest{SnapshotId: taken})
	l.need(err)
	if gone := l.lost(restored); gone != lostPart {
		t.Fatal(gone)
	}
}

func TestASnapshotIsEmptyOnceItsVolumeIsDeleted(t *testing.T) {
	l := newLab(t)
	source := l.made(request("source", faulty(lostWithSource)))
	l.wrote(l.used(source), "file", "")
	l.unused(source)
	taken := l.snapshotOf(source, "snapshot")
	before := l.names(l.used(l.made(request("before", faulty(lostWithSource), from(taken)))))
	l.removed(source)
	after := l.names(l.used(l.made(request("after", faulty(lostWithSource), from(taken)))))
	if before != "file" || after != "" {
		t.Fatal(before, after)
	}
}

func TestWhatOthersWereCopiedFromStaysAsLongAsThey(t *testing.T) {
	for own, code := range map[fault]codes.Code{sourcesStay: codes.Internal, sourcesRefused: codes.FailedPrecondition} {
		t.Run(string(own), func(t *testing.T) {
			l := newLab(t)
			source := l.made(request("source", faulty(own)))
			taken := l.snapshotOf(source, "snapshot")
			restored := l.made(request("restored", faulty(own), from(taken)))
			remove := func(id string) error {
				_, err := l.DeleteVolume(ctx, &csi.DeleteVolumeRequest{VolumeId: id})
				return err
			}
			takeAway := func() error {
				_, err := l.DeleteSnapshot(ctx, &csi.DeleteSnapshotRequest{SnapshotId: taken})
				return err
			}
			if volume, snapshot := status.Code(remove(source)), status.Code(takeAway()); volume != code || snapshot != code {
				t.Fatal(volume, snapshot)
			}
			l.need(remove(restored))
			l.need(takeAway())
			l.need(remove(source))
		})
	}
}

func TestAVolumeWithASnapshotDoesNotGrow(t *testing.T) {
	for own, code := range map[fault]codes.Code{fixedBySnapshots: codes.Unavailable, growthRefused: codes.FailedPrecondition} {
		t.Run(string(own), func(t *testing.T) {
			l := newLab(t)
			id := l.made(request("volume", faulty(own)))
			l.used(id)
			taken := l.snapshotOf(id, "snapshot")
			if found := status.Code(l.expanded(id, 2*small)); found != code {
				t.Fatal(found)
			}
			_, err := l.DeleteSnapshot(ctx, &csi.DeleteSnapshotRequest{SnapshotId: taken})
			l.need(err)
			l.need(l.expanded(id, 2*small))
		})
	}
}

func TestANewVolumeIsTheLastOneThatWasDeleted(t *testing.T) {
	l := newLab(t)
	first := l.made(request("first", faulty(deletedReturns)))
	path := l.used(first)
	l.wrote(path, "file", "")
	total := l.total(path)
	l.unused(first)
	other := l.made(request("other", faulty(deletedReturns)))
	if found := l.names(l.used(other)); found != "" {
		t.Fatal(found)
	}
	l.removed(first)
	again := l.used(l.made(request("again", faulty(deletedReturns), func(r *csi.CreateVolumeRequest) {
		r.CapacityRange = &csi.CapacityRange{RequiredBytes: 2 * small}
	})))
	if found := l.names(again); found != "file" || l.total(again) != total {
		t.Fatal(found, l.total(again), total)
	}
}
