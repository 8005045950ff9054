package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The format in which an engine of Longhorn v1 speaks on its socket (longhorn-engine's package dataconn): a header of 26
// bytes, little endian, and as many bytes of data as it says. There is no flush: what is answered was written by all replicas.
const (
	kindRead      = 0
	kindWrite     = 1
	kindResponse  = 2
	kindError     = 3 // data is the error's text
	kindEnd       = 4 // beyond the volume's end
	kindClose     = 5 // sent without the magic number
	kindNoSpace   = 8
	magic         = 0x1b01
	headerSize    = 26
	largestAnswer = 16 << 20 // bytes; more than any request asks for
)

// header of a request or of its answer, which has the same sequence number.
type header struct {
	sequence uint32
	kind     uint32
	offset   int64  // bytes
	size     uint32 // bytes asked for, or read, or written
	length   uint32 // bytes of data that follow
}

var errClosed = errors.New("the engine closed the connection")

func (h header) encode(into []byte) {
	binary.LittleEndian.PutUint16(into[0:], magic)
	binary.LittleEndian.PutUint32(into[2:], h.sequence)
	binary.LittleEndian.PutUint32(into[6:], h.kind)
	binary.LittleEndian.PutUint64(into[10:], uint64(h.offset))
	binary.LittleEndian.PutUint32(into[18:], h.size)
	binary.LittleEndian.PutUint32(into[22:], h.length)
}

// readHeader takes the next header; errClosed where the engine says goodbye.
func readHeader(from io.Reader) (header, error) {
	var raw [headerSize]byte
	if _, err := io.ReadFull(from, raw[:]); err != nil {
		return header{}, err
	}
	found := header{
		sequence: binary.LittleEndian.Uint32(raw[2:]),
		kind:     binary.LittleEndian.Uint32(raw[6:]),
		offset:   int64(binary.LittleEndian.Uint64(raw[10:])),
		size:     binary.LittleEndian.Uint32(raw[18:]),
		length:   binary.LittleEndian.Uint32(raw[22:]),
	}
	switch got := binary.LittleEndian.Uint16(raw[0:]); {
	case got == 0 && found.kind == kindClose:
		return header{}, errClosed
	case got != magic:
		return header{}, fmt.Errorf("the engine speaks another protocol: 0x%x instead of 0x%x", got, magic)
	case found.length > largestAnswer:
		return header{}, fmt.Errorf("the engine announces %d bytes, which nothing asked for", found.length)
	}
	return found, nil
}
