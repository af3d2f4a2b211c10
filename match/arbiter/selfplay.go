package arbiter

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// Chance draws all random values of one game of self-play, from the plan's seed and the game's number.
// The values depend on the order of its calls.
type Chance struct {
	Design  match.Selfplay
	Audited bool    // the game continues when scores would end it
	Seed    uint64  // the player's seed
	Redrawn Redrawn // so far

	plan   *match.Plan
	random *rand.Rand
	draws  int
}

// Redrawn counts beginnings of games that were drawn again.
type Redrawn struct {
	Ended   int `json:"ended"`   // the game was over within the random plies
	Unequal int `json:"unequal"` // the first score was beyond the window
}

// maxDraws is how often the beginning of a game may be drawn.
const maxDraws = 200

// NewChance returns the Chance of a game, or nil if the plan is of another design.
func NewChance(plan *match.Plan, pair, leg int) *Chance {
	if plan.Design.Kind != match.DesignSelfplay {
		return nil
	}
	number := uint64(pair)*match.MaxLegs + uint64(leg)                                                       //nolint:gosec // neither is negative
	c := &Chance{Design: plan.Design.Selfplay, plan: plan, random: rand.New(rand.NewPCG(plan.Seed, number))} //nolint:gosec // to be repeated, not to be secret
	c.Audited = c.random.Float64() < c.Design.Audit
	c.Seed = c.random.Uint64()
	return c
}

// Begin draws an opening and random plies until the game is not over behind them, and plays
// them with the referee.
func (c *Chance) Begin(r *Referee) (match.Opening, error) {
	for ; c.draws < maxDraws; c.Redrawn.Ended++ {
		c.draws++
		o := c.plan.Openings[c.random.IntN(len(c.plan.Openings))]
		if err := r.Begin(o); err != nil {
			return o, fmt.Errorf("opening %s: %w", o.ID, err)
		}
		o.Moves = slices.Clone(o.Moves)
		over := false
		for range c.Design.RandomMin + c.random.IntN(c.Design.RandomMax-c.Design.RandomMin+1) {
			m := c.AnyMove(r.Position())
			if over = r.Play(m).Over(); over {
				break
			}
			o.Moves = append(o.Moves, m)
		}
		if !over {
			return o, nil
		}
	}
	return match.Opening{}, fmt.Errorf("%d beginnings in a row were over or beyond the window: expected fewer random plies, a wider window or other openings", maxDraws)
}

// Unequal reports whether the player's first score is beyond the window, so that the game begins again.
func (c *Chance) Unequal(m *kifu.Move) bool {
	w := c.Design.Window
	if w == 0 || !m.HasScore || m.Score <= w && m.Score >= -w {
		return false
	}
	c.Redrawn.Unequal++
	return true
}

// AnyMove draws one of the legal moves, in the order of their numbers: that of the generator
// means nothing and may change.
func (c *Chance) AnyMove(p *shogi.Position) shogi.Move {
	moves := p.LegalMoves(nil)
	slices.Sort(moves)
	return moves[c.random.IntN(len(moves))]
}

// Lines returns the MultiPV of a search, ply being how many plies the player has made; 0:
// the design draws among no lines.
func (c *Chance) Lines(ply int) int {
	switch {
	case c.Design.TemperaturePlies == 0:
		return 0
	case ply < c.Design.TemperaturePlies:
		return c.Design.Lines
	}
	return 1
}

// Nodes draws the nodes of a search.
func (c *Chance) Nodes(n uint64) uint64 {
	if c.Design.NodeJitter > 0 {
		n = max(1, uint64(math.Round(float64(n)*(1+c.Design.NodeJitter*(2*c.random.Float64()-1)))))
	}
	return n
}

// Choose draws the move that replaces the player's. First it draws one of the player's lines by the
// temperature, with that line's score, and then any move by the noise. Noise is marked as Opening; it has
// the score of the position.
func (c *Chance) Choose(p *shogi.Position, ply int, m kifu.Move, lines []kifu.Move) kifu.Move {
	if ply < c.Design.TemperaturePlies {
		c.warm(p, &m, lines)
	}
	if ply < c.Design.NoisePlies && c.random.Float64() < c.Design.Noise {
		m = kifu.Move{Move: c.AnyMove(p), Score: m.Score, HasScore: m.HasScore, Opening: true}
	}
	return m
}

