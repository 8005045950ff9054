package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// exit statuses of open-iscsi's iscsiadm
const (
	iscsiFailed    = 1
	iscsiNoRecords = 21
)

// iscsiadm stands in the place of open-iscsi's on the node. Its sessions are notes about devices that tgtd has made; nothing is
// connected by network. Longhorn calls it as in its go-iscsi-helper, iscsi/initiator.go.
func iscsiadm(kept notes, words []string, out, errors io.Writer) int {
	if len(words) == 1 && words[0] == "--version" {
		fmt.Fprintln(out, "iscsiadm version 2.1.8 (FUSE and loop devices in its place)")
		return 0
	}
	asked := options(words)
	devices := map[string]string{}
	for _, each := range read[targetNote](kept, "targets") {
		devices[each.Name] = each.Device
	}
	switch asked["-m"] {
	case "discovery":
		return discover(kept, asked["-p"], devices, out, errors)
	case "node":
		return ofNode(kept, asked, devices, out, errors)
	case "session":
		return listSessions(kept, asked, devices, out, errors)
	}
	fmt.Fprintf(errors, "iscsiadm: not known here: %q\n", words)
	return iscsiFailed
}

func discover(kept notes, portal string, devices map[string]string, out, errors io.Writer) int {
	known := read[sessionNote](kept, "sessions")
	for name := range devices {
		if !slices.ContainsFunc(known, func(each sessionNote) bool { return each.Name == name && each.Portal == portal }) {
			if err := kept.write("sessions", name, sessionNote{Name: name, Portal: portal}); err != nil {
				fmt.Fprintln(errors, "iscsiadm:", err)
				return iscsiFailed
			}
		}
		fmt.Fprintf(out, "%s:3260,1 %s\n", portal, name)
	}
	return 0
}

func ofNode(kept notes, asked, devices map[string]string, out, errors io.Writer) int {
	sessions := slices.DeleteFunc(read[sessionNote](kept, "sessions"), func(each sessionNote) bool {
		return asked["-T"] != "" && each.Name != asked["-T"] || asked["-p"] != "" && each.Portal != asked["-p"]
	})
	if len(sessions) == 0 {
		fmt.Fprintln(errors, "iscsiadm: No records found")
		return iscsiNoRecords
	}
	_, login := asked["--login"]
	_, logout := asked["--logout"]
	for _, each := range sessions {
		var err error
		switch {
		case login && devices[each.Name] == "":
			err = fmt.Errorf("target %s has no device", each.Name)
		case login || logout:
			each.LoggedIn = login
			err = kept.write("sessions", each.Name, each)
		case asked["-o"] == "delete":
			kept.remove("sessions", each.Name)
		case asked["-o"] == "show":
			fmt.Fprintf(out, "node.name = %s\nnode.session.scan = auto\n", each.Name)
		}
		if err != nil {
			fmt.Fprintln(errors, "iscsiadm:", err)
			return iscsiFailed
		}
	}
	return 0
}

func listSessions(kept notes, asked, devices map[string]string, out, errors io.Writer) int {
	sessions := slices.DeleteFunc(read[sessionNote](kept, "sessions"), func(each sessionNote) bool { return !each.LoggedIn })
	if len(sessions) == 0 {
		fmt.Fprintln(errors, "iscsiadm: No active sessions.")
		return iscsiNoRecords
	}
	for number, each := range sessions {
		if asked["-P"] == "" {
			fmt.Fprintf(out, "tcp: [%d] %s:3260,1 %s (non-flash)\n", number+1, each.Portal, each.Name)
			continue
		}
		lines := []string{
			"Target: " + each.Name + " (non-flash)",
			"\tCurrent Portal: " + each.Portal + ":3260,1",
			"\tPersistent Portal: " + each.Portal + ":3260,1",
			"\t\tAttached SCSI devices:",
		}
		if device := devices[each.Name]; device != "" {
			lines = append(lines, "\t\tscsi1 Channel 00 Id 0 Lun: 0", "\t\tscsi1 Channel 00 Id 0 Lun: 1",
				"\t\t\tAttached scsi disk "+device+"\t\tState: running")
		}
		fmt.Fprintln(out, strings.Join(lines, "\n"))
	}
	return 0
}
