// The lab's own CSI driver: volumes are sparse files below one folder, as XFS file systems or raw block devices over loop
// devices; or, where there is Ceph, images there. Controller, node and identity services are one program; a process for each node may serve the same folder.
//
// It keeps no state in memory: what is in the folder, the kernel's loop devices and mounts are all that it knows, so that
// it can be killed at any time and started again.
package main

import (
	"context"
	"flag"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"sync"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"golang.org/x/sys/unix"
	"google.golang.org/grpc"
)

const (
	driverName    = "csi.lab.storage-acceptance"
	driverVersion = "1.0.0"
)

type driver struct {
	csi.UnimplementedIdentityServer
	csi.UnimplementedControllerServer
	csi.UnimplementedGroupControllerServer
	csi.UnimplementedNodeServer
	pool
	node string // of the node service; "" where there is none
	ceph *ceph  // for volumes on RBD; nil where there is none

	refusals refusals
	cloning  cloning
	mixing   mixing
	stalling sync.Mutex // held while all volumes with the fault stallsWhileCopying stand still
	slowed   sync.Map   // the ids of volumes with the fault slowsDown that stand still again and again
}

func main() {
	endpoint := flag.String("endpoint", "", "the socket to serve at: unix:///a/path")
	folder := flag.String("folder", "", "where volumes and snapshots are kept: an absolute path")
	node := flag.String("node", "", "the name of the node to serve; without it there is no node service")
	controller := flag.Bool("controller", true, "serve the controller")
	capacity := flag.Int64("capacity", 0, "bytes that all volumes and snapshots may have; 0: what the file system has")
	conf := flag.String("ceph", "", "the configuration of a client of Ceph, for volumes on RBD; without it there are none")
	shower := flag.String("rbd-exporter", "", "the socket of the qemu-storage-daemon that shows volumes on RBD")
	flag.Parse()
	d := &driver{pool: pool{folder: *folder, capacity: *capacity}, node: *node}
	if *conf != "" {
		d.ceph = &ceph{conf: *conf, exporter: exporter(*shower)}
	}
	if err := serve(*endpoint, *controller, d); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(endpoint string, controller bool, d *driver) error {
	socket, found := strings.CutPrefix(endpoint, "unix://")
	if !found || !strings.HasPrefix(d.folder, "/") || flag.NArg() > 0 {
		return fmt.Errorf("--endpoint=unix:///a/path and --folder=/a/path are needed, and no more words")
	}
	if err := d.prepare(); err != nil {
		return err
	}
	if controller {
		if err := d.undoWhatAKilledOneLeft(); err != nil {
			return err
		}
	}
	if d.node != "" {
		if err := d.loseAtStart(); err != nil {
			return err
		}
	}
	if err := os.Remove(socket); err != nil && !os.IsNotExist(err) { // of one that was killed
		return err
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	server := grpc.NewServer(grpc.UnaryInterceptor(told))
	csi.RegisterIdentityServer(server, d)
	if controller {
		csi.RegisterControllerServer(server, d)
		csi.RegisterGroupControllerServer(server, d)
	}
	if d.node != "" {
		csi.RegisterNodeServer(server, d)
	}
	ended, stop := signal.NotifyContext(context.Background(), unix.SIGTERM, unix.SIGINT)
	defer stop()
	if controller {
		go d.followInterruptions(ended)
	}
	context.AfterFunc(ended, server.GracefulStop)
	return server.Serve(listener)
}

// told prints each call that ends in an error.
func told(ctx context.Context, request any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (any, error) {
	answer, err := handler(ctx, request)
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", info.FullMethod, err)
	}
	return answer, err
}
