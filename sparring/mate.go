package sparring

import (
	"context"

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
	history, err := r.Position.History()
	if err != nil {
		return usi.Checkmate{}, err
	}
	answer := usi.Checkmate{Answer: usi.MateTimeout, Nodes: reply.Nodes, Elapsed: reply.Elapsed, Stopped: reply.Stopped}
	best := reply.Best()
	switch {
	case reply.Answer == usi.AnswerResign || best.Score.Mate < 0:
		answer.Answer = usi.MateNone
	case best.Score.Mate > 0 && history.Position().EndsInMate(best.PV):
		answer.Answer, answer.Moves = usi.MateFound, best.PV
	}
	return answer, nil
}
