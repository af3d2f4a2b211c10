// Package openings makes sets of openings, and measures openings from stored games. A [Maker] makes a set
// with an engine, [Draw] selects a set from a book, and a [Gatherer] counts games by opening. To read a
// user's openings, use package configs/openings.
package openings

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"gogi/shogi"
	"gogi/usi"
)

// Design has the settings of the openings to make. The same design, engine and options make the same openings
// if the engine is deterministic.
type Design struct {
	Plies  int    `default:"16" placeholder:"N" help:"Number of plies of each opening (default ${default})."`
	Nodes  uint64 `default:"100000" placeholder:"N" help:"Number of nodes of each search (default ${default})."`
	Lines  int    `name:"multipv" default:"8" placeholder:"N" help:"Number of best lines (MultiPV) from which gogi chooses a move (default ${default})."`
	Margin int    `default:"60" placeholder:"CP" help:"Maximum loss of a move against the best move, in centipawns (default ${default})."`
	// applies to the scores of both sides
	Window int    `default:"100" placeholder:"CP" help:"Maximum distance of the final score from equal, in centipawns (default ${default})."`
	Centre int    `default:"0" placeholder:"CP" help:"Score for Black that counts as equal, in centipawns (default ${default})."`
	Seed   uint64 `default:"1" placeholder:"N" help:"Seed of the random choices (default ${default})."`
	Start  string `default:"startpos" placeholder:"LINE" help:"First position: startpos, or \"sfen …\", also with moves, which --plies does not count (default ${default})."`
}

// String returns the design as text for the first line of a file of openings. It leaves out a Centre of zero, so
// that gogi can continue files that were begun before Centre existed.
func (d Design) String() string {
	centre := ""
	if d.Centre != 0 {
		centre = fmt.Sprintf(" centre=%d", d.Centre)
	}
	return fmt.Sprintf("seed=%d plies=%d nodes=%d multipv=%d margin=%d window=%d%s start=%s",
		d.Seed, d.Plies, d.Nodes, d.Lines, d.Margin, d.Window, centre, d.Start)
}

// near reports whether both scores of an end position are within the window.
func (d Design) near(values [2]int) bool {
	return max(abs(values[0]-d.Centre), abs(values[1]-d.Centre)) <= d.Window
}

func abs(v int) int { return max(v, -v) }

// Opening is an opening that a Maker found.
type Opening struct {
	Attempt int // number of the attempt, from 0
	Line    usi.Position
	// Black and White are the engine's scores in centipawns from Black's view, with Black or White to move.
	// One is the score of the end position, the other the score of the position before the last move.
	Black, White int
}

// String returns the opening as a line of a file. A comment after # has the number of the attempt and the
// scores.
func (o Opening) String() string {
	return fmt.Sprintf("%s # %d %+d %+d", Text(o.Line), o.Attempt, o.Black, o.White)
}

// Text returns a position and its moves in the notation of opening files.
func Text(line usi.Position) string { return strings.TrimPrefix(line.String(), "position ") }

// Thinker is a started engine whose option MultiPV is set.
type Thinker interface {
	NewGame(ctx context.Context, g usi.Game) error
	Think(ctx context.Context, r usi.Request) (usi.Reply, error)
	Close() error
}

// Maker makes openings with one or more engines, by random moves that are nearly as good as the engine's best move.
type Maker struct {
	Design Design
	Wanted int // total number of openings, including existing openings
	Slots  int // number of engines that run at the same time, at least 1
	Open   func(ctx context.Context) (Thinker, error)
	Found  func(o Opening) error // called for each opening in the order of attempts; an error ends Run
	// Given has lines that the engine scores instead of random lines. Attempt n is line n. Run ends after the
	// last line, even if it found fewer than Wanted.
	Given []usi.Position
	// Tried, if not nil, is called after each attempt with the numbers of attempts and openings so far.
	Tried func(tried, found int)

	seen    map[string]bool // ends
	count   int
	first   int // number of the first attempt
	Refused Refused
}

// Refused counts the attempts of a Maker that gave no opening, by reason.
type Refused struct {
	Unequal  int `json:"unequal"`  // a score is outside the window
	Repeated int `json:"repeated"` // the line leads to the same position as an earlier opening
	Ended    int `json:"ended"`    // the game ended, or the engine resigned
}

