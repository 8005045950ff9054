package main

import "sync"

// flushes answers fsync when all writes that were on their way at that time have been answered. Longhorn's protocol knows no
// flush: all replicas have what the engine has answered, and that is what fsync promises of this storage.
type flushes struct {
	mutex   sync.Mutex
	last    uint64
	writes  map[uint64]bool
	waiting map[*flush]bool
}

type flush struct {
	left map[uint64]bool
	then func()
}

func newFlushes() *flushes {
	return &flushes{writes: map[uint64]bool{}, waiting: map[*flush]bool{}}
}

// begin notes a write; its number is for `end`.
func (f *flushes) begin() uint64 {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.last++
	f.writes[f.last] = true
	return f.last
}

func (f *flushes) end(write uint64) {
	f.mutex.Lock()
	delete(f.writes, write)
	var done []func()
	for each := range f.waiting {
		delete(each.left, write)
		if len(each.left) == 0 {
			delete(f.waiting, each)
			done = append(done, each.then)
		}
	}
	f.mutex.Unlock()
	for _, then := range done {
		then()
	}
}

// flush calls `then` once, now or when the last of the writes on their way ends; later writes do not hold it up.
func (f *flushes) flush(then func()) {
	f.mutex.Lock()
	if len(f.writes) == 0 {
		f.mutex.Unlock()
		then()
		return
	}
	left := make(map[uint64]bool, len(f.writes))
	for write := range f.writes {
		left[write] = true
	}
	f.waiting[&flush{left: left, then: then}] = true
	f.mutex.Unlock()
}
