package main

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
)

const small = 320 * mebibyte

var ctx = context.Background()

// lab is a driver with a pool of its own, of which nothing may be left but files.
type lab struct {
	*driver
	t *testing.T
}

func newLab(t *testing.T) lab {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("loop devices and mounts are root's")
	}
	t.Parallel()
	l := lab{driver: &driver{pool: pool{folder: filepath.Join(t.TempDir(), "pool")}, node: "one"}, t: t}
	l.need(l.prepare())
	t.Cleanup(l.nothingIsLeft)
	return l
}

// nothingIsLeft fails for what is left, and takes it away.
func (l lab) nothingIsLeft() {
	text, err := os.ReadFile("/proc/self/mountinfo")
	l.need(err)
	for _, each := range parseMounts(string(text)) {
		if strings.HasPrefix(each.path, filepath.Dir(l.folder)) {
			l.t.Errorf("%s is left mounted", each.path)
			l.need(release(each.path))
		}
	}
	for name, path := range l.attached() {
		l.t.Errorf("%s is left over %s", name, path)
		l.need(exec.Command("losetup", "--detach", "/dev/"+name).Run())
	}
}

// attached is the loop devices of this lab that stay. The kernel detaches one with its last user, and for a moment that can be a
// program that another test starts: until it runs it has all files open that are open here. A cluster that is started meanwhile
// has a copy of each mount, and lets it go when it comes to it.
func (l lab) attached() map[string]string {
	for until := time.Now().Add(2 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		devices, err := backing()
		l.need(err)
		maps.DeleteFunc(devices, func(_, path string) bool { return !strings.HasPrefix(path, l.folder) })
		if len(devices) == 0 || time.Now().After(until) {
			return devices
		}
	}
}

