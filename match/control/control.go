// Package control defines the commands to a running session. A user can pause and resume the session, end it
// now or after the pairs in play, and change the number of slots or games. [Parse] reads a [Command] from
// text. Package runner/series executes commands; runner/socket and ui/web receive them.
package control

import (
	"errors"
	"fmt"
	"strconv"
)

// Verb is the kind of a command.
type Verb string

// The verbs of all commands.
const (
	// Pause makes the session finish the pairs in play and start no other pair.
	Pause Verb = "pause"
	// Resume makes a paused session start pairs again.
	Resume Verb = "resume"
	// Drain makes the session finish the pairs in play and then end.
	Drain Verb = "drain"
	// Stop ends the session now. gogi stops the games in play, and plays them again when the run is resumed.
	Stop Verb = "stop"
	// Concurrency sets the number of games at a time to N.
	Concurrency Verb = "concurrency"
	// Target sets the total number of games of the run to N.
	Target Verb = "target"
)

// Verbs has all verbs in the order of their constants.
var Verbs = []Verb{Pause, Resume, Drain, Stop, Concurrency, Target}

// Counts reports whether a command with this verb has a number.
func (v Verb) Counts() bool { return v == Concurrency || v == Target }

// Command is a command to a running session. Its JSON form is {"do":"concurrency","n":4}.
type Command struct {
	Do Verb `json:"do"`
	N  int  `json:"n,omitempty"` // the number for verbs that have one, at least 1
}

// Parse returns the command of a verb and its number as texts. number is "" for a verb without a number.
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

// Check returns an error if the verb is unknown, or if the number does not fit the verb.
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

// ErrOver is the error for a command to a run that has ended or has not begun.
var ErrOver = errors.New("the run is not being played")
