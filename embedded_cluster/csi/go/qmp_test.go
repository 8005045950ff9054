package main

import (
	"encoding/json"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// playedQEMU answers on a socket as qemu-storage-daemon does: with what `answers` has for a command, else with nothing but that it
// is done. Before each answer comes an event. What it was asked to do is in `asked`, once the connection has ended.
func playedQEMU(t *testing.T, answers func(command string) string) (exporter, chan []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "qmp")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	asked := make(chan []string, 1)
	go func() {
		connection, err := listener.Accept()
		if err != nil {
			return
		}
		connection.Write([]byte(`{"QMP": {"version": {}, "capabilities": []}}` + "\r\n"))
		var commands []string
		for in := json.NewDecoder(connection); ; {
			var command struct{ Execute string }
			if in.Decode(&command) != nil {
				break
			}
			commands = append(commands, command.Execute)
			answer := answers(command.Execute)
			if answer == "" {
				answer = `{"return": {}}`
			}
			connection.Write([]byte(`{"timestamp": {}, "event": "BLOCK_EXPORT_DELETED", "data": {"id": "n"}}` + "\r\n" + answer + "\r\n"))
		}
		asked <- commands
	}()
	return exporter(path), asked
}

func TestAnImageIsAddedBeforeItIsShown(t *testing.T) {
	e, asked := playedQEMU(t, func(string) string { return "" })
	if err := e.show("/conf", idOf("vol", "a"), "/image"); err != nil {
		t.Fatal(err)
	}
	if found := <-asked; !slices.Equal(found, []string{"qmp_capabilities", "blockdev-add", "block-export-add"}) {
		t.Fatal(found)
	}
}

func TestAnImageIsTakenAwayOnceItsFileIs(t *testing.T) {
	id, looks := idOf("vol", "a"), 0
	e, asked := playedQEMU(t, func(command string) string {
		if command != "query-block-exports" {
			return ""
		}
		looks++
		return []string{
			`{"return": [{"id": "other", "shutting-down": false}, {"id": "` + named(id) + `", "shutting-down": false}]}`,
			`{"return": [{"id": "` + named(id) + `", "shutting-down": true}]}`,
			`{"return": []}`,
		}[min(looks, 3)-1]
	})
	if err := e.hide(id); err != nil {
		t.Fatal(err)
	}
	query := "query-block-exports"
	wanted := []string{"qmp_capabilities", query, "block-export-del", query, query, "blockdev-del"}
	if found := <-asked; !slices.Equal(found, wanted) {
		t.Fatal(found)
	}
}

func TestWhatQEMURefusesIsTold(t *testing.T) {
	for refused, wanted := range map[string]string{
		"Failed to find node with node-name='n'": "",
		"Block device n is in use":               "Block device n is in use",
	} {
		e, _ := playedQEMU(t, func(command string) string {
			switch command {
			case "query-block-exports":
				return `{"return": []}`
			case "blockdev-del":
				return `{"error": {"class": "GenericError", "desc": "` + refused + `"}}`
			}
			return ""
		})
		err := e.hide(idOf("vol", "a"))
		if (err == nil) != (wanted == "") || err != nil && !strings.HasSuffix(err.Error(), wanted) {
			t.Errorf("%s: %v", refused, err)
		}
	}
}

func TestNamesOfBlockDevicesAreShortEnoughAndOfOneImage(t *testing.T) {
	if a, b := named(idOf("vol", "a")), named(idOf("vol", "b")); len(a) > longestName || a == b {
		t.Fatal(a, b)
	}
}

func TestADriverWithoutCephMakesNoVolumeThere(t *testing.T) {
	d := &driver{pool: pool{folder: t.TempDir()}}
	wanted := request("volume")
	wanted.Parameters = map[string]string{"on": "rbd"}
	if _, err := d.CreateVolume(ctx, wanted); status.Code(err) != codes.InvalidArgument {
		t.Fatal(err)
	}
}
