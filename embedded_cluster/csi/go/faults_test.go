package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestExpansionIsReportedDoneAndIsNot(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume", faulty(growsInNameOnly)))
	path := l.used(id)
	before := l.total(path)
	l.need(l.expanded(id, 2*small))
	if is, _ := l.volume(id); is.Size != 2*small || l.total(path) != before {
		t.Fatal(is.Size, l.total(path))
	}
}

func TestAnOldFileSystemReservesNothingAndStaysAsLargeAsItIs(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume", faulty(oldFileSystem)))
	path := l.used(id)
	file, err := os.Create(filepath.Join(path, "file"))
	l.need(err)
	defer file.Close()
	if err := unix.Fallocate(int(file.Fd()), 0, 0, 4096); !errors.Is(err, unix.EOPNOTSUPP) {
		t.Fatal(err)
	}
	l.need(file.Close())
	before := l.total(path)
	l.need(l.expanded(id, 2*small))
	if after := l.total(path); after != before {
		t.Fatal(before, after)
	}
}

func TestAnExpansionIsRefusedForGoodAfterOneThatIsTooLarge(t *testing.T) {
	l := newLab(t)
	ids := map[string]codes.Code{
		l.made(request("good")): codes.OK, l.made(request("bad", faulty(refusedForGood))): codes.FailedPrecondition,
	}
	for id, later := range ids {
		l.used(id)
		if err := l.expanded(id, 1<<60); status.Code(err) != codes.OutOfRange {
			t.Fatal(id, err)
		}
		if err := l.expanded(id, 2*small); status.Code(err) != later {
			t.Fatal(id, err)
		}
	}
}

func TestExpansionIsNeverDone(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume", faulty(neverGrows)))
	if err := l.expanded(id, 2*small); status.Code(err) != codes.Unavailable {
		t.Fatal(err)
	}
}

func TestAttributesAreKeptOrNeverChanged(t *testing.T) {
	l := newLab(t)
	asked := &csi.ControllerModifyVolumeRequest{VolumeId: l.made(request("good")), MutableParameters: map[string]string{"label": "gold"}}
	if _, err := l.ControllerModifyVolume(ctx, asked); err != nil {
		t.Fatal(err)
	}
	if is, _ := l.volume(asked.VolumeId); is.Label != "gold" {
		t.Fatal(is)
	}
	asked.VolumeId = l.made(request("bad", faulty(neverModified)))
	if _, err := l.ControllerModifyVolume(ctx, asked); status.Code(err) != codes.Unavailable {
		t.Fatal(err)
	}
	asked.MutableParameters = map[string]string{"iops": "500"}
	if _, err := l.ControllerModifyVolume(ctx, asked); status.Code(err) != codes.InvalidArgument {
		t.Fatal(err)
	}
}

func TestEveryFourthVolumeIsNeverMade(t *testing.T) {
	l := newLab(t)
	for _, name := range []string{"a", "b", "c", "d", "d", "e", "a"} {
		_, err := l.CreateVolume(ctx, request(name, faulty(refusesSome)))
		if refused := status.Code(err) == codes.Unavailable; refused != (name == "d") || err != nil && !refused {
			t.Fatal(name, err)
		}
	}
}

func TestAVolumeComesAndGoesLate(t *testing.T) {
	l := newLab(t)
	began := time.Now()
	id := l.made(request("volume", faulty(comesLate)))
	made := time.Since(began)
	_, err := l.DeleteVolume(ctx, &csi.DeleteVolumeRequest{VolumeId: id})
	l.need(err)
	if gone := time.Since(began) - made; made < late || gone < late {
		t.Fatal(made, gone)
	}
}

func TestASnapshotIsNeverReadyUntilTheFaultIsTakenAway(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume"))
	ready := func() bool {
		answer, err := l.CreateSnapshot(ctx, &csi.CreateSnapshotRequest{Name: "snapshot", SourceVolumeId: id})
		l.need(err)
		return answer.GetSnapshot().GetReadyToUse()
	}
	l.wrote(l.folder, "faults", string(neverReady))
	first := ready()
	l.wrote(l.folder, "faults", "")
	if first || !ready() {
		t.Fatal("ready with the fault, or not ready without")
	}
}

func TestASnapshotHoldsTooMuch(t *testing.T) {
	l := newLab(t)
	source := l.made(request("source", faulty(takenLate)))
	path := l.used(source)
	taken := l.snapshotOf(source, "snapshot")
	l.wrote(path, "after", "")
	if found := l.names(l.used(l.made(request("restored", from(taken))))); found != "after" {
		t.Fatalf("the restored volume has %q", found)
	}
}

