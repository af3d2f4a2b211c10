package coordinator

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"gogi/farm"
	"gogi/match"
	"gogi/match/gate"
)

// asker is who asks for a verb.
type asker struct{ Key }

// verb is what one does with a body.
type verb func(ctx context.Context, who asker, body []byte) (any, error)

// admin answers owners, on adm.NAME.VERB.
func (c *Coordinator) admin(ctx context.Context, subject string, body []byte) (any, error) {
	name := farm.Speaker(subject)
	key, ok := c.config.Keys.Key(name)
	if !ok {
		return nil, refuse(exitRefused, "%s has no valid key", name)
	}
	word := subject[strings.LastIndexByte(subject, '.')+1:]
	do := map[string]verb{
		"submit": c.submit, "list": c.list, "show": c.show, "workers": c.list, "keys": c.keys,
		"approve": c.onTest(c.approve), "reject": c.onTest(c.reject), "stop": c.onTest(c.end), "pause": c.onTest(c.pause),
		"resume": c.onTest(c.resume), "priority": c.onTest(c.priority), "share": c.onTest(c.share),
		"drain": c.onWorker(rightRun, c.drain), "quarantine": c.onWorker(rightAdmin, c.setQuarantine), "trust": c.onWorker(rightAdmin, c.trust),
		"purge": c.purge, "pull": c.pull, "push": c.push, "sum": c.sum,
		"update": c.updateVerb,
	}[word]
	if do == nil {
		return nil, refuse(exitRefused, "no verb %q", word)
	}
	return do(ctx, asker{key}, body)
}

// deny is the refusal of somebody who may not.
func deny(who asker, format string, values ...any) error {
	return refuse(exitRefused, "%s may not %s", who.Name, fmt.Sprintf(format, values...))
}

