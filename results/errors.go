package results

import (
	"errors"
	"fmt"
	"strings"

	"gogi/match"
)

// ErrRunLocked says that another process, or another Run of this one, is playing
// the run at the moment.
var ErrRunLocked = errors.New("the run is being played by another process")

// ErrClosed says that the Run was closed before the pair was taken.
var ErrClosed = errors.New("the run was closed")

// ErrNoGame says that the game whose record was asked for is not stored.
var ErrNoGame = errors.New("the game is not stored")

// ErrOldTake says that the pair was voided since it was handed out.
var ErrOldTake = errors.New("the pair has been voided since it was handed out")

// DifferentPlan says that a run of that name exists and that its games were
// played under another plan, so that new games must not be added to it.
//
//nolint:errname // "DifferentPlan" is what it is
type DifferentPlan struct {
	Run         string
	Differences []match.Difference // of the stored plan and the one at hand
}

// Error names the run and everything that differs.
func (e *DifferentPlan) Error() string {
	if len(e.Differences) == 0 {
		return fmt.Sprintf("run %q was played under another plan", e.Run)
	}
	lines := make([]string, len(e.Differences))
	for i, d := range e.Differences {
		lines[i] = d.String()
	}
	return fmt.Sprintf("run %q was played under another plan:\n  %s", e.Run, strings.Join(lines, "\n  "))
}

// NoRun says that no run has the name that was asked for.
//
//nolint:errname // "NoRun" is what it is
type NoRun struct {
	Run   string   // what was asked for, "" for any
	Names []string // the runs that there are, oldest first
}

// Error names the run that is missing and those that there are.
func (e *NoRun) Error() string {
	switch {
	case len(e.Names) == 0:
		return "there are no runs yet; run gogi match first"
	case e.Run == "":
		return "no run was named; there are " + strings.Join(e.Names, ", ")
	}
	return fmt.Sprintf("no run is named %q; there are %s", e.Run, strings.Join(e.Names, ", "))
}