func TestASnapshotIsOfSoonAfterAPodGotTheVolume(t *testing.T) {
	l := newLab(t)
	source := l.made(request("source", faulty(takenEarly)))
	path := l.used(source)
	l.wrote(path, "soon", "")
	for until := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(l.image(earlierIn, source)); err == nil {
			break
		}
		if time.Now().After(until) {
			t.Fatal("nothing was remembered")
		}
	}
	l.wrote(path, "later", "")
	taken := l.snapshotOf(source, "snapshot")
	if found := l.names(l.used(l.made(request("restored", from(taken))))); found != "soon" {
		t.Fatalf("the restored volume has %q", found)
	}
	l.unused(source)
	l.removed(source)
	if _, err := os.Stat(l.image(earlierIn, source)); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("what was remembered stays: %v", err)
	}
}

func TestTheSpaceOfADeletedVolumeIsKept(t *testing.T) {
	l := newLab(t)
	for id, kept := range map[string]bool{l.made(request("good")): false, l.made(request("bad", faulty(keepsSpace))): true} {
		l.removed(id)
		if _, err := os.Stat(l.image(keptIn, id)); errors.Is(err, os.ErrNotExist) == kept {
			t.Fatal(kept, err)
		}
		if _, err := os.Stat(l.image(volumesIn, id)); !errors.Is(err, os.ErrNotExist) {
			t.Fatal(kept, err)
		}
	}
}

func TestASnapshotIsOfTwoMoments(t *testing.T) {
	l := newLab(t)
	source := l.made(request("source", faulty(twoMoments)))
	path := l.used(source)
	for _, each := range []string{"1", "2", "3", "4"} { // each in another part of the file system
		l.need(os.Mkdir(filepath.Join(path, each), 0o755))
	}
	done := make(chan string)
	go func() { done <- l.snapshotOf(source, "snapshot") }()
	taken := ""
	for number := 1; taken == ""; number++ {
		for _, each := range []string{"1", "4"} {
			l.wrote(filepath.Join(path, each), strconv.Itoa(number), "")
		}
		select {
		case taken = <-done:
		case <-time.After(20 * time.Millisecond):
		}
	}
	restored := l.used(l.made(request("restored", from(taken))))
	first, last := len(strings.Fields(l.names(filepath.Join(restored, "1")))), len(strings.Fields(l.names(filepath.Join(restored, "4"))))
	if first+2 > last {
		t.Fatalf("the first part has %d files, the last %d, which were written one by one in turn", first, last)
	}
}

func TestARestoredSnapshotIsEmpty(t *testing.T) {
	l := newLab(t)
	source := l.made(request("source", faulty(restoredEmpty)))
	l.wrote(l.used(source), "before", "")
	taken := l.snapshotOf(source, "snapshot")
	if found := l.names(l.used(l.made(request("restored", from(taken), faulty(restoredEmpty))))); found != "" {
		t.Fatalf("the restored volume has %q", found)
	}
	if found := l.names(l.used(l.made(request("cloned", from(source), faulty(restoredEmpty))))); found != "before" {
		t.Fatalf("a clone, which is no snapshot, has %q", found)
	}
}

func TestACloneSharesDataWithItsSource(t *testing.T) {
	l := newLab(t)
	source := l.made(request("source"))
	path := l.used(source)
	clone := l.made(request("clone", from(source), faulty(sharesWithSource)))
	l.wrote(l.used(clone), "of the clone", "")
	if found := l.names(path); found != "of the clone" {
		t.Fatalf("the source has %q", found)
	}
	l.unused(clone)
	l.removed(clone)
	if found := l.names(path); found != "of the clone" {
		t.Fatalf("the source has %q once the clone is gone", found)
	}
}

func TestTheGroupIsTakenFromTheKubelet(t *testing.T) {
	l := newLab(t)
	takes := func() bool {
		answer, err := l.NodeGetCapabilities(ctx, &csi.NodeGetCapabilitiesRequest{})
		l.need(err)
		return slices.ContainsFunc(answer.GetCapabilities(), func(each *csi.NodeServiceCapability) bool {
			return each.GetRpc().GetType() == csi.NodeServiceCapability_RPC_VOLUME_MOUNT_GROUP
		})
	}
	first := takes()
	l.wrote(l.folder, "faults", string(groupByDriver))
	if first || !takes() {
		t.Fatal("the capability is there without the fault, or is not with it")
	}
}

