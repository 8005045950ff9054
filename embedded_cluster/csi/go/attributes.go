package main

import (
	"context"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// labelOf reads the parameters of a VolumeAttributesClass: a label, which is kept with the volume.
func labelOf(parameters map[string]string) (label string, err error) {
	for key, value := range parameters {
		if key != "label" {
			return "", status.Errorf(codes.InvalidArgument, "parameter %q of a VolumeAttributesClass is not known", key)
		}
		label = value
	}
	return label, nil
}

func (d *driver) ControllerModifyVolume(
	_ context.Context, asked *csi.ControllerModifyVolumeRequest,
) (*csi.ControllerModifyVolumeResponse, error) {
	if asked.GetVolumeId() == "" {
		return nil, status.Error(codes.InvalidArgument, "no volume id")
	}
	is, err := d.volume(asked.GetVolumeId())
	if err != nil {
		return nil, err
	}
	label, err := labelOf(asked.GetMutableParameters())
	if err != nil {
		return nil, err
	}
	never, err := d.has(neverModified, is.Fault)
	if err != nil {
		return nil, err
	}
	if never {
		return nil, status.Error(codes.Unavailable, "the pool is being brought into order; try again later")
	}
	file, err := locked(d.image(volumesIn, is.ID)) // against an expansion, which writes the record, too
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if is, err = d.volume(is.ID); err != nil {
		return nil, err
	}
	is.Label = label
	return &csi.ControllerModifyVolumeResponse{}, d.write(volumesIn, is.ID, is)
}
