package stored

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"gogi/internal/i18n"
	"gogi/match"
	"gogi/report"
	"gogi/results"
	"gogi/stats"
)

// RunList is the result that "gogi runs --json" prints.
type RunList struct {
	Version int   `json:"version"`
	Runs    []Run `json:"runs"`
}

// Run is one run in a RunList.
type Run struct {
	Name    string   `json:"name"`
	Digest  string   `json:"digest"`
	Players []string `json:"players"`
	Pairs   int      `json:"pairs"`
	Planned int      `json:"planned_pairs"`
	Created string   `json:"created"`
	State   State    `json:"state"`
	Tags    []string `json:"tags"` // words that the user attached to the run
}

// Runs returns the runs with a tag, the oldest first; "" selects all runs. playing has the names of the runs that a
// process plays now. If a gate (a sequential test) or a tournament design decides when a run ends, Runs reads all pairs
// of the run to find its state.
func Runs(ctx context.Context, store *results.Store, tag string, playing []string) (*RunList, error) {
	infos, err := store.Runs(ctx)
	if err != nil {
		return nil, err
	}
	tags, err := results.TagsOf(ctx, store)
	if err != nil {
		return nil, err
	}
	list := &RunList{Version: 1, Runs: []Run{}}
	for _, r := range infos {
		if tag != "" && !slices.Contains(tags[r.ID], tag) {
			continue
		}
		state, err := StateOf(ctx, store, &r)
		if err != nil {
			return nil, err
		}
		if (state == StateUnfinished || state == StateStopped) && slices.Contains(playing, r.Name) {
			state = StatePlaying
		}
		list.Runs = append(list.Runs, Run{
			State: state, Tags: append([]string{}, tags[r.ID]...),
			Name: r.Name, Digest: r.Digest, Pairs: r.Finished, Planned: r.Pairs, Players: r.Players,
			Created: r.Created.Format("2006-01-02 15:04:05"),
		})
	}
	return list, nil
}

// ErrTune is the error for a request of the strength in a tune (a run that optimises parameters). A tune
// proves no strength, because earlier games choose the parameter values of later games.
var ErrTune = errors.New("it is a tune, whose games prove no strength (see gogi tune report)")

// ErrSelfplay is the error for a request of the strength in a self-play run, in which one player plays both sides.
var ErrSelfplay = errors.New("it is self-play of one player, whose games prove no strength; gogi selfplay FILE --assemble prints what its data are")

// Proves returns an error for runs whose games prove no strength: ErrTune for a tune, and ErrSelfplay for
// self-play. It returns nil for any other run.
func Proves(info *results.RunInfo) error {
	plan, err := info.ParsePlan()
	if err != nil {
		return err
	}
	if len(plan.Tune) > 0 {
		return fmt.Errorf("run %q: %w", info.Name, ErrTune)
	}
	if plan.Design == match.DesignSelfplay {
		return fmt.Errorf("run %q: %w", info.Name, ErrSelfplay)
	}
	return nil
}

// State is the state of a stored run in lists of runs: whether it is unfinished, or how it ended. The value
// is the spelling in JSON.
type State string

// The states. For a run with a gate the state follows the gate's verdict, which may differ from the test's
// decision (see report.Gate).
const (
	StateFinished     State = "finished"     // all planned pairs are played.
	StatePassed       State = "passed"       // the gate ended the run with the verdict pass.
	StateFailed       State = "failed"       // the gate ended the run with the verdict fail
	StateInconclusive State = "inconclusive" // the gate ended without a decision.
	StateStopped      State = "stopped"      // a user ended the run early
	StateUnfinished   State = "unfinished"   // pairs are left to play.
	StatePlaying      State = "playing"      // a process of this machine plays the run; only Runs returns it
	StateUnreadable   State = "unreadable"   // the stored data cannot be read
)

// Message returns the state as text.
func (s State) Message() i18n.Message {
	words := map[State]i18n.Message{
		StateFinished: i18n.Of("finished"), StatePlaying: i18n.Of("playing"), StatePassed: i18n.Of("SPRT passed"),
		StateFailed:       i18n.Of("SPRT failed"),
		StateInconclusive: i18n.Of("SPRT inconclusive"), StateStopped: i18n.Of("stopped"),
		StateUnreadable: i18n.Of("cannot be read"),
	}
	if message, known := words[s]; known {
		return message
	}
	return i18n.Of("unfinished")
}

// Class returns the class of the state in the style sheet of the pages and of HTML reports.
func (s State) Class() string {
	return map[State]string{
		StatePassed: "pass", StateFailed: "fail", StateUnreadable: "fail", StateInconclusive: "undecided",
		StateUnfinished: "undecided",
	}[s]
}

// StateOf returns the state of a stored run. If a gate (a sequential test) or a tournament design decides
// when the run ends, StateOf reads the pairs. If it cannot read the stored data, the state is
// StateUnreadable. StateOf returns an error only if ctx has ended.
func StateOf(ctx context.Context, store *results.Store, info *results.RunInfo) (State, error) {
	state, err := stateOf(ctx, store, info)
	if err != nil {
		return StateUnreadable, ctx.Err()
	}
	return state, nil
}

func stateOf(ctx context.Context, store *results.Store, info *results.RunInfo) (State, error) {
	plan, err := info.ParsePlan()
	if err != nil {
		return "", err
	}
	settings, err := store.Settings(ctx, info.ID)
	if err != nil {
		return "", err
	}
	gated := len(settings) > 0 && !settings[len(settings)-1].Gate.IsZero()
	if len(plan.Tune) == 0 && (gated || plan.Design.ByResults()) {
		rep, err := Report(ctx, store, info.Name)
		if err != nil {
			return "", err
		}
		return ReportState(rep, settings), nil
	}
	return openState(info.Finished >= info.Pairs, settings), nil
}

// ReportState returns the state of a run from its report. settings is the log of the run's settings.
func ReportState(rep *report.Report, settings []results.Setting) State {
	if g := rep.Gate; g != nil && g.Decision != stats.Continue {
		switch g.Verdict {
		case report.Passed:
			return StatePassed
		case report.Failed:
			return StateFailed
		}
		return StateInconclusive
	}
	return openState(rep.Finished, settings)
}

// openState returns the state of a run that its gate (sequential test) has not ended.
func openState(finished bool, settings []results.Setting) State {
	if finished {
		return StateFinished
	}
	if len(settings) > 0 {
		if phase := settings[len(settings)-1].Phase; phase == match.RunDraining || phase == match.RunStopping {
			return StateStopped
		}
	}
	return StateUnfinished
}
