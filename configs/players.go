package configs

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"gogi/configs/position"
	"gogi/internal/sanitize"
	"gogi/match"
	"gogi/shogi"
	"gogi/usi"
)

const (
	defaultGreeting = time.Minute
	defaultReady    = 10 * time.Minute

	builtinWord  = "builtin" // the command that means the built-in engine
	builtinVerb  = "engine"  // the verb of this program that runs the built-in engine
	gamesFolder  = "/usr/games"
	reservedFull = "all" // in --option
)

func (r *resolver) players() []match.Player {
	r.checkNames()
	r.choosePlayers()
	var players []match.Player
	for _, s := range r.seats {
		if s.council {
			players = append(players, councils{r}.council(s.index, nil))
		} else {
			players = append(players, r.player(s.index))
		}
	}
	return players
}

// seat identifies a player by an index into the file's engines or councils.
type seat struct {
	index   int
	council bool
}

func (r *resolver) checkNames() {
	seen := map[string]bool{}
	for i, e := range r.file.Engines {
		r.checkName(position.Element("engine", i)+".name", "engine", e.Name, seen)
	}
	for i, c := range r.file.Councils {
		r.checkName(position.Element("council", i)+".name", "council", c.Name, seen)
	}
}

// checkName reports an error for a name that flags cannot express, or that another player already has. what is
// "engine" or "council". seen has the names so far, and checkName adds this name.
func (r *resolver) checkName(path, what, name string, seen map[string]bool) {
	if why := badName(name); why != "" {
		r.fail(path, "%s name %q %s", what, name, why)
	} else if seen[name] {
		r.fail(path, "%s name %q is taken: expected each %s to have its own", what, name, what)
	}
	seen[name] = true
}

func badName(name string) string {
	switch {
	case name == "":
		return "is empty: expected a name"
	case name == reservedFull || name == "black" || name == "white":
		return "means something else in flags: expected another name"
	case strings.ContainsAny(name, "=.,"):
		return "has one of = . , in it, which flags could not tell apart: expected a name without them"
	case !sanitize.IsName(name):
		return "has a character in it that a terminal does not show: expected a printable name"
	}
	return ""
}

// choosePlayers finds the engines and councils that the key players names. By default it takes all engines
// and councils, except members of councils and the mate solver.
func (r *resolver) choosePlayers() {
	if r.file.Players == nil {
		for i, e := range r.file.Engines {
			if !r.file.memberOfAny(e.Name) && !r.file.solves(e.Name) {
				r.seats = append(r.seats, seat{i, false})
			}
		}
		for i, c := range r.file.Councils {
			if !r.file.memberOfAny(c.Name) {
				r.seats = append(r.seats, seat{i, true})
			}
		}
	}
	for j, name := range r.file.Players {
		path := position.Element("players", j)
		s := seat{r.file.engine(name), false}
		if s.index < 0 {
			s = seat{r.file.council(name), true}
		}
		switch {
		case s.index < 0:
			r.fail(path, "players: there is no engine %q (%s)", name, r.file.engineNames())
		case slices.Contains(r.seats, s):
			r.fail(path, "players: %q is there twice: expected a second [[engine]] with a name of its own", name)
		default:
			r.seats = append(r.seats, s)
		}
	}
}

// PlayerNames returns the names of the players: those of the key players, or by default all engines and councils that
// are not members of a council.
func (f *File) PlayerNames() (names []string) {
	r := resolver{file: f}
	r.choosePlayers()
	for _, s := range r.seats {
		if s.council {
			names = append(names, f.Councils[s.index].Name)
		} else {
			names = append(names, f.Engines[s.index].Name)
		}
	}
	return names
}

// Between returns a copy of the file for a match between two of its players. Plan then does not warn that the other
// engines do not play.
func (f *File) Between(a, b string) *File {
	pair := *f
	pair.Players, pair.between = []string{a, b}, true
	return &pair
}

func (r *resolver) restart(path string, own match.Restart) match.Restart {
	if own == "" {
		path, own = "restart", r.file.Restart
	}
	return choose(r, path, own, match.RestartNever, match.RestartPair, match.RestartGame)
}

func (r *resolver) checkOptions(path, whose string, options Options) {
	for j, o := range options {
		at := position.Join(path, o.Name)
		if strings.ContainsAny(o.Name+o.Value, "\r\n\x00") || strings.TrimSpace(o.Name) == "" {
			r.fail(at, "%s: %q = %q: expected a name, and no line breaks", whose, o.Name, o.Value)
		}
		same := func(x match.Option) bool { return usi.SameOption(x.Name, o.Name) }
		if first := slices.IndexFunc(options, same); first < j {
			r.fail(at, "%s: %s and %s are the same option: expected one of them", whose, options[first].Name, o.Name)
		}
	}
}

// limitsOf returns a player's limits: its own limits, merged with the file's common limits. It checks the limits
// for each colour that the player may have. whose and path name the player and the key in errors.
func (r *resolver) limitsOf(whose, path string, own *Limits) match.Limits {
	limits, err := or(r.file.Limits, Limits{}).override(or(own, Limits{})).resolve()
	as := ""
	plan := match.Plan{Players: []match.Player{{Limits: limits}}, ColourClocks: r.clocks}
	for _, c := range []shogi.Colour{shogi.Black, shogi.White} {
		if err == nil {
			err = plan.LimitsOf(0, c).Check()
			if err != nil && r.clocks != [2]*match.TimeControl{} {
				as = " as " + c.String()
			}
		}
	}
	if err != nil {
		r.fail(path, "%s%s: limits: %w", whose, as, err)
	}
	return limits
}

func (r *resolver) timeout(path string, value *time.Duration, def time.Duration) time.Duration {
	d := or(value, def)
	if d <= 0 {
		r.fail(path, "%s: 0 leaves the engine no time: expected a duration such as %q", label(path),
			cmp.Or(def, 2*time.Second))
	}
	return d
}
