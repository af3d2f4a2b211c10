package results

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"gogi/match"
	"gogi/results/tables"
)

// RunInfo has the facts about a run, but not its games.
type RunInfo struct {
	ID       int64
	Name     string
	Digest   string // SHA-256 of the plan
	Plan     []byte // the text that the digest covers, from match.Plan.Canonical
	Rules    string // the name of the rules' profile
	Created  time.Time
	Legs     int      // games in a pair
	Pairs    int      // the target at the latest start
	Games    int      // the target in games
	Finished int      // number of stored pairs, which may exceed the target
	Players  []string // names in the order of the plan
	Engines  []Engine // in the order of the plan
}

// ParsePlan returns the part of the run's plan that the digest covers. It returns an error if the plan cannot
// be read, or has another number of players than the run.
func (r *RunInfo) ParsePlan() (*match.CanonicalPlan, error) {
	plan, err := match.ParseCanonical(r.Plan)
	if err == nil && len(plan.Players) != len(r.Engines) {
		err = errors.New("it has other players than the run")
	}
	if err != nil {
		return nil, fmt.Errorf("the plan of run %s: %w", r.Name, err)
	}
	return plan, nil
}

// Keys returns the keys of one player of the run. player is the player's index in the plan.
func (r *RunInfo) Keys(plan *match.CanonicalPlan, player int) match.PlayerKeys {
	return plan.Players[player].Keys(r.Engines[player].InEffect)
}

// Engine is one player of a run, with its paths from the latest start.
type Engine struct {
	EngineSettings
	EnginePlace
	Identity match.Identity
	InEffect [][]match.Option // as match.Player.InEffect; nil: unknown
}

// EngineSettings has the settings of an Engine that are the same on every machine.
type EngineSettings struct {
	Name    string         `json:"name"`
	Options []match.Option `json:"options"` // as given, in the order of sending
	Profile string         `json:"profile"` // name of the profile whose options gogi sends
	Limits  string         `json:"limits"`  // in the form of match.Limits.String
	Restart match.Restart  `json:"restart"` // when gogi restarts the engine: never, pair or game
}

// EnginePlace has the paths of an Engine, as in match.Player.
type EnginePlace struct {
	Builtin bool     `json:"builtin"` // the engine is gogi's own
	Command []string `json:"command"` // program of the engine and its arguments
	Dir     string   `json:"dir"`     // working directory of the engine
	Env     []string `json:"env"`     // additions to the environment
}

const selectRun = "SELECT id, name, digest, plan, rules, legs, pairs, created FROM runs "

// Runs returns all runs, oldest first.
func (s *Store) Runs(ctx context.Context) ([]RunInfo, error) {
	return moment(ctx, s, "reading the runs", func(m Moment) ([]RunInfo, error) {
		infos, err := runs(ctx, m.Q, selectRun+"ORDER BY id")
		if err == nil {
			err = tables.CountRuns(ctx, m.Q)
		}
		return infos, err
	})
}

// FindRun returns the run with a name. If there is none, it returns a *NoRun with the names of all runs.
func (s *Store) FindRun(ctx context.Context, name string) (*RunInfo, error) {
	return moment(ctx, s, "finding a run", func(m Moment) (*RunInfo, error) { return findRun(ctx, m.Q, name) })
}

// FindRuns returns the runs with these names, in their order, and leaves out names that no run has. It counts the
// stored runs once, so it is faster than FindRun for each name.
func (s *Store) FindRuns(ctx context.Context, names []string) ([]RunInfo, error) {
	return moment(ctx, s, "finding runs", func(m Moment) ([]RunInfo, error) {
		var infos []RunInfo
		for _, name := range names {
			found, err := runs(ctx, m.Q, selectRun+"WHERE name = ?", name)
			if err != nil {
				return nil, err
			}
			infos = append(infos, found...)
		}
		return infos, tables.CountRuns(ctx, m.Q)
	})
}