// maxBarren is the largest number of attempts in a row without a new opening. Then Run returns an error.
const maxBarren = 500

// Run makes the missing openings. made has the existing openings in the order of their attempts. Run returns
// an error if an engine fails, or if 500 attempts in a row gave no opening.
func (m *Maker) Run(ctx context.Context, made []Opening) error {
	if err := m.recall(made); err != nil || m.count >= m.Wanted {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	slots, inner := errgroup.WithContext(ctx)
	results := make(chan attempt) // results of the slots; closed when all slots have ended
	next := atomic.Int64{}
	next.Store(int64(m.first))
	for range max(1, m.Slots) {
		slots.Go(func() error { return m.slot(inner, &next, results) })
	}
	failed := make(chan error, 1)
	go func() {
		failed <- slots.Wait()
		close(results)
	}()
	err := m.collect(results, cancel)
	slotsErr := <-failed
	switch {
	case err != nil || m.count >= m.Wanted:
		return err
	case ctx.Err() != nil && slotsErr == nil:
		return context.Cause(ctx)
	}
	return slotsErr
}

func (m *Maker) recall(made []Opening) error {
	m.seen = map[string]bool{}
	for _, o := range made {
		end, err := endOf(o.Line)
		if err != nil {
			return fmt.Errorf("attempt %d: %w", o.Attempt, err)
		}
		m.seen[end], m.first = true, max(m.first, o.Attempt+1)
	}
	m.count = len(made)
	return nil
}

// endOf returns the SFEN of the position after a line, without the move number.
func endOf(line usi.Position) (string, error) {
	h, err := line.History()
	if err != nil {
		return "", err
	}
	sfen := h.Position().SFEN()
	return sfen[:strings.LastIndexByte(sfen, ' ')], nil
}

// attempt is the result of one attempt.
type attempt struct {
	number  int
	opening Opening
	why     func(r *Refused) // increases the counter of the reason for a rejection; nil: not rejected
}

// slot starts an engine and makes attempts with it until the context ends.
func (m *Maker) slot(ctx context.Context, next *atomic.Int64, results chan<- attempt) (err error) {
	engine, err := m.Open(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	for ctx.Err() == nil {
		n := int(next.Add(1) - 1)
		if m.Given != nil && n >= len(m.Given) {
			return nil
		}
		a, err := m.try(ctx, engine, n)
		if err != nil {
			return fmt.Errorf("attempt %d: %w", n, err)
		}
		select {
		case results <- a:
		case <-ctx.Done():
		}
	}
	return nil
}

// collect processes the results of attempts in the order of their numbers. After the last needed opening or
// an error, it calls end to stop the slots and ignores further results.
func (m *Maker) collect(results <-chan attempt, end func()) (err error) {
	waiting := map[int]attempt{}
	turn, barren := m.first, 0
	for a := range results {
		waiting[a.number] = a
		for {
			a, here := waiting[turn]
			if !here || err != nil || m.count >= m.Wanted {
				break
			}
			delete(waiting, turn)
			turn++
			barren++
			var taken bool
			if taken, err = m.take(a); taken {
				barren = 0
			}
			if m.Tried != nil {
				m.Tried(turn, m.count)
			}
			if err == nil && barren >= maxBarren && m.Given == nil {
				err = fmt.Errorf("%d attempts in a row gave no opening (%d unequal, %d repeated, %d ended): expected a wider window or margin, a centre that is the engine's value of equal positions, or fewer openings",
					barren, m.Refused.Unequal, m.Refused.Repeated, m.Refused.Ended)
			}
		}
		if err != nil || m.count >= m.Wanted {
			end()
		}
	}
	return err
}

// take adds the opening of an attempt, and returns whether it did. It adds no opening of a rejected attempt and no
// opening whose end position is already known.
func (m *Maker) take(a attempt) (bool, error) {
	if a.why != nil {
		a.why(&m.Refused)
		return false, nil
	}
	end, err := endOf(a.opening.Line)
	if err != nil {
		return false, err
	}
	if m.seen[end] {
		m.Refused.Repeated++
		return false, nil
	}
	m.seen[end] = true
	m.count++
	return true, m.Found(a.opening)
}

// try makes an attempt to find an opening; number is the number of the attempt. In each position it plays a random
// move of the engine's best lines. At the end position the engine searches once more for the score.
func (m *Maker) try(ctx context.Context, engine Thinker, number int) (attempt, error) {
	if m.Given != nil {
		return m.value(ctx, engine, number)
	}
	d := &m.Design
	start, err := usi.ParsePosition(d.Start)
	if err != nil {
		return attempt{}, err
	}
	a := attempt{number: number, opening: Opening{Attempt: number, Line: start}}
	random := rand.New(rand.NewPCG(d.Seed, uint64(number)))
	if err := engine.NewGame(ctx, usi.Game{Seed: random.Uint64()}); err != nil {
		return a, err
	}
	var values [2]int // scores of the last two searches from Black's view, by the side to move
	for ply := range d.Plies + 1 {
		h, err := a.opening.Line.History()
		if err != nil {
			return a, err
		}
		p := h.Position()
		lines, err := m.ask(ctx, engine, a.opening.Line)
		if err != nil {
			return a, err
		}
		if len(lines) == 0 {
			a.why = func(r *Refused) { r.Ended++ }
			return a, nil
		}
		values[p.Side()] = forBlack(p, lines)
		if ply < d.Plies {
			a.opening.Line.Moves = append(slices.Clip(a.opening.Line.Moves), m.draw(p, lines, random))
		}
	}
	a.judge(d, values)
	return a, nil
}

// forBlack returns the score of the best line from Black's view.
func forBlack(p *shogi.Position, lines []usi.Info) int {
	best := lines[0].Score.Number()
	if p.Side() == shogi.White {
		return -best
	}
	return best
}

// judge stores the scores of the end position, by the side to move, and rejects the attempt if they are
// outside the window.
func (a *attempt) judge(d *Design, values [2]int) {
	a.opening.Black, a.opening.White = values[shogi.Black], values[shogi.White]
	if !d.near(values) {
		a.why = func(r *Refused) { r.Unequal++ }
	}
}

// ask lets the engine search a position and returns its lines that have a score and a move, best first. It
// returns no lines if the engine resigns or declares, and an error if no line has a score.
func (m *Maker) ask(ctx context.Context, engine Thinker, line usi.Position) (lines []usi.Info, err error) {
	reply, err := engine.Think(ctx, usi.Request{Position: line, Go: usi.Go{Nodes: m.Design.Nodes}})
	if err != nil {
		return nil, err
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx) // the search may have been stopped
	}
	if reply.Answer == usi.AnswerInvalid {
		return nil, fmt.Errorf("it answered %q in %s", reply.Text, Text(line))
	}
	if reply.Answer != usi.AnswerMove {
		return nil, nil
	}
	for _, l := range reply.Lines {
		if l.HasScore && l.Score.Bound == usi.Exact && len(l.PV) > 0 {
			lines = append(lines, l)
		}
	}
	slices.SortStableFunc(lines, func(a, b usi.Info) int { return b.Score.Number() - a.Score.Number() })
	if len(lines) == 0 && reply.Exact.HasScore { // the search ended with a bound
		lines = append(lines, reply.Exact)
	}
	if len(lines) == 0 {
		return nil, errors.New("it gave no line with an exact score: expected one that says score and pv")
	}
	return lines, nil
}

// draw returns the first move of a random line whose score is near the best. It sorts the lines by move
// first, so that the order of lines with equal scores has no effect.
func (m *Maker) draw(p *shogi.Position, lines []usi.Info, random *rand.Rand) shogi.Move {
	best := lines[0].Score.Number()
	var moves []shogi.Move
	for _, l := range lines {
		if best-l.Score.Number() <= m.Design.Margin && p.CheckLegal(l.PV[0]) == nil && !slices.Contains(moves, l.PV[0]) {
			moves = append(moves, l.PV[0])
		}
	}
	if len(moves) == 0 {
		return lines[0].PV[0] // an illegal move, which the error will show
	}
	slices.Sort(moves)
	return moves[random.IntN(len(moves))]
}
