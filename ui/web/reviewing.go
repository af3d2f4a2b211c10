package web

import (
	"context"
	"net/http"
	"sync"

	"gogi/report/review"
	"gogi/results"
	"gogi/shogi/kifu"
)

// An Analyst reviews games with the engine that the owner of the server has chosen. A reader cannot choose another
// engine, because a page must not start programs that a request or a database names.
type Analyst struct {
	Engine string // the name of the engine, for the button
	// Review reviews a game. It calls done after each position.
	Review func(ctx context.Context, record *kifu.Record, done func(positions, of int)) (*review.Review, error)
}

// reviews are the reviews that holders of the token order. One is in progress at a time. The zero value is ready for
// use.
type reviews struct {
	mu     sync.Mutex
	now    *ordered // nil: no review is in progress
	failed *ordered // the latest review, if it failed
	ended  bool     // no review begins any more
	jobs   sync.WaitGroup
}

// ordered is a review of one game.
type ordered struct {
	Run, Game string // as the names were when the review began
	Done, Of  int    // positions
	Err       error
	run       int64 // results.RunInfo.ID
	cancel    context.CancelFunc
}

// of reports whether this is the review of a game.
func (o *ordered) of(g *storedGame) bool { return o != nil && o.run == g.info.ID && o.Game == g.name() }

// start reviews a game in the background and stores the review in the file that path returns at the end. It does
// nothing while a review is in progress.
func (v *reviews) start(a *Analyst, g *storedGame, path func(context.Context) (string, error)) {
	ctx, cancel := context.WithCancel(context.Background())
	job := &ordered{Run: g.info.Name, Game: g.name(), run: g.info.ID, cancel: cancel}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.now != nil || v.ended {
		cancel()
		return
	}
	v.now, v.failed = job, nil
	v.jobs.Go(func() {
		defer cancel()
		made, err := a.Review(ctx, &g.record, func(done, of int) {
			v.mu.Lock()
			defer v.mu.Unlock()
			job.Done, job.Of = done, of
		})
		if err == nil {
			err = save(ctx, made, path)
		}
		v.mu.Lock()
		defer v.mu.Unlock()
		v.now = nil
		if job.Err = err; err != nil {
			v.failed = job
		}
	})
}

func save(ctx context.Context, made *review.Review, path func(context.Context) (string, error)) error {
	at, err := path(ctx)
	if err != nil {
		return err
	}
	return made.Save(at)
}

// end stops the review in progress and waits for it.
func (v *reviews) end() {
	v.mu.Lock()
	v.ended = true
	if v.now != nil {
		v.now.cancel()
	}
	v.mu.Unlock()
	v.jobs.Wait()
}

// state returns copies of the review in progress and of the latest one, if it failed.
func (v *reviews) state() (now, failed *ordered) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, of := range []struct {
		from *ordered
		to   **ordered
	}{{v.now, &now}, {v.failed, &failed}} {
		if of.from != nil {
			c := *of.from
			*of.to = &c
		}
	}
	return now, failed
}

// orderView is the part of a game's page by which a holder of the token starts a review.
type orderView struct {
	Engine string
	Now    *ordered // a review in progress, perhaps of another game
	Here   bool     // it is of this game
	Failed string   // why the latest review of this game failed; "": it did not
}

// reviewPages has the pages on which readers order reviews.
type reviewPages struct{ *Server }

// view returns the order of a game's page, or nil for a reader who may not order a review.
func (p reviewPages) view(w http.ResponseWriter, r *http.Request, g *storedGame) *orderView {
	if p.config.Analyst == nil || !p.guard.holds(r) {
		return nil
	}
	v := &orderView{Engine: p.config.Analyst.Engine}
	now, failed := p.reviews.state()
	if v.Now = now; now != nil {
		if v.Here = now.of(g); v.Here {
			w.Header().Set("Refresh", "2")
		}
	}
	if failed.of(g) {
		v.Failed = failed.Err.Error()
	}
	return v
}

// order starts the review of a game and shows its page.
func (p reviewPages) order(w http.ResponseWriter, r *http.Request, info *results.RunInfo) error {
	if p.config.Analyst == nil {
		return &missing{What: "This server has no engine for reviews. Start it with %s.",
			Name: "gogi serve --review-engine CMD --token-file FILE", Status: http.StatusBadRequest}
	}
	pair, leg, ok := readGameName(r.PathValue("game"))
	if !ok {
		return noGame(info, r.PathValue("game"))
	}
	g, err := p.findGame(r.Context(), info, pair, leg)
	if err != nil {
		return noGame(info, r.PathValue("game"))
	}
	p.reviews.start(p.config.Analyst, g, func(ctx context.Context) (string, error) {
		return review.PathNow(ctx, p.config.Store, info, pair, leg)
	})
	http.Redirect(w, r, gameAt(info.Name, pair, leg), http.StatusSeeOther)
	return nil
}