// submit takes a new test, which waits for an approval.
func (c *Coordinator) submit(ctx context.Context, who asker, body []byte) (any, error) {
	var s farm.Submission
	if err := farm.Decode(body, &s); err != nil {
		return nil, refuse(exitRefused, "%v", err)
	}
	if !who.may(rightSubmit) {
		return nil, deny(who, "submit tests")
	}
	plan, err := match.DecodePlan(s.Plan)
	if err != nil {
		return nil, refuse(exitRefused, "%v", err)
	}
	if s.Share == 0 {
		s.Share = 1
	}
	if err := c.mayPlay(plan, &s, who); err != nil {
		return nil, err
	}
	var sizes map[string]int64
	if c.config.Quota(who.Owner).Artefacts > 0 {
		if sizes, err = c.config.Bus.Artefacts(ctx); err != nil {
			return nil, err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.mayKeep(who.Owner, plan, sizes); err != nil {
		return nil, err
	}
	digest := plan.Digest()
	number, queued := 0, 0
	for _, r := range c.runs {
		number = max(number, r.Number+1)
		if r.Owner == who.Owner && (r.State == farm.Submitted || r.State == farm.Approved) {
			queued++
		}
		switch {
		case r.digest == digest:
			return nil, refuse(exitRefused, "this plan is test %s already, which is %s: the same games would be played (another seed makes another test)", r.Name, r.State)
		case r.Name == plan.Run && !r.State.Final():
			return nil, refuse(exitRefused, "there is a test %s already, which is %s", r.Name, r.State)
		}
	}
	if most := c.config.Quota(who.Owner).Queued; most > 0 && queued >= most {
		return nil, refuse(exitRefused, "%s has %d tests waiting, and may have %d", who.Owner, queued, most)
	}
	r, err := newRun(digest, record{
		Plan: s.Plan, Name: plan.Run, Owner: who.Owner, By: who.Name, Number: number, State: farm.Submitted, Priority: s.Priority, Share: s.Share,
		Note: s.Note, Needs: s.Needs, Rule: c.rule(),
	}, 0)
	if err != nil {
		return nil, refuse(exitRefused, "%v", err)
	}
	r.note(time.Now(), who.Name, string(farm.Submitted))
	if r.compares() {
		r.note(time.Now(), "farm", saysRule)
	}
	if err := c.keep(ctx, r); err != nil {
		return nil, err
	}
	if err := c.enter(ctx, r); err != nil {
		return nil, err
	}
	return r.status(), nil
}

// rule is what a test begins with that is handed in now.
func (c *Coordinator) rule() string {
	if c.config.Accuse {
		return ruleResiduals
	}
	return ""
}

// The priorities, and how far from 0 an owner may go without the right to run.
const (
	mostPriority = 10
	ownPriority  = 2
)

// mayPlay says why a plan cannot be played on a farm, or not so by this owner.
func (c *Coordinator) mayPlay(plan *match.Plan, s *farm.Submission, who asker) error {
	_, tuneErr := settingsOf(plan)
	switch {
	case farm.CheckLegs(plan) != nil:
		return refuse(exitRefused, "%v", farm.CheckLegs(plan))
	case plan.Design.Kind.ByResults():
		return refuse(exitRefused, "a farm plays designs that know every pair beforehand, and %s pairs by results", plan.Design.Kind)
	case tuneErr != nil:
		return refuse(exitRefused, "%v", tuneErr)
	case len(s.Plan) > grantPlans:
		return refuse(exitRefused, "the plan has %d bytes, of which each opening takes some: expected at most %d; take fewer openings, such as --openings builtin-1000", len(s.Plan), grantPlans)
	case len(s.Note) > 10_000 || len(s.Needs) > 20:
		return refuse(exitRefused, "a note of %d bytes and %d needs: expected at most 10000 and 20", len(s.Note), len(s.Needs))
	}
	if level, ok := s.Needs[needTrust]; ok && !slices.Contains(levels, level) {
		return refuse(exitRefused, "a need of trust=%s: expected %s", level, strings.Join(levels, ", "))
	}
	if !plan.Gate.IsZero() {
		if _, err := gate.New(plan.Gate, plan.Pairs); err != nil {
			return refuse(exitRefused, "%v", err)
		}
	}
	if err := mayShare(s.Share); err != nil {
		return err
	}
	return mayPriority(who, float64(s.Priority))
}

func mayShare(share float64) error {
	if !(share > 0) || share > 1000 {
		return refuse(exitRefused, "a share of %v: expected more than 0, 1000 at most", share)
	}
	return nil
}

func mayPriority(who asker, p float64) error {
	switch {
	case p != math.Trunc(p) || math.Abs(p) > mostPriority || math.IsNaN(p):
		return refuse(exitRefused, "a priority of %v: expected a whole number from %d to %d", p, -mostPriority, mostPriority)
	case math.Abs(p) > ownPriority && !who.may(rightRun):
		return deny(who, "set a priority of %v: from %d to %d", p, -ownPriority, ownPriority)
	}
	return nil
}

func (c *Coordinator) list(ctx context.Context, _ asker, _ []byte) (any, error) {
	return c.Status(ctx), nil
}

func (c *Coordinator) show(ctx context.Context, who asker, body []byte) (any, error) {
	return c.onTest(func(context.Context, asker, *run, *farm.Order) error { return nil })(ctx, who, body)
}

// keys lists whose names are known: of the workers and owners that have been here.
func (c *Coordinator) keys(_ context.Context, who asker, _ []byte) (any, error) {
	if !who.may(rightAdmin) {
		return nil, deny(who, "list keys")
	}
	lister, ok := c.config.Keys.(interface{ Keys() []Key })
	if !ok {
		return nil, refuse(exitRefused, "this farm's keys cannot be listed")
	}
	return lister.Keys(), nil
}

// onTest is a verb about a test; the answer is what it is then.
func (c *Coordinator) onTest(do func(context.Context, asker, *run, *farm.Order) error) verb {
	return func(ctx context.Context, who asker, body []byte) (any, error) {
		var o farm.Order
		if err := farm.Decode(body, &o); err != nil {
			return nil, refuse(exitRefused, "%v", err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		r := c.find(o.Run)
		if r == nil {
			return nil, refuse(exitRefused, "there is no test %q", o.Run)
		}
		if err := do(ctx, who, r, &o); err != nil {
			return nil, err
		}
		out := r.status()
		out.Waits = c.waits(time.Now(), r)
		return out, nil
	}
}

// is refuses where a test is in none of the states.
func is(r *run, states ...farm.State) error {
	for _, s := range states {
		if r.State == s {
			return nil
		}
	}
	return refuse(exitRefused, "test %s is %s", r.Name, r.State)
}

// approve lets somebody else's test be played.
func (c *Coordinator) approve(ctx context.Context, who asker, r *run, o *farm.Order) error {
	switch {
	case !who.may(rightApprove):
		return deny(who, "approve tests")
	case r.Owner == who.Owner || r.By == who.Name:
		return deny(who, "approve a test of %s's own", r.Owner)
	}
	if err := is(r, farm.Submitted); err != nil {
		return err
	}
	if err := c.turn(ctx, r, farm.Approved, who.Name, o.Why); err != nil {
		return err
	}
	return c.begin(ctx)
}

func (c *Coordinator) reject(ctx context.Context, who asker, r *run, o *farm.Order) error {
	if !who.may(rightApprove) {
		return deny(who, "reject tests")
	}
	if err := is(r, farm.Submitted, farm.Approved); err != nil {
		return err
	}
	return c.turn(ctx, r, farm.Stopped, who.Name, "rejected"+also(o.Why))
}

// own says why somebody may not control a test: it is neither his nor may he run all.
func own(who asker, r *run, what string) error {
	if r.Owner == who.Owner && who.may(rightSubmit) || who.may(rightRun) {
		return nil
	}
	return deny(who, "%s a test of %s", what, r.Owner)
}

func (c *Coordinator) end(ctx context.Context, who asker, r *run, o *farm.Order) error {
	if err := own(who, r, "stop"); err != nil {
		return err
	}
	if err := is(r, farm.Submitted, farm.Approved, farm.Running, farm.Paused); err != nil {
		return err
	}
	return c.turn(ctx, r, farm.Stopped, who.Name, o.Why)
}

func (c *Coordinator) pause(ctx context.Context, who asker, r *run, o *farm.Order) error {
	if err := own(who, r, "pause"); err != nil {
		return err
	}
	if err := is(r, farm.Running); err != nil {
		return err
	}
	return c.turn(ctx, r, farm.Paused, who.Name, o.Why)
}

// resume goes on with a paused test, also with the pairs that were given up. One that
// was stopped after its approval may go on as well.
func (c *Coordinator) resume(ctx context.Context, who asker, r *run, o *farm.Order) error {
	if err := own(who, r, "resume"); err != nil {
		return err
	}
	if r.State != farm.Stopped || !r.Granted {
		if err := is(r, farm.Paused); err != nil {
			return err
		}
	}
	given := r.Condemned
	r.Condemned = nil
	if err := c.turn(ctx, r, farm.Running, who.Name, o.Why); err != nil {
		r.Condemned = given
		return err
	}
	r.ledger.Forgive(time.Now())
	r.tune.forgive()
	return nil
}

func (c *Coordinator) priority(ctx context.Context, who asker, r *run, o *farm.Order) error {
	if err := own(who, r, "set the priority of"); err != nil {
		return err
	}
	if err := mayPriority(who, o.Number); err != nil {
		return err
	}
	return c.set(ctx, who, r, fmt.Sprintf("priority %v", o.Number), func() { r.Priority = int(o.Number) })
}

func (c *Coordinator) share(ctx context.Context, who asker, r *run, o *farm.Order) error {
	if !who.may(rightRun) {
		return deny(who, "set shares")
	}
	if err := mayShare(o.Number); err != nil {
		return err
	}
	return c.set(ctx, who, r, fmt.Sprintf("share %v", o.Number), func() { r.Share = o.Number })
}

// set changes a test's record, in its log and durably first.
func (c *Coordinator) set(ctx context.Context, who asker, r *run, what string, change func()) error {
	before := r.record
	change()
	r.note(time.Now(), who.Name, what)
	if err := c.keep(ctx, r); err != nil {
		r.record = before
		return err
	}
	c.place(r)
	return nil
}

// onWorker is a verb about a worker, for those who have a right or own it; the answer is
// what the worker is then.
func (c *Coordinator) onWorker(right string, do func(ctx context.Context, who asker, name string, w *worker, o *farm.Order) error) verb {
	return func(ctx context.Context, who asker, body []byte) (any, error) {
		var o farm.Order
		if err := farm.Decode(body, &o); err != nil {
			return nil, refuse(exitRefused, "%v", err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		w := c.workers[o.Worker]
		switch {
		case !who.may(right):
			return nil, deny(who, "do that to workers")
		case w == nil:
			return nil, refuse(exitRefused, "there is no worker %q", o.Worker)
		}
		if err := do(ctx, who, o.Worker, w, &o); err != nil {
			return nil, err
		}
		if err := c.keepWorker(ctx, o.Worker, w); err != nil {
			return nil, err
		}
		c.sayDrain(o.Worker, w)
		return c.workerStatus(o.Worker, time.Now()), nil
	}
}

// sayDrain tells a worker at once what its next beat would.
func (c *Coordinator) sayDrain(name string, w *worker) {
	if !w.Draining && w.Quarantine == "" {
		return
	}
	if body, err := farm.Encode(farm.Hint{Say: farm.SayDrain}); err == nil {
		_ = c.config.Bus.Tell(farm.SubjectWorker+name, body) // a hint
	}
}

func (c *Coordinator) drain(_ context.Context, _ asker, _ string, w *worker, o *farm.Order) error {
	w.Draining = !o.Off
	return nil
}

func (c *Coordinator) setQuarantine(ctx context.Context, who asker, name string, w *worker, o *farm.Order) error {
	if o.Off {
		c.pardon(ctx, name, w)
		return nil
	}
	if o.Why == "" {
		return refuse(exitRefused, "a quarantine needs a reason")
	}
	c.quarantine(ctx, w, name, o.Why+" ("+who.Name+")")
	return nil
}

func (c *Coordinator) trust(_ context.Context, _ asker, _ string, w *worker, o *farm.Order) error {
	switch o.Level {
	case trustNone, trustSome, trustOwner:
		w.Trust = o.Level
		return nil
	}
	return refuse(exitRefused, "trust %q: expected %s, %s or %s", o.Level, trustNone, trustSome, trustOwner)
}

// purge makes a worker's pairs of a test void, all of them. They are played again, and
// the gate is asked anew from pair 0: a verdict that was told may be withdrawn.
func (c *Coordinator) purge(ctx context.Context, who asker, body []byte) (any, error) {
	var o farm.Order
	if err := farm.Decode(body, &o); err != nil {
		return nil, refuse(exitRefused, "%v", err)
	}
	switch {
	case !who.may(rightAdmin):
		return nil, deny(who, "purge")
	case o.Why == "":
		return nil, refuse(exitRefused, "a purge needs a reason")
	}
	c.judging.Lock() // what is being stored is stored before, or as another take
	defer c.judging.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.find(o.Run)
	if r == nil {
		return nil, refuse(exitRefused, "there is no test %q", o.Run)
	}
	if err := c.open(ctx, r, time.Now()); err != nil {
		return nil, err
	}
	out := farm.Purged{Before: r.verdict(), After: r.verdict(), Selfplay: r.selfplays()}
	var err error
	if out.Pairs, err = r.store.By(ctx, o.Worker); err == nil && r.tune != nil {
		out.Drawn, err = drawn(ctx, r, o.Worker, len(out.Pairs))
	}
	if o.Dry || err != nil {
		return out, err
	}
	if out.Pairs, err = r.store.Void(ctx, o.Worker, o.Why, who.Name); err != nil {
		return nil, c.fail(err)
	}
	now := time.Now()
	for _, pair := range out.Pairs {
		r.ledger.Void(now, pair)
	}
	if _, err := c.rejudge(ctx, r); err != nil {
		r.note(now, who.Name, voided(r, &o, &out))
		c.setAside(ctx, r, err)
		if r.State.Final() { // else it was kept with its new state
			err = errors.Join(err, c.keep(ctx, r))
		}
		return nil, fmt.Errorf("coordinator: %d %ss of %s are void, and test %s is set aside: %w", len(out.Pairs), r.word(), o.Worker, r.Name, err)
	}
	out.After = r.verdict()
	out.Withdrawn = r.State == farm.Over && out.Before != out.After
	return out, c.purged(ctx, who, r, &o, &out)
}

// drawn is how many of the pairs that a purge takes out of a tune are not the worker's.
func drawn(ctx context.Context, r *run, worker string, all int) (others int, err error) {
	others = all
	err = r.store.Rows(ctx, func(rows []match.Row) error {
		if slices.ContainsFunc(rows, func(row match.Row) bool { return row.Worker == worker }) {
			others--
		}
		return nil
	})
	return others, err
}

// ofOthers says so in a log; "" where there are none.
func ofOthers(pairs int) string {
	if pairs == 0 {
		return ""
	}
	return fmt.Sprintf(", with %d of others that the tune drew after them,", pairs)
}

// voided is a purge in a log.
func voided(r *run, o *farm.Order, p *farm.Purged) string {
	return fmt.Sprintf("%d %ss of %s%s voided%s", len(p.Pairs)-p.Drawn, r.word(), o.Worker, ofOthers(p.Drawn), also(o.Why))
}

// purged writes a purge down, and begins a test again that is not over any more.
func (c *Coordinator) purged(ctx context.Context, who asker, r *run, o *farm.Order, p *farm.Purged) error {
	if len(p.Pairs) == 0 {
		return nil
	}
	what := voided(r, o, p)
	if p.Withdrawn {
		what += fmt.Sprintf("; the verdict %s is withdrawn", p.Before)
	}
	if r.State == farm.Over && r.decided() == "" {
		return c.turn(ctx, r, farm.Running, who.Name, what)
	}
	r.obey()
	return c.set(ctx, who, r, what, func() {})
}
