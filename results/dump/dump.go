// Package dump writes a stored run as text. [Write] writes all of it, or the stable form, which is equal
// for every run of the same deterministic engines. [StableSum] returns the SHA-256 of the stable form.
package dump

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"time"

	"gogi/internal/lists"
	"gogi/match"
	"gogi/results"
	"gogi/results/tables"
	"gogi/shogi/kifu"
)

// These types are the lines of a dump, in their order. Fields that a stable dump omits are in embedded
// pointers, which are then nil.

// RunLine is the first line of a dump. Its type is run.
type RunLine struct {
	Digest string          `json:"digest"`
	Legs   int             `json:"legs"` // number of games of a pair
	Plan   json.RawMessage `json:"plan"` // settings that the SHA-256 of the plan covers
	*RunDetails
}

// RunDetails has the fields of a RunLine that a stable dump omits.
type RunDetails struct {
	Name    string    `json:"name"`
	Rules   string    `json:"rules"` // name of the rules
	Created time.Time `json:"created"`
	Pairs   int       `json:"pairs"`
}

// EngineLine is the line of an engine of the run. Its type is engine.
type EngineLine struct {
	results.EngineSettings
	Identity tables.Identity `json:"identity"`
	*results.EnginePlace
}

// AttemptLine is the line of an attempt to play a pair that ended without a result. Its type is attempt.
type AttemptLine struct {
	Pair  int       `json:"pair"`
	Ended time.Time `json:"ended"`
	Why   string    `json:"why"`
}

// StateLine is the line of a state of a tune. Its type is state.
type StateLine struct {
	Blocks int       `json:"blocks"` // number of learnt blocks
	Pairs  int       `json:"pairs"`
	Centre []float64 `json:"centre"` // current value of each parameter
	Factor float64   `json:"factor"` // factor of all perturbations
}

// PointsLine is the line of the options with which a pair of a tune was played. Its type is points.
type PointsLine struct {
	Pair int            `json:"pair"`
	A    []match.Option `json:"a"`
	B    []match.Option `json:"b"` // options of the second player
}

// GameLine is the line of a game. Its type is game.
type GameLine struct {
	match.Row
	Start    string        `json:"start"`           // start position of the record
	LastSFEN string        `json:"last_sfen"`       // last position, as SFEN
	Event    string        `json:"event,omitempty"` // event of an imported record
	Site     string        `json:"site,omitempty"`  // place of an imported record
	Sides    [2]DumpedSide `json:"sides"`           // by colour
	*GameDetails
	Moves []DumpedMove `json:"moves"`
}

// GameDetails has the fields of a GameLine that a stable dump omits.
type GameDetails struct {
	Marked  bool      `json:"marked"` // the machine delayed a move of the game
	Slot    int       `json:"slot"`
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	Worker  string    `json:"worker,omitempty"`
	Final   any       `json:"final,omitempty"` // details of a last answer without a move, in the form of detail

	Mate *match.Questions `json:"mate,omitempty"` // queries to the mate solver; nil: none
}

// DumpedSide is one side of a game.
type DumpedSide struct {
	match.Side
	*SideDetails
}

// SideDetails has the fields of a DumpedSide that a stable dump omits.
type SideDetails struct {
	Micros        int64 `json:"us"`
	OverrunMicros int64 `json:"overrun_us"`       // longest time that a move took beyond its limit, in microseconds
	Incomplete    int   `json:"incomplete_votes"` // number of votes in which a member did not take part
}

// DumpedMove is a kifu.MoveJSON in which three fields have other names or forms, because dumps have had these
// since the first version. It describes the text that dumper.move writes.
type DumpedMove struct {
	kifu.MoveJSON

	PV     string `json:"pv,omitempty"` // separated by spaces
	Micros *int64 `json:"us,omitempty"`
	Detail any    `json:"detail,omitempty"` // JSON unchanged; other data in base64
}

// Write writes a run as text, one JSON object per line, in a fixed order. The order is: the run, its engines, its
// attempts and voided pairs, the states of a tune with the options of its pairs, and its games with all facts of
// each move.
//
// A stable dump omits everything that depends on the machine and the time: times, slots, delays by the machine,
// workers, attempts, voided pairs, paths, concurrency, the planned number of pairs and the run's name. It also
// omits the vote records of councils (which have times), the queries to a mate solver, and the notes of time
// forfeits, stalls and crashes. The stable dumps of two runs of deterministic engines are equal, byte for byte, at
// any concurrency. Write returns a *results.NoRun if the run does not exist.
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
	d := &dumper{stable: stable, out: w}
	d.json = json.NewEncoder(&d.text)
	d.json.SetEscapeHTML(false)
	return d
}

// line writes a value as one line of JSON, with kind as the first field.
func (d *dumper) line(kind string, value any) error {
	text, err := d.encoded(value)
	if err == nil {
		_, err = fmt.Fprintf(d.out, `{"type":"%s",%s`+"\n", kind, text[1:])
	}
	return err
}

// encoded returns a value as JSON. The text is valid until the next call.
func (d *dumper) encoded(value any) ([]byte, error) {
	d.text.Reset()
	err := d.json.Encode(value)
	return bytes.TrimSuffix(d.text.Bytes(), []byte("\n")), err
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
	out    io.Writer
	text   bytes.Buffer
	json   *json.Encoder // to text
	moves  []byte        // of the last game; the next game uses its memory again
}

