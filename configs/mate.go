package configs

import (
	"fmt"
	"time"

	"gogi/match"
)

// Mate has the settings of mate adjudication: the mate solver, and when gogi uses it. See match.Mate.
type Mate struct {
	// name of the engine that is the solver, which does not play; or builtin, or off
	Engine string `toml:"engine,short"`
	// number of moves of each side from one question to the next; default 0: only after an engine claims a mate
	Every *int           `toml:"every"`
	Time  *time.Duration `toml:"time"`  // time for each question; default match.DefaultMateTime
	Nodes *int           `toml:"nodes"` // largest number of positions in a proof; default match.DefaultMateNodes
}

func (f *File) solves(engine string) bool { return engine != "" && engine == f.solver() }

// maxProof is the largest value of the key mate.nodes. A proof of this size takes some seconds and a gigabyte
// of memory.
const maxProof = 2_000_000

func (f *File) solver() string {
	if f.Mate == nil || f.Mate.Engine == "off" {
		return ""
	}
	return f.Mate.Engine
}

func (r *resolver) mate(ponder match.PonderMode) match.Mate {
	want, name := or(r.file.Mate, Mate{}), r.file.solver()
	if name == "" {
		if want.Engine == "" && r.file.Mate != nil {
			r.fail("mate",
				"mate: there is nobody to ask: expected engine = the name of an [[engine]] with a mate search, or \"builtin\"")
		}
		return match.Mate{}
	}
	m := match.Mate{
		Solver: r.solver(name),
		Every:  r.inRange("mate.every", want.Every, 0, 0, maxParallel),
		Time:   or(want.Time, match.DefaultMateTime),
		Nodes:  r.inRange("mate.nodes", want.Nodes, match.DefaultMateNodes, 1, maxProof),
	}
	if err := m.Check(ponder); err != nil && m.Solver != nil {
		r.fail("mate", "mate: %w", err)
	}
	return m
}

// solver returns the player of the mate solver. The player has no search limits, because it plays for neither
// side.
func (r *resolver) solver(name string) *match.Player {
	var e engineResolver
	switch i := r.file.engine(name); {
	case i >= 0:
		e = r.engineAt(i)
		for _, s := range r.seats {
			if !s.council && s.index == i {
				r.fail("mate", "mate: %s plays itself: expected an [[engine]] of its own to ask", name)
			}
		}
	case name == builtinWord:
		e = engineResolver{resolver: r, Engine: &Engine{Name: "mate solver", Cmd: builtinWord}, at: "mate", i: -1}
	default:
		r.fail("mate", "mate: there is no engine %q (%s)", name, fmt.Sprint(r.file.engineNames(), ` or "builtin"`))
		return nil
	}
	p := e.resolve(match.Limits{})
	if e.i < 0 {
		p.Options, p.Profile = nil, "" // common options do not apply to the mate solver
	}
	p.Restart = match.RestartNever
	return &p
}
