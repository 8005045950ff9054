package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"sync"

	"golang.org/x/sys/unix"
)

// engine is the connection to the socket of one engine. Any number of requests are on their way at once.
type engine struct {
	connection net.Conn
	gone       chan struct{} // closed when the connection has ended, whoever ended it

	sending sync.Mutex // a request's header and data stay together

	mutex    sync.Mutex
	sequence uint32
	waiting  map[uint32]func(answer)
	ended    error
}

// answer to a request: the data read, or how much was written, or what went wrong. Data is valid until the callback returns.
type answer struct {
	data  []byte
	size  uint32
	errno unix.Errno
	text  string
}

func connect(socket string) (*engine, error) {
	connection, err := net.Dial("unix", socket)
	if err != nil {
		return nil, err
	}
	return newEngine(connection), nil
}

func newEngine(connection net.Conn) *engine {
	e := &engine{connection: connection, gone: make(chan struct{}), waiting: map[uint32]func(answer){}}
	go e.receive()
	return e
}

// close ends the connection; all that is on its way, and all that comes, is answered with EIO.
func (e *engine) close() { e.connection.Close() }

func (e *engine) read(offset int64, size uint32, then func(answer)) {
	e.submit(header{kind: kindRead, offset: offset, size: size}, nil, then)
}

// write returns when the data is on its way, and `data` may be changed; `then` is called when all replicas have it.
func (e *engine) write(offset int64, data []byte, then func(answer)) {
	length := uint32(len(data))
	e.submit(header{kind: kindWrite, offset: offset, size: length, length: length}, data, then)
}

func (e *engine) submit(request header, data []byte, then func(answer)) {
	e.mutex.Lock()
	if e.ended != nil {
		e.mutex.Unlock()
		then(answer{errno: unix.EIO, text: e.ended.Error()})
		return
	}
	e.sequence++
	request.sequence = e.sequence
	e.waiting[request.sequence] = then
	e.mutex.Unlock()

	var raw [headerSize]byte
	request.encode(raw[:])
	whole := net.Buffers{raw[:]}
	if len(data) > 0 {
		whole = append(whole, data)
	}
	e.sending.Lock()
	_, err := whole.WriteTo(e.connection)
	e.sending.Unlock()
	if err != nil {
		e.connection.Close() // the receiver tells all that wait, this request among them
	}
}

func (e *engine) receive() {
	in := bufio.NewReaderSize(e.connection, 256<<10)
	var err error
	for err == nil {
		err = e.receiveOne(in)
	}
	e.connection.Close()
	e.mutex.Lock()
	e.ended = fmt.Errorf("no connection to the engine: %w", err)
	left := e.waiting
	e.waiting = nil
	e.mutex.Unlock()
	for _, then := range left {
		then(answer{errno: unix.EIO, text: e.ended.Error()})
	}
	close(e.gone)
}

func (e *engine) receiveOne(in *bufio.Reader) error {
	found, err := readHeader(in)
	if err != nil {
		return err
	}
	data := make([]byte, found.length)
	if _, err := io.ReadFull(in, data); err != nil {
		return err
	}
	e.mutex.Lock()
	then := e.waiting[found.sequence]
	delete(e.waiting, found.sequence)
	e.mutex.Unlock()
	if then == nil {
		return fmt.Errorf("the engine answers request %d, which nobody made", found.sequence)
	}
	switch found.kind {
	case kindResponse, kindEnd:
		then(answer{data: data, size: found.size})
	case kindNoSpace:
		then(answer{errno: unix.ENOSPC, text: string(data)})
	default:
		then(answer{errno: unix.EIO, text: string(data)})
	}
	return nil
}
