package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// played is an engine in memory: a volume of bytes, and what it is to do wrong.
type played struct {
	connection net.Conn
	content    []byte
	held       chan struct{} // writes are answered when this is closed
	kind       uint32        // of all answers, if not 0
}

// serve reads requests byte by byte as Longhorn's engine does, without the code that is tested.
func (p *played) serve() {
	raw := make([]byte, 26)
	for {
		if _, err := io.ReadFull(p.connection, raw); err != nil {
			return
		}
		if raw[0] != 0x01 || raw[1] != 0x1b {
			panic("no magic number")
		}
		kind, offset := binary.LittleEndian.Uint32(raw[6:]), binary.LittleEndian.Uint64(raw[10:])
		size, data := binary.LittleEndian.Uint32(raw[18:]), make([]byte, binary.LittleEndian.Uint32(raw[22:]))
		io.ReadFull(p.connection, data)
		answered := bytes.Clone(raw)
		go func() {
			if kind == 1 {
				if p.held != nil {
					<-p.held
				}
				copy(p.content[offset:], data)
				data = nil
			} else {
				data = p.content[offset : offset+uint64(size)]
			}
			binary.LittleEndian.PutUint32(answered[6:], 2)
			if p.kind != 0 {
				data = []byte("broken")
				binary.LittleEndian.PutUint32(answered[6:], p.kind)
			}
			binary.LittleEndian.PutUint32(answered[22:], uint32(len(data)))
			p.connection.Write(append(answered, data...))
		}()
	}
}

func play(t *testing.T, size int, change func(*played)) (*played, *volume) {
	t.Helper()
	here, there := net.Pipe()
	p := &played{connection: there, content: make([]byte, size)}
	if change != nil {
		change(p)
	}
	go p.serve()
	t.Cleanup(func() { here.Close(); there.Close() })
	return p, newVolume("v", int64(size), newEngine(here))
}

type readResult struct {
	data  []byte
	errno unix.Errno
}

func readNow(t *testing.T, v *volume, offset int64, size uint32) readResult {
	t.Helper()
	found := make(chan readResult, 1)
	v.read(offset, size, func(data []byte, errno unix.Errno) { found <- readResult{bytes.Clone(data), errno} })
	return soon(t, found)
}

func writeNow(t *testing.T, v *volume, offset int64, data string) unix.Errno {
	t.Helper()
	found := make(chan unix.Errno, 1)
	v.write(offset, []byte(data), func(_ uint32, errno unix.Errno) { found <- errno })
	return soon(t, found)
}

func soon[T any](t *testing.T, found chan T) T {
	t.Helper()
	select {
	case each := <-found:
		return each
	case <-time.After(time.Minute):
		t.Fatal("no answer within a minute")
	}
	panic("unreachable")
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	p, v := play(t, 4096, nil)
	if errno := writeNow(t, v, 512, "storage"); errno != 0 {
		t.Fatal(errno)
	}
	if string(p.content[512:519]) != "storage" {
		t.Errorf("the engine has %q", p.content[512:519])
	}
	if found := readNow(t, v, 510, 10); string(found.data) != "\x00\x00storage\x00" {
		t.Errorf("read %q", found.data)
	}
}

func TestReadEndsWithTheVolume(t *testing.T) {
	_, v := play(t, 1024, nil)
	if found := readNow(t, v, 1000, 4096); len(found.data) != 24 || found.errno != 0 {
		t.Errorf("%d bytes, %v", len(found.data), found.errno)
	}
	if found := readNow(t, v, 1024, 512); len(found.data) != 0 || found.errno != 0 {
		t.Errorf("%d bytes beyond the end, %v", len(found.data), found.errno)
	}
}

func TestAnswersInAnotherOrder(t *testing.T) {
	p, v := play(t, 4096, func(p *played) { p.held = make(chan struct{}) })
	written := make(chan unix.Errno, 1)
	v.write(0, []byte("late"), func(_ uint32, errno unix.Errno) { written <- errno })
	if found := readNow(t, v, 0, 4); found.errno != 0 { // overtakes the write
		t.Error(found.errno)
	}
	close(p.held)
	if errno := soon(t, written); errno != 0 {
		t.Error(errno)
	}
}

func TestErrorsOfTheEngine(t *testing.T) {
	for kind, want := range map[uint32]unix.Errno{kindError: unix.EIO, kindNoSpace: unix.ENOSPC} {
		_, v := play(t, 4096, func(p *played) { p.kind = kind })
		if errno := writeNow(t, v, 0, "x"); errno != want {
			t.Errorf("write: %v instead of %v", errno, want)
		}
		if found := readNow(t, v, 0, 6); found.errno != want {
			t.Errorf("read: %v instead of %v", found.errno, want)
		}
	}
}