func (d *dumper) head(ctx context.Context, m results.Moment, info *results.RunInfo) error {
	run := RunLine{Digest: info.Digest, Legs: info.Legs, Plan: info.Plan}
	if !d.stable {
		run.RunDetails = &RunDetails{info.Name, info.Rules, info.Created, info.Pairs}
	}
	if err := d.line("run", run); err != nil {
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
		if err := d.line("attempt", AttemptLine(a)); err != nil {
			return err
		}
	}
	out, err := m.Voided(ctx, info.ID)
	if err != nil {
		return err
	}
	return lists.Each(out, func(v results.Voided) error { return d.line("voided", v) })
}

// StableSum returns the SHA-256 (hexadecimal) of the stable dump's lines for the pairs of a run with from ≤ number
// < below. pairs is the number of these pairs that are stored. Equal copies of a run have equal sums.
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

// tune writes the states of a tune, and the options of each pair.
func (d *dumper) tune(ctx context.Context, m results.Moment, run int64) error {
	states, err := m.TuneStates(ctx, run)
	if err != nil {
		return err
	}
	for _, s := range states {
		if err := d.line("state", StateLine(s)); err != nil {
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
		return d.line("points", PointsLine{int(r.Int("pair")), options[0], options[1]})
	})
}

func (d *dumper) engine(e *results.Engine) error {
	line := EngineLine{EngineSettings: e.EngineSettings, Identity: tables.IdentityOf(e.Identity)}
	if d.stable {
		if len(e.Identity.Variants) > 0 || e.Identity.Source != nil { // the binary in use differs between machines
			line.Identity.Files = tables.IdentityOf(match.Identity{Files: e.Identity.Covered()}).Files
		}
		for i := range line.Identity.Files {
			line.Identity.Files[i].Path = ""
		}
	} else {
		line.EnginePlace = &e.EnginePlace
	}
	return d.line("engine", line)
}

func (d *dumper) game(g *match.Row, r *kifu.Record) error {
	line := GameLine{Row: *g, Start: r.Start, LastSFEN: g.LastSFEN, Event: r.Event, Site: r.Site, Moves: []DumpedMove{}}
	if d.stable && g.Termination.Volatile() {
		line.Note = ""
	}
	for i := range g.Sides {
		line.Sides[i] = d.side(&g.Sides[i])
	}
	if !d.stable {
		line.GameDetails = &GameDetails{Marked: g.Marked, Slot: g.Slot, Started: g.Started, Ended: g.Ended, Worker: g.Worker,
			Final: detail(r.Final)}
		if questions := g.Questions; questions != (match.Questions{}) {
			line.Mate = &questions
		}
	}
	d.moves = d.moves[:0]
	for i := range r.Moves {
		if i > 0 {
			d.moves = append(d.moves, ',')
		}
		if err := d.move(&r.Moves[i]); err != nil {
			return err
		}
	}
	text, err := d.encoded(&line)
	if err == nil {
		_, err = fmt.Fprintf(d.out, `{"type":"game",%s%s]}`+"\n", bytes.TrimSuffix(text[1:], []byte("]}")), d.moves)
	}
	return err
}

func (d *dumper) side(s *match.Side) DumpedSide {
	side := DumpedSide{Side: *s}
	if !d.stable {
		side.SideDetails = &SideDetails{s.Time.Microseconds(), s.WorstOverrun.Microseconds(), s.Incomplete}
	}
	return side
}

// detail returns the details that a player stored with a move. It returns JSON unchanged, and other data in base64.
func detail(text []byte) any {
	switch {
	case len(text) == 0:
		return nil
	case json.Valid(text):
		return json.RawMessage(text)
	}
	return text
}

// move appends a move to d.moves. It writes the text of a DumpedMove as encoding/json does, in a third of the time.
func (d *dumper) move(m *kifu.Move) error {
	text, err := m.Move.MarshalText()
	if err != nil {
		return err
	}
	b := append(append(append(d.moves, `{"move":"`...), text...), '"')
	if m.Opening {
		b = append(b, `,"opening":true`...)
	}
	switch {
	case m.HasScore:
		b = strconv.AppendInt(append(b, `,"score":`...), int64(m.Score), 10)
	case m.Bound == kifu.AtLeast:
		b = strconv.AppendInt(append(b, `,"score_at_least":`...), int64(m.Score), 10)
	case m.Bound == kifu.AtMost:
		b = strconv.AppendInt(append(b, `,"score_at_most":`...), int64(m.Score), 10)
	}
	if m.Depth != 0 {
		b = strconv.AppendInt(append(b, `,"depth":`...), int64(m.Depth), 10)
	}
	if m.SelDepth != 0 {
		b = strconv.AppendInt(append(b, `,"seldepth":`...), int64(m.SelDepth), 10)
	}
	if m.Nodes != 0 {
		b = strconv.AppendUint(append(b, `,"nodes":`...), m.Nodes, 10)
	}
	if len(m.PV) > 0 {
		b = append(tables.AppendMoves(append(b, `,"pv":"`...), m.PV), '"')
	}
	if !d.stable {
		b = strconv.AppendInt(append(b, `,"us":`...), m.Time.Microseconds(), 10)
		if known := detail(m.Detail); known != nil {
			text, err := d.encoded(known)
			if err != nil {
				return err
			}
			b = append(append(b, `,"detail":`...), text...)
		}
	}
	d.moves = append(b, '}')
	return nil
}
