package main

import (
	"slices"
	"testing"

	"github.com/container-storage-interface/spec/lib/go/csi"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestSizesAreWhatIsRequiredWithinTheLimit(t *testing.T) {
	for _, each := range []struct {
		required, limit, least, size int64
		code                         codes.Code
	}{
		{required: gibibyte, limit: gibibyte, least: leastXFS, size: gibibyte},
		{required: gibibyte + 1, least: leastXFS, size: gibibyte + step},
		{required: gibibyte + 1, limit: gibibyte + 1, least: leastXFS, code: codes.OutOfRange},
		{required: mebibyte, least: leastXFS, size: leastXFS},
		{required: mebibyte, limit: 2 * mebibyte, least: leastXFS, code: codes.OutOfRange},
		{required: mebibyte, limit: 2 * mebibyte, least: leastBlock, size: mebibyte},
		{least: leastXFS, size: usualSize},
		{limit: 400*mebibyte + 1, least: leastXFS, size: 400 * mebibyte},
		{required: largestSize + 1, least: leastXFS, code: codes.OutOfRange},
		{required: -1, least: leastXFS, code: codes.InvalidArgument},
	} {
		size, err := sizeFor(&csi.CapacityRange{RequiredBytes: each.required, LimitBytes: each.limit}, each.least)
		if size != each.size || status.Code(err) != each.code {
			t.Errorf("%+v: got %d, %v", each, size, err)
		}
	}
}

func TestPagesHaveEachIdOnceAlsoWhereTheLastOfAPageIsGone(t *testing.T) {
	ids := []string{"d", "a", "c", "b", "e"}
	first, token, err := page(ids, "", 2)
	if err != nil || !slices.Equal(first, []string{"a", "b"}) {
		t.Fatal(first, err)
	}
	second, token, err := page([]string{"e", "c", "d", "a"}, token, 2)
	if err != nil || !slices.Equal(second, []string{"c", "d"}) {
		t.Fatal(second, err)
	}
	third, token, err := page(ids, token, 2)
	if err != nil || !slices.Equal(third, []string{"e"}) || token != "" {
		t.Fatal(third, token, err)
	}
	if all, token, err := page(ids, "", 0); err != nil || len(all) != 5 || token != "" {
		t.Fatal(all, token, err)
	}
	if _, token, _ := page(ids, "", 5); token != "" {
		t.Fatalf("a page that holds all has a next one: %s", token)
	}
}

func TestTokensOfOthersAreRefused(t *testing.T) {
	if _, _, err := page(nil, "other", 0); status.Code(err) != codes.Aborted {
		t.Fatal(err)
	}
}

func TestFaultsAreReadOneALineAndMustBeKnown(t *testing.T) {
	found, err := parseFaults("clone-shares\n\n never-grows \n")
	if err != nil || !slices.Equal(found, []fault{sharesWithSource, neverGrows}) {
		t.Fatal(found, err)
	}
	if _, err := parseFaults("clone-share\n"); err == nil {
		t.Fatal("an unknown fault passes")
	}
}

func TestParametersOfAClass(t *testing.T) {
	for _, each := range []struct {
		key, value string
		own        fault
		code       codes.Code
	}{
		{key: "fault", value: "never-grows", own: neverGrows},
		{key: "csi.storage.k8s.io/pv/name", value: "pvc-1"},
		{key: "on", value: "rbd"},
		{key: "on", value: "disk", code: codes.InvalidArgument},
		{key: "fault", value: "never", code: codes.InvalidArgument},
		{key: "fault", value: "group-by-driver", code: codes.InvalidArgument},
		{key: "replicas", value: "3", code: codes.InvalidArgument},
	} {
		own, err := faultOf(map[string]string{each.key: each.value})
		if own != each.own || status.Code(err) != each.code {
			t.Errorf("%+v: got %q, %v", each, own, err)
		}
	}
	if _, err := faultOf(map[string]string{"on": "rbd", "fault": "never-grows"}); status.Code(err) != codes.InvalidArgument {
		t.Fatal(err)
	}
}

func TestMountsAreReadWithWhatTheKernelEscapes(t *testing.T) {
	found := parseMounts("36 35 7:3 / /mnt/a\\040b\\134c rw - xfs /dev/loop3 rw\n\n37 35 0:5 / /proc rw - proc proc rw\n")
	if !slices.Equal(found, []mount{{device: "7:3", path: "/mnt/a b\\c"}, {device: "0:5", path: "/proc"}}) {
		t.Fatal(found)
	}
}

func TestOnlyFilesOfThePoolAreItsVolumes(t *testing.T) {
	p := pool{folder: "/pool"}
	for path, is := range map[string]bool{
		"/pool/volumes/vol-1.img": true, "/pool/snapshots/snap-1.img": false, "/pool/volumes.old/vol-1.img": false,
		"/other/pool/volumes/vol-1.img": false, "/pool/volumes/in/vol-1.img": false,
	} {
		if p.isVolume(path) != is {
			t.Errorf("%s: %v", path, !is)
		}
	}
}

func TestWhatCannotBeAnIdIsNotLookedFor(t *testing.T) {
	for _, id := range []string{"", "..", "../volumes/vol-1", "vol-1", idOf("vol", "a") + "/"} {
		if _, err := (pool{folder: t.TempDir()}).volume(id); !absent(err) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

func TestAnImageIsSeenByAPathThatBeginsLater(t *testing.T) {
	p := pool{folder: "/state/one/csi/pool"}
	image := p.image(volumesIn, "vol-1")
	for path, wanted := range map[string]bool{
		image:                          true,
		"/csi/pool/volumes/vol-1.img":  true, // of a node whose mount namespace is gone
		"/csi/pool/volumes/vol-2.img":  false,
		"/":                            false,
		"/state/one/csi/pool/disk.img": false,
	} {
		if p.mayBe(path, image) != wanted {
			t.Errorf("%s: %v", path, !wanted)
		}
	}
}
