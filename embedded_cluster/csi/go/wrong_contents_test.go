package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"testing"
	"time"

	"github.com/container-storage-interface/spec/lib/go/csi"
)

func TestANewVolumeBeginsAsADeletedOne(t *testing.T) {
	l := newLab(t)
	for _, own := range []fault{"", showsEarlier} {
		var more []func(*csi.CreateVolumeRequest)
		if own != "" {
			more = append(more, faulty(own))
		}
		first := l.made(request("first"+string(own), more...))
		l.wrote(l.used(first), "earlier", "")
		l.unused(first)
		l.removed(first)
		second, third := l.made(request("second"+string(own), more...)), l.made(request("third"+string(own), more...))
		wanted := map[fault]string{"": "", showsEarlier: "earlier"}[own]
		if found := l.names(l.used(second)); found != wanted {
			t.Fatalf("%q: the second volume has %q", own, found)
		}
		if found := l.names(l.used(third)); found != "" {
			t.Fatalf("%q: the third volume has %q", own, found)
		}
	}
}

func TestANewDeviceBeginsAsADeletedOneOfItsSize(t *testing.T) {
	l := newLab(t)
	first := l.made(request("first", block, faulty(showsEarlier)))
	l.need(os.WriteFile(l.used(first), []byte("earlier"), 0))
	l.unused(first)
	l.removed(first)
	begins := func(id string) []byte {
		content, err := os.Open(l.used(id))
		l.need(err)
		defer content.Close()
		begin := make([]byte, 7)
		_, err = content.Read(begin)
		l.need(err)
		return begin
	}
	if found := begins(l.made(request("larger", block, faulty(showsEarlier), sized(2*small)))); bytes.Equal(found, []byte("earlier")) {
		t.Fatal("a volume of another size begins as it")
	}
	if found := begins(l.made(request("second", block, faulty(showsEarlier)))); !bytes.Equal(found, []byte("earlier")) {
		t.Fatalf("%q", found)
	}
}

func TestTheFilesOfANeighborGoWithAVolume(t *testing.T) {
	l := newLab(t)
	for own, wanted := range map[fault]string{"": "file", deletesNeighbors: ""} {
		var more []func(*csi.CreateVolumeRequest)
		if own != "" {
			more = append(more, faulty(own))
		}
		deleted, kept := l.made(request("deleted"+string(own), more...)), l.made(request("kept"+string(own), more...))
		path := l.used(kept)
		l.wrote(path, "file", "")
		l.removed(deleted)
		if found := l.names(path); found != wanted {
			t.Fatalf("%q: the other volume has %q", own, found)
		}
	}
}

func TestTheSpaceOfAVolumeThatNoNodeHadIsKept(t *testing.T) {
	l := newLab(t)
	used, unused := l.made(request("used", faulty(keepsUnused))), l.made(request("unused", faulty(keepsUnused)))
	l.used(used)
	l.unused(used)
	for id, kept := range map[string]bool{used: false, unused: true, l.made(request("good")): false} {
		l.removed(id)
		if _, err := os.Stat(l.image(keptIn, id)); errors.Is(err, fs.ErrNotExist) == kept {
			t.Fatal(kept, err)
		}
		if _, err := os.Stat(stagedOf(l.image(volumesIn, id))); !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
}

func TestAVolumeIsFormattedAtItsFourthMount(t *testing.T) {
	l := newLab(t)
	for own, wanted := range map[fault]string{"": "file", formatsAgain: ""} {
		var more []func(*csi.CreateVolumeRequest)
		if own != "" {
			more = append(more, faulty(own))
		}
		id := l.made(request("volume"+string(own), more...))
		l.wrote(l.used(id), "file", "")
		for range formattedAt - 2 {
			l.unused(id)
			if found := l.names(l.used(id)); found != "file" {
				t.Fatalf("%q: too early: %q", own, found)
			}
		}
		l.unused(id)
		if found := l.names(l.used(id)); found != wanted {
			t.Fatalf("%q: %q", own, found)
		}
	}
}

func TestSizesAreRoundedDown(t *testing.T) {
	l := newLab(t)
	for own, wanted := range map[fault]int64{"": gibibyte + step, roundsDown: gibibyte} {
		more := []func(*csi.CreateVolumeRequest){block, sized(gibibyte + step)}
		if own != "" {
			more = append(more, faulty(own))
		}
		id := l.made(request("volume"+string(own), more...))
		is, err := l.volume(id)
		l.need(err)
		image, err := os.Stat(l.image(volumesIn, id))
		l.need(err)
		if is.Size != gibibyte+step || image.Size() != wanted {
			t.Fatal(own, is.Size, image.Size())
		}
	}
}

func TestALargeVolumeIsMountedLateOnce(t *testing.T) {
	if formatTakes(8*gibibyte) != 0 || formatTakes(9*gibibyte) != 4*time.Second {
		t.Fatal(formatTakes(8*gibibyte), formatTakes(9*gibibyte))
	}
	l := newLab(t)
	id := l.made(request("volume", block, sized(9*gibibyte), faulty(formatsSlowly)))
	began := time.Now()
	l.used(id)
	if took := time.Since(began); took < 4*time.Second {
		t.Fatal(took)
	}
	l.unused(id)
	l.used(id)
	if count, err := os.ReadFile(stagedOf(l.image(volumesIn, id))); err != nil || string(count) != "2" {
		t.Fatal(string(count), err)
	}
}
