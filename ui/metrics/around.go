package metrics

import (
	"context"
	"encoding/json"
	"time"

	"gogi/match"
	"gogi/results"
	"gogi/runner/events"
)

// Live is what is being played around here.
type Live interface {
	// Runs are the names of the runs that are being played.
	Runs() []string
	// Hub tells what happens in a run; nil where nobody plays it now.
	Hub(run string) *events.Hub
}

// around is everything in a database, and what is being played into it.
type around struct {
	ctx    context.Context //nolint:containedctx // of what is read when somebody asks
	set    *Set
	store  *results.Store
	live   Live
	tallys map[int64]*tally // of runs that nobody plays
}

// tally is what a stored run comes to.
type tally struct {
	finished  int // pairs, when it was read
	standings match.Standings
	last      time.Time
}

// Around tells of every run in a database, and of those that other processes play into
// it: counted from when they are first asked about. A run that nobody plays is done.
// What has to be read is read until ctx ends.
func (s *Set) Around(ctx context.Context, store *results.Store, l Live) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.around = &around{ctx: ctx, set: s, store: store, live: l, tallys: map[int64]*tally{}}
}

// tell finds the runs that are played, and tells of the others.
func (a *around) tell(t *telling) {
	infos, err := a.store.Runs(a.ctx)
	if err != nil {
		t.failed(runInfo, err)
		return
	}
	playing := a.hubs()
	for name, r := range a.set.runs {
		if playing[name] != r.hub {
			r.forget()
			delete(a.set.runs, name)
		}
	}
	for i := range infos {
		info := &infos[i]
		hub := playing[info.Name]
		if hub == nil {
			a.tellStored(t, info)
			continue
		}
		delete(a.tallys, info.ID)
		if a.set.runs[info.Name] == nil {
			a.join(info, hub)
		}
	}
}

func (a *around) hubs() map[string]*events.Hub {
	playing := map[string]*events.Hub{}
	for _, name := range a.live.Runs() {
		if hub := a.live.Hub(name); hub != nil {
			playing[name] = hub
		}
	}
	return playing
}

// join begins to count a run that is being played; its state is taken at once.
func (a *around) join(info *results.RunInfo, hub *events.Hub) {
	r := a.set.Run(AboutStored(info))
	r.hub = hub
	a.set.runs[info.Name] = r
	s := hub.Subscribe(listening)
	if ev, ok := <-s.Events(); ok {
		r.take(&ev)
	}
	go r.follow(hub, s)
}

// AboutStored is what the database says about a run.
func AboutStored(info *results.RunInfo) About {
	var plan struct {
		Design string `json:"design"`
	}
	_ = json.Unmarshal(info.Plan, &plan) // a plan that cannot be read has no design
	return About{Run: info.Name, Digest: info.Digest, Rules: info.Rules, Design: plan.Design, Created: info.Created}
}

// tellStored tells of a run that nobody plays.
func (a *around) tellStored(t *telling, info *results.RunInfo) {
	sum, err := a.tally(info)
	if err != nil {
		t.failed(gamesTotal, err)
		return
	}
	about, run := AboutStored(info), info.Name
	t.about(&about, stateDone)
	t.number(pairsPlanned, float64(info.Pairs), run)
	t.number(pairsStored, float64(info.Finished), run)
	if !sum.last.IsZero() {
		t.number(lastPair, seconds(sum.last), run)
	}
	t.standings(run, &sum.standings)
}

// tally adds a run up, if its number of pairs has changed since it last was.
func (a *around) tally(info *results.RunInfo) (*tally, error) {
	if sum := a.tallys[info.ID]; sum != nil && sum.finished == info.Finished {
		return sum, nil
	}
	sum := &tally{finished: info.Finished}
	err := a.store.Pairs(a.ctx, info.ID, results.Filter{}, func(rows []match.Row) error {
		sum.standings.AddRows(rows)
		for _, row := range rows {
			if row.Ended.After(sum.last) {
				sum.last = row.Ended
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	a.tallys[info.ID] = sum
	return sum, nil
}
