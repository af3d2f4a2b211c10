package results

import (
	"errors"
	"fmt"
	"strings"

	"gogi/internal/lists"
	"gogi/match"
)

// ErrRunLocked is the error if another process, or another Run of this process, is playing the run.
var ErrRunLocked = errors.New("the run is being played by another process")

// ErrClosed is the error if the Run was closed before the writer took the pair.
var ErrClosed = errors.New("the run was closed")

// ErrNoGame is the error if the requested game is not stored.
var ErrNoGame = errors.New("the game is not stored")

// ErrOldTake is the error of AddTake if the pair was voided after it was assigned.
var ErrOldTake = errors.New("the pair has been voided since it was handed out")

// DifferentPlan is the error if a run with this name exists and has another plan. New games must not be added to that
// run.
type DifferentPlan struct {
	Run         string
	Differences []match.Difference // between the stored plan and the given one
}

// Error returns the name of the run and the differences between the plans.
func (e *DifferentPlan) Error() string {
	if len(e.Differences) == 0 {
		return fmt.Sprintf("run %q was played under another plan", e.Run)
	}
	lines := lists.Map(e.Differences, match.Difference.String)
	return fmt.Sprintf("run %q was played under another plan:\n  %s", e.Run, strings.Join(lines, "\n  "))
}

// NoRun is the error if no run has the requested name. It lists the existing runs.
type NoRun struct {
	Run   string   // the requested name, "" for any
	Names []string // the existing runs, oldest first
}

// Error returns the name of the missing run and the names of the existing runs.
func (e *NoRun) Error() string {
	switch {
	case len(e.Names) == 0:
		return "there are no runs yet; run gogi match first"
	case e.Run == "":
		return "no run was named; there are " + strings.Join(e.Names, ", ")
	}
	text := fmt.Sprintf("no run is named %q; there are %s", e.Run, strings.Join(e.Names, ", "))
	if strings.HasSuffix(e.Run, ".db") {
		text += "; to name a database, write --db FILE"
	}
	return text
}
