package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestASnapshotHoldsAllFromBeforeAndNothingFromAfter(t *testing.T) {
	l := newLab(t)
	source := l.made(request("source"))
	path := l.used(source)
	l.wrote(path, "before", "")
	taken := l.snapshotOf(source, "snapshot")
	l.wrote(path, "after", "")
	restored := l.made(request("restored", from(taken)))
	if found := l.names(l.used(restored)); found != "before" {
		t.Fatalf("the restored volume has %q", found)
	}
	if found := l.names(path); found != "after before" {
		t.Fatalf("the source has %q", found)
	}
}

func TestACloneAndItsSourceDoNotSeeEachOther(t *testing.T) {
	l := newLab(t)
	source := l.made(request("source"))
	path := l.used(source)
	l.wrote(path, "both", "")
	clone := l.used(l.made(request("clone", from(source))))
	l.wrote(clone, "clone", "")
	l.wrote(path, "source", "")
	if has, other := l.names(path), l.names(clone); has != "both source" || other != "both clone" {
		t.Fatalf("the source has %q, the clone %q", has, other)
	}
}

func TestARestoredVolumeThatIsLargerHasALargerFileSystem(t *testing.T) {
	l := newLab(t)
	taken := l.snapshotOf(l.made(request("source")), "snapshot")
	large := l.made(request("large", from(taken), func(r *csi.CreateVolumeRequest) {
		r.CapacityRange = &csi.CapacityRange{RequiredBytes: 2 * small}
	}))
	if total := l.total(l.used(large)); total < 3*small/2 {
		t.Fatalf("it has %d bytes", total)
	}
}

func TestAVolumeGrowsWhileItIsUsed(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume"))
	path := l.used(id)
	before := l.total(path)
	l.need(l.expanded(id, 2*small))
	if after := l.total(path); after-before < small-mebibyte {
		t.Fatalf("it had %d bytes, and has %d", before, after)
	}
	l.need(l.expanded(id, 2*small)) // once more changes nothing
}

func TestSizesAreEnforced(t *testing.T) {
	l := newLab(t)
	if path := l.used(l.made(request("volume"))); l.takes(path, small) {
		t.Fatal("a file as large as the volume fits on it")
	}
}

func TestABlockDeviceIsAsLargeAsAskedAndGrowsAndIsCopied(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume", block))
	path := l.used(id)
	write := func(text string) {
		file, err := os.OpenFile(path, os.O_WRONLY|unix.O_SYNC, 0)
		l.need(err)
		_, err = file.WriteAt([]byte(text), small/2)
		l.need(err)
		l.need(file.Close())
	}
	write("before")
	copied := l.used(l.made(request("copy", block, from(l.snapshotOf(id, "snapshot")))))
	write("after!")
	file, err := os.Open(copied)
	l.need(err)
	content := make([]byte, 6)
	_, err = file.ReadAt(content, small/2)
	l.need(err)
	l.need(file.Close())
	if string(content) != "before" {
		t.Fatalf("the copy has %q", content)
	}
	l.need(l.expanded(id, 2*small))
	file, err = os.Open(path)
	l.need(err)
	defer file.Close()
	if size, err := file.Seek(0, 2); err != nil || size != 2*small {
		t.Fatal(size, err)
	}
}

func TestTwoNodesHaveOneFileSystem(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume"))
	path := l.used(id)
	other, staged := &driver{pool: l.pool, node: "other"}, filepath.Join(filepath.Dir(l.folder), "other")
	_, err := other.NodeStageVolume(ctx, &csi.NodeStageVolumeRequest{
		VolumeId: id, StagingTargetPath: staged, VolumeCapability: asked(false),
	})
	l.need(err)
	l.wrote(path, "file", "")
	found := l.names(staged)
	_, err = other.NodeUnstageVolume(ctx, &csi.NodeUnstageVolumeRequest{VolumeId: id, StagingTargetPath: staged})
	l.need(err)
	if found != "file" {
		t.Fatalf("the other node has %q", found)
	}
	l.wrote(path, "after the other node let it go", "")
}