// DefaultRun returns the run that a report uses if the user names none. This is the run with the given
// default name, if it exists, else the newest run. It returns a *NoRun if there is no run.
func (s *Store) DefaultRun(ctx context.Context, name string) (*RunInfo, error) {
	return moment(ctx, s, "finding a run", func(m Moment) (*RunInfo, error) {
		info, err := findRun(ctx, m.Q, name)
		if none, ok := errors.AsType[*NoRun](err); ok && len(none.Names) > 0 {
			return findRun(ctx, m.Q, none.Names[len(none.Names)-1])
		}
		return info, err
	})
}

// NameOf returns name if no run with another plan has this name, else name with the digest appended. This is
// needed because a farm may have several tests with one name, one after the other.
func (s *Store) NameOf(ctx context.Context, name, digest string) (string, error) {
	info, err := s.FindRun(ctx, name)
	if _, none := errors.AsType[*NoRun](err); none {
		return name, nil
	}
	if err != nil || info.Digest == digest {
		return name, err
	}
	return name + "-" + digest[:8], nil
}

// FreeName returns name if no run has it, else the first free name of NAME-2, NAME-3, ….
func (s *Store) FreeName(ctx context.Context, name string) (string, error) {
	taken, err := moment(ctx, s, "reading the names of the runs", func(m Moment) ([]string, error) {
		return names(ctx, m.Q)
	})
	if err != nil {
		return "", err
	}
	free := name
	for n := 2; slices.Contains(taken, free); n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free, nil
}

func findRun(ctx context.Context, q tables.Querier, name string) (*RunInfo, error) {
	infos, err := runs(ctx, q, selectRun+"WHERE name = ?", name)
	if err != nil {
		return nil, err
	}
	if err := tables.CountRuns(ctx, q); err != nil {
		return nil, err
	}
	if len(infos) == 1 {
		return &infos[0], nil
	}
	return nil, noRun(ctx, q, name)
}

// noRun returns the error for a run that was not found by its name. Either the run does not exist, or the
// index of the names is damaged.
func noRun(ctx context.Context, q tables.Querier, name string) error {
	taken, err := names(ctx, q)
	switch {
	case err != nil:
		return err
	case slices.Contains(taken, name):
		return &tables.Damaged{Table: "runs", Run: name, Pair: -1, Leg: -1,
			What: "a row that was stored is not found by its name"}
	}
	return &NoRun{Run: name, Names: taken}
}

// names returns the names of all runs, oldest first. It returns an error if it does not find a stored run.
func names(ctx context.Context, q tables.Querier) ([]string, error) {
	list, err := tables.List(ctx, q, func(rows *sql.Rows, name *string) error { return rows.Scan(name) },
		"SELECT name FROM runs NOT INDEXED ORDER BY id")
	if err == nil {
		err = tables.CountRuns(ctx, q)
	}
	return list, err
}

func runs(ctx context.Context, q tables.Querier, query string, args ...any) ([]RunInfo, error) {
	infos, err := tables.List(ctx, q, func(rows *sql.Rows, r *RunInfo) error {
		err := rows.Scan(&r.ID, &r.Name, &r.Digest, &r.Plan, &r.Rules, &r.Legs, &r.Pairs, tables.Moment{To: &r.Created})
		r.Games = r.Pairs * r.Legs
		return err
	}, query, args...)
	if err != nil {
		return nil, err
	}
	for i := range infos {
		r := &infos[i]
		inventory, err := verifyRun(ctx, q, r.ID, r.Name)
		if err != nil {
			return nil, err
		}
		r.Finished = inventory.Pairs()
		if err := checkName("run", r.Name); err != nil {
			return nil, err
		}
		if r.Engines, err = engines(ctx, q, r.ID); err != nil {
			return nil, fmt.Errorf("the engines of run %q: %w", r.Name, err)
		}
		for _, e := range r.Engines {
			r.Players = append(r.Players, e.Name)
		}
	}
	return infos, nil
}

