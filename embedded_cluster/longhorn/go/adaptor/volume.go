package main

import (
	"log"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// volume is what an engine serves, as a file. Nothing is cached: a write is done when the engine says so.
type volume struct {
	name    string
	size    atomic.Int64 // bytes
	engine  *engine
	flushes *flushes
}

func newVolume(name string, size int64, served *engine) *volume {
	v := &volume{name: name, engine: served, flushes: newFlushes()}
	v.size.Store(size)
	return v
}

func (v *volume) read(offset int64, size uint32, then func([]byte, unix.Errno)) {
	left := v.size.Load() - offset
	if left <= 0 || size == 0 {
		then(nil, 0)
		return
	}
	asked := uint32(min(int64(size), left))
	v.engine.read(offset, asked, func(got answer) {
		switch {
		case got.errno != 0:
			log.Printf("%s: read of %d at %d: %s", v.name, asked, offset, got.text)
		case uint32(len(got.data)) != asked: // never pass on less as if that were all
			log.Printf("%s: read of %d at %d: the engine answers with %d bytes", v.name, asked, offset, len(got.data))
			got.errno = unix.EIO
		}
		then(got.data, got.errno)
	})
}

func (v *volume) write(offset int64, data []byte, then func(uint32, unix.Errno)) {
	length := uint32(len(data))
	number := v.flushes.begin()
	v.engine.write(offset, data, func(got answer) {
		switch {
		case got.errno != 0:
			log.Printf("%s: write of %d at %d: %s", v.name, length, offset, got.text)
		case got.size != length:
			log.Printf("%s: write of %d at %d: the engine wrote %d bytes", v.name, length, offset, got.size)
			got.errno = unix.EIO
		}
		then(got.size, got.errno)
		v.flushes.end(number)
	})
}

// flush answers when the writes on their way are done; with EIO where there is no engine any more.
func (v *volume) flush(then func(unix.Errno)) {
	v.flushes.flush(func() {
		select {
		case <-v.engine.gone:
			then(unix.EIO)
		default:
			then(0)
		}
	})
}
