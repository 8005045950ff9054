package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// The node's notes, one JSON file for each device, target and session. They lie in Longhorn's own folder of the node, which both the
// instance manager (as /host/var/lib/longhorn) and the node itself see: iscsiadm runs there.
const notesFolder = "var/lib/longhorn/block-devices"

type notes struct{ folder string }

// noteOf a device: written before it is attached, removed when it is known to be gone.
type deviceNote struct {
	Mark   string `json:"mark"`    // the name of the loop device in the kernel's status
	Device string `json:"device"`  // such as loop7; "" until it is attached
	Serial uint64 `json:"diskseq"` // what the kernel counts its disks with; 0 where it does not
	Folder string `json:"folder"`  // where the file is mounted
}

// targetNote is what the initiator sees of a target.
type targetNote struct {
	Name   string `json:"name"`
	Device string `json:"device"`
}

// sessionNote is the initiator's own: the targets that it found, and which of them it uses.
type sessionNote struct {
	Name     string `json:"name"`
	Portal   string `json:"portal"`
	LoggedIn bool   `json:"logged_in"`
}

// ours are the notes of the node that this process runs on, or in a container of.
func ours() notes {
	if _, err := os.Stat("/host/var/lib/longhorn"); err == nil {
		return notes{folder: filepath.Join("/host", notesFolder)}
	}
	return notes{folder: filepath.Join("/", notesFolder)}
}

func (n notes) path(kind, name string) string {
	return filepath.Join(n.folder, kind, strings.ReplaceAll(name, "/", "_")+".json")
}

// write makes a note whole or not at all.
func (n notes) write(kind, name string, value any) error {
	content, err := json.Marshal(value)
	if err != nil {
		return err
	}
	path := n.path(kind, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(path+".new", content, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

func (n notes) remove(kind, name string) { os.Remove(n.path(kind, name)) }

// lock says that this process lives and has the device; an error where another one does. It ends with the process.
func (n notes) lock(device string) (*os.File, error) {
	path := filepath.Join(n.folder, "locks", device)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// forget a device that is gone.
func (n notes) forget(device string) {
	n.remove("devices", device)
	os.Remove(filepath.Join(n.folder, "locks", device))
}

// read all notes of a kind; what cannot be read as one is none.
func read[T any](n notes, kind string) []T {
	paths, _ := filepath.Glob(filepath.Join(n.folder, kind, "*.json"))
	found := []T{}
	for _, path := range paths {
		var each T
		if content, err := os.ReadFile(path); err == nil && json.Unmarshal(content, &each) == nil {
			found = append(found, each)
		}
	}
	return found
}