// checkName returns an error if a name contains a control character, such as a line break. Such a name could add
// lines to a report, and only another program can have stored it. The parameter of is the kind of thing that has the
// name, for the error.
func checkName(of, name string) error {
	if strings.ContainsFunc(name, unicode.IsControl) {
		return fmt.Errorf("the name %q of a %s has control characters, which gogi does not write", name, of)
	}
	return nil
}

// verifyRun returns an error if the facts of a run are damaged, or if rows of the run or of its pairs are
// missing. It also returns an error if the run with that number has another name.
func verifyRun(ctx context.Context, q tables.Querier, run int64, name string) (*tables.Inventory, error) {
	err := tables.EachRow(ctx, q, "runs", func(r *tables.Row) error {
		if r.Verdict() == tables.Broken || r.Value("name") != name {
			return r.Damage()
		}
		return nil
	}, "WHERE id = ?", run)
	if err == nil {
		err = tables.VerifyRows(ctx, q, "engines", "WHERE run_id = ?", run)
	}
	if err == nil {
		err = tables.VerifyRows(ctx, q, "settings_log", "WHERE run_id = ?", run)
	}
	if err != nil {
		return nil, tables.NameRun(ctx, q, run, err)
	}
	inventory, err := tables.WholeInventory(ctx, q, run)
	if err == nil {
		err = inventory.CountRows(ctx, q, append(tables.OwnTables(), "pairs")...)
	}
	return inventory, err
}

func engines(ctx context.Context, q tables.Querier, runID int64) ([]Engine, error) {
	return tables.List(ctx, q, scanEngine, `SELECT name, builtin, command, dir, env, options, profile, limits, restart, identity
		FROM engines WHERE run_id = ? ORDER BY idx`, runID)
}

func scanEngine(rows *sql.Rows, e *Engine) error {
	var command, env, options, ident []byte
	if err := rows.Scan(&e.Name, &e.Builtin, &command, &e.Dir, &env, &options, &e.Profile, &e.Limits, &e.Restart,
		&ident); err != nil {
		return err
	}
	var facts tables.PlayerFacts
	err := errors.Join(checkName("player", e.Name), json.Unmarshal(command, &e.Command), json.Unmarshal(env, &e.Env),
		json.Unmarshal(options, &e.Options), json.Unmarshal(ident, &facts))
	e.Identity, e.InEffect = facts.Match(), facts.Options()
	return err
}

// Finished returns the set of a run's pairs that are stored.
func (s *Store) Finished(ctx context.Context, runID int64) (map[int]bool, error) {
	return moment(ctx, s, "reading which pairs are finished", func(m Moment) (map[int]bool, error) {
		if err := counted(ctx, m.Q, runID, "games"); err != nil {
			return nil, err
		}
		finished := map[int]bool{}
		return finished, tables.Stored{Q: m.Q}.Pairs(ctx, runID, func(pair int64) error {
			finished[int(pair)] = true
			return nil
		})
	})
}

// Attempts returns the failed attempts at a run's pairs, sorted by pair and then by time.
func (s *Store) Attempts(ctx context.Context, runID int64) ([]match.Attempt, error) {
	return moment(ctx, s, "reading the attempts", func(m Moment) ([]match.Attempt, error) {
		return m.Attempts(ctx, runID)
	})
}

// attempts returns failed attempts of a run. more is "" for all attempts, or a further condition, as in ownRows.
func attempts(ctx context.Context, q tables.Querier, runID int64, more string, args ...any) ([]match.Attempt, error) {
	return ownRows(ctx, q, runID, "attempts", func(r *tables.Row) (match.Attempt, error) {
		return match.Attempt{Pair: int(r.Int("pair")), Ended: tables.FromMicros(r.Int("ended")), Why: r.Text("why")}, nil
	}, more+" ORDER BY pair, ended, id", args...)
}
