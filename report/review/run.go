package review

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
)

// Engine is asked about the positions of one game after the other. Its methods are called
// by one goroutine at a time; after an error it is closed.
type Engine interface {
	// Begin starts another game: earlier questions must have no effect.
	Begin(ctx context.Context, g *Game) error
	// Ask reads the position after the first ply moves of that game; plies only rise.
	Ask(ctx context.Context, g *Game, ply int) (Reading, error)
	Close() error
}

// ErrStart marks an engine that cannot be started at all, which ends a review.
var ErrStart = errors.New("the engine cannot be started")

// failuresInARow end a review: so many failures are the engine's fault and not a game's.
const failuresInARow = 3

// Review is games to be read. A game that fails twice is left out.
type Review struct {
	Games     []*Game
	Processes int // games at a time, each with an engine of its own
	Open      func(ctx context.Context) (Engine, error)
	Log       *Log
	Progress  func(Progress) // called after each position, by one goroutine at a time; may be nil

	mu       sync.Mutex
	progress Progress
	failed   []Failure
	row      int // games that failed without one between that did not
	began    time.Time
}

// Progress is how far a review is.
type Progress struct {
	Games, OfGames         int // the ones that the file had already left out
	Positions, OfPositions int
	Elapsed                time.Duration
}

// Left returns the time for the rest at the speed so far; 0 before the first reading.
func (p Progress) Left() time.Duration {
	if p.Positions == 0 {
		return 0
	}
	return time.Duration(float64(p.Elapsed) / float64(p.Positions) * float64(p.OfPositions-p.Positions))
}

// Failure is a game that could not be read.
type Failure struct {
	Game *Game
	Err  error
}

// Done counts the results of a review.
type Done struct {
	Read      int // games that were read now
	Had       int // games that the file had
	Duplicate int // games that were given twice
	Failed    []Failure
}

// Run reads all games that the file lacks, in their order, one per process at a time. The error is the
// reason for an early end; the file has the readings until then.
func (v *Review) Run(ctx context.Context) (Done, error) {
	todo, done := v.todo()
	v.began = time.Now()
	next := make(chan *Game)
	all, ctx := errgroup.WithContext(ctx)
	for range min(v.Processes, len(todo)) {
		all.Go(func() error { return v.work(ctx, next) })
	}
	all.Go(func() error {
		defer close(next)
		for _, g := range todo {
			select {
			case next <- g:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
		return nil
	})
	err := all.Wait()
	done.Failed, done.Read = v.failed, v.progress.Games
	return done, err
}

// todo returns the games left to read, and the counts before the first one.
func (v *Review) todo() (list []*Game, done Done) {
	seen := map[string]bool{}
	for _, g := range v.Games {
		switch {
		case seen[g.ID]:
			done.Duplicate++
		case v.Log.Has(g.ID):
			done.Had++
		default:
			list = append(list, g)
			v.progress.OfPositions += len(g.Moves) + 1 - g.Given
		}
		seen[g.ID] = true
	}
	v.progress.OfGames = len(list)
	return list, done
}

// work reads games until there are no more.
func (v *Review) work(ctx context.Context, next <-chan *Game) (err error) {
	var engine Engine
	defer func() {
		if engine != nil {
			err = errors.Join(err, engine.Close())
		}
	}()
	for g := range next {
		for try := 1; ; try++ {
			if engine == nil {
				opened, err := v.Open(ctx)
				if err != nil { // then opened may hold a nil pointer
					return err
				}
				engine = opened
			}
			r, err := v.read(ctx, engine, g)
			if err == nil {
				if err := v.keep(r); err != nil {
					return err
				}
				break
			}
			_ = engine.Close() // it has failed, and the failure is reported
			engine = nil
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if try == 2 { // a fault may be bad luck; twice is an answer, too
				if err := v.fail(g, err); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// read asks about every position from the end of the given moves on.
func (v *Review) read(ctx context.Context, e Engine, g *Game) (*Reviewed, error) {
	if err := e.Begin(ctx, g); err != nil {
		return nil, err
	}
	r := &Reviewed{Game: g, Readings: make([]*Reading, len(g.Moves)+1)}
	for ply := g.Given; ply <= len(g.Moves); ply++ {
		reading, err := e.Ask(ctx, g, ply)
		if err != nil {
			v.step(g.Given-ply, 0) // they are asked again, or left out
			return nil, fmt.Errorf("after %d moves: %w", ply, err)
		}
		r.Readings[ply] = &reading
		v.step(1, 0)
	}
	return r, nil
}

// keep writes a game down.
func (v *Review) keep(r *Reviewed) error {
	if err := v.Log.Add(r); err != nil {
		return fmt.Errorf("writing %s: %w", v.Log.path, err)
	}
	v.step(0, 1)
	return nil
}

// step counts, and reports the progress.
func (v *Review) step(positions, games int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.progress.Positions += positions
	v.progress.Games += games
	v.progress.Elapsed = time.Since(v.began)
	if games > 0 {
		v.row = 0
	}
	if v.Progress != nil {
		v.Progress(v.progress)
	}
}

// fail notes a game that is left out; too many in a row end the review.
func (v *Review) fail(g *Game, why error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.failed = append(v.failed, Failure{g, why})
	v.progress.OfPositions -= len(g.Moves) + 1 - g.Given
	v.progress.OfGames--
	if v.row++; v.row >= failuresInARow {
		return fmt.Errorf("%d games in a row could not be read, the last one %s: %w", v.row, g.Event, why)
	}
	return nil
}
