package usi

import (
	"io"
	"time"
)

// Connection is the transport of an Engine: Read reads the engine's stdout, and Write writes to its stdin.
// Close ends the engine and waits until it has ended.
//
// A Connection can also implement the interfaces below; each is optional. If you wrap a Connection in a
// struct that embeds the interface Connection, the struct does not have these methods, so forward the ones
// that you need.
type Connection = io.ReadWriteCloser

// These are the optional interfaces that a Connection can implement.
type (
	// WriteDeadliner is a Connection whose Write can have a time limit. Without it, an engine that does not
	// read its input can block gogi; with it, the Engine fails with FaultNotRead. The error of a Write that
	// timed out has a method Timeout that returns true, as in packages os and net. The output of a Server can
	// also implement WriteDeadliner.
	WriteDeadliner interface {
		SetWriteDeadline(t time.Time) error
	}

	// Losable is a Connection to an engine on another machine. ConnectionLost reports whether the connection
	// was cut, which is not the engine's fault. The Engine calls it after a timeout or the end of the output.
	// If it returns true, the kind of the fault is FaultConnection. The call may take seconds.
	Losable interface {
		ConnectionLost() bool
	}

	// Waited is a Connection that measures how long the engine's threads were ready to run but waited for a
	// CPU. The method Waited returns this time since the start of the engine, summed over the threads. It
	// returns an error if the system has no such statistics. Package runner needs it (runner.Waiter) to find
	// moves that the machine delayed.
	Waited interface {
		Waited() (time.Duration, error)
	}

	// Stopped is a Connection that measures for how long the engine's processes were suspended by a signal, a
	// debugger or a frozen cgroup. The method Stopped returns this time since the start of the engine. The
	// time between two calls counts if both calls find the engine suspended, so call it often.
	Stopped interface {
		Stopped() time.Duration
	}

	// Exiting is a Connection that knows the exit status of the engine's process. ok is false while the
	// process runs. It is also false if a signal ended the process.
	Exiting interface {
		ExitStatus() (status int, ok bool)
	}

	// Pinned is a Connection that can check whether the engine still runs on the CPUs to which gogi bound it
	// at its start.
	Pinned interface {
		// AffinityChanged returns a sentence if the engine's threads may run on other CPUs: "it was started
		// on CPUs 2-3, and has bound itself to 0-7". It returns "" if the threads still have the CPUs of the
		// start, or if the engine was not bound.
		AffinityChanged() string
	}

	// Diagnosed is a Connection that can describe the state of the engine's process for error messages. The
	// Engine adds one of the two texts to the Note of a Fault.
	Diagnosed interface {
		// Diagnosis describes the end of the process and its last stderr output: "exit status 1; stderr: no
		// eval file".
		Diagnosis() string
		// LastWords describes a running process that failed: "stderr: …", or "" without stderr output. If the
		// process has ended, it returns the Diagnosis.
		LastWords() string
	}
)

// Tap is an observer that receives every line between gogi and an engine, for logs. Two goroutines may call
// its methods at the same time: one reads the engine's output, and one writes its input. A method must not
// block, and must not use its slice after it has returned.
type Tap interface {
	// Sent receives whole lines, with their ends, just before gogi writes them.
	Sent(at time.Time, text []byte)
	// Received receives one line of the engine, unchanged and without its end. If the line is too long, it
	// receives only the beginning.
	Received(at time.Time, line []byte)
	// Game receives a new game before the game's first line.
	Game(g Game)
	// Over is called once, at the end of the dialogue. No other call follows it.
	Over()
	// Failed receives a failure of the engine. It returns the name of the record that the Tap made of the
	// failure, or "".
	Failed(f Failure) string
}

// Failure describes the failure of an engine to a Tap.
type Failure struct {
	Kind string // a FaultKind, or another word from the caller of Blame, such as "illegal_move"
	Note string
	// Blamed is true if the dialogue still works, and the code that plays the game reported the failure.
	Blamed bool
	// Deadline is the maximum duration of the last search, with all margins. It is 0 if there was no search,
	// or a search without a limit.
	Deadline time.Duration
}
