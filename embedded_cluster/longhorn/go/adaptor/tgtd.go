package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

const controlSocket = "/run/longhorn-block-devices.sock"

// target is what tgt would offer to initiators: one volume.
type target struct {
	name   string
	device *device
}

// daemon stands in the place of tgtd. It has the targets of one instance manager.
type daemon struct {
	mutex   sync.Mutex
	notes   notes
	targets map[int]*target
}

type result struct {
	Output string `json:"output"`
	Error  string `json:"error"`
}

// tgtd serves engines as block devices until it is told to end, and takes all of them away then.
func tgtd() error {
	if connection, err := net.Dial("unix", controlSocket); err == nil {
		connection.Close()
		return errors.New("another tgtd listens already")
	}
	os.Remove(controlSocket)
	listener, err := net.Listen("unix", controlSocket)
	if err != nil {
		return err
	}
	d := &daemon{notes: ours(), targets: map[int]*target{}}
	clean(d.notes)
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM, os.Interrupt)
	go func() { <-asked; listener.Close() }()
	log.Printf("tgtd in user space, by FUSE and loop devices, listens on %s", controlSocket)
	for {
		connection, err := listener.Accept()
		if err != nil {
			break
		}
		go d.answer(connection)
	}
	return d.end()
}

func (d *daemon) answer(connection net.Conn) {
	defer connection.Close()
	var words []string
	if json.NewDecoder(connection).Decode(&words) != nil {
		return
	}
	output, err := d.handle(words)
	answered := result{Output: output}
	if err != nil {
		answered.Error = err.Error()
		log.Printf("tgtadm %s: %v", strings.Join(words, " "), err)
	}
	json.NewEncoder(connection).Encode(answered)
}

// end removes all devices, beside each other.
func (d *daemon) end() error {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	failed := make(chan error, len(d.targets))
	for _, each := range d.targets {
		go func() { failed <- d.drop(each) }()
	}
	var all error
	for range d.targets {
		all = errors.Join(all, <-failed)
	}
	return all
}

// handle does what tgtadm was called for (longhorn's go-iscsi-helper, iscsi/target.go) and returns what it prints.
func (d *daemon) handle(words []string) (string, error) {
	asked := options(words)
	number, _ := strconv.Atoi(asked["--tid"])
	what := asked["--op"] + " " + asked["--mode"]
	d.mutex.Lock()
	defer d.mutex.Unlock()
	switch what {
	case "show system":
		return "System:\n    State: ready\nLLDs:\n    iscsi: ready\nBacking stores:\n    longhorn\n    rdwr\n", nil
	case "show target":
		return d.list(), nil
	case "new target":
		if d.targets[number] != nil {
			return "", errors.New("this target already exists")
		}
		d.targets[number] = &target{name: asked["-T"]}
		return "", nil
	}
	found := d.targets[number]
	if found == nil {
		return "", errors.New("can't find the target")
	}
	switch what {
	case "bind target", "unbind target", "show conn", "delete conn": // anybody may, and nobody is connected by network
		return "", nil
	case "new logicalunit":
		return "", d.add(found, asked["-b"], asked["--bsopts"])
	case "update logicalunit":
		return "", d.update(found, asked["--params"])
	case "delete logicalunit":
		return "", d.drop(found)
	case "delete target":
		err := d.drop(found)
		d.notes.remove("sessions", found.name)
		delete(d.targets, number)
		return "", err
	}
	return "", fmt.Errorf("unknown request %q", words)
}

func (d *daemon) list() string {
	numbers := make([]int, 0, len(d.targets))
	for each := range d.targets {
		numbers = append(numbers, each)
	}
	slices.Sort(numbers)
	var out strings.Builder
	for _, each := range numbers {
		fmt.Fprintf(&out, "Target %d: %s\n    System information:\n        Driver: iscsi\n        State: ready\n", each, d.targets[each].name)
	}
	return out.String()
}

// add the one logical unit of a target; `stored` are the backing store's options, the volume's size in bytes among them.
func (d *daemon) add(to *target, socket, stored string) error {
	if to.device != nil {
		return errors.New("this logical unit number already exists")
	}
	text, _ := setting(stored, ";", "size")
	size, err := strconv.ParseInt(text, 10, 64)
	if err != nil || size <= 0 {
		return fmt.Errorf("no size in %q", stored)
	}
	_, volume, _ := strings.Cut(to.name, ":")
	before := func(device string) { // no session must lead to what may be another's device by now
		d.notes.remove("targets", to.name)
		forgetScsi(d.notes, device)
	}
	if to.device, err = export(d.notes, volume, socket, size, before); err != nil {
		return err
	}
	if err := pretendScsi(d.notes, to.device.loop.name); err != nil {
		log.Printf("%s has no time-out that Longhorn could set: %v", to.device.loop.name, err)
	}
	return d.notes.write("targets", to.name, targetNote{Name: to.name, Device: to.device.loop.name})
}

// update knows the one parameter that means something here: the new size.
func (d *daemon) update(of *target, parameters string) error {
	text, found := strings.CutPrefix(parameters, "bsopts=size=")
	if !found {
		return nil
	}
	size, err := strconv.ParseInt(text, 10, 64)
	if err != nil || of.device == nil {
		return fmt.Errorf("no logical unit to be resized to %q", text)
	}
	return of.device.resize(size)
}

func (d *daemon) drop(of *target) error {
	if of.device == nil {
		return nil
	}
	gone := of.device
	of.device = nil
	return gone.remove()
}

// exitStatus of tgtadm where the request failed, and where there is no daemon.
const (
	refused  = int(unix.EINVAL)
	noDaemon = int(unix.ENOTCONN)
)

// tgtadm hands its words to tgtd.
func tgtadm(words []string) int {
	connection, err := net.Dial("unix", controlSocket)
	if err != nil {
		fmt.Fprintln(os.Stderr, "tgtadm: failed to send request hdr to tgt daemon, Transport endpoint is not connected")
		return noDaemon
	}
	defer connection.Close()
	var got result
	if err := errors.Join(json.NewEncoder(connection).Encode(words), json.NewDecoder(connection).Decode(&got)); err != nil {
		fmt.Fprintln(os.Stderr, "tgtadm: no answer:", err)
		return noDaemon
	}
	fmt.Print(got.Output)
	if got.Error != "" {
		fmt.Fprintln(os.Stderr, "tgtadm:", got.Error)
		return refused
	}
	return 0
}
