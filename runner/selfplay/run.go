package selfplay

import (
	"context"
	"errors"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gogi/internal/hurry"
)

// Run plays the blocks that a folder lacks.
type Run struct {
	Folder    *Folder
	Generator *Generator
	Blocks    int // wanted, from 0 on
	Slots     int // that are played at a time, from 1; the data do not depend on it
	// Told hears of every block that is kept, one at a time, with how many there are now;
	// nil: nobody does.
	Told func(b *Block, there int)
	// Stop, when closed, lets those in play be the last; nil: all are played. One whose
	// player takes long to start is given up then, see Generator.Ending.
	Stop <-chan struct{}

	mu      sync.Mutex
	next    int
	there   map[int]bool
	session Session
}

// Session is what one Play did.
type Session struct {
	Blocks    int
	Games     int           // kept
	Positions int           // that the player thought about and moved in
	Searching time.Duration // of all slots, in searches
	Busy      time.Duration // of all slots, with blocks that were kept
	Took      time.Duration // from its beginning to its end
}

// Play plays what is missing. A block is kept as soon as it is whole, in whatever order
// they end, so that nothing of one that is kept is ever lost. The first error ends all.
func (r *Run) Play(ctx context.Context) (Session, error) {
	var err error
	if r.there, err = r.Folder.Blocks(); err != nil {
		return Session{}, err
	}
	for n := range r.there {
		if n >= r.Blocks {
			delete(r.there, n) // of an earlier wish for more
		}
	}
	begun := time.Now()
	slots, inner := errgroup.WithContext(ctx)
	for range min(max(1, r.Slots), r.Blocks-len(r.there)) {
		slots.Go(func() error { return r.slot(inner) })
	}
	err = slots.Wait()
	r.session.Took = time.Since(begun)
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return r.session, err
}

// Missing is how many blocks are not there after Play.
func (r *Run) Missing() int { return r.Blocks - len(r.there) }

func (r *Run) slot(ctx context.Context) error {
	g := *r.Generator
	g.Ending = r.Stop
	for {
		n, ok := r.take()
		if !ok {
			return nil
		}
		b, err := g.Block(ctx, n)
		if errors.Is(err, hurry.ErrEnding) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.Folder.Put(b); err != nil {
			return err
		}
		r.kept(b)
	}
}

// take is the first block that is missing and that nobody plays.
func (r *Run) take() (int, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case <-r.Stop:
		return 0, false
	default:
	}
	for r.there[r.next] {
		r.next++
	}
	r.next++
	return r.next - 1, r.next <= r.Blocks
}

func (r *Run) kept(b *Block) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.there[b.Number] = true
	s := &r.session
	s.Blocks++
	s.Games += len(b.Games)
	for i := range b.Games {
		for j := range b.Games[i].Moves {
			if !b.Games[i].Moves[j].Opening {
				s.Positions++
			}
		}
	}
	s.Searching += b.Searching
	s.Busy += b.Took
	if r.Told != nil {
		r.Told(b, len(r.there))
	}
}
