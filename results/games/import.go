package games

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"gogi/internal/sanitize"
	"gogi/match"
	"gogi/results"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/text"
)

// Import stores the games of files as a run with the design "imported". If the records are gogi's own and complete,
// their games are the pairs of the exported run; see twins. Otherwise each game is one pair, in the order of the
// sources. The plan has the players' names. Its seed is the hash of all games, so the plan hash identifies the sources.
// A second import of the same sources adds nothing. Import rejects other sources for a run with the same name.
type Import struct {
	Run     string
	Sources []string // files, folders and archives; "-" is In
	In      io.Reader
	// OpeningPlies is the number of first moves taken as the opening of a game whose record does not mark
	// an opening. Games with the same opening count as one observation.
	OpeningPlies int
	// Refused is called for every rejected game and file while Import reads.
	Refused func(Refusal)
}

// Refusal is a game or a whole file that Import does not import.
type Refusal struct {
	File string `json:"file"`           // name of the file
	Game int    `json:"game,omitempty"` // number in the file, from 1; 0: the file
	Line int    `json:"line,omitempty"` // from 1; 0: not known
	Why  string `json:"why"`
}

// Place returns the file, the game and the line, as far as they are known.
func (r Refusal) Place() string {
	place := r.File
	if r.Game > 0 {
		place += fmt.Sprintf(", game %d", r.Game)
	}
	if r.Line > 0 {
		place += fmt.Sprintf(", line %d", r.Line)
	}
	return place
}

// Imported counts the imported games.
type Imported struct {
	Games    int `json:"games"`   // in the run
	Pairs    int `json:"pairs"`   // in the run
	Added    int `json:"added"`   // games that this call added; the others were already stored
	Refused  int `json:"refused"` // games and files
	Players  int `json:"players"`
	Branches int `json:"branches"` // variations that were left out
}

// ErrNoGames is the error if no game of the sources can be imported.
var ErrNoGames = errors.New("there is no game to import")

// Into imports the games into a store. It reads all sources twice: first to find the players and the hash,
// then to store the games.
func (i *Import) Into(ctx context.Context, store *results.Store) (*Imported, error) {
	sources, err := newSources(ctx, i.Sources, i.In)
	if err != nil {
		return nil, err
	}
	defer sources.close() //nolint:errcheck // the files were only read
	census := newCensus()
	out := &Imported{}
	err = i.each(ctx, sources, func(r Refusal) {
		out.Refused++
		i.Refused(r)
	}, func(r *kifu.Record) error { return census.count(r, i.opening(r)) })
	if err != nil {
		return out, err
	}
	if census.games == 0 {
		return out, ErrNoGames
	}
	census.conclude()
	out.Games, out.Pairs, out.Players, out.Branches = census.games, census.pairs(), len(census.names), census.branches
	out.Added, err = i.store(ctx, store, sources, census)
	return out, err
}

// each calls game for each game that can be imported, and refused for the others.
func (i *Import) each(ctx context.Context, sources *sources, refused func(Refusal),
	game func(*kifu.Record) error) error {
	return sources.each(ctx, refused, func(r *kifu.Record, at Refusal) error {
		if at.Why = unfit(r); at.Why != "" {
			refused(at)
			return nil
		}
		return game(r)
	})
}

// unfit returns the reason why a record cannot be imported, or "" if it can. It also sets missing names of the
// players and a missing termination of the record.
func unfit(r *kifu.Record) string {
	if r.Winner != "black" && r.Winner != "white" && r.Winner != "draw" {
		if r.Note != "" {
			return "the game has no result: " + r.Note
		}
		return "the game has no result"
	}
	if len(r.Moves) > kifu.MaxPlies {
		return fmt.Sprintf("the game has %d plies: expected at most %d", len(r.Moves), kifu.MaxPlies)
	}
	r.Result = cmp.Or(r.Result, string(match.UnknownReason))
	if _, err := match.ParseTermination(r.Result); err != nil {
		return fmt.Sprintf("the game ended by %q, which is no word for how games end", r.Result)
	}
	r.Black, r.White = sanitize.Printable(r.Black, 200), sanitize.Printable(r.White, 200)
	r.Black = cmp.Or(r.Black, kifu.DefaultNames()[0])
	r.White = cmp.Or(r.White, kifu.DefaultNames()[1])
	if r.Black == r.White {
		return fmt.Sprintf("both players are called %q", r.Black)
	}
	return ""
}

// census collects those facts about all games that the plan of the run needs.
type census struct {
	numbers  map[string]int // number of each player
	names    []string
	games    int
	branches int
	hash     io.Writer
	text     []byte
	twins    *twins
	seats    []seat // the pair and leg of each game, in the order of the sources; nil: each game is one pair
}

