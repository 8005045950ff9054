// Package api has what the v2 data engine would tell of its objects.
package api

import "github.com/longhorn/longhorn-spdk-engine/pkg/types"

// Engine of a volume.
type Engine struct {
	Name, UUID, State, ErrorMsg, Endpoint, Frontend string
	SpecSize                                        uint64
	Port, TargetPort, StandbyTargetPort, UblkID     int32
	ReplicaAddressMap                               map[string]string
	ReplicaModeMap                                  map[string]types.Mode
	Snapshots                                       map[string]*Lvol
	Head                                            *Lvol
}

// Replica of a volume.
type Replica struct {
	Name, UUID, State, ErrorMsg, LvsName, LvsUUID string
	SpecSize, ActualSize                          uint64
	PortStart, PortEnd                            int32
}

// Lvol is a snapshot, or the head of a volume.
type Lvol struct {
	Name, Parent, CreationTime, SnapshotTimestamp string
	ActualSize                                    uint64
	Children                                      map[string]bool
	UserCreated                                   bool
}

// BackingImage that volumes begin with.
type BackingImage struct {
	Name, BackingImageUUID, LvsUUID, State, ErrorMsg, ExpectedChecksum, CurrentChecksum string
	Size                                                                                uint64
	Progress                                                                            int32
}
