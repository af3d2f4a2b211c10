package results

import (
	"fmt"
	"sync"

	"gogi/match"
	"gogi/results/tables"
	"gogi/shogi/kifu"
)

// pairRows is a pair in database values. The caller's goroutine converts the pair, so that the writer only has to write
// it.
type pairRows struct {
	run, pair int64
	players   [2]int
	seed      int64
	setting   int64 // number of the valid row in the log of settings
	opening   openingRow
	played    match.Provenance
	games     []gameRow
	options   any     // in the form of tables.OptionsText
	states    [][]any // in a tune, the states that follow from the pair
}

type openingRow struct {
	name, start, moves string
	plies              int
	hash               int64
}

// gameRow has the values of a game for one row of games and one row of records.
type gameRow struct {
	game               tables.Game
	start, event, site string
	plies              []byte
	final              []byte
}

// rows checks a pair against the plan and converts it to database rows.
func (r *Run) rows(p match.PairResult) (*pairRows, error) {
	if err := r.check(p); err != nil {
		return nil, err
	}
	rows := &pairRows{
		run: r.id, pair: int64(p.Pair.ID), players: p.Pair.Players,
		seed:    int64(p.Pair.Seed), // the same 64 bits, because SQLite has only signed integers
		setting: r.setting.Load(), opening: openingRowOf(p.Pair.Opening), played: p.Played,
	}
	var err error
	if rows.options, err = tables.OptionsText(p.Pair.Options); err != nil {
		return nil, err
	}
	rows.games = make([]gameRow, len(p.Games))
	errs := make([]error, len(p.Games))
	var packing sync.WaitGroup // one goroutine per game, which halves the wait of the caller
	for i := range p.Games {
		packing.Go(func() { rows.games[i], errs[i] = r.gameRow(p.Pair, &p.Games[i]) })
	}
	packing.Wait()
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("leg %d: %w", i, err)
		}
	}
	return rows, nil
}

// check returns an error for mistakes of the caller and for pairs of another plan, so that no wrong data are stored. It
// does not replay the moves (see arbiter.Verify), because this process already applied the rules while it played.
func (r *Run) check(p match.PairResult) error {
	if int64(p.Pair.ID) >= r.most.Load() {
		return fmt.Errorf("the run never had more than %d pairs", r.most.Load())
	}
	if err := r.plan.Owns(p.Pair); err != nil {
		return err
	}
	if len(p.Games) != r.plan.Legs() {
		return fmt.Errorf("it has %d games, the plan says %d", len(p.Games), r.plan.Legs())
	}
	if err := checkPlayed(p.Played); err != nil {
		return err
	}
	for _, a := range p.Attempts {
		if a.Pair != p.Pair.ID {
			return fmt.Errorf("it has an attempt at pair %d", a.Pair)
		}
	}
	for leg := range p.Games {
		g, want := &p.Games[leg], p.Pair.Game(leg)
		if g.Pair != want.Pair || g.Leg != want.Leg || !r.plan.SeatsAt(p.Pair, leg, g.Players) {
			return fmt.Errorf("leg %d is pair %d, leg %d of players %v, not of players %v", leg, g.Pair, g.Leg, g.Players, want.Players)
		}
		if !g.Over() || g.Termination == match.NotEnded {
			return fmt.Errorf("leg %d has not ended", leg)
		}
		// Stored values are read for years, so each value must have a known meaning.
		if _, err := g.Outcome.MarshalText(); err != nil || !g.Termination.Known() {
			return fmt.Errorf("leg %d ended by %s (%s), which this program does not know", leg, g.Termination, g.Outcome)
		}
	}
	return nil
}

func openingRowOf(o match.Opening) openingRow {
	return openingRow{
		name: o.ID, start: o.Start, moves: tables.MovesText(o.Moves), plies: len(o.Moves),
		hash: int64(o.Hash()), // the same 64 bits
	}
}

func (r *Run) gameRow(pair match.Pair, g *match.Result) (row gameRow, err error) {
	hash, err := g.MovesHash()
	if err != nil {
		return row, err
	}
	last, err := lastPosition(g)
	if err != nil {
		return row, err
	}
	if row.plies, err = kifu.Pack(g.Record.Moves, r.plan.PVPlies); err != nil {
		return row, err
	}
	row.start, row.event, row.site = g.Record.Start, g.Record.Event, g.Record.Site
	row.final = g.Record.Final
	row.game = tables.Game{
		Run: r.id, Seats: [4]int{g.Players[0], g.Players[1], pair.Players[0], pair.Players[1]},
		Row: match.Row{
			Pair: g.Pair, Leg: g.Leg, Outcome: g.Outcome, Termination: g.Termination, Note: g.Note, Points: r.plan.Rules.Points(g.Verdict),
			Plies: len(g.Record.Moves), Sides: g.Sides, Questions: g.Questions, Marked: g.Marked, LastSFEN: last, Slot: g.Slot, Started: g.Started, Ended: g.Ended,
			MovesHash: hash, OpeningID: pair.Opening.ID, OpeningPlies: len(pair.Opening.Moves), OpeningHash: pair.Opening.Hash(), Start: pair.Opening.Start,
		},
	}
	return row, nil
}

// lastPosition returns the SFEN of the position at the end of a game. It does not apply an illegal move that
// ended the game.
func lastPosition(g *match.Result) (string, error) {
	p, err := match.Opening{ID: "of the record", Start: g.Record.Start}.Position()
	if err != nil {
		return "", err
	}
	for i := range g.Record.Moves {
		if p.CheckLegal(g.Record.Moves[i].Move) != nil {
			break
		}
		p.Apply(g.Record.Moves[i].Move)
	}
	return p.SFEN(), nil
}
