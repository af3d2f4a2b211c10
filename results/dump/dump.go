// Package dump writes a stored run as text. [Write] writes all of it, or the stable form, which
// is equal for every run of the same deterministic engines. [StableSum] returns the SHA-256 of
// the stable form.
package dump

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"math"
	"time"

	"gogi/match"
	"gogi/results"
	"gogi/results/tables"
	"gogi/shogi/kifu"
)

// The lines of a dump, in the order in which they come. Fields that a stable dump
// leaves out are pointers or slices with omitempty, in a part of their own.

type dumpRun struct {
	Type   string          `json:"type"` // run
	Digest string          `json:"digest"`
	Legs   int             `json:"legs"`
	Plan   json.RawMessage `json:"plan"`
	*dumpRunMore
}

type dumpRunMore struct {
	Name    string    `json:"name"`
	Rules   string    `json:"rules"`
	Created time.Time `json:"created"`
	Pairs   int       `json:"pairs"`
}

type dumpEngine struct {
	Type     string          `json:"type"` // engine
	Name     string          `json:"name"`
	Options  []match.Option  `json:"options"`
	Profile  string          `json:"profile"`
	Limits   string          `json:"limits"`
	Restart  match.Restart   `json:"restart"`
	Identity tables.Identity `json:"identity"`
	*dumpEngineMore
}

type dumpEngineMore struct {
	Builtin bool     `json:"builtin"`
	Command []string `json:"command"`
	Dir     string   `json:"dir"`
	Env     []string `json:"env"`
}

type dumpAttempt struct {
	Type  string    `json:"type"` // attempt
	Pair  int       `json:"pair"`
	Ended time.Time `json:"ended"`
	Why   string    `json:"why"`
}

type dumpVoided struct {
	Type string    `json:"type"` // voided
	Pair int       `json:"pair"`
	Take int       `json:"take"`
	At   time.Time `json:"at"`
	Why  string    `json:"why"`
	By   string    `json:"by,omitempty"`
}

type dumpState struct {
	Type   string    `json:"type"` // state
	Blocks int       `json:"blocks"`
	Pairs  int       `json:"pairs"`
	Centre []float64 `json:"centre"`
	Factor float64   `json:"factor"`
}

type dumpPoints struct {
	Type string         `json:"type"` // points
	Pair int            `json:"pair"`
	A    []match.Option `json:"a"`
	B    []match.Option `json:"b"`
}

type dumpGame struct {
	Type         string      `json:"type"` // game
	Pair         int         `json:"pair"`
	Leg          int         `json:"leg"`
	A            string      `json:"a"`
	B            string      `json:"b"`
	Black        string      `json:"black"`
	White        string      `json:"white"`
	Outcome      string      `json:"outcome"`
	Termination  string      `json:"termination"`
	Note         string      `json:"note,omitempty"`
	Points       [2]float64  `json:"points"`
	Opening      string      `json:"opening"`
	OpeningPlies int         `json:"opening_plies"`
	Start        string      `json:"start"`
	LastSFEN     string      `json:"last_sfen"`
	Event        string      `json:"event,omitempty"`
	Site         string      `json:"site,omitempty"`
	Sides        [2]dumpSide `json:"sides"` // by colour
	*dumpGameMore
	Moves []dumpMove `json:"moves"`
}

