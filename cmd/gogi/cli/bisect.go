package cli

import (
	"fmt"

	"gogi/internal/sanitize"
)

// The exit codes of "git bisect run". Git also ends the bisection at 130, an interrupt, and
// when a signal has ended the program.
const (
	BisectGood  = 0
	BisectBad   = 1
	BisectSkip  = 125 // this commit's engine cannot be judged
	BisectAbort = 255 // nothing was judged: git ends the bisection
)

// ExitBisect is the value of --exit that asks for these codes.
const ExitBisect = "bisect"

// Judge prints what git bisect learns of a commit, and returns it as the exit code.
func (env *Env) Judge(word string, code int, why string) error {
	fmt.Fprintf(env.Err, "bisect: %s: %s\n", word, sanitize.PrintableLines(why))
	env.Judged = true
	return &Exit{Code: code}
}
