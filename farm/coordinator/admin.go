package coordinator

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/roster"
	"gogi/farm/coordinator/tests"
	"gogi/match"
	"gogi/results/farmstate"
)

// A verb executes the request of an owner.
type verb func(ctx context.Context, who roster.Key, body []byte) (any, error)

// decoded returns a verb that decodes the body into a T and calls do with it.
func decoded[T any](do func(ctx context.Context, who roster.Key, in *T) (any, error)) verb {
	return func(ctx context.Context, who roster.Key, body []byte) (any, error) {
		in, err := decode[T](body)
		if err != nil {
			return nil, err
		}
		return do(ctx, who, in)
	}
}

// admin answers a request of gogi farm, such as submit or stop. The user with the key NAME sends it on the NATS
// subject adm.NAME.VERB, on which no other key may publish.
func (c *Coordinator) admin(ctx context.Context, subject string, body []byte) (any, error) {
	return c.do(ctx, farm.Sender(subject), subject[strings.LastIndexByte(subject, '.')+1:], body)
}

// Do executes the request of a user in this process, for the web pages. The same request can come from gogi
// farm over the network. name is the name of the user's key, and word the verb, such as "stop". The caller
// has verified that the user has the secret half of the key. Do checks the rights of the key. Its error is a
// *farm.Refusal if the farm rejects the request.
func (c *Coordinator) Do(ctx context.Context, name, word string, in any) (any, error) {
	body, err := farm.Encode(in)
	if err != nil {
		return nil, err
	}
	return c.do(ctx, name, word, body)
}

// do executes a request. name is the name of the sender's key, word the verb, such as "submit", and body the
// encoded content of the request.
func (c *Coordinator) do(ctx context.Context, name, word string, body []byte) (any, error) {
	key, ok := c.config.Keys.Key(name)
	if !ok {
		return nil, farm.Refusef("%s has no valid key", name)
	}
	list := func(ctx context.Context, who roster.Key, _ []byte) (any, error) {
		return c.StatusFor(ctx, who.Name), nil
	}
	do := map[string]verb{
		"submit": decoded(c.submit), "list": list, "workers": list, "keys": keysOf(c.config.Keys),
		"show": decoded(c.showTest), "plan": decoded(c.planOf), "actions": decoded(actionsOf(c.config.State)),
		"people":  decoded(c.played.of),
		"signups": c.people.SignUps, "admit": decoded(c.people.Admit), "dismiss": decoded(c.people.Dismiss),
		"revoke":  decoded(c.people.Revoke),
		"approve": c.onTest(tests.MayApprove, []farm.State{farm.Submitted}, c.approve),
		"reject":  c.onTest(tests.MayReject, []farm.State{farm.Submitted, farm.Approved}, c.tests.Reject),
		"stop": c.onTest(tests.MayControl("stop"), []farm.State{farm.Submitted, farm.Approved, farm.Running, farm.Paused},
			c.tests.TurnTo(farm.Stopped)),
		"pause":    c.onTest(tests.MayControl("pause"), []farm.State{farm.Running}, c.tests.TurnTo(farm.Paused)),
		"resume":   c.onTest(tests.MayControl("resume"), nil, c.tests.Resume),
		"priority": c.onTest(tests.MayControl("set the priority of"), nil, c.tests.Priority),
		"share":    c.onTest(tests.Anybody, nil, c.tests.Share),
		"drain":    c.onWorker(roster.Run, roster.Drain), "quarantine": c.onWorker(roster.Admin, c.judge.SetQuarantine),
		"trust": c.onWorker(roster.Admin, c.audits.SetTrust),
		"purge": decoded(c.purge), "pull": decoded(c.pull), "push": decoded(c.push), "sum": decoded(c.sum),
		"update": decoded(c.setUpdate), "recipe": decoded(c.recipes.Change), "artefacts": artefactsOf(c.config.Bus),
	}[word]
	if do == nil {
		return nil, farm.Refusef("no verb %q", word)
	}
	return do(ctx, key, body)
}

