package cli

import (
	"fmt"

	"gogi/internal/sanitize"
)

// These are the exit codes for "git bisect run". Git also ends the bisection at 130, an interrupt, and when a
// signal has ended the program.
const (
	BisectGood  = 0
	BisectBad   = 1
	BisectSkip  = 125 // the engine of this commit cannot be tested
	BisectAbort = 255 // no verdict: git ends the bisection
)

// ExitBisect is the value of --exit that makes gogi end with the exit codes of git bisect run: BisectGood,
// BisectBad, BisectSkip or BisectAbort.
const ExitBisect = "bisect"

// Judge prints the verdict on a commit for git bisect: word (good, bad or skip) and the reason why. It
// returns an error with the exit code code.
func (env *Env) Judge(word string, code int, why string) error {
	fmt.Fprintf(env.Err, "bisect: %s: %s\n", word, sanitize.PrintableLines(why))
	env.Judged = true
	return &Exit{Code: code}
}
