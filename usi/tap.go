package usi

import "time"

// Tap receives every line of a dialogue, for records. The goroutine that reads the engine's output and the one that
// writes its input may call the methods at the same time. A method must not block, and must not store a slice.
type Tap interface {
	// Sent receives whole lines, with their ends, just before gogi writes them.
	Sent(at time.Time, text []byte)
	// Received receives one line of the engine without its end, unchanged. Of a line that is too long it receives
	// only the beginning.
	Received(at time.Time, line []byte)
	// Game receives a game that begins, before its first line.
	Game(g Game)
	// Over is called once, at the end of the dialogue. No other call follows it.
	Over()
	// Failed receives a failure of the engine. It returns the name of its record of the failure, or "".
	Failed(f Failure) string
}

// Failure describes an engine's failure to a Tap.
type Failure struct {
	Kind string // a FaultKind, or another word of the caller of Blame, such as "illegal_move"
	Note string
	// Blamed is true if the dialogue has not failed: the code that plays the game reported the failure.
	Blamed bool
	// Deadline is the maximum duration of the last search, with all margins; 0: it had none, or there was no
	// search.
	Deadline time.Duration
}
