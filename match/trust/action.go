package trust

import "fmt"

// Action is the recommended action about a worker.
type Action string

// The acts, mildest first.
const (
	Nothing    Action = ""
	Rebench    Action = "rebench"    // measure its speed again
	Probation  Action = "probation"  // grant it audited pairs only
	Quarantine Action = "quarantine" // grant it nothing; its results stay until they are voided
)

// refusals is how many results that cannot have been played end a worker's trust.
const refusals = 3

// Advice is an act with its reason.
type Advice struct {
	Worker string
	Act    Action
	Why    string
}

// Record is everything that is known of a worker at one moment.
type Record struct {
	Worker   string
	Standing Standing
	Refused  int       // results that arbiter.Verify refused
	Evidence *Evidence // nil: it is not accused
	Drift    Drift
}

// Why is the evidence in words, by its Kind and LogE.
func (e *Evidence) Why() string {
	return fmt.Sprintf("its %s are not those of the others: e = 10^%.1f after %d pairs", e.Kind, e.LogE/ln10, e.Pairs)
}

// Advise is the strictest act for which there is a reason.
func Advise(r Record) Advice {
	a := Advice{Worker: r.Worker}
	switch {
	case r.Standing.Refuted > 0:
		a.Act, a.Why = Quarantine, fmt.Sprintf("pairs of it that two other workers refuted: %d", r.Standing.Refuted)
	case r.Refused >= refusals:
		a.Act, a.Why = Quarantine, fmt.Sprintf("results of it that cannot have been played: %d", r.Refused)
	case r.Evidence != nil:
		a.Act, a.Why = Quarantine, r.Evidence.Why()
	case r.Drift.Action() == Probation:
		a.Act, a.Why = Probation, r.Drift.String()
	case r.Standing.Open > 0:
		a.Act, a.Why = Probation, fmt.Sprintf("pairs of it that wait for a third playing: %d", r.Standing.Open)
	case r.Drift.Action() == Rebench:
		a.Act, a.Why = Rebench, r.Drift.String()
	}
	return a
}