type dumpGameMore struct {
	Marked  bool      `json:"marked"`
	Slot    int       `json:"slot"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	Worker  string    `json:"worker,omitempty"`
	Final   any       `json:"final,omitempty"` // as detail, of an answer that is no move

	Mate *match.Questions `json:"mate,omitempty"` // to the mate solver; nil: none
}

type dumpSide struct {
	Plies        int    `json:"plies"`
	Nodes        uint64 `json:"nodes"`
	DepthSum     int    `json:"depth_sum"`
	DepthPlies   int    `json:"depth_plies"`
	PonderHits   int    `json:"ponder_hits"`
	PonderMisses int    `json:"ponder_misses"`
	*dumpSideMore
}

type dumpSideMore struct {
	Micros        int64 `json:"us"`
	OverrunMicros int64 `json:"overrun_us"`
	Incomplete    int   `json:"incomplete_votes"`
}

// dumpMove is a move as all JSON has it, but for three fields, which a dump has had by other names
// or in another form since its first version.
type dumpMove struct {
	kifu.MoveJSON

	PV     string `json:"pv,omitempty"` // separated by spaces
	Micros *int64 `json:"us,omitempty"`
	Detail any    `json:"detail,omitempty"` // JSON as it is, else base64
}

// Write writes a run as text, one JSON object a line, in a fixed order: the run, its
// engines, its attempts and voided pairs, the states and points of a tune, its games with everything that is known of each move.
// A stable dump leaves out whatever depends on the machine and the moment: times,
// slots, marks, workers, attempts, voided pairs, paths, concurrency, the target, the run's name, the
// council's vote records (which hold times), the questions to a mate solver and the notes of time forfeits, stalls
// and crashes. The stable dumps of two runs of deterministic engines are equal,
// byte for byte, at any concurrency. A *results.NoRun says that there is no such run.
func Write(ctx context.Context, s *results.Store, w io.Writer, runName string, stable bool) error {
	out := bufio.NewWriter(w)
	d := newDumper(out, stable)
	return s.Moment(ctx, "dumping a run", func(m results.Moment) error {
		if err := d.run(ctx, m, runName); err != nil {
			return err
		}
		return out.Flush()
	})
}

func newDumper(w io.Writer, stable bool) *dumper {
	d := &dumper{stable: stable, lines: json.NewEncoder(w)}
	d.lines.SetEscapeHTML(false)
	return d
}

func (d *dumper) run(ctx context.Context, m results.Moment, name string) error {
	info, err := m.FindRun(ctx, name)
	if err == nil {
		err = d.head(ctx, m, info)
	}
	if err == nil {
		err = d.tune(ctx, m, info.ID)
	}
	if err != nil {
		return err
	}
	return m.Records(ctx, info.ID, 0, math.MaxInt, func(g match.Row, r kifu.Record) error {
		return d.game(&g, &r)
	})
}

type dumper struct {
	stable bool
	lines  *json.Encoder
}

func (d *dumper) head(ctx context.Context, m results.Moment, info *results.RunInfo) error {
	run := dumpRun{Type: "run", Digest: info.Digest, Legs: info.Legs, Plan: info.Plan}
	if !d.stable {
		run.dumpRunMore = &dumpRunMore{info.Name, info.Rules, info.Created, info.Pairs}
	}
	if err := d.lines.Encode(run); err != nil {
		return err
	}
	for i := range info.Engines {
		if err := d.engine(&info.Engines[i]); err != nil {
			return err
		}
	}
	if d.stable {
		return nil
	}
	list, err := m.Attempts(ctx, info.ID)
	if err != nil {
		return err
	}
	for _, a := range list {
		if err := d.lines.Encode(dumpAttempt{"attempt", a.Pair, a.Ended, a.Why}); err != nil {
			return err
		}
	}
	out, err := m.Voided(ctx, info.ID)
	if err != nil {
		return err
	}
	for _, v := range out {
		if err := d.lines.Encode(dumpVoided{"voided", v.Pair, v.Take, v.At, v.Why, v.By}); err != nil {
			return err
		}
	}
	return nil
}

// StableSum is the SHA-256 (hex) of the lines that a stable dump has of a run's pairs from
// a number to below another one, and how many of them are stored. Copies of a run that are
// the same have the same sums.
func StableSum(ctx context.Context, s *results.Store, runID int64, from, below int) (sum string, pairs int, err error) {
	hash := sha256.New()
	d := newDumper(hash, true)
	err = s.Moment(ctx, "summing up pairs", func(m results.Moment) error {
		if err := d.points(ctx, m, runID, from, below); err != nil {
			return err
		}
		latest := -1
		return m.Records(ctx, runID, from, below, func(g match.Row, r kifu.Record) error {
			if g.Pair != latest {
				latest, pairs = g.Pair, pairs+1
			}
			return d.game(&g, &r)
		})
	})
	if err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(hash.Sum(nil)), pairs, nil
}

// tune writes what a tune has beside its games: its states, and what each pair was
// played with.
func (d *dumper) tune(ctx context.Context, m results.Moment, run int64) error {
	states, err := m.TuneStates(ctx, run)
	if err != nil {
		return err
	}
	for _, s := range states {
		if err := d.lines.Encode(dumpState{"state", s.Blocks, s.Pairs, s.Centre, s.Factor}); err != nil {
			return err
		}
	}
	return d.points(ctx, m, run, 0, math.MaxInt)
}

func (d *dumper) points(ctx context.Context, m results.Moment, run int64, from, below int) error {
	return m.PairRows(ctx, run, from, below, func(r *tables.Row) error {
		if r.Value("options") == nil {
			return nil
		}
		options, err := tables.Options(r.Value("options"))
		if err != nil {
			return err
		}
		return d.lines.Encode(dumpPoints{"points", int(r.Int("pair")), options[0], options[1]})
	})
}

func (d *dumper) engine(e *results.Engine) error {
	line := dumpEngine{
		Type: "engine", Name: e.Name, Options: e.Options, Profile: e.Profile, Limits: e.Limits, Restart: e.Restart,
		Identity: tables.IdentityOf(e.Identity),
	}
	if d.stable {
		if len(e.Identity.Variants) > 0 { // whichever is in use where the run is stored
			line.Identity.Files = tables.IdentityOf(match.Identity{Files: e.Identity.Covered()}).Files
		}
		for i := range line.Identity.Files {
			line.Identity.Files[i].Path = ""
		}
	} else {
		line.dumpEngineMore = &dumpEngineMore{e.Builtin, e.Command, e.Dir, e.Env}
	}
	return d.lines.Encode(line)
}

func (d *dumper) game(g *match.Row, r *kifu.Record) error {
	line := dumpGame{
		Type: "game", Pair: g.Pair, Leg: g.Leg, A: g.PairA, B: g.PairB, Black: g.Black, White: g.White,
		Outcome: g.Outcome.String(), Termination: g.Termination.String(), Note: d.note(g), Points: g.Points,
		Opening: g.OpeningID, OpeningPlies: g.OpeningPlies, Start: r.Start, LastSFEN: g.LastSFEN,
		Event: r.Event, Site: r.Site, Moves: make([]dumpMove, len(r.Moves)),
	}
	for i := range g.Sides {
		line.Sides[i] = d.side(&g.Sides[i])
	}
	if !d.stable {
		line.dumpGameMore = &dumpGameMore{Marked: g.Marked, Slot: g.Slot, Started: g.Started, Ended: g.Ended, Worker: g.Worker, Final: detail(r.Final)}
		if g.Questions != (match.Questions{}) {
			line.Mate = &g.Questions
		}
	}
	for i := range r.Moves {
		line.Moves[i] = d.move(&r.Moves[i])
	}
	return d.lines.Encode(line)
}

// note leaves out the notes that quote times, process numbers or the last words
// of an engine.
func (d *dumper) note(g *match.Row) string {
	if d.stable && g.Termination.Volatile() {
		return ""
	}
	return g.Note
}

func (d *dumper) side(s *match.Side) dumpSide {
	side := dumpSide{
		Plies: s.Plies, Nodes: s.Nodes, DepthSum: s.DepthSum, DepthPlies: s.DepthPlies,
		PonderHits: s.PonderHits, PonderMisses: s.PonderMisses,
	}
	if !d.stable {
		side.dumpSideMore = &dumpSideMore{s.Time.Microseconds(), s.WorstOverrun.Microseconds(), s.Incomplete}
	}
	return side
}

// detail is a player's own record: JSON as it is, anything else in base64.
func detail(text []byte) any {
	switch {
	case len(text) == 0:
		return nil
	case json.Valid(text):
		return json.RawMessage(text)
	}
	return text
}

func (d *dumper) move(m *kifu.Move) dumpMove {
	move := dumpMove{MoveJSON: m.JSON(), PV: tables.MovesText(m.PV)}
	move.MS, move.Votes, move.Comment = nil, nil, ""
	if !d.stable {
		us := m.Time.Microseconds()
		move.Micros, move.Detail = &us, detail(m.Detail)
	}
	return move
}
