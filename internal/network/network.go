// Package network makes errors for users from the errors of package net. Use [CannotListen] if gogi cannot listen on an
// address, and [CannotReach] if a server cannot be reached.
package network

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"syscall"
)

// unreachable is an error with a text for users. It unwraps to the error of package net.
type unreachable struct {
	text  string
	cause error
}

func (e *unreachable) Error() string { return e.text }

func (e *unreachable) Unwrap() error { return e.cause }

// CannotListen returns the error for an address on which gogi cannot listen: the address, the problem and what to do.
// err is an error of net.Listen; CannotListen returns nil if it is nil.
func CannotListen(address string, err error) error {
	if err == nil {
		return nil
	}
	text := reason(err) + "; check the address"
	switch {
	case errors.Is(err, inUse):
		text = "another program listens on this address; end it, or give another port (port 0: any free port)"
	case errors.Is(err, notOurs):
		text = "this machine does not have this address; give an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all"
	case errors.Is(err, fs.ErrPermission):
		text = "this user may not listen on this port; give a port from 1024"
	}
	return &unreachable{address + ": " + text, err}
}

// CannotReach returns the error for a server that gogi cannot reach: its address, the problem and the advice what to
// do. err is an error of package net or net/http; CannotReach returns nil if it is nil.
func CannotReach(address string, err error, advice string) error {
	if err == nil {
		return nil
	}
	return &unreachable{fmt.Sprintf("%s: no connection: %s; %s", address, reason(err), advice), err}
}

// reason returns the reason of a network error without the calls and addresses around it.
func reason(err error) string {
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return fmt.Sprintf("the host %s is unknown", dns.Name)
	}
	if late, ok := errors.AsType[net.Error](err); ok && late.Timeout() {
		return "the server does not answer"
	}
	if number, ok := errors.AsType[syscall.Errno](err); ok {
		return number.Error()
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		return op.Err.Error()
	}
	return err.Error()
}
