// One program under several names, in the place of tgtd, tgtadm, iscsiadm and nc for Longhorn's v1 data engine, where the kernel
// has no iSCSI: the engine's socket becomes a file over FUSE, and that a loop device.
package main

import (
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

const usage = `longhorn-adaptor attach FOLDER NAME SOCKET BYTES  have one volume as a block device until SIGTERM
longhorn-adaptor clean FOLDER                     take away what killed ones have left; 1 if something is still used
FOLDER has the notes about devices: var/lib/longhorn/block-devices of a node.
It is tgtd, tgtadm, iscsiadm or nc where it is called by that name.`

func main() {
	log.SetFlags(log.LstdFlags | log.Lmicroseconds)
	words := os.Args[1:]
	switch filepath.Base(os.Args[0]) {
	case "tgtd":
		if err := tgtd(); err != nil {
			log.Fatal(err)
		}
	case "tgtadm":
		os.Exit(tgtadm(words))
	case "iscsiadm":
		os.Exit(iscsiadm(ours(), words, os.Stdout, os.Stderr))
	case "nc":
		os.Exit(nc(words))
	default:
		os.Exit(byHand(words))
	}
}

// nc is called with -zv HOST PORT by the instance manager's probe: does anybody listen there?
func nc(words []string) int {
	if len(words) < 2 {
		return 1
	}
	connection, err := net.DialTimeout("tcp", net.JoinHostPort(words[len(words)-2], words[len(words)-1]), 3*time.Second)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	connection.Close()
	return 0
}

func byHand(words []string) int {
	switch {
	case len(words) == 2 && words[0] == "clean":
		return min(1, clean(notes{folder: words[1]}))
	case len(words) == 5 && words[0] == "attach":
		size, err := strconv.ParseInt(words[4], 10, 64)
		if err != nil {
			log.Fatal(err)
		}
		clean(notes{folder: words[1]})
		made, err := export(notes{folder: words[1]}, words[2], words[3], size, func(string) {})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println("/dev/" + made.loop.name)
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGTERM, os.Interrupt)
		select {
		case <-asked:
		case <-made.ended: // as the engine has
		}
		if err := made.remove(); err != nil {
			log.Fatal(err)
		}
		return 0
	}
	fmt.Fprintln(os.Stderr, usage)
	return 2
}
