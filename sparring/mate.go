package sparring

import (
	"context"

	"gogi/shogi"
	"gogi/usi"
)

// Mate looks for a mate by the side to move, with the search for moves: it finds
// short ones. r.Go.MateTime is its limit; 0 means until ctx ends. A line that is
// answered has been played to the checkmate.
func (e *Engine) Mate(ctx context.Context, r usi.Request) (usi.Checkmate, error) {
	r.Go = usi.Go{Mate: true, MateTime: r.Go.MateTime, Infinite: r.Go.MateTime == 0}
	reply, err := e.Think(ctx, r)
	if err != nil {
		return usi.Checkmate{}, err
	}
	answer := usi.Checkmate{Answer: usi.MateTimeout, Nodes: reply.Nodes, Elapsed: reply.Elapsed, Stopped: reply.Stopped}
	best := reply.Best()
	switch {
	case reply.Answer == usi.AnswerResign || best.Score.Mate < 0:
		answer.Answer = usi.MateNone
	case best.Score.Mate > 0 && mateLine(r.Position, best.PV):
		answer.Answer, answer.Moves = usi.MateFound, best.PV
	}
	return answer, nil
}

// mateLine reports whether the moves end in checkmate: a variation that comes
// out of the hash table may stop before it.
func mateLine(p usi.Position, moves []shogi.Move) bool {
	history, err := p.History()
	if err != nil || len(moves)%2 == 0 {
		return false
	}
	for _, m := range moves {
		if history.Position().CheckLegal(m) != nil {
			return false
		}
		history.Push(m)
	}
	return history.Position().InCheck() && !history.Position().HasLegalMove()
}