func TestShortAnswersAreErrors(t *testing.T) {
	_, v := play(t, 4096, func(p *played) { p.kind = kindEnd })
	if found := readNow(t, v, 0, 512); found.errno != unix.EIO { // "broken" has 6 bytes
		t.Errorf("%v", found.errno)
	}
}

func TestFlushWaitsForWritesOnTheirWay(t *testing.T) {
	p, v := play(t, 4096, func(p *played) { p.held = make(chan struct{}) })
	v.write(0, []byte("first"), func(uint32, unix.Errno) {})
	flushed := make(chan unix.Errno, 1)
	v.flush(func(errno unix.Errno) { flushed <- errno })
	select {
	case <-flushed:
		t.Fatal("flushed before the write was answered")
	case <-time.After(50 * time.Millisecond):
	}
	close(p.held)
	if errno := soon(t, flushed); errno != 0 {
		t.Error(errno)
	}
	v.flush(func(errno unix.Errno) { flushed <- errno }) // nothing is on its way
	if errno := soon(t, flushed); errno != 0 {
		t.Error(errno)
	}
}

func TestLaterWritesDoNotHoldUpAFlush(t *testing.T) {
	f := newFlushes()
	first := f.begin()
	done := false
	f.flush(func() { done = true })
	f.begin()
	f.end(first)
	if !done {
		t.Error("still waiting")
	}
}

func TestEndOfTheEngineEndsAllRequests(t *testing.T) {
	p, v := play(t, 4096, func(p *played) { p.held = make(chan struct{}) })
	written := make(chan unix.Errno, 1)
	v.write(0, []byte("lost"), func(_ uint32, errno unix.Errno) { written <- errno })
	p.connection.Close()
	if errno := soon(t, written); errno != unix.EIO {
		t.Errorf("on its way: %v", errno)
	}
	soon(t, v.engine.gone)
	if errno := writeNow(t, v, 0, "late"); errno != unix.EIO {
		t.Errorf("after the end: %v", errno)
	}
	flushed := make(chan unix.Errno, 1)
	v.flush(func(errno unix.Errno) { flushed <- errno })
	if errno := soon(t, flushed); errno != unix.EIO {
		t.Errorf("flush after the end: %v", errno)
	}
}

