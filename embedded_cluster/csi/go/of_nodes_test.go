package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestANodeTellsTheLimitOfItsPoolAndNoneWithoutOne(t *testing.T) {
	l := newLab(t)
	told := func(most int64) {
		t.Helper()
		is, err := l.NodeGetInfo(ctx, &csi.NodeGetInfoRequest{})
		l.need(err)
		if is.GetMaxVolumesPerNode() != most {
			t.Fatal(is)
		}
	}
	told(0)
	l.need(os.WriteFile(filepath.Join(l.folder, mostIn), []byte("7\n"), 0o600))
	told(7)
}

func TestANodeRefusesTheLastVolumeOfItsLimit(t *testing.T) {
	l := newLab(t)
	l.need(os.WriteFile(filepath.Join(l.folder, mostIn), []byte("1"), 0o600))
	id := l.made(request("volume", faulty(takesFewer)))
	_, err := l.NodeStageVolume(ctx, &csi.NodeStageVolumeRequest{
		VolumeId: id, StagingTargetPath: l.at("staged", id), VolumeCapability: asked(false),
	})
	if status.Code(err) != codes.ResourceExhausted {
		t.Fatal(err)
	}
	l.removed(id)
}

func TestAVolumeIsKeptForItsFirstPod(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume", faulty(firstPodAlone)))
	l.used(id)
	l.unused(id)
	l.used(id)
	_, err := l.NodePublishVolume(ctx, &csi.NodePublishVolumeRequest{
		VolumeId: id, StagingTargetPath: l.at("staged", id), TargetPath: l.at("second", id), VolumeCapability: asked(false),
	})
	if status.Code(err) != codes.FailedPrecondition || !strings.Contains(err.Error(), l.at("pods", id)) {
		t.Fatal(err)
	}
	l.unused(id)
	l.removed(id)
	if left := l.names(filepath.Join(l.folder, volumesIn)); left != "" {
		t.Fatal(left)
	}
}

func TestMountOptionsHoldUnlessTheyAreIgnored(t *testing.T) {
	l := newLab(t)
	for name, own := range map[string]fault{"good": "", "bad": optionsIgnored} {
		id := l.made(request(name, func(r *csi.CreateVolumeRequest) {
			if own != "" {
				faulty(own)(r)
			}
		}))
		wanted := asked(false)
		wanted.GetMount().MountFlags = []string{"noatime"}
		path := l.at("staged", id)
		_, err := l.NodeStageVolume(ctx, &csi.NodeStageVolumeRequest{
			VolumeId: id, StagingTargetPath: path, VolumeCapability: wanted,
		})
		l.need(err)
		text, err := os.ReadFile("/proc/self/mounts")
		l.need(err)
		for line := range strings.Lines(string(text)) {
			if strings.Contains(line, path) && strings.Contains(line, "noatime") != (own == "") {
				t.Error(line)
			}
		}
		l.unused(id)
		l.removed(id)
	}
}

func TestADeviceThatTakesNoDiscardsIsNotMountedAsIfItDid(t *testing.T) {
	l := newLab(t)
	folder := filepath.Join(filepath.Dir(l.folder), "ramfs") // whose files have no blocks to give back
	l.need(os.Mkdir(folder, 0o700))
	l.need(run("mount", "-t", "ramfs", "ramfs", folder))
	defer func() { l.need(umount(folder)) }()
	for file, takes := range map[string]bool{filepath.Join(folder, "image"): false, l.folder + "-image": true} {
		l.need(os.WriteFile(file, make([]byte, mebibyte), 0o600))
		device, err := exec.Command("losetup", "--find", "--show", file).Output()
		l.need(err)
		name := strings.TrimSpace(string(device))
		err = takesDiscards(name)
		l.need(exec.Command("losetup", "--detach", name).Run())
		if (err == nil) != takes {
			t.Errorf("%s: %v", file, err)
		}
	}
}

func TestStatisticsAreOfTheWrongDisk(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume", faulty(wrongStatistics)))
	path := l.used(id)
	told, err := l.NodeGetVolumeStats(ctx, &csi.NodeGetVolumeStatsRequest{VolumeId: id, VolumePath: path})
	l.need(err)
	if told.GetUsage()[0].GetTotal() != l.total(l.folder) || l.total(path) == l.total(l.folder) {
		t.Fatal(told)
	}
}

func TestEachNodeHasADeviceOfItsOwn(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume", faulty(nodesApart), block))
	other := lab{driver: &driver{pool: l.pool, node: "two"}, t: t}
	path := l.used(id)
	l.need(os.WriteFile(path, []byte("one"), 0o600))
	l.unused(id)
	there, err := os.ReadFile(other.used(id))
	l.need(err)
	if strings.HasPrefix(string(there), "one") {
		t.Fatal("both have the same")
	}
	other.unused(id)
	l.removed(id)
	if left := l.names(filepath.Join(l.folder, volumesIn)); left != "" {
		t.Fatal(left)
	}
}
