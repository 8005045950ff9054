// Package client has the client of the v2 data engine: each call ends in an error. Arguments are not looked at.
package client

import (
	"context"
	"errors"

	"github.com/longhorn/types/pkg/generated/spdkrpc"

	"github.com/longhorn/longhorn-spdk-engine/pkg/api"
)

var errAbsent = errors.New("the v2 data engine is not built in")

// SPDKClient is made by instance managers of v1, too, which never call it.
type SPDKClient struct{}

// BackupCreateRequest asks for a backup of a snapshot.
type BackupCreateRequest struct {
	BackupName, SnapshotName, VolumeName, EngineName, ReplicaAddress, BackupTarget string
	StorageClassName, BackingImageName, BackingImageChecksum, CompressionMethod    string
	ConcurrentLimit                                                                int32
	Labels                                                                         []string
	Credential                                                                     map[string]string
}

// BackupRestoreRequest asks for a volume to be filled from a backup.
type BackupRestoreRequest struct {
	BackupUrl, EngineName string
	ConcurrentLimit       int32
	Credential            map[string]string
}

// Notifier would tell when something has changed.
type Notifier struct{}

func (*Notifier) Recv() (any, error) { return nil, errAbsent }

// NewSPDKClient connects to nothing, and never fails.
func NewSPDKClient(string) (*SPDKClient, error) { return &SPDKClient{}, nil }

func (*SPDKClient) Close() error { return nil }

func (*SPDKClient) BackingImageCreate(...any) (*api.BackingImage, error) { return nil, errAbsent }
func (*SPDKClient) BackingImageDelete(...any) error                      { return errAbsent }
func (*SPDKClient) BackingImageGet(...any) (*api.BackingImage, error)    { return nil, errAbsent }
func (*SPDKClient) BackingImageList() (map[string]*api.BackingImage, error) {
	return nil, errAbsent
}
func (*SPDKClient) BackingImageWatch(context.Context) (*Notifier, error) { return nil, errAbsent }

func (*SPDKClient) DiskCreate(...any) (*spdkrpc.Disk, error)    { return nil, errAbsent }
func (*SPDKClient) DiskDelete(...any) error                     { return errAbsent }
func (*SPDKClient) DiskGet(...any) (*spdkrpc.Disk, error)       { return nil, errAbsent }
func (*SPDKClient) MetricsGet(...any) (*spdkrpc.Metrics, error) { return nil, errAbsent }

func (*SPDKClient) LogGetFlags() (string, error) { return "", errAbsent }
func (*SPDKClient) LogSetFlags(...any) error     { return errAbsent }
func (*SPDKClient) LogSetLevel(...any) error     { return errAbsent }

func (*SPDKClient) EngineCreate(...any) (*api.Engine, error)        { return nil, errAbsent }
func (*SPDKClient) EngineDelete(...any) error                       { return errAbsent }
func (*SPDKClient) EngineDeleteTarget(...any) error                 { return errAbsent }
func (*SPDKClient) EngineExpand(...any) error                       { return errAbsent }
func (*SPDKClient) EngineGet(...any) (*api.Engine, error)           { return nil, errAbsent }
func (*SPDKClient) EngineList() (map[string]*api.Engine, error)     { return nil, errAbsent }
func (*SPDKClient) EngineResume(...any) error                       { return errAbsent }
func (*SPDKClient) EngineSuspend(...any) error                      { return errAbsent }
func (*SPDKClient) EngineSwitchOverTarget(...any) error             { return errAbsent }
func (*SPDKClient) EngineWatch(context.Context) (*Notifier, error)  { return nil, errAbsent }
func (*SPDKClient) EngineReplicaAdd(...any) error                   { return errAbsent }
func (*SPDKClient) EngineReplicaDelete(...any) error                { return errAbsent }
func (*SPDKClient) EngineSnapshotClone(...any) error                { return errAbsent }
func (*SPDKClient) EngineSnapshotCreate(...any) (string, error)     { return "", errAbsent }
func (*SPDKClient) EngineSnapshotDelete(...any) error               { return errAbsent }
func (*SPDKClient) EngineSnapshotHash(...any) error                 { return errAbsent }
func (*SPDKClient) EngineSnapshotPurge(...any) error                { return errAbsent }
func (*SPDKClient) EngineSnapshotRevert(...any) error               { return errAbsent }
func (*SPDKClient) EngineBackupRestore(*BackupRestoreRequest) error { return errAbsent }
func (*SPDKClient) ReplicaCreate(...any) (*api.Replica, error)      { return nil, errAbsent }
func (*SPDKClient) ReplicaDelete(...any) error                      { return errAbsent }
func (*SPDKClient) ReplicaGet(...any) (*api.Replica, error)         { return nil, errAbsent }
func (*SPDKClient) ReplicaList() (map[string]*api.Replica, error)   { return nil, errAbsent }
func (*SPDKClient) ReplicaWatch(context.Context) (*Notifier, error) { return nil, errAbsent }
func (*SPDKClient) ReplicaRebuildingDstSetQosLimit(...any) error    { return errAbsent }
func (*SPDKClient) EngineSnapshotHashStatus(...any) (*spdkrpc.EngineSnapshotHashStatusResponse, error) {
	return nil, errAbsent
}
func (*SPDKClient) EngineBackupCreate(*BackupCreateRequest) (*spdkrpc.BackupCreateResponse, error) {
	return nil, errAbsent
}
func (*SPDKClient) EngineBackupStatus(...any) (*spdkrpc.BackupStatusResponse, error) {
	return nil, errAbsent
}
func (*SPDKClient) EngineRestoreStatus(...any) (*spdkrpc.RestoreStatusResponse, error) {
	return nil, errAbsent
}
func (*SPDKClient) ReplicaRebuildingDstShallowCopyCheck(...any) (*spdkrpc.ReplicaRebuildingDstShallowCopyCheckResponse, error) {
	return nil, errAbsent
}
func (*SPDKClient) ReplicaSnapshotCloneDstStatusCheck(...any) (*spdkrpc.ReplicaSnapshotCloneDstStatusCheckResponse, error) {
	return nil, errAbsent
}
