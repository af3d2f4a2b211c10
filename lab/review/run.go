package review

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Engine evaluates the positions of games, one game after the other. Only one goroutine at a time calls its
// methods. After an error the review closes the engine.
type Engine interface {
	// Begin starts another game. Earlier positions must have no effect on it.
	Begin(ctx context.Context, g *Game) error
	// Ask returns the reading of the position after the first ply moves of the game. Within a game, ply only
	// increases.
	Ask(ctx context.Context, g *Game, ply int) (Reading, error)
	Close() error
}

// ErrStart is the error for an engine that cannot be started. It ends a review.
var ErrStart = errors.New("the engine cannot be started")

// failuresInARow is the number of failed games in a row that ends a review. With so many failures the cause
// is the engine, not a game.
const failuresInARow = 3

// Review has the games to review and the settings. If the engine fails twice in the same game, the review
// leaves out the game.
type Review struct {
	Games     []*Game
	Processes int // number of games at a time, each with its own engine
	Open      func(ctx context.Context) (Engine, error)
	Log       *Log
	Progress  func(Progress) // called after each position, by one goroutine at a time; may be nil

	mu       sync.Mutex
	progress Progress
	failed   []Failure
	row      int // number of games that failed in a row
}

// Progress is the progress of a review.
type Progress struct {
	Games, OfGames         int // without the games that the file already had
	Positions, OfPositions int
}

// Failure is a game that the engine could not analyse, with the error.
type Failure struct {
	Game *Game
	Err  error
}

// Done is the summary of a finished review: the numbers of games, and the failures.
type Done struct {
	Read      int // games that this review read
	Had       int // games that the file already had
	Duplicate int // games that occur twice in Review.Games
	Failed    []Failure
}

// Run reviews all games that are not in the file yet, in their order. Each engine process analyses one game
// at a time. If Run ends early, it returns the error. The file then has the games that were completed before.
func (v *Review) Run(ctx context.Context) (Done, error) {
	todo, done := v.todo()
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

// todo returns the games that are not in the file yet, and counts the games that Run does not have to read.
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

// work reads the games from the channel next until it is closed. It starts an engine when it needs one.
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
				if err != nil { // after an error, opened may hold a nil pointer
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
			_ = engine.Close() // the engine has failed already, and the failure is reported
			engine = nil
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if try == 2 { // one failure may be chance, a second one is not
				if err := v.fail(g, err); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// read reads every position of a game from the end of the opening's moves on.
func (v *Review) read(ctx context.Context, e Engine, g *Game) (*Reviewed, error) {
	if err := e.Begin(ctx, g); err != nil {
		return nil, err
	}
	r := &Reviewed{Game: g, Readings: make([]*Reading, len(g.Moves)+1)}
	for ply := g.Given; ply <= len(g.Moves); ply++ {
		reading, err := e.Ask(ctx, g, ply)
		if err != nil {
			v.step(g.Given-ply, 0) // these positions will be read again, or are left out
			return nil, fmt.Errorf("after %d moves: %w", ply, err)
		}
		r.Readings[ply] = &reading
		v.step(1, 0)
	}
	return r, nil
}

// keep writes a game to the log.
func (v *Review) keep(r *Reviewed) error {
	if err := v.Log.Add(r); err != nil {
		return fmt.Errorf("writing %s: %w", v.Log.path, err)
	}
	v.step(0, 1)
	return nil
}

// step adds to the counts of positions and games, and reports the progress.
func (v *Review) step(positions, games int) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.progress.Positions += positions
	v.progress.Games += games
	if games > 0 {
		v.row = 0
	}
	if v.Progress != nil {
		v.Progress(v.progress)
	}
}

// fail records a game that is left out. It returns an error if too many games in a row have failed.
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
