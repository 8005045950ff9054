// In the place of Kubernetes' livenessprobe, which the Go module proxy serves under no path: /healthz asks the CSI driver's Probe.
package main

import (
	"context"
	"flag"
	"log"
	"net/http"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

func main() {
	address := flag.String("csi-address", "/run/csi/socket", "socket of the driver")
	port := flag.String("health-port", "9808", "port of /healthz")
	// More than the original's second: how long is too long, the kubelet says, which asks.
	patience := flag.Duration("probe-timeout", 10*time.Second, "how long the driver may take to answer")
	flag.Int("v", 0, "accepted, and not used: how much is logged")
	flag.Parse()

	connection, err := grpc.NewClient("unix://"+*address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/healthz", func(answer http.ResponseWriter, request *http.Request) {
		ctx, cancel := context.WithTimeout(request.Context(), *patience)
		defer cancel()
		probed, err := csi.NewIdentityClient(connection).Probe(ctx, &csi.ProbeRequest{})
		switch {
		case err != nil:
			http.Error(answer, err.Error(), http.StatusInternalServerError)
		case probed.GetReady() != nil && !probed.GetReady().GetValue():
			http.Error(answer, "the driver says that it is not ready", http.StatusInternalServerError)
		default:
			_, _ = answer.Write([]byte("ok"))
		}
	})
	log.Fatal(http.ListenAndServe(":"+*port, nil))
}
