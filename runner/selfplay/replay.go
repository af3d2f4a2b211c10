package selfplay

import (
	"errors"
	"fmt"

	"gogi/match"
)

// errBeginning is a game that does not begin as its number among the block's says.
var errBeginning = errors.New("it does not begin as chance has it for its number")

// Replay says why a block cannot have been played by a plan and a design, or nil: each
// game begins as chance gives it, its moves are legal, it ends by the rules, by the scores
// that are written in it or by its player's word, and with the result that follows. That
// the player would have made these moves only the player can say.
func (b *Block) Replay(plan *match.Plan, d Design) error {
	left := 0 // games that a fault ended
	for how, n := range b.Discarded {
		if n < 1 || n > d.Games {
			return fmt.Errorf("%d games that ended by %s", n, how)
		}
		left += n
	}
	if len(b.Games)+left != d.Games {
		return fmt.Errorf("it has %d games and %d that a fault ended: expected %d together", len(b.Games), left, d.Games)
	}
	s := &seat{Generator: &Generator{Plan: plan, Design: d}}
	number := 0
	for i := range b.Games {
		err := s.replay(b.Number, number, &b.Games[i])
		for ; errors.Is(err, errBeginning) && left > 0; left-- { // it may be the next one
			number++
			err = s.replay(b.Number, number, &b.Games[i])
		}
		if err != nil {
			return fmt.Errorf("game %d: %w", i, err)
		}
		number++
	}
	return nil
}

// replay plays a game's moves again.
func (s *seat) replay(block, number int, told *Game) error {
	g := newPlaying(s, uint64(block)*MaxGames+uint64(number)) //nolint:gosec // neither is negative
	g.result.Audited = g.random.Float64() < s.Design.Audit
	_ = g.random.Uint64() // the seed that the player is told
	if told.Audited != g.result.Audited {
		return errBeginning
	}
	if err := g.find(told); err != nil {
		return err
	}
	var v match.Verdict
	for i := g.given; i < len(told.Moves); i++ {
		m := &told.Moves[i]
		if v.Over() {
			return fmt.Errorf("it goes on after move %d, with which it was over: %s", i, v.Termination)
		}
		if v = g.referee.Play(m.Move); v.Termination == match.IllegalMove {
			return fmt.Errorf("move %d, %s, is illegal", i+1, m.Move)
		}
		if g.keep(*m); !v.Over() {
			v = g.adjudicate(m)
		}
	}
	return g.ends(v, told)
}

// find draws beginnings until the game's is drawn.
func (g *playing) find(told *Game) error {
	for range maxDraws {
		ok, err := g.draw()
		if err != nil {
			return err
		}
		if ok && g.began(told) {
			return nil
		}
		if ok && g.Design.NodeJitter > 0 {
			_ = g.random.Float64() // of the search of what was drawn
		}
	}
	return errBeginning
}

// began reports whether a game has the beginning that was drawn.
func (g *playing) began(told *Game) bool {
	if told.Start != g.result.Start || len(told.Moves) < g.given {
		return false
	}
	for i := range g.given {
		if told.Moves[i].Move != g.line.Moves[i] || !told.Moves[i].Opening {
			return false
		}
	}
	return true
}

// ends compares the end with what a game says of it. Where neither rules nor scores have
// ended it, it may be resigned or declared.
func (g *playing) ends(v match.Verdict, told *Game) error {
	may := []match.Verdict{v}
	if !v.Over() {
		may = []match.Verdict{match.LossFor(g.referee.Side(), match.Resignation, "")}
		if d := g.referee.Declare(); !d.Termination.IsFault() {
			may = append(may, d)
		}
	}
	if told.Adjudged != g.result.Adjudged || told.At != g.result.At {
		return fmt.Errorf("its scores would end it as %q after %d plies, it says %q after %d", g.result.Adjudged, g.result.At, told.Adjudged, told.At)
	}
	for _, v := range may {
		if v.Termination.String() == told.Result && v.Outcome.String() == told.Winner {
			return nil
		}
	}
	return fmt.Errorf("it says %s, %s; by its moves it is %s, %s", told.Result, told.Winner, may[0].Termination, may[0].Outcome)
}