func newCensus() *census {
	return &census{numbers: map[string]int{}, hash: sha256.New(), twins: newTwins()}
}

func (c *census) count(r *kifu.Record, opening match.Opening) (err error) {
	c.name(r.Names())
	c.games++
	c.branches += r.Branches
	c.twins.add(r, opening)
	if c.text, err = text.AppendJSON(c.text[:0], r); err == nil {
		_, err = c.hash.Write(c.text)
	}
	return err
}

// name gives numbers to new players.
func (c *census) name(names [2]string) {
	for _, name := range names {
		if _, known := c.numbers[name]; !known {
			c.numbers[name] = len(c.names)
			c.names = append(c.names, name)
		}
	}
}

// conclude finds the pairs after the last game. If there are pairs, the players have the order of the exported run, in
// which the first player of a pair has Black in its first game.
func (c *census) conclude() {
	var order [][2]string
	if c.seats, order = c.twins.seats(); c.seats == nil {
		return
	}
	clear(c.numbers)
	c.names = nil
	for _, names := range order {
		c.name(names)
	}
}

// pairs returns the number of pairs.
func (c *census) pairs() int {
	if c.seats == nil {
		return c.games
	}
	return c.games / 2
}

// seat returns the pair and leg of the game with this number in the sources.
func (c *census) seat(n int) seat {
	if c.seats == nil {
		return seat{pair: n}
	}
	return c.seats[n]
}

// seed returns the first 63 bits of the hash of all games. Every database column can store 63 bits.
func (c *census) seed() uint64 {
	sum, ok := c.hash.(interface{ Sum([]byte) []byte })
	if !ok {
		return 0
	}
	return binary.LittleEndian.Uint64(sum.Sum(nil)) & math.MaxInt64
}

func (i *Import) plan(c *census) *match.Plan {
	p := &match.Plan{
		Run: i.Run, Design: match.Design{Kind: match.DesignImported, Swap: c.seats != nil}, Seed: c.seed(), Pairs: c.pairs(),
		PVPlies:  math.MaxInt32,
		Rules:    match.Rules{Name: "imported", Declaration: shogi.NoEnteringKing, RepetitionPoints: [2]float64{0.5, 0.5}},
		Openings: []match.Opening{{ID: "even", Start: "startpos"}},
		Ponder:   match.PonderOff, Slowed: match.PolicyCount,
	}
	for _, name := range c.names {
		p.Players = append(p.Players, match.Player{Name: name, Restart: match.RestartNever})
	}
	return p
}

// writers is the number of games that are prepared at the same time. The store commits all waiting games in
// one transaction.
const writers = 64

var errChanged = errors.New("the sources have changed while they were read")

func (i *Import) store(ctx context.Context, store *results.Store, sources *sources, c *census) (added int, err error) {
	plan := i.plan(c)
	if err := match.CheckRunName(i.Run); err != nil {
		return 0, fmt.Errorf("--run: %w", err)
	}
	run, err := store.Begin(ctx, plan)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, run.Close()) }()
	there, err := run.Finished(ctx)
	if err != nil {
		return 0, err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	n := 0
	first := map[int]*kifu.Record{} // games whose pair is not complete yet, by pair
	read := i.each(ctx, sources, func(Refusal) {}, func(r *kifu.Record) error {
		if n >= c.games {
			return errChanged
		}
		at := c.seat(n)
		n++
		if there[at.pair] {
			return nil
		}
		added++
		legs := []*kifu.Record{r}
		if c.seats != nil {
			other, ok := first[at.pair]
			if !ok {
				first[at.pair] = r
				return nil
			}
			delete(first, at.pair)
			if legs = []*kifu.Record{other, r}; at.leg == 0 {
				legs = []*kifu.Record{r, other}
			}
		}
		group.Go(func() error {
			pair, err := i.pair(plan, c.numbers, at.pair, legs)
			if err == nil {
				_, err = run.Add(ctx, pair)
			}
			return err
		})
		return context.Cause(ctx)
	})
	if read == nil && n < c.games {
		read = errChanged
	}
	return added, errors.Join(group.Wait(), read)
}

// pair returns imported games as the result of a pair.
func (i *Import) pair(plan *match.Plan, numbers map[string]int, id int, legs []*kifu.Record) (match.PairResult, error) {
	pair := plan.Pair(id)
	a, b := numbers[legs[0].Black], numbers[legs[0].White]
	pair.Players, pair.Opening = [2]int{min(a, b), max(a, b)}, i.opening(legs[0])
	out := match.PairResult{Pair: pair}
	for leg, r := range legs {
		g, err := importedGame(r, id, leg, numbers)
		if err != nil {
			return out, err
		}
		out.Games = append(out.Games, g)
	}
	return out, nil
}

