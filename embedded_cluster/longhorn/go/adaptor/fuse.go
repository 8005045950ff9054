package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"sync"

	"golang.org/x/sys/unix"
)

// The part of the kernel's FUSE protocol (include/uapi/linux/fuse.h) that a folder with one file needs. Requests are answered by
// callbacks, and the kernel is told that direct I/O may be asynchronous, so that as many requests are on their way to the engine as
// the block device has: an ordinary FUSE server would have the loop device write one block after the other.
const (
	opLookup      = 1
	opForget      = 2
	opGetattr     = 3
	opOpen        = 14
	opRead        = 15
	opWrite       = 16
	opStatfs      = 17
	opRelease     = 18
	opFsync       = 20
	opFlush       = 25
	opInit        = 26
	opOpendir     = 27
	opReleasedir  = 29
	opInterrupt   = 36
	opDestroy     = 38
	opBatchForget = 42

	protocolMajor = 7
	protocolMinor = 31
	asyncRead     = 1 << 0
	bigWrites     = 1 << 5
	asyncDirect   = 1 << 15
	maxPages      = 1 << 22

	openDirect         = 1 << 0
	openParallelWrites = 1 << 6

	inHeaderSize  = 40
	outHeaderSize = 16
	largest       = 1 << 20 // bytes of a read or write
	onTheirWay    = 256     // asynchronous requests that the kernel sends at once
	readers       = 2
	rootNode      = 1
	fileNode      = 2
	fileName      = "volume"
)

// fileServer is a FUSE mount with the one file `volume`.
type fileServer struct {
	device int // /dev/fuse
	volume *volume
	ended  chan struct{} // closed when nothing uses the mount any more
}

// mount puts the file `volume` into `folder`.
func mount(folder, name string, served *volume) (*fileServer, error) {
	device, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("/dev/fuse: %w", err)
	}
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0,max_read=%d", device, largest)
	flags := uintptr(unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOATIME)
	if err := unix.Mount(name, folder, "fuse.longhorn", flags, options); err != nil {
		unix.Close(device)
		return nil, fmt.Errorf("mount %s: %w", folder, err)
	}
	s := &fileServer{device: device, volume: served, ended: make(chan struct{})}
	var serving sync.WaitGroup
	for range readers {
		serving.Add(1)
		go func() { defer serving.Done(); s.serve() }()
	}
	go func() {
		serving.Wait()
		unix.Close(device)
		close(s.ended)
	}()
	return s, nil
}

func (s *fileServer) serve() {
	buffer := make([]byte, largest+(8<<10))
	for {
		n, err := unix.Read(s.device, buffer)
		switch {
		case errors.Is(err, unix.ENODEV): // unmounted
			return
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EAGAIN), errors.Is(err, unix.ENOENT):
		case err != nil:
			log.Printf("%s: /dev/fuse: %v", s.volume.name, err)
			return
		case n >= inHeaderSize:
			s.handle(buffer[:n])
		}
	}
}

func (s *fileServer) handle(request []byte) {
	operation := binary.LittleEndian.Uint32(request[4:])
	unique := binary.LittleEndian.Uint64(request[8:])
	node := binary.LittleEndian.Uint64(request[16:])
	body := request[inHeaderSize:]
	switch operation {
	case opForget, opBatchForget, opInterrupt: // have no answer; an interrupted request is answered all the same
	case opRead:
		offset, size := int64(binary.LittleEndian.Uint64(body[8:])), binary.LittleEndian.Uint32(body[16:])
		s.volume.read(offset, size, func(data []byte, errno unix.Errno) { s.reply(unique, errno, data) })
	case opWrite:
		offset, size := int64(binary.LittleEndian.Uint64(body[8:])), binary.LittleEndian.Uint32(body[16:])
		s.volume.write(offset, body[40:40+size], func(written uint32, errno unix.Errno) {
			s.reply(unique, errno, binary.LittleEndian.AppendUint64(nil, uint64(written)))
		})
	case opFsync, opFlush:
		s.volume.flush(func(errno unix.Errno) { s.reply(unique, errno, nil) })
	case opInit:
		s.reply(unique, 0, initial(body))
	case opLookup:
		if node != rootNode || string(body) != fileName+"\x00" {
			s.reply(unique, unix.ENOENT, nil)
			return
		}
		// Node, generation, and times of validity, which are 0: the kernel asks for the size each time.
		entry := append(binary.LittleEndian.AppendUint64(nil, fileNode), make([]byte, 32)...)
		s.reply(unique, 0, append(entry, s.attributes(fileNode)...))
	case opGetattr:
		s.reply(unique, 0, append(make([]byte, 16), s.attributes(node)...))
	case opOpen, opOpendir:
		opened := make([]byte, 16)
		if operation == opOpen {
			binary.LittleEndian.PutUint32(opened[8:], openDirect|openParallelWrites)
		}
		s.reply(unique, 0, opened)
	case opStatfs:
		s.reply(unique, 0, make([]byte, 80))
	case opRelease, opReleasedir, opDestroy:
		s.reply(unique, 0, nil)
	default: // discards and zeroed ranges among them: the kernel remembers, and writes zeroes instead
		s.reply(unique, unix.ENOSYS, nil)
	}
}

// initial answers the kernel's first request: what both know.
func initial(body []byte) []byte {
	offered := binary.LittleEndian.Uint32(body[12:])
	out := make([]byte, 64)
	binary.LittleEndian.PutUint32(out[0:], protocolMajor)
	binary.LittleEndian.PutUint32(out[4:], min(protocolMinor, binary.LittleEndian.Uint32(body[4:])))
	binary.LittleEndian.PutUint32(out[12:], offered&(asyncRead|bigWrites|asyncDirect|maxPages))
	binary.LittleEndian.PutUint16(out[16:], onTheirWay)
	binary.LittleEndian.PutUint16(out[18:], onTheirWay*3/4) // from where on the device counts as congested
	binary.LittleEndian.PutUint32(out[20:], largest)
	binary.LittleEndian.PutUint32(out[24:], 1) // nanoseconds, the grain of times
	binary.LittleEndian.PutUint16(out[28:], largest/4096)
	return out
}

func (s *fileServer) attributes(node uint64) []byte {
	out := make([]byte, 88)
	mode, size := uint32(unix.S_IFDIR|0o700), uint64(0)
	if node == fileNode {
		mode, size = unix.S_IFREG|0o600, uint64(s.volume.size.Load())
	}
	binary.LittleEndian.PutUint64(out[0:], node)
	binary.LittleEndian.PutUint64(out[8:], size)
	binary.LittleEndian.PutUint32(out[60:], mode)
	binary.LittleEndian.PutUint32(out[64:], 1) // links
	binary.LittleEndian.PutUint32(out[80:], 4096)
	return out
}

func (s *fileServer) reply(unique uint64, errno unix.Errno, data []byte) {
	if errno != 0 {
		data = nil
	}
	var head [outHeaderSize]byte
	binary.LittleEndian.PutUint32(head[0:], uint32(outHeaderSize+len(data)))
	binary.LittleEndian.PutUint32(head[4:], uint32(-int32(errno)))
	binary.LittleEndian.PutUint64(head[8:], unique)
	parts := [][]byte{head[:]}
	if len(data) > 0 {
		parts = append(parts, data)
	}
	// ENOENT: the request was interrupted. ENODEV: nobody is there to be answered.
	if _, err := unix.Writev(s.device, parts); err != nil && !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.ENODEV) {
		log.Printf("%s: answer of %d bytes to /dev/fuse: %v", s.volume.name, len(data), err)
	}
}
