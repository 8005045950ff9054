package main

import (
	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

const (
	mebibyte    = 1 << 20
	gibibyte    = 1 << 30
	step        = 4096           // sizes are multiples of it
	leastXFS    = 300 * mebibyte // mkfs.xfs refuses less
	leastBlock  = mebibyte
	usualSize   = gibibyte // of a volume of which no size is asked
	largestSize = 4 << 40  // of one volume, whatever room there is
)

// sizeFor chooses the size in bytes: what is required, and `least` at least, within the limit. OutOfRange where none fits.
func sizeFor(asked *csi.CapacityRange, least int64) (int64, error) {
	required, limit := asked.GetRequiredBytes(), asked.GetLimitBytes()
	if required < 0 || limit < 0 {
		return 0, status.Errorf(codes.InvalidArgument, "a size below 0: %d, limit %d", required, limit)
	}
	if required > largestSize {
		return 0, status.Errorf(codes.OutOfRange, "%d bytes are more than a volume can have: %d", required, int64(largestSize))
	}
	size := required
	if size == 0 {
		size = usualSize
		if limit > 0 {
			size = min(size, limit/step*step)
		}
	}
	size = (max(size, least) + step - 1) / step * step
	if limit > 0 && size > limit {
		return 0, status.Errorf(codes.OutOfRange, "no less than %d bytes can be had, and the limit is %d", size, limit)
	}
	return size, nil
}

// fits says whether a volume of `size` bytes is what is asked for.
func fits(asked *csi.CapacityRange, size int64) bool {
	return size >= asked.GetRequiredBytes() && (asked.GetLimitBytes() == 0 || size <= asked.GetLimitBytes())
}
