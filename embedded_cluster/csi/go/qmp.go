package main

import (
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"time"
)

const (
	talkSeconds   = 60 // for qemu-storage-daemon to do all that it is asked for
	hiddenSeconds = 20 // for an export to be gone, with its mount
	longestName   = 31 // of a block device of QEMU
)

// exporter is the socket of a qemu-storage-daemon, which is told by QMP what it is to show.
type exporter string

// named is what QEMU calls an image: an id is too long for it, and the end of one is as good.
func named(id string) string { return "n" + id[max(0, len(id)-longestName+1):] }

// show has an image mounted as a file. What Ceph has not stored is not acknowledged: there is no cache.
func (e exporter) show(conf, id, path string) error {
	return e.talk(func(c conversation) error {
		err := c.ask("blockdev-add", map[string]any{
			"driver": "rbd", "node-name": named(id), "pool": rbdPool, "image": id, "user": rbdUser, "conf": conf,
			"cache": map[string]any{"direct": true}, "discard": "unmap",
		}, nil)
		if err != nil {
			return err
		}
		return c.ask("block-export-add", map[string]any{
			"type": "fuse", "id": named(id), "node-name": named(id), "mountpoint": path, "writable": true,
		}, nil)
	})
}

// hide undoes that; nothing to undo is no error.
func (e exporter) hide(id string) error {
	return e.talk(func(c conversation) error {
		for until := time.Now().Add(hiddenSeconds * time.Second); ; time.Sleep(50 * time.Millisecond) {
			shown, err := c.shows(id)
			if err != nil {
				return err
			}
			if !shown {
				break
			}
			if time.Now().After(until) {
				return fmt.Errorf("%s is shown still", id)
			}
		}
		err := c.ask("blockdev-del", map[string]any{"node-name": named(id)}, nil)
		if refused, is := err.(refusal); is && strings.HasPrefix(refused.Desc, "Failed to find node") {
			return nil
		}
		return err
	})
}

// shows says whether an image is shown, and has it hidden.
func (c conversation) shows(id string) (bool, error) {
	var all []struct {
		ID     string
		Ending bool `json:"shutting-down"`
	}
	if err := c.ask("query-block-exports", nil, &all); err != nil {
		return false, err
	}
	for _, each := range all {
		if each.ID != named(id) {
			continue
		}
		if each.Ending {
			return true, nil
		}
		return true, c.ask("block-export-del", map[string]any{"id": each.ID, "mode": "hard"}, nil)
	}
	return false, nil
}

// conversation is a connection on which one command follows the other.
type conversation struct {
	in  *json.Decoder
	out *json.Encoder
}

// refusal is what QEMU says instead of doing it.
type refusal struct{ Class, Desc string }

func (r refusal) Error() string { return "qemu-storage-daemon: " + r.Desc }

func (e exporter) talk(about func(conversation) error) error {
	connection, err := net.DialTimeout("unix", string(e), talkSeconds*time.Second)
	if err != nil {
		return err
	}
	defer connection.Close()
	if err := connection.SetDeadline(time.Now().Add(talkSeconds * time.Second)); err != nil {
		return err
	}
	c := conversation{in: json.NewDecoder(connection), out: json.NewEncoder(connection)}
	var greeting map[string]any
	if err := c.in.Decode(&greeting); err != nil {
		return err
	}
	if err := c.ask("qmp_capabilities", nil, nil); err != nil {
		return err
	}
	return about(c)
}

// ask has one command done, and reads into `into` what it gives, unless that is nil.
func (c conversation) ask(what string, with map[string]any, into any) error {
	command := map[string]any{"execute": what}
	if with != nil {
		command["arguments"] = with
	}
	if err := c.out.Encode(command); err != nil {
		return err
	}
	for {
		var said struct {
			Return json.RawMessage
			Error  *refusal
		}
		if err := c.in.Decode(&said); err != nil {
			return fmt.Errorf("qemu-storage-daemon, asked to %s: %w", what, err)
		}
		switch {
		case said.Error != nil:
			return *said.Error
		case said.Return != nil && into != nil:
			return json.Unmarshal(said.Return, into)
		case said.Return != nil:
			return nil
		} // else an event
	}
}
