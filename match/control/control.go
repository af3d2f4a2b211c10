// Package control defines the orders to a running session: pause, resume, end after the pairs in play or
// at once, and more or fewer slots or games. An order is a [Command]; [Parse] reads one from text.
// Package runner/series executes orders; runner/socket and ui/web receive them.
package control

import (
	"errors"
	"fmt"
	"strconv"
)

// Verb is the kind of an order.
type Verb string

// The verbs.
const (
	// Pause finishes the pairs in play and starts no other; finished pairs stay.
	Pause Verb = "pause"
	// Resume ends a pause.
	Resume Verb = "resume"
	// Drain makes the pairs in play the last of the session.
	Drain Verb = "drain"
	// Stop ends the session at once: games in play are given up, and played again when the run is resumed.
	Stop Verb = "stop"
	// Concurrency makes it N games at a time.
	Concurrency Verb = "concurrency"
	// Target makes it N games that the run shall have in all.
	Target Verb = "target"
)

// Verbs are all of them.
var Verbs = []Verb{Pause, Resume, Drain, Stop, Concurrency, Target}

// Counts reports whether the verb has a number.
func (v Verb) Counts() bool { return v == Concurrency || v == Target }

// Command is one thing that is asked, as JSON: {"do":"concurrency","n":4}.
type Command struct {
	Do Verb `json:"do"`
	N  int  `json:"n,omitempty"` // the number for verbs that have one, at least 1
}

// Parse reads a verb and its number, "" without one.
func Parse(verb, number string) (Command, error) {
	c := Command{Do: Verb(verb)}
	if number != "" {
		n, err := strconv.Atoi(number)
		if err != nil {
			return Command{}, fmt.Errorf("%s %q: want a whole number", verb, number)
		}
		c.N = n
		if !c.Do.Counts() {
			return Command{}, fmt.Errorf("%s takes no number, and was given %d", verb, n)
		}
	}
	return c, c.Check()
}

// Check returns the error of a command.
func (c Command) Check() error {
	for _, v := range Verbs {
		switch {
		case c.Do != v:
		case v.Counts() && c.N < 1:
			return fmt.Errorf("%s takes a number of games of at least 1, and was given %d", v, c.N)
		case !v.Counts() && c.N != 0:
			return fmt.Errorf("%s takes no number, and was given %d", v, c.N)
		default:
			return nil
		}
	}
	return fmt.Errorf("%q: want one of pause, resume, drain, stop, concurrency, target", c.Do)
}

// ErrOver is the answer of a run that has ended, or has not begun.
var ErrOver = errors.New("the run is not being played")