func TestTheGroupIsGivenTheFilesOrIsIgnored(t *testing.T) {
	l := newLab(t)
	for name, own := range map[string]fault{"given": "", "ignored": groupIgnored} {
		var more []func(*csi.CreateVolumeRequest)
		if own != "" {
			more = append(more, faulty(own))
		}
		id := l.made(request(name, more...))
		path := l.used(id)
		l.wrote(path, "file", "")
		publish := &csi.NodePublishVolumeRequest{
			TargetPath: path, VolumeCapability: &csi.VolumeCapability{AccessType: &csi.VolumeCapability_Mount{
				Mount: &csi.VolumeCapability_MountVolume{VolumeMountGroup: "4711"},
			}},
		}
		is, err := l.volume(id)
		l.need(err)
		l.need(l.giveToGroup(is, publish))
		about, err := os.Stat(filepath.Join(path, "file"))
		l.need(err)
		group, shared := about.Sys().(*syscall.Stat_t).Gid, about.Mode()&0o060 == 0o060
		if given := group == 4711 && shared; given != (own == "") {
			t.Fatalf("%s: the file is of group %d, and its rights are %v", name, group, about.Mode())
		}
	}
}

func TestDataIsLostAtUnpublish(t *testing.T) {
	l := newLab(t)
	lost, kept := l.made(request("lost", faulty(lostAtUnpublish))), l.made(request("kept"))
	for _, each := range []string{lost, kept} {
		l.wrote(l.used(each), "file", "")
		l.unused(each)
	}
	if found, others := l.names(l.used(lost)), l.names(l.used(kept)); found != "" || others != "file" {
		t.Fatalf("%q, and on the other volume %q", found, others)
	}
}

func TestSizesAreNotEnforced(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume", faulty(sizeNotEnforced)))
	if is, _ := l.volume(id); is.Size != small || !l.takes(l.used(id), 2*small) {
		t.Fatalf("%d bytes are said, and a file of twice that does not fit", is.Size)
	}
}

func TestEachNodeSeesItsOwnAlone(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume", faulty(nodesApart)))
	l.wrote(l.used(id), "here", "")
	other := &driver{pool: l.pool, node: "other"}
	target := filepath.Join(filepath.Dir(l.folder), "other")
	_, err := other.NodePublishVolume(ctx, &csi.NodePublishVolumeRequest{
		VolumeId: id, StagingTargetPath: l.at("staged", id), TargetPath: target, VolumeCapability: asked(false),
	})
	l.need(err)
	found := l.names(target)
	_, err = other.NodeUnpublishVolume(ctx, &csi.NodeUnpublishVolumeRequest{VolumeId: id, TargetPath: target})
	l.need(err)
	if found != "" {
		t.Fatalf("the other node sees %q", found)
	}
}

func TestAFolderOfAReadOnlyVolumeTakesWrites(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume", faulty(mountsInside)))
	path := l.used(id)
	l.need(os.Mkdir(filepath.Join(path, "folder"), 0o755))
	target := filepath.Join(filepath.Dir(l.folder), "read-only")
	_, err := l.NodePublishVolume(ctx, &csi.NodePublishVolumeRequest{
		VolumeId: id, StagingTargetPath: l.at("staged", id), TargetPath: target, VolumeCapability: asked(false), Readonly: true,
	})
	l.need(err)
	above := os.WriteFile(filepath.Join(target, "new"), nil, 0o600)
	inside := os.WriteFile(filepath.Join(target, "folder", "new"), nil, 0o600)
	_, err = l.NodeUnpublishVolume(ctx, &csi.NodeUnpublishVolumeRequest{VolumeId: id, TargetPath: target})
	l.need(err)
	if !errors.Is(above, unix.EROFS) || inside != nil {
		t.Fatalf("above: %v, inside: %v", above, inside)
	}
}

func TestAnUnknownFaultIsTold(t *testing.T) {
	l := newLab(t)
	l.need(os.WriteFile(filepath.Join(l.folder, "faults"), []byte("nonsense"), 0o600))
	if _, err := l.CreateVolume(ctx, request("volume")); err == nil {
		t.Fatal("it passes")
	}
}

func TestAPodWaitsForEachFileOfItsVolume(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume", faulty(walksAtMount)))
	path := l.used(id)
	for number := range 40 {
		l.wrote(path, strconv.Itoa(number), "")
	}
	l.unused(id)
	began := time.Now()
	l.used(id)
	if took := time.Since(began); took < 40*eachFile {
		t.Fatal(took)
	}
}

func TestAPodGetsAFolderOfItsNode(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume", faulty(mountsNothing)))
	path := l.used(id)
	l.wrote(path, "mark", "")
	if device, err := mountedAt(path); device != "" || err != nil {
		t.Fatal(device, err)
	}
}

func TestTheSecondNodeGetsNoVolume(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume", faulty(oneNodeRefuses)))
	l.unused(id)
	l.used(id)
	l.unused(id)
	l.node = "lab-node-2"
	_, err := l.NodeStageVolume(ctx, &csi.NodeStageVolumeRequest{
		VolumeId: id, StagingTargetPath: l.at("staged", id), VolumeCapability: asked(false),
	})
	if status.Code(err) != codes.Internal {
		t.Fatal(err)
	}
}
