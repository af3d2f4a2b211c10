package usi

import "time"

// Tap is told of everything that is said in a dialogue. Its methods are called
// from the reader of the engine's output and from whoever talks to the engine, at
// the same time. They must not block, and must not keep the slices.
type Tap interface {
	// Sent is told whole lines, with their ends, right before they are written.
	Sent(at time.Time, text []byte)
	// Heard is told one line without its end, as it came; of a line that is too
	// long for the dialogue, its beginning.
	Heard(at time.Time, line []byte)
	// Game is told that a game begins, before anything of it is said.
	Game(g Game)
	// Over is told that the dialogue is over, once, and nothing else after it.
	Over()
	// Failed is told that the engine has failed, and returns the name of the record
	// that is kept of that, or "".
	Failed(f Failure) string
}

// Failure is what a Tap is told when an engine has failed.
type Failure struct {
	Kind string // a FaultKind, or the word of whoever plays the game, such as "illegal_move"
	Note string
	// Blamed: the dialogue has not failed; whoever plays the game says so.
	Blamed bool
	// Deadline is the longest that the last search might take, with all margins; 0:
	// it had none, or there was no search.
	Deadline time.Duration
}
