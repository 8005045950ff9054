package main

import (
	"testing"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

func TestAnEmptyVolumeIsNeverMadeThatWasAskedForWhileACopyWas(t *testing.T) {
	l := newLab(t)
	source := l.made(request("source", faulty(deadlocksWhenMixed)))
	copied := make(chan error)
	go func() {
		_, err := l.CreateVolume(ctx, request("copy", faulty(deadlocksWhenMixed), from(source)))
		copied <- err
	}()
	_, err := l.CreateVolume(ctx, request("mixed", faulty(deadlocksWhenMixed)))
	l.need(<-copied)
	if status.Code(err) != codes.Internal {
		t.Fatal(err)
	}
	if _, err := l.CreateVolume(ctx, request("mixed", faulty(deadlocksWhenMixed))); status.Code(err) != codes.Internal {
		t.Fatal(err)
	}
	l.made(request("later", faulty(deadlocksWhenMixed)))
}

func TestAllVolumesStandStillWhileOneIsCopied(t *testing.T) {
	l := newLab(t)
	source := l.made(request("source", faulty(stallsWhileCopying)))
	path := l.used(l.made(request("neighbor", faulty(stallsWhileCopying))))
	copied := make(chan error)
	go func() {
		_, err := l.CreateVolume(ctx, request("copy", faulty(stallsWhileCopying), from(source)))
		copied <- err
	}()
	longest := time.Duration(0)
	for until := time.Now().Add(2 * stallTakes); time.Now().Before(until); {
		began := time.Now()
		l.wrote(path, "there", "x")
		longest = max(longest, time.Since(began))
	}
	l.need(<-copied)
	if longest < stallTakes/2 {
		t.Fatal(longest)
	}
}