func (l lab) need(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// asked is a capability of a mount or of a block device.
func asked(block bool) *csi.VolumeCapability {
	mode := &csi.VolumeCapability_AccessMode{Mode: csi.VolumeCapability_AccessMode_MULTI_NODE_MULTI_WRITER}
	if block {
		return &csi.VolumeCapability{
			AccessMode: mode, AccessType: &csi.VolumeCapability_Block{Block: &csi.VolumeCapability_BlockVolume{}},
		}
	}
	return &csi.VolumeCapability{
		AccessMode: mode, AccessType: &csi.VolumeCapability_Mount{Mount: &csi.VolumeCapability_MountVolume{}},
	}
}

// request is one for a volume, as `more` makes it.
func request(name string, more ...func(*csi.CreateVolumeRequest)) *csi.CreateVolumeRequest {
	wanted := &csi.CreateVolumeRequest{
		Name: name, CapacityRange: &csi.CapacityRange{RequiredBytes: small}, VolumeCapabilities: []*csi.VolumeCapability{asked(false)},
	}
	for _, each := range more {
		each(wanted)
	}
	return wanted
}

func block(r *csi.CreateVolumeRequest) { r.VolumeCapabilities = []*csi.VolumeCapability{asked(true)} }

func sized(bytes int64) func(*csi.CreateVolumeRequest) {
	return func(r *csi.CreateVolumeRequest) { r.CapacityRange = &csi.CapacityRange{RequiredBytes: bytes} }
}

func faulty(own fault) func(*csi.CreateVolumeRequest) {
	return func(r *csi.CreateVolumeRequest) { r.Parameters = map[string]string{"fault": string(own)} }
}

func from(id string) func(*csi.CreateVolumeRequest) {
	kind := &csi.VolumeContentSource{Type: &csi.VolumeContentSource_Volume{
		Volume: &csi.VolumeContentSource_VolumeSource{VolumeId: id},
	}}
	if strings.HasPrefix(id, "snap") {
		kind = &csi.VolumeContentSource{Type: &csi.VolumeContentSource_Snapshot{
			Snapshot: &csi.VolumeContentSource_SnapshotSource{SnapshotId: id},
		}}
	}
	return func(r *csi.CreateVolumeRequest) { r.VolumeContentSource = kind }
}

func (l lab) made(wanted *csi.CreateVolumeRequest) string {
	l.t.Helper()
	answer, err := l.CreateVolume(ctx, wanted)
	l.need(err)
	return answer.GetVolume().GetVolumeId()
}

func (l lab) snapshotOf(id, name string) string {
	l.t.Helper()
	answer, err := l.CreateSnapshot(ctx, &csi.CreateSnapshotRequest{Name: name, SourceVolumeId: id})
	l.need(err)
	return answer.GetSnapshot().GetSnapshotId()
}

func (l lab) at(what, id string) string {
	return filepath.Join(filepath.Dir(l.folder), what, id, "here")
}

// used has a volume staged and published, and gives where.
func (l lab) used(id string) string {
	l.t.Helper()
	is, err := l.volume(id)
	l.need(err)
	l.t.Cleanup(func() { l.unused(id) })
	_, err = l.NodeStageVolume(ctx, &csi.NodeStageVolumeRequest{
		VolumeId: id, StagingTargetPath: l.at("staged", id), VolumeCapability: asked(is.Block),
	})
	l.need(err)
	_, err = l.NodePublishVolume(ctx, &csi.NodePublishVolumeRequest{
		VolumeId: id, StagingTargetPath: l.at("staged", id), TargetPath: l.at("pods", id), VolumeCapability: asked(is.Block),
	})
	l.need(err)
	return l.at("pods", id)
}

// unused undoes that; doing it again changes nothing.
func (l lab) unused(id string) {
	l.t.Helper()
	if _, err := l.volume(id); absent(err) {
		return
	}
	_, err := l.NodeUnpublishVolume(ctx, &csi.NodeUnpublishVolumeRequest{VolumeId: id, TargetPath: l.at("pods", id)})
	l.need(err)
	_, err = l.NodeUnstageVolume(ctx, &csi.NodeUnstageVolumeRequest{VolumeId: id, StagingTargetPath: l.at("staged", id)})
	l.need(err)
}

func (l lab) removed(id string) {
	l.t.Helper()
	_, err := l.DeleteVolume(ctx, &csi.DeleteVolumeRequest{VolumeId: id})
	l.need(err)
}

func (l lab) expanded(id string, size int64) error {
	answer, err := l.ControllerExpandVolume(ctx, &csi.ControllerExpandVolumeRequest{
		VolumeId: id, CapacityRange: &csi.CapacityRange{RequiredBytes: size},
	})
	if err == nil && answer.GetNodeExpansionRequired() {
		_, err = l.NodeExpandVolume(ctx, &csi.NodeExpandVolumeRequest{VolumeId: id, VolumePath: l.at("pods", id)})
	}
	return err
}

func (l lab) wrote(folder, name, content string) {
	l.t.Helper()
	l.need(os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
}

// names lists what is in a folder.
func (l lab) names(folder string) string {
	l.t.Helper()
	entries, err := os.ReadDir(folder)
	l.need(err)
	var found []string
	for _, each := range entries {
		found = append(found, each.Name())
	}
	return strings.Join(found, " ")
}

// total is how many bytes the file system that is mounted there has.
func (l lab) total(path string) int64 {
	l.t.Helper()
	var is unix.Statfs_t
	l.need(unix.Statfs(path, &is))
	return int64(is.Blocks) * is.Bsize
}

// takes says whether a file of so many bytes can be had on a file system, with blocks of its own.
func (l lab) takes(folder string, size int64) bool {
	l.t.Helper()
	file, err := os.Create(filepath.Join(folder, "large"))
	l.need(err)
	defer file.Close()
	err = unix.Fallocate(int(file.Fd()), 0, 0, size)
	if !errors.Is(err, unix.ENOSPC) {
		l.need(err)
	}
	return err == nil
}