// importedGame returns an imported game as the result of one game of a pair.
func importedGame(r *kifu.Record, pair, leg int, numbers map[string]int) (match.Result, error) {
	g := match.Result{Pair: pair, Leg: leg, Record: *r, Started: r.Started, Ended: r.Ended}
	g.Players = [2]int{numbers[r.Black], numbers[r.White]}
	g.Note, g.Termination = r.Note, match.Termination(r.Result)
	if err := g.Outcome.UnmarshalText([]byte(r.Winner)); err != nil {
		return g, err
	}
	side := shogi.Colour(firstSide(r))
	for _, m := range r.Moves {
		if !m.Opening {
			g.Sides[side].Add(m, 0)
		}
		side = side.Opponent()
	}
	if r.HasLast {
		g.Sides[side].Add(kifu.Move{Time: r.LastTime}, 0)
	}
	return g, keepImported(&g.Record)
}

// opening returns the opening that the record marks. Otherwise it uses the first moves of the game. The
// opening's name comes from the record, or else describes the opening.
func (i *Import) opening(r *kifu.Record) match.Opening {
	n := 0
	for n < len(r.Moves) && r.Moves[n].Opening {
		n++
	}
	if n == 0 {
		n = min(i.OpeningPlies, len(r.Moves))
	}
	o := match.Opening{ID: r.Header.Opening, Start: r.Start}
	if even := shogi.StartPos(); o.Start == even.SFEN() {
		o.Start = "startpos"
	}
	for _, m := range r.Moves[:n] {
		o.Moves = append(o.Moves, m.Move)
	}
	if o.ID == "" {
		o.ID = fmt.Sprintf("%08x", o.Hash()>>32)
	}
	return o
}

// A run of imported games has no engines, limits or rules. The imported files may have these facts for each
// game, but the database has no columns for them. gogi stores them as JSON in the column for the site of the
// game, which is empty in its own runs.

// elsewhere has those facts of an imported record for which the database has no column.
type elsewhere struct {
	Site     string         `json:"site,omitempty"`
	Clocks   [2]kifu.Clock  `json:"clocks_ns,omitzero"`
	MaxMoves int            `json:"max_moves,omitempty"`
	Jishogi  int            `json:"jishogi,omitempty"`
	Ratings  [2]float64     `json:"ratings,omitzero"`
	About    [2]string      `json:"about,omitzero"`
	LastNS   *time.Duration `json:"last_ns,omitempty"`
	Opening  string         `json:"opening,omitempty"`
	Branches int            `json:"branches,omitempty"`
	Comment  string         `json:"comment,omitempty"`
	Comments map[int]string `json:"comments,omitempty"` // by move, from 0
}

// keepImported writes the facts of type elsewhere as JSON into the record's Site, which the database stores.
func keepImported(r *kifu.Record) error {
	e := elsewhere{
		Site: r.Site, Clocks: r.Clocks, MaxMoves: r.MaxMoves, Jishogi: r.Jishogi, Ratings: r.Ratings, About: r.About,
		Opening: r.Header.Opening, Branches: r.Branches, Comment: r.Comment,
	}
	if r.HasLast {
		e.LastNS = &r.LastTime
	}
	for i := range r.Moves {
		if c := r.Moves[i].Comment; c != "" {
			if e.Comments == nil {
				e.Comments = map[int]string{}
			}
			e.Comments[i] = c
		}
	}
	text, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("what the record says beside its moves: %w", err)
	}
	r.Site = string(text)
	return nil
}

func restore(r *kifu.Record) {
	var e elsewhere
	if !strings.HasPrefix(r.Site, "{") || json.Unmarshal([]byte(r.Site), &e) != nil {
		return // an ordinary site, not JSON
	}
	r.Site, r.MaxMoves, r.Jishogi, r.Header.Opening = e.Site, e.MaxMoves, e.Jishogi, e.Opening
	r.Branches, r.Comment, r.Clocks, r.Ratings, r.About = e.Branches, e.Comment, e.Clocks, e.Ratings, e.About
	if e.LastNS != nil {
		r.LastTime, r.HasLast = *e.LastNS, true
	}
	for i, c := range e.Comments {
		if i >= 0 && i < len(r.Moves) {
			r.Moves[i].Comment = c
		}
	}
}
