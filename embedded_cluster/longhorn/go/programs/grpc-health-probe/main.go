// In the place of grpc_health_probe, which the Go module proxy serves under no path: ends well if a gRPC server says that it serves.
package main

import (
	"context"
	"flag"
	"log"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	health "google.golang.org/grpc/health/grpc_health_v1"
)

func main() {
	address := flag.String("addr", "", "HOST:PORT of the server")
	service := flag.String("service", "", "the service asked about; all of the server by default")
	patience := flag.Duration("rpc-timeout", time.Second, "how long the server may take to answer")
	flag.Duration("connect-timeout", time.Second, "accepted, and not used: -rpc-timeout is for both")
	flag.Parse()

	connection, err := grpc.NewClient("passthrough:///"+*address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), *patience)
	defer cancel()
	answer, err := health.NewHealthClient(connection).Check(ctx, &health.HealthCheckRequest{Service: *service})
	if err != nil {
		log.Fatal(err)
	}
	if answer.GetStatus() != health.HealthCheckResponse_SERVING {
		log.Fatalf("%s says %s", *address, answer.GetStatus())
	}
}
