package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestAFileSystemStaysAsItIsWhenANodeGetsItsVolume(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume", faulty(growsOnlyInUse)))
	_, err := l.ControllerExpandVolume(ctx, &csi.ControllerExpandVolumeRequest{
		VolumeId: id, CapacityRange: &csi.CapacityRange{RequiredBytes: 2 * small},
	})
	l.need(err)
	path := l.used(id)
	before := l.total(path)
	_, err = l.NodeExpandVolume(ctx, &csi.NodeExpandVolumeRequest{
		VolumeId: id, VolumePath: l.at("staged", id), StagingTargetPath: l.at("staged", id),
	})
	l.need(err)
	staged := l.total(path)
	_, err = l.NodeExpandVolume(ctx, &csi.NodeExpandVolumeRequest{
		VolumeId: id, VolumePath: path, StagingTargetPath: l.at("staged", id),
	})
	l.need(err)
	if before > small || staged != before || l.total(path) < 3*small/2 {
		t.Fatal(before, staged, l.total(path))
	}
}

func TestTheKernelRefusesACopyBesideItsSource(t *testing.T) {
	l := newLab(t)
	source := l.made(request("source", faulty(keepsID)))
	l.used(source)
	copied := l.made(request("copy", faulty(keepsID), from(source)))
	_, err := l.NodeStageVolume(ctx, &csi.NodeStageVolumeRequest{
		VolumeId: copied, StagingTargetPath: l.at("staged", copied), VolumeCapability: asked(false),
	})
	if err == nil {
		t.Fatal("both are mounted")
	}
	l.unused(source)
	l.used(copied)
}

func TestAClonIsEmptyThatIsMadeWhileAnotherOneIs(t *testing.T) {
	l := newLab(t)
	source := l.made(request("source", faulty(oneCloneAtATime)))
	l.wrote(l.used(source), "there", "")
	l.unused(source)
	made := make(chan string)
	for number := range 2 {
		go func() {
			answer, err := l.CreateVolume(ctx, request(fmt.Sprintf("clone %d", number), faulty(oneCloneAtATime), from(source)))
			if err != nil {
				t.Error(err)
			}
			made <- answer.GetVolume().GetVolumeId()
		}()
	}
	found := []string{l.names(l.used(<-made)), l.names(l.used(<-made))}
	slices.Sort(found)
	if !slices.Equal(found, []string{"", "there"}) {
		t.Fatal(found)
	}
	if later := l.names(l.used(l.made(request("later", faulty(oneCloneAtATime), from(source))))); later != "there" {
		t.Fatal(later)
	}
}

func TestDeletedSnapshotsGoOnCounting(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume", faulty(neverFreed)))
	take := func(name string) (string, error) {
		answer, err := l.CreateSnapshot(ctx, &csi.CreateSnapshotRequest{Name: name, SourceVolumeId: id})
		return answer.GetSnapshot().GetSnapshotId(), err
	}
	for number := range mostTaken {
		taken, err := take(fmt.Sprint(number))
		l.need(err)
		_, err = l.DeleteSnapshot(ctx, &csi.DeleteSnapshotRequest{SnapshotId: taken})
		l.need(err)
	}
	if _, err := take("one more"); status.Code(err) != codes.FailedPrecondition {
		t.Fatal(err)
	}
	l.removed(id)
	if _, err := os.Stat(filepath.Join(l.folder, takenIn, id)); !os.IsNotExist(err) {
		t.Fatalf("what was counted stays: %v", err)
	}
}

func TestANodeShowsOneVolumeInPlaceOfAnother(t *testing.T) {
	l := newLab(t)
	ids := []string{l.made(request("a", faulty(takenForAnother))), l.made(request("b", faulty(takenForAnother)))}
	slices.Sort(ids)
	l.wrote(l.used(ids[0]), "of the first", "")
	if found := l.names(l.used(ids[1])); found != "of the first" {
		t.Fatal(found)
	}
	l.unused(ids[1])
	l.unused(ids[0])
	l.attached() // until no device is left: for as long as it is, the first counts as there
	if found := l.names(l.used(ids[1])); found != "" {
		t.Fatalf("alone, the second shows %q", found)
	}
}

func TestAVolumeStandsStillTheLongerTheMoreSnapshotsItHas(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume", faulty(slowsDown)))
	path := l.used(id)
	// Looked for until it is seen: between two times the file system is mounted anew, which takes seconds on a busy machine.
	longest := func() time.Duration {
		most := time.Duration(0)
		for until := time.Now().Add(2 * time.Minute); most < inTurn/2 && time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
			begun := time.Now()
			l.wrote(path, "file", "written")
			most = max(most, time.Since(begun))
		}
		return most
	}
	var taken []string
	for number := range 3 * halfStill {
		taken = append(taken, l.snapshotOf(id, fmt.Sprint("snapshot", number)))
	}
	time.Sleep(inTurn)
	if found := longest(); found < inTurn/2 {
		t.Fatal(found)
	}
	for _, each := range taken {
		_, err := l.DeleteSnapshot(ctx, &csi.DeleteSnapshotRequest{SnapshotId: each})
		l.need(err)
	}
	for until := time.Now().Add(2 * time.Minute); ; time.Sleep(inTurn / 10) {
		if _, slowed := l.slowed.Load(id); !slowed {
			break
		}
		if time.Now().After(until) {
			t.Fatal("it goes on standing still without a snapshot")
		}
	}
}

func TestACloneTakesLongerTheMoreItsSourceHolds(t *testing.T) {
	l := newLab(t)
	held := map[string]int64{}
	for name, size := range map[string]int{"little": 0, "much": 32 * mebibyte} {
		source := l.made(request(name, faulty(clonesSlowly)))
		l.wrote(l.used(source), "content", strings.Repeat("x", size))
		l.unused(source)
		begun := time.Now()
		l.made(request(name+"-clone", faulty(clonesSlowly), from(source)))
		took := time.Since(begun)
		var is unix.Stat_t
		l.need(unix.Stat(l.image(volumesIn, source), &is))
		held[name] = is.Blocks * 512
		// Each takes at least the time of what it holds: how much more the one takes than the other is up to the machine, too.
		if least := time.Duration(float64(clonePart) * float64(held[name]) / partBytes); took < least*9/10 {
			t.Fatal(name, took, least)
		}
	}
	if held["much"]-held["little"] < 30*mebibyte {
		t.Fatal(held)
	}
}
