package selfplay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"gogi/internal/hurry"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/runner"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/usi"
)

// Player plays both sides. runner.Player is one.
type Player interface {
	NewGame(ctx context.Context, g usi.Game) error
	Think(ctx context.Context, r usi.Request) (usi.Reply, error)
	GameOver(ctx context.Context, o usi.Outcome) error
	Close() error
}

// configurable is a Player whose options can be set between searches.
type configurable interface {
	Configure(settings []usi.Setting) error
}

// Game is one that was played.
type Game struct {
	Start    string      `json:"start"` // SFEN
	Moves    []kifu.Move `json:"-"`     // those that chance gave are marked Opening; of the others Move, Score and Detail, a list of packed.Candidate
	Packed   []byte      `json:"moves"` // Moves, by kifu.Pack
	Result   string      `json:"result"`
	Winner   string      `json:"winner"`                // black, white or draw
	Audited  bool        `json:"audited,omitempty"`     // it went on where scores would have ended it
	Adjudged string      `json:"adjudged,omitempty"`    // the Winner by the scores; "": they did not end it
	At       int         `json:"adjudged_at,omitempty"` // how many plies there were by then
}

// Record is the game as the formats take it; its moves are the game's own.
func (g *Game) Record() kifu.Record {
	return kifu.Record{Start: g.Start, Moves: g.Moves, Result: g.Result, Winner: g.Winner}
}

// maxDraws is how often the beginning of a game may be drawn.
const maxDraws = 200

// seat is a player with what is known of it.
type seat struct {
	*Generator

	player    Player
	lines     int           // MultiPV as it was set; 0: not yet
	searching time.Duration // of all searches
	redrawn   Redrawn
}

// playing is one game in play.
type playing struct {
	*seat

	random      *rand.Rand
	referee     *arbiter.Referee
	adjudicator *arbiter.Adjudicator
	line        usi.Position
	given       int // plies before the player's first
	result      Game
}

// newPlaying has the chance of a game, by its number among all there can be.
func newPlaying(s *seat, number uint64) *playing {
	return &playing{
		seat: s, referee: arbiter.BlankReferee(s.Plan.Rules), adjudicator: arbiter.NewAdjudicator(s.Plan.Adjudication),
		random: rand.New(rand.NewPCG(s.Plan.Seed, number)), //nolint:gosec // to be repeated, not to be secret
	}
}

