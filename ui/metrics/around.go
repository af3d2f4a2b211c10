package metrics

import (
	"context"
	"encoding/json"
	"time"

	"gogi/match"
	"gogi/results"
	"gogi/runner/events"
)

// Live gives access to the runs that other processes play.
type Live interface {
	// Runs returns the names of the runs that are played now.
	Runs() []string
	// Hub returns the hub of a run, or nil if no process plays it now.
	Hub(run string) *events.Hub
}

// database collects the metrics of all runs in a database.
type database struct {
	ctx    context.Context //nolint:containedctx // context of the reads during a collection
	set    *Set
	store  *results.Store
	live   Live
	tallys map[int64]*tally // by the ID of the run, for runs that no process plays
}

// tally caches the data of a stored run that the metrics use, so that gogi reads the run's pairs only after a change.
type tally struct {
	finished  int // number of stored pairs when gogi read the run
	standings match.Standings
	last      time.Time // end of the last pair
}

// AddDatabase adds the metrics of all runs in a database, including runs that other processes play. gogi
// begins to count the events of another process's run when Prometheus first requests the metrics. A run that
// no process plays has the state done. After the end of ctx, requests for the metrics of the database return
// an error.
func (s *Set) AddDatabase(ctx context.Context, store *results.Store, l Live) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.database = &database{ctx: ctx, set: s, store: store, live: l, tallys: map[int64]*tally{}}
}

// collect subscribes to the runs that other processes now play, and collects the metrics of the other stored runs.
func (a *database) collect(t *collection) {
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
			a.collectStored(t, info)
			continue
		}
		delete(a.tallys, info.ID)
		if a.set.runs[info.Name] == nil {
			a.join(info, hub)
		}
	}
}

func (a *database) hubs() map[string]*events.Hub {
	playing := map[string]*events.Hub{}
	for _, name := range a.live.Runs() {
		if hub := a.live.Hub(name); hub != nil {
			playing[name] = hub
		}
	}
	return playing
}

// join begins to count the events of a run that another process plays, and reads the run's state at once.
func (a *database) join(info *results.RunInfo, hub *events.Hub) {
	r := a.set.Run(AboutStored(info))
	r.hub = hub
	a.set.runs[info.Name] = r
	s := hub.Subscribe(buffer)
	if ev, ok := <-s.Events(); ok {
		r.take(ev)
	}
	go r.follow(hub, s)
}

// AboutStored returns the description of a stored run.
func AboutStored(info *results.RunInfo) About {
	var plan struct {
		Design string `json:"design"`
	}
	_ = json.Unmarshal(info.Plan, &plan) // a plan that cannot be read has no design
	return About{Run: info.Name, Digest: info.Digest, Rules: info.Rules, Design: plan.Design, Created: info.Created}
}

// collectStored collects a run that no process plays.
func (a *database) collectStored(t *collection, info *results.RunInfo) {
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

// tally returns the numbers of stored games and pairs of a run. It reads the run again only if its number of pairs has
// changed.
func (a *database) tally(info *results.RunInfo) (*tally, error) {
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
