package main

import (
	"log"
	"sync"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// mixing counts the copies with the fault deadlocksWhenMixed that are being made, and remembers when one last was, and which empty
// volumes are never made.
type mixing struct {
	lock     sync.Mutex
	copies   int
	copied   time.Time
	deadlock map[string]bool
}

// mixedTakes is how long a volume with the fault deadlocksWhenMixed takes to be made: as others are asked for.
const mixedTakes = 4 * time.Second

// pass takes its time, and refuses an empty volume if a copy was being made meanwhile: that one always.
func (m *mixing) pass(name string, copied bool) error {
	began := time.Now()
	if copied {
		m.count(1)
		time.Sleep(mixedTakes)
		m.count(-1)
		return nil
	}
	time.Sleep(mixedTakes)
	m.lock.Lock()
	defer m.lock.Unlock()
	if m.deadlock == nil {
		m.deadlock = map[string]bool{}
	}
	m.deadlock[name] = m.deadlock[name] || m.copies > 0 || m.copied.After(began)
	if m.deadlock[name] {
		return status.Errorf(codes.Internal, "%s waits for the lock of a copy", name)
	}
	return nil
}

func (m *mixing) count(more int) {
	m.lock.Lock()
	defer m.lock.Unlock()
	m.copies += more
	m.copied = time.Now()
}

// beforeMaking does what the faults of things at the same time do before a volume is made.
func (d *driver) beforeMaking(name string, own fault, copied bool) error {
	mixed, err := d.has(deadlocksWhenMixed, own)
	if err != nil {
		return err
	}
	if mixed {
		return d.mixing.pass(name, copied)
	}
	stalls, err := d.has(stallsWhileCopying, own)
	if err != nil || !stalls || !copied || !d.stalling.TryLock() {
		return err
	}
	defer d.stalling.Unlock()
	return d.stallAll()
}

// stallTakes is how long the volumes with the fault stallsWhileCopying stand still for a copy.
const stallTakes = 8 * time.Second

// stallAll has all file systems with the fault stallsWhileCopying stand still for some time.
func (d *driver) stallAll() error {
	ids, err := d.ids(volumesIn)
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	for _, id := range ids {
		is, err := d.volume(id)
		if err != nil { // it is gone meanwhile
			continue
		}
		if stalls, err := d.has(stallsWhileCopying, is.Fault); err != nil || !stalls || is.Block {
			continue
		}
		all.Go(func() {
			err := d.withStill(is, func() error {
				time.Sleep(stallTakes)
				return nil
			})
			if err != nil && !absent(err) {
				log.Printf("%s does not stand still for the fault %s: %v", is.ID, stallsWhileCopying, err)
			}
		})
	}
	all.Wait()
	return nil
}