// newGame makes the player ready for a game.
func (s *seat) newGame(ctx context.Context, g usi.Game) error {
	ctx, stop := hurry.Start(ctx, s.Ending)
	defer stop()
	err := s.player.NewGame(ctx, g)
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// play plays a game. A result whose end is a fault of the player's is one, too.
func (s *seat) play(ctx context.Context, block, number int) (Game, match.Verdict, error) {
	g := newPlaying(s, uint64(block)*MaxGames+uint64(number)) //nolint:gosec // neither is negative
	g.result.Audited = g.random.Float64() < s.Design.Audit
	if err := s.setLines(0); err != nil {
		return Game{}, match.Verdict{}, err
	}
	if err := s.newGame(ctx, usi.Game{Seed: g.random.Uint64(), Pair: block, Leg: number}); err != nil {
		return Game{}, match.Verdict{}, err
	}
	reply, err := g.begin(ctx)
	if err != nil {
		return Game{}, match.Verdict{}, err
	}
	for {
		v, err := g.answer(reply)
		if err != nil {
			return Game{}, match.Verdict{}, err
		}
		if v.Over() {
			return g.finish(ctx, v)
		}
		if reply, err = g.think(ctx); err != nil {
			return Game{}, match.Verdict{}, err
		}
	}
}

// finish completes the game and tells the player, as Black.
func (g *playing) finish(ctx context.Context, v match.Verdict) (Game, match.Verdict, error) {
	g.result.Result, g.result.Winner = v.Termination.String(), v.Outcome.String()
	told := usi.Draw
	if winner, decided := v.Outcome.Winner(); decided {
		told = [2]usi.Outcome{usi.Win, usi.Lose}[winner]
	}
	return g.result, v, g.player.GameOver(ctx, told)
}

// begin draws beginnings until one will do, and returns what the player says of it.
func (g *playing) begin(ctx context.Context) (usi.Reply, error) {
	for range maxDraws {
		ok, err := g.draw()
		if err != nil {
			return usi.Reply{}, err
		}
		if !ok {
			g.redrawn.Ended++
			continue
		}
		reply, err := g.think(ctx)
		if err != nil {
			return reply, err
		}
		best := best(&reply)
		if w := g.Design.Window; w > 0 && best.HasScore && (best.Score.Number() > w || best.Score.Number() < -w) {
			g.redrawn.Unequal++
			continue
		}
		return reply, nil
	}
	return usi.Reply{}, fmt.Errorf("%d beginnings in a row were over or beyond the window: expected fewer random plies, a wider window or other openings", maxDraws)
}

// draw draws a beginning; false: the game was over.
func (g *playing) draw() (bool, error) {
	opening := g.Plan.Openings[g.random.IntN(len(g.Plan.Openings))]
	start, err := opening.Position()
	if err == nil {
		err = g.referee.Restart(start, opening.Moves)
	}
	if err != nil {
		return false, fmt.Errorf("opening %s: %w", opening.ID, err)
	}
	g.result.Start, g.result.Moves = start.SFEN(), nil
	g.line = usi.Position{Start: opening.USIStart()}
	for _, m := range opening.Moves {
		g.keep(kifu.Move{Move: m, Opening: true})
	}
	plies := g.Design.RandomMin + g.random.IntN(g.Design.RandomMax-g.Design.RandomMin+1)
	for range plies {
		m := g.anyMove()
		if v := g.referee.Play(m); v.Over() {
			return false, nil
		}
		g.keep(kifu.Move{Move: m, Opening: true})
	}
	g.given = len(g.line.Moves)
	return true, nil
}

func (g *playing) keep(m kifu.Move) {
	g.line.Moves = append(g.line.Moves, m.Move)
	g.result.Moves = append(g.result.Moves, m)
}

// anyMove is one of the legal moves, in the order of their numbers: that of the generator
// means nothing and may change.
func (g *playing) anyMove() shogi.Move {
	moves := g.referee.Position().LegalMoves(nil)
	slices.Sort(moves)
	return moves[g.random.IntN(len(moves))]
}

// ply is how many plies the player has made.
func (g *playing) ply() int { return len(g.line.Moves) - g.given }

// setLines tells the player how many lines it shall give at a ply of its own.
func (s *seat) setLines(ply int) error {
	if s.Design.TemperaturePlies == 0 {
		return nil
	}
	lines := 1
	if ply < s.Design.TemperaturePlies {
		lines = s.Design.Lines
	}
	if lines == s.lines {
		return nil
	}
	c, ok := s.player.(configurable)
	if !ok {
		return errors.New("a temperature needs MultiPV, which a council has not: expected temperature_plies = 0")
	}
	s.lines = lines
	return c.Configure([]usi.Setting{{Name: "MultiPV", Value: fmt.Sprint(lines)}})
}

// errStalled is a player that does not answer.
var errStalled = errors.New("it had to be stopped")

// think asks the player about the position at hand.
func (g *playing) think(ctx context.Context) (usi.Reply, error) {
	if err := g.setLines(g.ply()); err != nil {
		return usi.Reply{}, err
	}
	limits := g.Plan.Players[0].Limits
	args := runner.GoFor(limits)
	if j := g.Design.NodeJitter; j > 0 {
		args.Nodes = max(1, uint64(math.Round(float64(args.Nodes)*(1+j*(2*g.random.Float64()-1)))))
	}
	r := usi.Request{Position: g.line, Go: args, Deadline: limits.MoveTime + limits.Stall, MaxPV: 1}
	reply, err := g.player.Think(ctx, r)
	g.searching += reply.Elapsed
	switch {
	case ctx.Err() != nil:
		return reply, context.Cause(ctx) // it may have been stopped
	case err != nil:
		return reply, err
	case reply.Stopped:
		return reply, fmt.Errorf("%w after %v in %s", errStalled, reply.Elapsed, g.line)
	}
	return reply, nil
}

// best is what the player says of the position: its best line's last score that is no
// bound, where there is one.
func best(reply *usi.Reply) usi.Info {
	if reply.Exact.HasScore {
		return reply.Exact
	}
	return reply.Best()
}

// answer makes the move of a reply, or one that is drawn in its place.
func (g *playing) answer(reply usi.Reply) (match.Verdict, error) {
	switch reply.Answer {
	case usi.AnswerResign:
		return match.LossFor(g.referee.Side(), match.Resignation, ""), nil
	case usi.AnswerWin:
		return g.referee.Declare(), nil
	case usi.AnswerInvalid:
		return match.LossFor(g.referee.Side(), match.IllegalMove, fmt.Sprintf("it answered %q", reply.Text)), nil
	case usi.AnswerMove:
	}
	move, err := g.choose(&reply)
	if err != nil {
		return match.Verdict{}, err
	}
	v := g.referee.Play(move.Move)
	if v.Termination == match.IllegalMove {
		return v, nil
	}
	g.keep(move)
	if v.Over() {
		return v, nil
	}
	return g.adjudicate(&move), nil
}

// adjudicate ends a game by its scores, or notes in an audited one how it would have.
func (g *playing) adjudicate(move *kifu.Move) match.Verdict {
	v := g.adjudicator.Move(g.referee.Position(), move.Score, move.HasScore && !move.Opening)
	if !v.Over() || g.result.Adjudged != "" {
		return match.Verdict{}
	}
	g.result.Adjudged, g.result.At = v.Outcome.String(), len(g.result.Moves)
	if g.result.Audited {
		return match.Verdict{}
	}
	return v
}

// choose is the move to be made with its score. One that noise gave has the score of the
// position, which pack asks for; nothing is learned from it.
func (g *playing) choose(reply *usi.Reply) (kifu.Move, error) {
	b, ply := best(reply), g.ply()
	m := kifu.Move{Move: reply.Move, Score: b.Score.Number(), HasScore: b.HasScore}
	if g.Candidates != nil && len(reply.Detail) > 0 {
		if list := g.Candidates(reply.Detail); len(list) > 0 {
			var err error
			if m.Detail, err = json.Marshal(list); err != nil {
				return m, err
			}
		}
	}
	if ply < g.Design.TemperaturePlies {
		g.warm(reply, &m)
	}
	if ply < g.Design.NoisePlies && g.random.Float64() < g.Design.Noise {
		m.Move, m.Opening, m.Detail = g.anyMove(), true, nil
	}
	return m, nil
}

// warm draws a move by the temperature among those of the lines, each with its own score.
func (g *playing) warm(reply *usi.Reply, m *kifu.Move) {
	type option struct {
		move  shogi.Move
		score int
	}
	var options []option
	known := func(m shogi.Move) bool {
		return slices.ContainsFunc(options, func(o option) bool { return o.move == m })
	}
	for _, l := range reply.Lines {
		if l.HasScore && len(l.PV) > 0 && !known(l.PV[0]) && g.referee.Position().CheckLegal(l.PV[0]) == nil {
			options = append(options, option{l.PV[0], l.Score.Number()})
		}
	}
	if len(options) < 2 {
		return
	}
	slices.SortFunc(options, func(a, b option) int { return int(a.move) - int(b.move) }) // ties in the list do not matter
	top := slices.MaxFunc(options, func(a, b option) int { return a.score - b.score }).score
	total := 0.0
	weights := make([]float64, len(options))
	for i, o := range options {
		weights[i] = math.Exp(float64(o.score-top) / g.Design.Temperature)
		total += weights[i]
	}
	at := g.random.Float64() * total
	for i, o := range options {
		if at -= weights[i]; at < 0 || i == len(options)-1 {
			m.Move, m.Score, m.HasScore = o.move, o.score, true
			return
		}
	}
}