// submit adds a test, which waits for an approval.
func (c *Coordinator) submit(ctx context.Context, who roster.Key, in *farm.Submission) (any, error) {
	if !who.May(roster.Submit) {
		return nil, who.Deny("submit tests")
	}
	plan, err := match.DecodePlan(in.Plan)
	if err != nil {
		return nil, farm.Refusef("%v", err)
	}
	in.Share = cmp.Or(in.Share, 1)
	if err := cmp.Or(tests.Check(plan, in, who), c.recipes.MayBuild(ctx, plan)); err != nil {
		return nil, err
	}
	quota := c.config.Quota(who.Owner)
	var sizes map[string]int64
	if quota.Artefacts > 0 {
		if sizes, err = c.config.Bus.Artefacts(ctx); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()

	if err := c.quotas.MayKeep(who.Owner, plan, sizes); err != nil {
		return nil, err
	}
	rule := ""
	if c.config.Accuse {
		rule = tests.RuleResiduals
	}
	r, err := c.tests.Submit(ctx, who, in, plan, quota.Queued, rule)
	if err != nil {
		return nil, err
	}
	return r.Status(), nil
}

func (c *Coordinator) approve(ctx context.Context, who roster.Key, r *tests.Test, o *farm.Order) error {
	if err := c.recipes.MayBuild(ctx, r.Match); err != nil {
		return err
	}
	if err := c.tests.Turn(ctx, r, farm.Approved, who.Name, o.Why); err != nil {
		return err
	}
	return c.grants.Begin(ctx)
}

// setUpdate starts or ends an update, or ends its trial. Without an order it only returns the status.
func (c *Coordinator) setUpdate(ctx context.Context, who roster.Key, u *farm.Update) (any, error) {
	asks := !u.Off && !u.All && len(u.Releases)+len(u.Known) == 0
	if !asks && !who.May(roster.Admin) {
		return nil, who.Deny("update workers")
	}
	var sizes map[string]int64
	if len(u.Releases) > 0 {
		var err error
		if sizes, err = c.config.Bus.Artefacts(ctx); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()

	now := time.Now()
	if !asks {
		if err := c.updates.Order(ctx, who.Name, u, sizes, now); err != nil {
			return nil, err
		}
	}
	return c.updates.Status(now), nil
}

// actionsOf returns a verb that reads the log of actions.
func actionsOf(state entries.State) func(context.Context, roster.Key, *farmstate.Filter) (any, error) {
	return func(ctx context.Context, _ roster.Key, f *farmstate.Filter) (any, error) {
		return state.Actions(ctx, *f)
	}
}

// keysOf returns a verb that lists the valid keys, if keys can list them.
func keysOf(keys roster.Keys) verb {
	return func(_ context.Context, who roster.Key, _ []byte) (any, error) {
		if !who.May(roster.Admin) {
			return nil, who.Deny("list keys")
		}
		lister, ok := keys.(interface{ Keys() []roster.Key })
		if !ok {
			return nil, farm.Refusef("this farm's keys cannot be listed")
		}
		return lister.Keys(), nil
	}
}

// artefactsOf returns a verb that lists the sizes of all artefacts by their SHA-256. A standby copies them.
func artefactsOf(bus farm.Bus) verb {
	return func(ctx context.Context, who roster.Key, _ []byte) (any, error) {
		if !who.May(roster.Admin) {
			return nil, who.Deny("list artefacts")
		}
		return bus.Artefacts(ctx)
	}
}

// onTest returns a verb that changes a test by calling do. The verb rejects a request if may returns an error, or
// if the test is in none of the given states; nil allows any state. The answer to the request is the new status of
// the test.
func (c *Coordinator) onTest(may func(roster.Key, *tests.Test) error, states []farm.State,
	do func(context.Context, roster.Key, *tests.Test, *farm.Order) error) verb {
	return decoded(func(ctx context.Context, who roster.Key, o *farm.Order) (any, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		r, err := c.tests.FoundForOrder(o.Run)
		if err == nil {
			err = may(who, r)
		}
		if err == nil && states != nil {
			err = tests.Is(r, states...)
		}
		if err == nil {
			err = do(ctx, who, r, o)
		}
		if err != nil {
			return nil, err
		}
		return c.shown(r, who), nil
	})
}

// shown returns the status of a test with everything that its page shows to who. The caller holds mu.
func (c *Coordinator) shown(r *tests.Test, who roster.Key) farm.TestStatus {
	out := r.Status()
	now := time.Now()
	out.Waits, out.Refusals = c.quotas.Waits(now, r), c.grants.Refusals(now, r, who)
	out.Suspicions = c.tests.Suspicions(r)
	return out
}

func (c *Coordinator) showTest(ctx context.Context, who roster.Key, o *farm.Order) (any, error) {
	c.mu.Lock()
	r, err := c.tests.Found(o.Run)
	if err != nil {
		c.mu.Unlock()
		return nil, err
	}
	out, held := c.shown(r, who), map[string]int{}
	if r.Ledger != nil {
		r.Ledger.EachHeld(func(worker string) { held[worker]++ })
	}
	c.mu.Unlock()
	stored := map[string]int{}
	if c.config.Shares != nil {
		if stored, err = c.config.Shares(ctx, r.Digest); err != nil {
			return nil, err
		}
	}
	names := maps.Clone(stored)
	maps.Copy(names, held)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		out.Workers = append(out.Workers, farm.TestWorker{Name: name, Stored: stored[name], Held: held[name]})
	}
	return out, nil
}

// planOf returns the plan of a test, for a user who repeats the test with changes.
func (c *Coordinator) planOf(_ context.Context, _ roster.Key, o *farm.Order) (any, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r, err := c.tests.Found(o.Run)
	if err != nil {
		return nil, err
	}
	out := farm.PlanOf{Submission: r.Submission, Run: r.Digest}
	if r.Protocol >= farm.ProtocolFresh {
		out.Fresh = c.epochs.Fresh
	}
	return out, nil
}

// onWorker returns a verb about a worker. The verb rejects keys without the given right, and otherwise calls do.
// Its answer is the new status of the worker.
func (c *Coordinator) onWorker(right string,
	do func(ctx context.Context, who roster.Key, name string, w *roster.Worker, o *farm.Order) error) verb {
	return decoded(func(ctx context.Context, who roster.Key, o *farm.Order) (any, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		w := c.roster.Workers[o.Worker]
		switch {
		case !who.May(right):
			return nil, who.Deny("change a worker: the key lacks the right %s", right)
		case w == nil:
			return nil, farm.Refusef("there is no worker %q; the farm knows a worker after its first gogi farm work", o.Worker)
		}
		if err := do(ctx, who, o.Worker, w, o); err != nil {
			return nil, err
		}
		if err := c.roster.Keep(ctx, o.Worker, w); err != nil {
			return nil, err
		}
		c.roster.Changes++
		c.tests.Drain(o.Worker, w)
		return c.workerStatus(o.Worker, time.Now(), who), nil
	})
}

// purge makes a worker's pairs of a test void. Workers play these pairs again, and the SPRT evaluates the
// remaining pairs from pair 0. So the coordinator may withdraw a reported verdict. With o.Dry purge only
// counts the pairs.
func (c *Coordinator) purge(ctx context.Context, who roster.Key, o *farm.Order) (any, error) {
	switch {
	case !who.May(roster.Admin):
		return nil, who.Deny("void pairs of a worker: the key lacks the right admin")
	case o.Why == "":
		return nil, farm.Refusef("a purge needs a reason")
	}
	c.judging.Lock() // a result is stored either before this purge, or with the next number of the take
	defer c.judging.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	r, err := c.tests.FoundForOrder(o.Run)
	if err != nil {
		return nil, err
	}
	return c.judge.Void(ctx, who.Name, r, o)
}
