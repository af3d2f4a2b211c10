package runner

import (
	"context"
	"errors"
	"fmt"

	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/usi"
)

// Setter is a Player whose engine options can be changed between searches.
type Setter interface {
	Set(settings []usi.Setting) error
}

// seatAlone prepares the player of a game of self-play and returns it for both sides. After an error it
// closes the player.
func (s *slot) seatAlone(ctx context.Context, at seat, g match.Game) (players [2]Player, err error) {
	game := usi.Game{Seed: g.Seed, Pair: g.Pair, Leg: g.Leg, Slot: s.number, Options: multiPV(s.chance.Lines(0))}
	p, err := s.ready(ctx, s.playerAt(at), at, s.cpus(0), game)
	if p != nil {
		s.use(at, p, 0)
	}
	if err != nil {
		s.discard(at)
	}
	return [2]Player{p, p}, err
}

// multiPV returns the MultiPV setting for a number of lines. For 0 lines it returns no setting.
func multiPV(lines int) []usi.Setting {
	if lines == 0 {
		return nil
	}
	return []usi.Setting{{Name: "MultiPV", Value: fmt.Sprint(lines)}}
}

// ply returns the number of moves after the opening in a game of self-play.
func (g *game) ply() int { return len(g.position.Moves) - len(g.Opening.Moves) }

// chanceFor completes the search request of a move of self-play: the node limit, the number of lines and the
// deadline. If the number of lines has changed, it also sends the player a new MultiPV setting.
func (g *game) chanceFor(c shogi.Colour, r *usi.Request) error {
	r.Go.Nodes, r.MaxPV = g.chance.Nodes(r.Go.Nodes), 1
	r.Deadline = g.limits[c].MoveTime + g.limits[c].Stall // self-play has no loss on time
	if g.ply() == 0 || g.chance.Lines(g.ply()) == g.chance.Lines(g.ply()-1) {
		return nil
	}
	p, ok := g.players[c].(Setter)
	if !ok {
		return errors.New("a temperature needs MultiPV, which a council has not: expected temperature_plies = 0")
	}
	return p.Set(multiPV(g.chance.Lines(g.ply())))
}

// drawn handles the player's reply in a game of self-play. It selects a move with the game's random numbers and plays
// that move. If the player fails or does not answer, drawn returns an error. Then no side loses the game, and the slot
// plays the pair again.
func (g *game) drawn(ctx context.Context, c shogi.Colour, reply usi.Reply, err error) (match.Verdict, error) {
	switch {
	case err != nil:
		return match.Verdict{}, err
	case reply.Stopped:
		return match.Verdict{}, fmt.Errorf("it had to be stopped after %v in %s", reply.Elapsed, g.position)
	}
	move, ply := recordMove(reply, 0), g.ply()
	if ply == 0 {
		if g.chance.Unequal(&move) {
			return match.Verdict{}, g.redraw()
		}
		g.slot.events.gameStarted(g)
	}
	if reply.Answer == usi.AnswerMove {
		var lines []kifu.Move
		for _, l := range reply.Lines {
			if l.HasScore && l.Score.Bound == usi.Exact && len(l.PV) > 0 {
				lines = append(lines, kifu.Move{Move: l.PV[0], Score: l.Score.Number()})
			}
		}
		move = g.chance.Choose(g.referee.Position(), ply, move, lines)
		reply.Move = move.Move
	}
	if !move.Opening {
		g.result.Sides[c].Add(move, 0)
	}
	return g.judge(ctx, c, reply, move, 0), nil
}

// redraw selects another random opening for the game.
func (g *game) redraw() (err error) {
	if g.Opening, err = g.chance.Begin(g.referee); err != nil {
		return err
	}
	g.position = usi.Position{Start: g.Opening.USIStart(), Moves: append([]shogi.Move(nil), g.Opening.Moves...)}
	g.result.Record = g.newRecord()
	return nil
}

// adjudicate returns the verdict if the scores end the game after the move m, or else the zero Verdict. In an audited
// game of self-play the players continue, so that gogi can check the adjudication.
func (g *game) adjudicate(m *kifu.Move) match.Verdict {
	if g.chance == nil {
		return g.adjudicator.Move(g.referee.Position(), m)
	}
	v := g.adjudged.Note(g.adjudicator, g.referee, m, len(g.result.Record.Moves))
	if g.chance.Audited {
		return match.Verdict{}
	}
	return v
}