func TestABlockDeviceStaysWhileAnyNodeHasIt(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume", block))
	path := l.used(id)
	other := &driver{pool: l.pool, node: "other"}
	_, err := other.NodeStageVolume(ctx, &csi.NodeStageVolumeRequest{
		VolumeId: id, StagingTargetPath: "/nowhere", VolumeCapability: asked(true),
	})
	l.need(err)
	_, err = other.NodeUnstageVolume(ctx, &csi.NodeUnstageVolumeRequest{VolumeId: id, StagingTargetPath: "/nowhere"})
	l.need(err)
	content, err := os.Open(path)
	l.need(err)
	defer content.Close()
	if _, err := content.Read(make([]byte, 512)); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsUsedIsNotDeleted(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume"))
	path := l.used(id)
	l.wrote(path, "file", "")
	if _, err := l.DeleteVolume(ctx, &csi.DeleteVolumeRequest{VolumeId: id}); status.Code(err) != codes.FailedPrecondition {
		t.Fatal(err)
	}
	if found := l.names(path); found != "file" {
		t.Fatal(found)
	}
	l.unused(id)
	l.removed(id)
	l.removed(id)
	if _, err := os.Stat(l.image(volumesIn, id)); !os.IsNotExist(err) {
		t.Fatal(err)
	}
}

func TestAnUnmountWaitsForWhatIsOpenForAMoment(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume"))
	file, err := os.Create(filepath.Join(l.used(id), "file"))
	l.need(err)
	time.AfterFunc(300*time.Millisecond, func() { file.Close() })
	l.unused(id)
	l.removed(id)
}

func TestAReadOnlyVolumeTakesNoWrites(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume"))
	l.used(id)
	target := filepath.Join(filepath.Dir(l.folder), "read-only")
	_, err := l.NodePublishVolume(ctx, &csi.NodePublishVolumeRequest{
		VolumeId: id, StagingTargetPath: l.at("staged", id), TargetPath: target, VolumeCapability: asked(false), Readonly: true,
	})
	l.need(err)
	file, wrote := os.Create(filepath.Join(target, "file"))
	file.Close()
	_, err = l.NodeUnpublishVolume(ctx, &csi.NodeUnpublishVolumeRequest{VolumeId: id, TargetPath: target})
	l.need(err)
	if wrote == nil || !strings.Contains(wrote.Error(), "read-only") {
		t.Fatal(wrote)
	}
}

func TestAPoolPromisesNoMoreThanItHas(t *testing.T) {
	l := newLab(t)
	l.capacity = 2 * small
	l.made(request("one"))
	l.need(func() error { _, err := l.CreateVolume(ctx, request("one")); return err }())
	answer, err := l.GetCapacity(ctx, &csi.GetCapacityRequest{})
	if err != nil || answer.GetAvailableCapacity() != small {
		t.Fatal(answer, err)
	}
	l.made(request("two"))
	if _, err := l.CreateVolume(ctx, request("three")); status.Code(err) != codes.ResourceExhausted {
		t.Fatal(err)
	}
}

func TestALoopDeviceOfOthersIsLeftAlone(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume", block))
	file := filepath.Join(filepath.Dir(l.folder), id+".img")
	l.need(os.WriteFile(file, make([]byte, mebibyte), 0o600))
	device, err := exec.Command("losetup", "--find", "--show", file).Output()
	l.need(err)
	name := strings.TrimSpace(string(device))
	l.used(id)
	l.unused(id)
	l.removed(id)
	l.need(l.undoWhatAKilledOneLeft())
	devices, err := backing()
	l.need(err)
	l.need(exec.Command("losetup", "--detach", name).Run())
	if devices[filepath.Base(name)] != file {
		t.Fatal(devices)
	}
}
