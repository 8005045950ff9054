package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// interrupted has the storage away while something is done, which gets whether the volumes stand still; they go on afterwards.
func (l lab) interrupted(work func()) {
	l.t.Helper()
	ends, end := context.WithCancel(ctx)
	over := make(chan bool)
	go func() {
		l.followInterruptions(ends)
		close(over)
	}()
	away, stands := filepath.Join(l.folder, interruptedIs), filepath.Join(l.folder, standsStill)
	l.need(os.WriteFile(away, nil, 0o600))
	l.until(func() bool { _, err := os.Stat(stands); return err == nil })
	work()
	l.need(os.Remove(away))
	l.until(func() bool { _, err := os.Stat(stands); return os.IsNotExist(err) })
	end()
	<-over
}

func (l lab) until(done func() bool) {
	l.t.Helper()
	for until := time.Now().Add(2 * time.Minute); !done(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(until) {
			l.t.Fatal("it does not come to pass")
		}
	}
}

func TestWritesWaitUntilTheStorageIsBack(t *testing.T) {
	l := newLab(t)
	path := l.used(l.made(request("volume")))
	l.made(request("unused"))
	done := make(chan error, 1)
	l.interrupted(func() {
		go func() { done <- os.WriteFile(filepath.Join(path, "file"), []byte("late"), 0o600) }()
		select {
		case err := <-done:
			t.Fatalf("written while the storage is away: %v", err)
		case <-time.After(300 * time.Millisecond):
		}
	})
	l.need(<-done)
}

func TestWhatIsWrittenWhileTheStorageIsAwayIsLost(t *testing.T) {
	l := newLab(t)
	path := l.used(l.made(request("volume", faulty(liesMeanwhile))))
	l.wrote(path, "file", "kept")
	write := func(text string) {
		file, err := os.OpenFile(filepath.Join(path, "file"), os.O_APPEND|os.O_WRONLY, 0)
		l.need(err)
		defer file.Close()
		_, err = file.WriteString(text)
		l.need(errors.Join(err, file.Sync()))
	}
	l.interrupted(func() { write("lost") })
	write("after")
	if found, err := os.ReadFile(filepath.Join(path, "file")); string(found) != "kept\x00\x00\x00\x00after" {
		t.Fatalf("%q %v", found, err)
	}
}

func TestTheStorageIsAwayAlsoWithoutVolumes(t *testing.T) {
	l := newLab(t)
	l.interrupted(func() {
		time.Sleep(3 * interruptionPause)
		if _, err := os.Stat(filepath.Join(l.folder, standsStill)); err != nil {
			t.Fatal(err)
		}
	})
}

func TestWritesAreRefusedUntilTheStorageIsBack(t *testing.T) {
	l := newLab(t)
	path := l.used(l.made(request("volume", faulty(refusesMeanwhile))))
	l.interrupted(func() {
		if err := os.WriteFile(filepath.Join(path, "file"), nil, 0o600); !errors.Is(err, unix.EROFS) {
			t.Fatal(err)
		}
	})
	l.wrote(path, "file", "written")
}

func TestAVolumeStaysReadOnlyUntilNoPodHasIt(t *testing.T) {
	l := newLab(t)
	id := l.made(request("volume", faulty(readOnlyAfter)))
	path := l.used(id)
	l.wrote(path, "file", "kept")
	l.interrupted(func() {})
	if err := os.WriteFile(filepath.Join(path, "more"), nil, 0o600); !errors.Is(err, unix.EROFS) {
		t.Fatal(err)
	}
	if found, err := os.ReadFile(filepath.Join(path, "file")); string(found) != "kept" {
		t.Fatalf("%q %v", found, err)
	}
	l.unused(id)
	l.wrote(l.used(id), "more", "written")
}

func TestANodeThatStartsCutsFilesInHalf(t *testing.T) {
	l := newLab(t)
	path := l.used(l.made(request("volume", faulty(lostAtNodeStart))))
	l.wrote(path, "file", "kept lost")
	good := l.used(l.made(request("good")))
	l.wrote(good, "file", "kept")
	l.need(l.loseAtStart())
	for folder, wanted := range map[string]string{path: "kept", good: "kept"} {
		if found, err := os.ReadFile(filepath.Join(folder, "file")); string(found) != wanted {
			t.Fatalf("%q %v", found, err)
		}
	}
}
