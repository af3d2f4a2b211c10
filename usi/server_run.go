package usi

import (
	"context"
	"errors"
	"sync"

	"gogi/shogi"
)

// state is the state of a Server's search. Without a search the Server is idle. This table has the effect of each
// command in each state: "answer" means that the Server sends the answer of the search, – that nothing happens, and
// the last word is the next state.
//
//	command    idle        thinking, solving   held                    pondering
//	go         thinking    answer, thinking    answer, thinking        answer, thinking
//	go ponder  pondering   (as go, with the state pondering: held if the Served cannot ponder)
//	go inf.    held        (as go, with the state held)
//	go mate    solving     (as go, with the state solving)
//	stop       –           answer, idle        answer, idle            Think (ended ctx), answer, idle
//	ponderhit  –           –                   thinking (ponder only)  Think: thinking
//	gameover, isready, usinewgame: as stop, then their own work
//	the end    –           answer              answer                  –
type state uint8

const (
	thinking  state = iota // Think runs; the Server sends its answer when it comes
	held                   // Think runs or has ended; the answer waits for a command
	pondering              // the Served searches without a goroutine of the Server
	solving                // Mate runs
)

// run is one "go" whose answer has not been sent.
type run struct {
	state   state
	asked   Go // as the GUI sent it
	request Request
	bad     error              // error of the position; then there is no search
	cancel  context.CancelFunc // stops the search
	release chan struct{}      // closed by the command that allows the answer of held
	ended   chan struct{}      // closed by the search's goroutine after it queued the answer
	silent  bool               // set before release is closed: send no answer, because ponderhit starts a new search
	stopped bool               // the GUI ended a ponder search without ponderhit; set before release is closed

	mu   sync.Mutex
	over bool       // the answer was sent, so drop further infos
	best shogi.Move // the first move of the best line in the last info
}

func (s *server) newRun(g Go) *run {
	r := &run{asked: g, bad: s.bad, release: make(chan struct{}), ended: make(chan struct{})}
	r.request = Request{Position: s.position, Go: g, OnInfo: func(i Info) { s.info(r, i) }}
	return r
}

// active returns the active search, or nil.
func (s *server) active() *run {
	if s.run != nil {
		select {
		case <-s.run.ended:
			s.run = nil
		default:
		}
	}
	return s.run
}

// launch starts the goroutine that runs a search.
func (s *server) launch(ctx context.Context, r *run) {
	ctx, r.cancel = context.WithCancel(ctx)
	s.run = r
	go func() {
		defer close(r.ended)
		defer r.cancel()
		if r.state == solving {
			s.solve(ctx, r)
		} else {
			s.think(ctx, r)
		}
	}()
}

func (s *server) think(ctx context.Context, r *run) {
	reply, err := Reply{}, r.bad
	if err == nil {
		reply, err = s.served.Think(ctx, r.request)
		if reply.Answer == AnswerMove && reply.Move == shogi.NoMove {
			reply.Answer = AnswerInvalid
		}
		if err == nil && reply.Answer == AnswerInvalid {
			err = errors.New("the search ended without an answer")
		}
	}
	if r.state == held {
		<-r.release
	}
	if r.silent {
		r.mute()
		return
	}
	s.report(err)
	s.conclude(r, answerTo(r, reply).String())
}

func (s *server) solve(ctx context.Context, r *run) {
	c, err := Checkmate{Answer: MateNotImplemented}, r.bad
	if solver, ok := s.served.(ServedSolver); ok && err == nil {
		c, err = solver.Mate(ctx, r.request)
	}
	if err != nil {
		s.report(err)
		c = Checkmate{Answer: MateTimeout}
	}
	s.conclude(r, c.String())
}

// conclude sends the answer line of search r to the client. No info of this search follows the answer.
func (s *server) conclude(r *run, line string) {
	r.mute()
	s.out.send(line)
}

// mute drops all further infos of the search.
func (r *run) mute() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.over = true
}

// info sends an info line of the search r to the GUI. It never waits for the GUI.
func (s *server) info(r *run, i Info) {
	line := i.String()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.over {
		return
	}
	if len(i.PV) > 0 && i.MultiPV <= 1 {
		r.best = i.PV[0]
	}
	s.out.info(line)
}

// known returns the last move that the search preferred. Without such a move it returns the first legal move
// if anyMove is set, else NoMove.
func (r *run) known(anyMove bool) shogi.Move {
	r.mu.Lock()
	best := r.best
	r.mu.Unlock()
	if r.bad != nil {
		return shogi.NoMove
	}
	h, err := r.request.Position.History()
	if err != nil {
		return shogi.NoMove
	}
	if best != shogi.NoMove && h.Position().CheckLegal(best) == nil {
		return best
	}
	if moves := h.Position().LegalMoves(nil); anyMove && len(moves) > 0 {
		return moves[0]
	}
	return shogi.NoMove
}
