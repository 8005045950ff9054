// Package spdk has the server of the v2 data engine, which does not start here.
package spdk

import (
	"context"
	"errors"

	"github.com/longhorn/types/pkg/generated/spdkrpc"
)

// DiskState of a disk of the v2 data engine; the manager uses the word for disks of v1, too.
type DiskState string

const DiskStateReady = DiskState("ready")

// Server answers each call with Unimplemented.
type Server struct {
	spdkrpc.UnimplementedSPDKServiceServer
}

// NewServer refuses: an instance manager of the v2 data engine is not to be had.
func NewServer(context.Context, int32, int32) (*Server, error) {
	return nil, errors.New("the v2 data engine is not built in")
}
