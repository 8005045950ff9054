package main

import (
	"errors"
	"os"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// content is what a volume begins as: a snapshot's or a volume's; id "" for nothing.
type content struct {
	id       string
	size     int64
	block    bool
	rbd      bool
	volume   *volume
	snapshot *snapshot
}

func (p pool) sourceOf(asked *csi.VolumeContentSource) (content, error) {
	switch kind := asked.GetType().(type) {
	case nil:
		return content{}, nil
	case *csi.VolumeContentSource_Snapshot:
		is, err := p.snapshot(kind.Snapshot.GetSnapshotId())
		return content{id: is.ID, size: is.Size, block: is.Block, rbd: is.RBD, snapshot: &is}, err
	case *csi.VolumeContentSource_Volume:
		is, err := p.volume(kind.Volume.GetVolumeId())
		return content{id: is.ID, size: is.Size, block: is.Block, rbd: is.RBD, volume: &is}, err
	default:
		return content{}, status.Errorf(codes.InvalidArgument, "no volume can begin as %T", kind)
	}
}

// copySource copies what a volume begins as to its file.
func (p pool) copySource(source content, to *os.File) error {
	if source.volume != nil {
		if err := p.copySlowly(*source.volume); err != nil {
			return err
		}
		return p.copyVolume(*source.volume, to)
	}
	late, err := p.has(takenLate, source.snapshot.Fault)
	if err != nil {
		return err
	}
	if late {
		if is, err := p.volume(source.snapshot.Volume); err == nil {
			return p.copyVolume(is, to)
		}
	}
	if lost, err := p.isLostWithSource(*source.snapshot); err != nil || lost {
		return errors.Join(err, emptyLike(*source.snapshot, to))
	}
	from, err := os.Open(p.image(snapshotsIn, source.id))
	if err != nil {
		return err
	}
	defer from.Close()
	return copyOf(from, to)
}

// copyVolume copies a volume as it is at one moment.
func (p pool) copyVolume(from volume, to *os.File) error {
	file, err := locked(p.image(volumesIn, from.ID))
	if err != nil {
		return err
	}
	defer file.Close()
	return p.still(from, func() error { return copyOf(file, to) })
}
