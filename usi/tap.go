package usi

import "time"

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
