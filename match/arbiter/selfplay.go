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

// Chance generates all random values of one self-play game from the plan's seed and the number of the game.
// The values depend on the order in which the methods are called.
type Chance struct {
	Design  match.Selfplay
	Audited bool    // the game continues although adjudication would end it
	Seed    uint64  // the player's seed
	Redrawn Redrawn // beginnings rejected so far

	plan   *match.Plan
	random *rand.Rand
	draws  int
}

// Redrawn counts the random beginnings of games that gogi rejected, by the reason.
type Redrawn struct {
	Ended   int `json:"ended"`   // the game was over within the random plies
	Unequal int `json:"unequal"` // the first score was more than Selfplay.Window centipawns from 0
}

// maxDraws is the largest number of random beginnings that gogi tries for one game.
const maxDraws = 200

// NewChance returns the Chance of a game, or nil if the plan is not for self-play.
func NewChance(plan *match.Plan, pair, leg int) *Chance {
	if plan.Design.Kind != match.DesignSelfplay {
		return nil
	}
	number := uint64(pair)*match.MaxLegs + uint64(leg)
	c := &Chance{Design: plan.Design.Selfplay, plan: plan, random: rand.New(rand.NewPCG(plan.Seed, number))}
	c.Audited = c.random.Float64() < c.Design.Audit
	c.Seed = c.random.Uint64()
	return c
}

// Begin selects a random opening and random plies, and plays them with the referee. If the game is then over, Begin
// tries again. It returns an error after 200 attempts.
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
	return match.Opening{},
		fmt.Errorf("%d beginnings in a row were over or beyond the window: expected fewer random plies, a wider window or other openings", maxDraws)
}

// Unequal reports whether the player's first score is further from 0 than Selfplay.Window centipawns. gogi then
// rejects the random beginning of the game and selects another one.
func (c *Chance) Unequal(m *kifu.Move) bool {
	w := c.Design.Window
	above := m.Score > w && (m.HasScore || m.Bound == kifu.AtLeast)
	below := m.Score < -w && (m.HasScore || m.Bound == kifu.AtMost)
	if w == 0 || !above && !below {
		return false
	}
	c.Redrawn.Unequal++
	return true
}

// AnyMove returns a random legal move. It sorts the moves by their numeric values first, because the order of
// the move generator may change.
func (c *Chance) AnyMove(p *shogi.Position) shogi.Move {
	moves := p.LegalMoves(nil)
	slices.Sort(moves)
	return moves[c.random.IntN(len(moves))]
}

// Lines returns the number of lines (MultiPV) for the player's next search. ply is the number of plies after the
// game's beginning, which is its opening and its random plies. Lines returns 0 if the design never chooses among
// several lines.
func (c *Chance) Lines(ply int) int {
	switch {
	case c.Design.TemperaturePlies == 0:
		return 0
	case ply < c.Design.TemperaturePlies:
		return c.Design.Lines
	}
	return 1
}

// Nodes returns the random node limit of the next search; n is the limit without variation.
func (c *Chance) Nodes(n uint64) uint64 {
	if c.Design.NodeJitter > 0 {
		n = max(1, uint64(math.Round(float64(n)*(1+c.Design.NodeJitter*(2*c.random.Float64()-1)))))
	}
	return n
}

// Choose returns the move that gogi plays instead of the player's move m. lines has the player's best lines. First
// Choose selects one of them at random by Selfplay.Temperature; the move then has the score of that line. Then Choose
// may replace the move by a random legal move (noise). A noise move keeps the score, and its field Opening is true.
// ply has the same meaning as in Lines.
func (c *Chance) Choose(p *shogi.Position, ply int, m kifu.Move, lines []kifu.Move) kifu.Move {
	if ply < c.Design.TemperaturePlies {
		c.warm(p, &m, lines)
	}
	if ply < c.Design.NoisePlies && c.random.Float64() < c.Design.Noise {
		m = kifu.Move{Move: c.AnyMove(p), Score: m.Score, HasScore: m.HasScore, Bound: m.Bound, Opening: true}
	}
	return m
}

// warm replaces m by the first move of a random line. Lines with better scores are more likely (Selfplay.Temperature).
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
	// ties in the list do not matter
	slices.SortFunc(options, func(a, b kifu.Move) int { return int(a.Move) - int(b.Move) })
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
			m.Move, m.Score, m.HasScore, m.Bound = o.Move, o.Score, true, kifu.NoBound
			return
		}
	}
}

// find calls Begin until it returns the beginning of the recorded game. It counts the others as rejected (Redrawn).
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
		c.Nodes(0) // uses the random value that the first search of the rejected beginning used
	}
}

// allGiven reports whether all moves are marked as random moves, which training ignores.
func allGiven(moves []kifu.Move) bool {
	return !slices.ContainsFunc(moves, func(m kifu.Move) bool { return !m.Opening })
}

// Adjudged records when the engine's scores ended a self-play game. An audited game continues although
// adjudication would end it. For such a game, Adjudged records when the scores would have ended it.
type Adjudged struct {
	By match.Outcome // the result by the scores; Unfinished: scores do not end the game
	At int           // number of plies of the game at that moment
}

// SelfplayFacts has the facts about a self-play game that follow from its plan and are not in its record.
type SelfplayFacts struct {
	Audited bool
	Redrawn Redrawn
	Adjudged
}

// Facts calculates the facts about a stored self-play game. The plan must have its openings.
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

// Note passes a move to the game's adjudicator. plies is the number of plies after the move. If the scores end the
// game with this move, Note stores the result in a and returns it. Otherwise, and after it has stored a result, it
// returns the zero Verdict.
func (a *Adjudged) Note(adjudicator *Adjudicator, r *Referee, m *kifu.Move, plies int) match.Verdict {
	scored := m
	if m.Opening { // a random move; its score is that of another one
		scored = &kifu.Move{}
	}
	v := adjudicator.Move(r.Position(), scored)
	if !v.Over() || a.By != match.Unfinished {
		return match.Verdict{}
	}
	a.By, a.At = v.Outcome, plies
	return v
}

// beginning returns the game with its random opening. If the plan has no openings, it uses the moves that the
// record marks as random.
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
