package usi

import (
	"io"
	"time"
)

// Connection is the transport of an Engine: Read reads the engine's stdout, and Write writes to its stdin.
// Close ends the engine and waits for its end.
//
// A Connection can also implement the interfaces below. Each is optional and independent. A wrapper that
// embeds a Connection as an interface hides them.
type Connection = io.ReadWriteCloser

// These are the optional interfaces that a Connection can implement.
type (
	// WriteDeadliner limits the duration of a Write. If an engine does not read its input, it then fails with
	// FaultNotRead, and its opponent does not wait. The error of a Write that timed out has a method Timeout
	// that returns true, as in packages os and net. The output of a Server can also implement WriteDeadliner.
	WriteDeadliner interface {
		SetWriteDeadline(t time.Time) error
	}

	// Losable is a connection to a remote engine. ConnectionLost reports whether the connection was cut,
	// which is not the engine's fault. Engine calls it after a timeout or the end of the output; the fault is
	// then a FaultConnection. The call may take seconds.
	Losable interface {
		ConnectionLost() bool
	}

	// Waited measures how long the engine's threads have waited for a CPU since their start, although they
	// were ready to run. It returns an error if the system has no such statistics. With it, Engine implements
	// the Waiter of package runner.
	Waited interface {
		Waited() (time.Duration, error)
	}

	// Stopped measures for how long the engine's processes were suspended since their start: by a signal, a debugger
	// or a frozen cgroup. Each call takes a sample.
	Stopped interface {
		Stopped() time.Duration
	}

	// Exiting returns the exit status of the process behind the connection. ok is false while the process
	// runs, and if a signal ended it.
	Exiting interface {
		ExitStatus() (status int, ok bool)
	}

	// Pinned checks the CPU affinity of an engine that was bound to CPUs at its start.
	Pinned interface {
		// AffinityChanged returns a sentence if the engine's threads may run on other CPUs: "it was started
		// on CPUs 2-3, and has bound itself to 0-7". It returns "" if the threads still have the CPUs of the
		// start, or if the engine was not bound.
		AffinityChanged() string
	}

	// Diagnosed describes the process behind the connection. Both texts become part of the Note of a Fault.
	Diagnosed interface {
		// Diagnosis describes the end of the process and its last stderr output: "exit status 1; stderr: no
		// eval file".
		Diagnosis() string
		// LastWords describes a running process that failed: "stderr: …", or "" without stderr output. If the
		// process has ended, it returns the Diagnosis.
		LastWords() string
	}
)
