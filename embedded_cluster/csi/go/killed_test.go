package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

const playsDriver = "PLAY_THE_DRIVER"

// TestMain is the driver itself where a test starts it as a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv(playsDriver) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// served starts a driver as a process, over the pool of the lab, and is a client of its node service.
func (l lab) served() (*exec.Cmd, csi.NodeClient) {
	l.t.Helper()
	socket := filepath.Join(filepath.Dir(l.folder), "csi.sock")
	process := exec.Command(os.Args[0], "--endpoint=unix://"+socket, "--folder="+l.folder, "--node=one")
	process.Env, process.Stderr = append(os.Environ(), playsDriver+"=1"), os.Stderr
	l.need(process.Start())
	l.t.Cleanup(func() { process.Process.Kill(); process.Wait() })
	connection, err := grpc.NewClient("unix://"+socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	l.need(err)
	l.t.Cleanup(func() { connection.Close() })
	node := csi.NewNodeClient(connection)
	for until := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		_, err := node.NodeGetInfo(ctx, &csi.NodeGetInfoRequest{})
		if err == nil {
			return process, node
		}
		if time.Now().After(until) {
			l.t.Fatal(err)
		}
	}
}

func killed(process *exec.Cmd) {
	process.Process.Kill()
	process.Wait()
}

func TestAKilledDriverLosesNothingAndItsSuccessorUndoesAll(t *testing.T) {
	t.Run("file system", func(t *testing.T) { killedWhileUsed(t, false) })
	t.Run("block device", func(t *testing.T) { killedWhileUsed(t, true) })
}

func killedWhileUsed(t *testing.T, raw bool) {
	l := newLab(t)
	more, file := []func(*csi.CreateVolumeRequest){}, "file"
	if raw {
		more, file = append(more, block), ""
	}
	id := l.made(request("volume", more...))
	process, node := l.served()
	stage := &csi.NodeStageVolumeRequest{VolumeId: id, StagingTargetPath: l.at("staged", id), VolumeCapability: asked(raw)}
	_, err := node.NodeStageVolume(ctx, stage)
	l.need(err)
	_, err = node.NodePublishVolume(ctx, &csi.NodePublishVolumeRequest{
		VolumeId: id, StagingTargetPath: l.at("staged", id), TargetPath: l.at("pods", id), VolumeCapability: asked(raw),
	})
	l.need(err)
	killed(process)
	// Pods go on.
	path, text := filepath.Join(l.at("pods", id), file), []byte("while it is dead")
	l.need(os.WriteFile(path, text, 0o600))
	process, node = l.served()
	_, err = node.NodeStageVolume(ctx, stage)
	l.need(err)
	content, err := os.Open(path)
	l.need(err)
	found := make([]byte, len(text))
	_, err = content.Read(found)
	l.need(err)
	l.need(content.Close())
	if !bytes.Equal(found, text) {
		t.Fatalf("it has %q", found)
	}
	_, err = node.NodeUnpublishVolume(ctx, &csi.NodeUnpublishVolumeRequest{VolumeId: id, TargetPath: l.at("pods", id)})
	l.need(err)
	_, err = node.NodeUnstageVolume(ctx, &csi.NodeUnstageVolumeRequest{VolumeId: id, StagingTargetPath: l.at("staged", id)})
	l.need(err)
	killed(process)
	l.removed(id)
	l.nothingIsLeft()
}

func TestAFileSystemThatAKilledDriverFrozeGoesOn(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume"))
	path := l.used(id)
	// What is there when it is killed in the middle of a copy.
	frozen := filepath.Join(l.folder, frozenIn, id)
	l.need(l.mountImage(l.image(volumesIn, id), frozen, false))
	folder, err := os.Open(frozen)
	l.need(err)
	l.need(unix.IoctlSetInt(int(folder.Fd()), freeze, 0))
	l.need(folder.Close())
	l.served()
	done := make(chan error, 1)
	go func() { done <- os.WriteFile(filepath.Join(path, "file"), nil, 0o600) }()
	select {
	case err := <-done:
		l.need(err)
	case <-time.After(2 * time.Minute):
		t.Fatal("the file system is frozen still")
	}
	if device, err := mountedAt(frozen); device != "" || err != nil {
		t.Fatal(device, err)
	}
}

func TestWhatAKilledDriverHalfMadeIsMadeAnew(t *testing.T) {
	l := newLab(t)
	image := l.image(volumesIn, idOf("vol", "volume"))
	l.need(os.WriteFile(image+".new", []byte("half a volume"), 0o600))
	if found := l.names(l.used(l.made(request("volume")))); found != "" {
		t.Fatal(found)
	}
	if _, err := os.Stat(image + ".new"); !os.IsNotExist(err) {
		t.Fatal(err)
	}
}

func TestALoopDeviceOfAVolumeThatIsGoneGoes(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume", block))
	device, err := l.attach(l.image(volumesIn, id), false)
	l.need(err)
	l.need(device.Close())
	l.need(os.Remove(l.image(volumesIn, id)))
	l.need(l.undoWhatAKilledOneLeft())
}
