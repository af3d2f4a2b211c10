package results

import (
	"fmt"
	"sync"

	"gogi/match"
	"gogi/results/tables"
	"gogi/shogi/kifu"
)

// pairRows is a pair as the values of its rows. The caller's goroutine encodes the pair once. The writer adds only
// the numbers that the database assigns, and the checksums.
type pairRows struct {
	run     int64
	setting int64 // number of the valid row in the log of settings
	pair    match.Pair
	played  match.Provenance
	key     openingKey
	opening []any // the row of openings with this key
	options any   // in the form of tables.OptionsText
	games   []gameRows
	states  [][]any // in a tune, the rows of the states that follow from the pair
}

// gameRows is a game as the values of its rows.
type gameRows struct {
	game   []any // the result of tables.Game.Values, without the number of the worker
	record []any // the row of records, without the number of the game
}

// rows checks a pair against the plan and encodes it.
func (r *Run) rows(p match.PairResult) (*pairRows, error) {
	if err := r.check(p); err != nil {
		return nil, err
	}
	options, err := tables.OptionsText(p.Pair.Options)
	if err != nil {
		return nil, err
	}

	o := p.Pair.Opening
	key := openingKey{r.id, o.ID, int64(o.Hash())}
	rows := &pairRows{
		run: r.id, setting: r.setting.Load(), pair: p.Pair, played: p.Played, options: options,
		key: key, opening: []any{key.run, key.name, o.Start, tables.MovesText(o.Moves), len(o.Moves), key.hash},
		games: make([]gameRows, len(p.Games)),
	}

	errs := make([]error, len(p.Games))
	var packing sync.WaitGroup // one goroutine per game, which halves the wait of the caller
	for i := range p.Games {
		packing.Go(func() { rows.games[i], errs[i] = r.gameRows(p.Pair, &p.Games[i]) })
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
			return fmt.Errorf("leg %d is pair %d, leg %d of players %v, not of players %v", leg, g.Pair, g.Leg, g.Players,
				want.Players)
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

func (r *Run) gameRows(pair match.Pair, g *match.Result) (rows gameRows, err error) {
	game, err := r.game(pair, g)
	if err != nil {
		return rows, err
	}
	if rows.game, err = game.Values(); err != nil {
		return rows, err
	}
	plies, err := kifu.PackDense(g.Record.Moves, r.plan.PVPlies)
	rows.record = []any{tables.StartText(g.Record.Start), g.Record.Event, g.Record.Site, plies, g.Record.Final}
	return rows, err
}

// game returns the row of games, without the number of the worker.
func (r *Run) game(pair match.Pair, g *match.Result) (*tables.Game, error) {
	hash, err := g.MovesHash()
	if err != nil {
		return nil, err
	}
	last, err := lastPosition(g)
	if err != nil {
		return nil, err
	}
	return &tables.Game{
		Run: r.id, Seats: [4]int{g.Players[0], g.Players[1], pair.Players[0], pair.Players[1]},
		Row: match.Row{
			Pair: g.Pair, Leg: g.Leg, Outcome: g.Outcome, Termination: g.Termination, Note: g.Note,
			Points: r.plan.Rules.Points(g.Verdict), Plies: len(g.Record.Moves), Sides: g.Sides, Questions: g.Questions,
			Marked: g.Marked, LastSFEN: last, Slot: g.Slot, Started: g.Started, Ended: g.Ended, MovesHash: hash,
			OpeningID: pair.Opening.ID, OpeningPlies: len(pair.Opening.Moves), OpeningHash: pair.Opening.Hash(),
			Start: pair.Opening.Start,
		},
	}, nil
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