func TestHeadersThatAreNone(t *testing.T) {
	raw := make([]byte, headerSize)
	binary.LittleEndian.PutUint32(raw[6:], kindClose)
	if _, err := readHeader(bytes.NewReader(raw)); !errors.Is(err, errClosed) {
		t.Error(err)
	}
	binary.LittleEndian.PutUint16(raw, 0x1b02)
	if _, err := readHeader(bytes.NewReader(raw)); err == nil || !strings.Contains(err.Error(), "another protocol") {
		t.Error(err)
	}
	header{kind: kindResponse, length: largestAnswer + 1}.encode(raw)
	if _, err := readHeader(bytes.NewReader(raw)); err == nil || !strings.Contains(err.Error(), "nothing asked for") {
		t.Error(err)
	}
	if _, err := readHeader(bytes.NewReader(raw[:7])); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

func TestHeaderIsWhatLonghornWrites(t *testing.T) {
	raw := make([]byte, headerSize)
	header{sequence: 1, kind: kindWrite, offset: 0x0102030405, size: 512, length: 512}.encode(raw)
	want := []byte{0x01, 0x1b, 1, 0, 0, 0, 1, 0, 0, 0, 5, 4, 3, 2, 1, 0, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0}
	if !bytes.Equal(raw, want) {
		t.Errorf("% x", raw)
	}
}

func TestSessionsOfTargetsWithDevices(t *testing.T) {
	kept := notes{folder: t.TempDir()}
	say := func(words string) (int, string) {
		var out, failed strings.Builder
		status := iscsiadm(kept, strings.Fields(words), &out, &failed)
		return status, out.String() + failed.String()
	}
	if status, _ := say("-m session"); status != iscsiNoRecords {
		t.Error(status)
	}
	const name = "iqn.2019-10.io.longhorn:v"
	kept.write("targets", name, targetNote{Name: name, Device: "loop7"})
	if _, out := say("-m discovery -t sendtargets -p 10.0.0.1"); out != "10.0.0.1:3260,1 "+name+"\n" {
		t.Error(out)
	}
	if status, out := say("-m node -T " + name + " -p 10.0.0.1 --login"); status != 0 {
		t.Error(status, out)
	}
	if _, out := say("-m session"); out != "tcp: [1] 10.0.0.1:3260,1 "+name+" (non-flash)\n" {
		t.Error(out)
	}
	if _, out := say("-m session -P 3"); !strings.Contains(out, "Lun: 1\n\t\t\tAttached scsi disk loop7\t\tState: running") {
		t.Error(out)
	}
	kept.remove("targets", name) // the engine has ended
	if _, out := say("-m session -P 3"); strings.Contains(out, "loop7") {
		t.Error(out)
	}
	if status, out := say("-m node -T " + name + " --login"); status != iscsiFailed || !strings.Contains(out, "no device") {
		t.Error(status, out)
	}
	say("-m node -T " + name + " --logout")
	if status, _ := say("-m node -o delete -T " + name); status != 0 || len(read[sessionNote](kept, "sessions")) != 0 {
		t.Error(status)
	}
}

func TestTargetsAreListedAsLonghornParsesThem(t *testing.T) {
	d := &daemon{notes: notes{folder: t.TempDir()}, targets: map[int]*target{}}
	d.handle(strings.Fields("--lld iscsi --op new --mode target --tid 2 -T iqn.2019-10.io.longhorn:b"))
	d.handle(strings.Fields("--lld iscsi --op new --mode target --tid 1 -T iqn.2019-10.io.longhorn:a"))
	if _, err := d.handle(strings.Fields("--op new --mode target --tid 1 -T x:y")); err == nil {
		t.Error("a target was made twice")
	}
	out, _ := d.handle(strings.Fields("--op show --mode target"))
	if !strings.HasPrefix(out, "Target 1: iqn.2019-10.io.longhorn:a\n") || !strings.Contains(out, "\nTarget 2: iqn.2019-10.io.longhorn:b\n") {
		t.Error(out)
	}
	if _, err := d.handle(strings.Fields("--op new --mode logicalunit --tid 1 --lun 1 -b /none --bsopts size=0")); err == nil {
		t.Error("a volume without a size")
	}
	if _, err := d.handle(strings.Fields("--op update --mode logicalunit --tid 1 --lun 1 --params bsopts=size=1")); err == nil {
		t.Error("a target without a volume was resized")
	}
	d.handle(strings.Fields("--op delete --mode target --tid 1"))
	if _, err := d.handle(strings.Fields("--op delete --mode target --tid 1")); err == nil {
		t.Error("a target was deleted twice")
	}
}

func TestCleaningLeavesWhatIsNotOurs(t *testing.T) {
	kept := notes{folder: t.TempDir()}
	foreign := deviceNote{Mark: "/etc/volume", Device: "loop0", Folder: "/etc"}
	kept.write("devices", "etc", foreign)
	gone := deviceNote{Mark: runFolder + "/0/volume", Device: "loop0", Folder: runFolder + "/0"}
	kept.write("devices", "0", gone)
	live := deviceNote{Mark: runFolder + "/1/volume", Device: "loop0", Folder: runFolder + "/1"}
	kept.write("devices", "1", live)
	held, err := kept.lock("1")
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	if used := clean(kept); used != 0 {
		t.Errorf("%d devices are used", used)
	}
	left := read[deviceNote](kept, "devices")
	if len(left) != 2 || left[0] != live || left[1] != foreign {
		t.Errorf("%+v", left)
	}
}

func TestTimeOutOfADeviceThatHasNone(t *testing.T) {
	root := t.TempDir()
	kept := notes{folder: filepath.Join(root, notesFolder)}
	os.MkdirAll(filepath.Join(root, "sys/block"), 0o755)
	link := filepath.Join(root, "sys/block/loop7")
	os.Symlink(kernelsDevices+"loop7", link)
	if _, err := os.Stat(kernelsDevices + "loop7"); err != nil {
		t.Skip("this kernel has no loop7")
	}
	if err := pretendScsi(kept, "loop7"); err != nil {
		t.Fatal(err)
	}
	if size, err := os.ReadFile(filepath.Join(link, "size")); err != nil || len(size) == 0 {
		t.Error("the size cannot be seen", err)
	}
	if err := os.WriteFile(filepath.Join(link, "device/timeout"), []byte("60"), 0); err != nil {
		t.Error(err)
	}
	forgetScsi(kept, "loop7")
	if to, _ := os.Readlink(link); to != kernelsDevices+"loop7" {
		t.Errorf("left behind: %q", to)
	}
}
