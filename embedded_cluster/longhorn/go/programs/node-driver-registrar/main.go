// In the place of Kubernetes' node-driver-registrar, which the Go module proxy serves under no path: tells the kubelet where the
// socket of a CSI driver is, in the two calls of the kubelet's plugin registration API.
package main

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"log"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	registration "k8s.io/kubelet/pkg/apis/pluginregistration/v1"
)

type server struct {
	registration.UnimplementedRegistrationServer

	driver, endpoint string
}

func (s *server) GetInfo(context.Context, *registration.InfoRequest) (*registration.PluginInfo, error) {
	return &registration.PluginInfo{
		Type: registration.CSIPlugin, Name: s.driver, Endpoint: s.endpoint, SupportedVersions: []string{"1.0.0"},
	}, nil
}

// NotifyRegistrationStatus ends the program where the kubelet refuses, so that it is started, and asks, again.
func (s *server) NotifyRegistrationStatus(
	_ context.Context, status *registration.RegistrationStatus,
) (*registration.RegistrationStatusResponse, error) {
	if !status.PluginRegistered {
		log.Fatalf("the kubelet refuses %s: %s", s.driver, status.Error)
	}
	log.Printf("the kubelet knows %s", s.driver)
	return &registration.RegistrationStatusResponse{}, nil
}

func main() {
	address := flag.String("csi-address", "/run/csi/socket", "socket of the driver")
	endpoint := flag.String("kubelet-registration-path", "", "the same socket, as the kubelet sees it")
	folder := flag.String("plugin-registration-path", "/registration", "where the kubelet looks for plugins")
	flag.Int("v", 0, "accepted, and not used: how much is logged")
	flag.Parse()

	driver := nameOf(*address)
	socket := filepath.Join(*folder, driver+"-reg.sock")
	if err := os.Remove(socket); err != nil && !errors.Is(err, fs.ErrNotExist) {
		log.Fatal(err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		log.Fatal(err)
	}
	serving := grpc.NewServer()
	registration.RegisterRegistrationServer(serving, &server{driver: driver, endpoint: *endpoint})
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM, os.Interrupt)
	go func() {
		<-asked
		serving.Stop() // and the listener removes its socket
	}()
	if err := serving.Serve(listener); err != nil {
		log.Fatal(err)
	}
}

// nameOf asks the driver for its name until it answers.
func nameOf(address string) string {
	connection, err := grpc.NewClient("unix://"+address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	defer connection.Close()
	for {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		info, err := csi.NewIdentityClient(connection).GetPluginInfo(ctx, &csi.GetPluginInfoRequest{})
		cancel()
		if err == nil {
			return info.GetName()
		}
		log.Printf("no driver yet: %v", err)
		time.Sleep(time.Second)
	}
}
