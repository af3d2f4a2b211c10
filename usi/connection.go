package usi

import (
	"io"
	"time"
)

// Connection is what an Engine talks over: the engine's stdout to read, its stdin
// to write. Close ends the engine and waits for it.
//
// Some connections can do more. What follows is all that is asked for, each part
// for itself; a connection that lacks one is used without it. A wrapper that
// embeds a Connection as an interface hides the parts of what it wraps.
type Connection = io.ReadWriteCloser

// The optional parts of a Connection.
type (
	// WriteDeadliner can bound a Write in time: an engine that does not read its
	// input then fails (FaultNotRead) instead of holding whoever waits for the
	// write. The error of a Write that was cut says Timeout() true, as os's and
	// net's do. The output of a Server may be one, too.
	WriteDeadliner interface {
		SetWriteDeadline(t time.Time) error
	}

	// Losable is a connection to an engine elsewhere, which may be cut while the
	// engine is not to blame: asked after the end of the output or a silence, it
	// says whether it was. That makes the fault a FaultConnection. Asking may take
	// seconds.
	Losable interface {
		ConnectionLost() bool
	}

	// Waited knows how long the engine's threads have been ready to run without
	// getting a CPU, since their start. An error: it cannot be known. Through
	// Engine.Waited an engine is what the runner calls a Waiter.
	Waited interface {
		Waited() (time.Duration, error)
	}

	// Stopped knows how long the engine's processes have been seen to be stopped, by a
	// signal, a debugger or a frozen cgroup, since their start. Each call looks.
	Stopped interface {
		Stopped() time.Duration
	}

	// Exiting knows the exit status of the process behind the connection; ok is false
	// while it runs, and where a signal ended it.
	Exiting interface {
		ExitStatus() (status int, ok bool)
	}

	// Pinned was started on some of the CPUs, and knows what the engine made of
	// that.
	Pinned interface {
		// AffinityChanged says where the engine's threads may run instead: "it was started
		// on CPUs 2-3, and has bound itself to 0-7"; "": it keeps to what it was
		// given, or was given nothing.
		AffinityChanged() string
	}

	// Diagnosed knows the process behind the connection; both texts go into the
	// Note of a fault.
	Diagnosed interface {
		// Diagnosis says how the process ended and what it said last on stderr:
		// "exit status 1; stderr: no eval file".
		Diagnosis() string
		// LastWords is what is worth telling when the engine did not end but
		// failed: "stderr: …", or "" where it was silent; where the process has
		// ended meanwhile, the Diagnosis.
		LastWords() string
	}
)