// warm draws a move among those of the lines.
func (c *Chance) warm(p *shogi.Position, m *kifu.Move, lines []kifu.Move) {
	var options []kifu.Move
	for _, l := range lines {
		known := slices.ContainsFunc(options, func(o kifu.Move) bool { return o.Move == l.Move })
		if !known && p.CheckLegal(l.Move) == nil {
			options = append(options, l)
		}
	}
	if len(options) < 2 {
		return
	}
	slices.SortFunc(options, func(a, b kifu.Move) int { return int(a.Move) - int(b.Move) }) // ties in the list do not matter
	top := slices.MaxFunc(options, func(a, b kifu.Move) int { return a.Score - b.Score }).Score
	total := 0.0
	weights := make([]float64, len(options))
	for i, o := range options {
		weights[i] = math.Exp(float64(o.Score-top) / c.Design.Temperature)
		total += weights[i]
	}
	at := c.random.Float64() * total
	for i, o := range options {
		if at -= weights[i]; at < 0 || i == len(options)-1 {
			m.Move, m.Score, m.HasScore = o.Move, o.Score, true
			return
		}
	}
}

// find draws until the beginning is the record's, and returns it.
func (c *Chance) find(r *Referee, record *kifu.Record) (match.Opening, error) {
	for {
		o, err := c.Begin(r)
		if err != nil {
			return o, errors.New("it does not begin as chance has it for its number")
		}
		start, err := o.Position()
		if err != nil {
			return o, err
		}
		if start.SFEN() == record.Start && verifyFirst(o, record.Moves) == nil && allGiven(record.Moves[:len(o.Moves)]) {
			return o, nil
		}
		c.Redrawn.Unequal++
		c.Nodes(0) // nodes of the drawn line's search
	}
}

// allGiven reports whether all moves are marked as chance's, so that training ignores them.
func allGiven(moves []kifu.Move) bool {
	return !slices.ContainsFunc(moves, func(m kifu.Move) bool { return !m.Opening })
}

// Adjudged is how scores end a game of self-play, or would have ended an audited one.
type Adjudged struct {
	By match.Outcome // Unfinished: they do not
	At int           // plies of the game by then
}

// SelfplayFacts are the facts that a plan of self-play has and its records do not.
type SelfplayFacts struct {
	Audited bool
	Redrawn Redrawn
	Adjudged
}

// Facts reads a stored game of self-play. The plan has its openings.
func Facts(plan *match.Plan, g *match.Result) (f SelfplayFacts, err error) {
	chance := NewChance(plan, g.Pair, g.Leg)
	referee := BlankReferee(plan.Rules)
	o, err := chance.find(referee, &g.Record)
	if err != nil {
		return f, err
	}
	f = SelfplayFacts{Audited: chance.Audited, Redrawn: chance.Redrawn}
	adjudicator := NewAdjudicator(plan.Adjudication)
	for i := len(o.Moves); i < len(g.Record.Moves); i++ {
		m := &g.Record.Moves[i]
		if referee.Play(m.Move).Over() {
			break
		}
		f.Note(adjudicator, referee, m, i+1)
	}
	return f, nil
}

// Note asks the adjudicator about a move, after which the game has so many plies, and
// returns its verdict if it is the first.
func (a *Adjudged) Note(by *Adjudicator, r *Referee, m *kifu.Move, plies int) match.Verdict {
	v := by.Move(r.Position(), m.Score, m.HasScore && !m.Opening)
	if !v.Over() || a.By != match.Unfinished {
		return match.Verdict{}
	}
	a.By, a.At = v.Outcome, plies
	return v
}

// beginning returns the game with the opening that it drew. Without the plan's openings it takes the
// moves that the record marks.
func beginning(plan *match.Plan, want match.Game, record *kifu.Record) (match.Game, error) {
	want.Opening = match.Opening{ID: "drawn", Start: record.Start}
	if len(plan.Openings) > 0 {
		o, err := NewChance(plan, want.Pair, want.Leg).find(BlankReferee(plan.Rules), record)
		if err != nil {
			return want, err
		}
		want.Opening.Moves = o.Moves
		return want, nil
	}
	for _, m := range record.Moves {
		if !m.Opening {
			break
		}
		want.Opening.Moves = append(want.Opening.Moves, m.Move)
	}
	return want, nil
}
