package coordinator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/roster"
	"gogi/match"
	"gogi/match/gate"
	"gogi/match/trust"
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
	do := map[string]verb{
		"submit": decoded(c.submit), "list": c.list, "workers": c.list, "keys": c.keys,
		"show": decoded(c.showTest), "plan": decoded(c.planOf), "actions": decoded(c.actions), "people": decoded(c.playedBy),
		"signups": c.people.SignUps, "admit": decoded(c.people.Admit), "dismiss": decoded(c.people.Dismiss), "revoke": decoded(c.people.Revoke),
		"approve":  c.onTest(mayApprove, []farm.State{farm.Submitted}, c.approve),
		"reject":   c.onTest(mayReject, []farm.State{farm.Submitted, farm.Approved}, c.reject),
		"stop":     c.onTest(mayControl("stop"), []farm.State{farm.Submitted, farm.Approved, farm.Running, farm.Paused}, c.turnTo(farm.Stopped)),
		"pause":    c.onTest(mayControl("pause"), []farm.State{farm.Running}, c.turnTo(farm.Paused)),
		"resume":   c.onTest(mayControl("resume"), nil, c.resume),
		"priority": c.onTest(mayControl("set the priority of"), nil, c.priority),
		"share":    c.onTest(anybody, nil, c.share),
		"drain":    c.onWorker(roster.Run, c.drain), "quarantine": c.onWorker(roster.Admin, c.setQuarantine), "trust": c.onWorker(roster.Admin, c.trust),
		"purge": decoded(c.purge), "pull": decoded(c.pull), "push": decoded(c.push), "sum": decoded(c.sum),
		"update": decoded(c.setUpdate), "recipe": decoded(c.changeRecipe), "artefacts": c.artefacts,
	}[word]
	if do == nil {
		return nil, farm.Refusef("no verb %q", word)
	}
	return do(ctx, key, body)
}

// submit adds a test, which waits for an approval.
func (c *Coordinator) submit(ctx context.Context, who roster.Key, s *farm.Submission) (any, error) {
	if !who.May(roster.Submit) {
		return nil, who.Deny("submit tests")
	}
	plan, err := match.DecodePlan(s.Plan)
	if err != nil {
		return nil, farm.Refusef("%v", err)
	}
	s.Share = cmp.Or(s.Share, 1)
	if err := cmp.Or(c.mayPlay(plan, s, who), c.mayBuild(ctx, plan)); err != nil {
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
			return nil, farm.Refusef("this plan is test %s already, which is %s: the same games would be played (another seed makes another test)", r.Name, r.State)
		case r.Name == plan.Run && !r.State.Final():
			return nil, farm.Refusef("there is a test %s already, which is %s", r.Name, r.State)
		}
	}
	if most := c.config.Quota(who.Owner).Queued; most > 0 && queued >= most {
		return nil, farm.Refusef("%s has %d tests waiting, and may have %d", who.Owner, queued, most)
	}
	rec := record{Submission: *s, Name: plan.Run, Owner: who.Owner, By: who.Name, Number: number, State: farm.Submitted}
	if c.config.Accuse {
		rec.Rule = ruleResiduals
	}
	r, err := newRun(digest, rec, 0)
	if err != nil {
		return nil, farm.Refusef("%v", err)
	}
	r.note(time.Now(), who.Name, string(farm.Submitted))
	r.noteSources(who.Name)
	if r.compares() {
		r.note(time.Now(), "farm", ruleText)
	}
	if err := c.keep(ctx, r); err != nil {
		return nil, err
	}
	if err := c.enter(ctx, r); err != nil {
		return nil, err
	}
	return r.status(), nil
}

// mostPriority is the highest priority. Keys without the right "run" may use priorities up to ownPriority.
const (
	mostPriority = 10
	ownPriority  = 2
)

// mayPlay returns the rejection of a plan that the farm cannot play or that this owner may not submit, or
// nil.
func (c *Coordinator) mayPlay(plan *match.Plan, s *farm.Submission, who roster.Key) error {
	legsErr := farm.CheckLegs(plan)
	_, tuneErr := settingsOf(plan)
	switch {
	case legsErr != nil:
		return farm.Refusef("%v", legsErr)
	case plan.Design.Kind.ByResults():
		return farm.Refusef("a farm plays designs that know every pair beforehand, and %s pairs by results", plan.Design.Kind)
	case tuneErr != nil:
		return farm.Refusef("%v", tuneErr)
	case len(s.Plan) > grantPlans:
		return farm.Refusef("the plan has %d bytes, of which each opening takes some: expected at most %d; take fewer openings, such as --openings builtin-1000", len(s.Plan), grantPlans)
	case len(s.Note) > 10_000 || len(s.Needs) > 20:
		return farm.Refusef("a note of %d bytes and %d needs: expected at most 10000 and 20", len(s.Note), len(s.Needs))
	}
	if level, ok := s.Needs[roster.NeedTrust]; ok {
		if err := roster.CheckLevel(level); err != nil {
			return err
		}
	}
	if !plan.Gate.IsZero() {
		if _, err := gate.New(plan.Gate, plan.Pairs); err != nil {
			return farm.Refusef("%v", err)
		}
	}
	if err := mayShare(s.Share); err != nil {
		return err
	}
	return mayPriority(who, float64(s.Priority))
}

func mayShare(share float64) error {
	if !(share > 0) || share > 1000 {
		return farm.Refusef("a share of %v: expected more than 0, 1000 at most", share)
	}
	return nil
}

func mayPriority(who roster.Key, p float64) error {
	switch {
	case p != math.Trunc(p) || math.Abs(p) > mostPriority || math.IsNaN(p):
		return farm.Refusef("a priority of %v: expected a whole number from %d to %d", p, -mostPriority, mostPriority)
	case math.Abs(p) > ownPriority && !who.May(roster.Run):
		return who.Deny("set a priority of %v: from %d to %d", p, -ownPriority, ownPriority)
	}
	return nil
}

func (c *Coordinator) list(ctx context.Context, who roster.Key, _ []byte) (any, error) {
	return c.StatusFor(ctx, who.Name), nil
}

// keys returns the valid keys, if the farm's Keys can list them.
func (c *Coordinator) keys(_ context.Context, who roster.Key, _ []byte) (any, error) {
	if !who.May(roster.Admin) {
		return nil, who.Deny("list keys")
	}
	lister, ok := c.config.Keys.(interface{ Keys() []roster.Key })
	if !ok {
		return nil, farm.Refusef("this farm's keys cannot be listed")
	}
	return lister.Keys(), nil
}

// found returns a test, or a rejection if there is none.
func (c *Coordinator) found(name string) (*run, error) {
	if r := c.find(name); r != nil {
		return r, nil
	}
	return nil, farm.Refusef("there is no test %q", name)
}

// onTest returns a verb that changes a test by calling do. The verb rejects a request if may returns an error, or
// if the test is in none of the given states; nil allows any state. The answer to the request is the new status of
// the test.
func (c *Coordinator) onTest(may func(roster.Key, *run) error, states []farm.State, do func(context.Context, roster.Key, *run, *farm.Order) error) verb {
	return decoded(func(ctx context.Context, who roster.Key, o *farm.Order) (any, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		r, err := c.found(o.Run)
		if err == nil {
			err = may(who, r)
		}
		if err == nil && states != nil {
			err = is(r, states...)
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
func (c *Coordinator) shown(r *run, who roster.Key) farm.TestStatus {
	out := r.status()
	out.Waits, out.Refusals = c.waits(time.Now(), r), c.roster.Refusals(time.Now(), r.digest, r.Owner, who)
	return out
}

func (c *Coordinator) showTest(ctx context.Context, who roster.Key, o *farm.Order) (any, error) {
	c.mu.Lock()
	r, err := c.found(o.Run)
	if err != nil {
		c.mu.Unlock()
		return nil, err
	}
	out, held := c.shown(r, who), map[string]int{}
	if r.ledger != nil {
		r.ledger.EachHeld(func(worker string) { held[worker]++ })
	}
	c.mu.Unlock()
	stored := map[string]int{}
	if c.config.Shares != nil {
		if stored, err = c.config.Shares(ctx, r.digest); err != nil {
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
	r, err := c.found(o.Run)
	if err != nil {
		return nil, err
	}
	return farm.PlanOf{Submission: r.Submission, Run: r.digest}, nil
}

// is returns nil if a test is in one of the given states, and otherwise a rejection.
func is(r *run, states ...farm.State) error {
	if slices.Contains(states, r.State) {
		return nil
	}
	return farm.Refusef("test %s is %s", r.Name, r.State)
}

func anybody(roster.Key, *run) error { return nil }

// mayApprove returns nil if a key may approve a test, and a rejection otherwise. The key needs the right "approve"
// and must belong to another owner than the test.
func mayApprove(who roster.Key, r *run) error {
	switch {
	case !who.May(roster.Approve):
		return who.Deny("approve tests")
	case r.Owner == who.Owner || r.By == who.Name:
		return who.Deny("approve this test, because its owner is %s, too; a key of another owner may", r.Owner)
	}
	return nil
}

func mayReject(who roster.Key, _ *run) error {
	if !who.May(roster.Approve) {
		return who.Deny("reject tests")
	}
	return nil
}

// mayControl returns a check that accepts the owner of a test, and keys with the right "run". what names the action
// in the rejection.
func mayControl(what string) func(roster.Key, *run) error {
	return func(who roster.Key, r *run) error {
		if r.Owner == who.Owner && who.May(roster.Submit) || who.May(roster.Run) {
			return nil
		}
		return who.Deny("%s a test of %s", what, r.Owner)
	}
}

// turnTo returns an action that sets the state of a test.
func (c *Coordinator) turnTo(state farm.State) func(context.Context, roster.Key, *run, *farm.Order) error {
	return func(ctx context.Context, who roster.Key, r *run, o *farm.Order) error {
		return c.turn(ctx, r, state, who.Name, o.Why)
	}
}

func (c *Coordinator) approve(ctx context.Context, who roster.Key, r *run, o *farm.Order) error {
	if err := c.mayBuild(ctx, r.plan); err != nil {
		return err
	}
	if err := c.turn(ctx, r, farm.Approved, who.Name, o.Why); err != nil {
		return err
	}
	return c.begin(ctx)
}

func (c *Coordinator) reject(ctx context.Context, who roster.Key, r *run, o *farm.Order) error {
	return c.turn(ctx, r, farm.Stopped, who.Name, "rejected"+farm.Because(o.Why))
}

// resume resumes a paused test, or a test that was stopped after it had run. It also allows grants of the
// pairs that were given up because they crashed engines.
func (c *Coordinator) resume(ctx context.Context, who roster.Key, r *run, o *farm.Order) error {
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

func (c *Coordinator) priority(ctx context.Context, who roster.Key, r *run, o *farm.Order) error {
	if err := mayPriority(who, o.Number); err != nil {
		return err
	}
	return c.set(ctx, who.Name, r, fmt.Sprintf("priority %v", o.Number), func() { r.Priority = int(o.Number) })
}

func (c *Coordinator) share(ctx context.Context, who roster.Key, r *run, o *farm.Order) error {
	if !who.May(roster.Run) {
		return who.Deny("set shares")
	}
	if err := mayShare(o.Number); err != nil {
		return err
	}
	return c.set(ctx, who.Name, r, fmt.Sprintf("share %v", o.Number), func() { r.Share = o.Number })
}

// set calls change, which changes the record of a test. Then it adds the line what to the test's log, and stores
// both. by is the name of the user's key. After an error nothing has changed.
func (c *Coordinator) set(ctx context.Context, by string, r *run, what string, change func()) error {
	before := r.record
	change()
	r.note(time.Now(), by, what)
	if err := c.keep(ctx, r); err != nil {
		r.record = before
		return err
	}
	c.place(r)
	return nil
}

// onWorker returns a verb about a worker. The verb rejects keys without the given right, and otherwise calls do.
// Its answer is the new status of the worker.
func (c *Coordinator) onWorker(right string, do func(ctx context.Context, who roster.Key, name string, w *roster.Worker, o *farm.Order) error) verb {
	return decoded(func(ctx context.Context, who roster.Key, o *farm.Order) (any, error) {
		c.mu.Lock()
		defer c.mu.Unlock()
		w := c.roster.Workers[o.Worker]
		switch {
		case !who.May(right):
			return nil, who.Deny("do that to workers")
		case w == nil:
			return nil, farm.Refusef("there is no worker %q", o.Worker)
		}
		if err := do(ctx, who, o.Worker, w, o); err != nil {
			return nil, err
		}
		if err := c.roster.Keep(ctx, o.Worker, w); err != nil {
			return nil, err
		}
		c.roster.Changes++
		c.hintDrain(o.Worker, w)
		return c.workerStatus(o.Worker, time.Now(), who), nil
	})
}

// hintDrain sends a hint to a worker that must stop, so that the worker does not wait for its next heartbeat.
func (c *Coordinator) hintDrain(name string, w *roster.Worker) {
	if w.Draining || w.Quarantine != "" {
		_ = c.publish(farm.SubjectWorker+name, farm.Hint{Say: farm.SayDrain})
	}
}

func (c *Coordinator) drain(_ context.Context, who roster.Key, name string, w *roster.Worker, o *farm.Order) error {
	w.Draining = !o.Off
	what := "draining"
	if o.Off {
		what = "the drain ended"
	}
	w.Act(who.Name, name, what)
	return nil
}

func (c *Coordinator) setQuarantine(ctx context.Context, who roster.Key, name string, w *roster.Worker, o *farm.Order) error {
	switch {
	case o.Off:
		c.pardon(ctx, name, w)
		w.Act(who.Name, name, "the quarantine ended")
	case o.Why == "":
		return farm.Refusef("a quarantine needs a reason")
	default:
		c.quarantine(ctx, w, name, o.Why+" ("+who.Name+")", who.Name)
	}
	return nil
}

// purge makes a worker's pairs of a test void. Workers play these pairs again, and the SPRT evaluates the
// remaining pairs from pair 0. So the coordinator may withdraw a reported verdict. With o.Dry purge only
// counts the pairs.
func (c *Coordinator) purge(ctx context.Context, who roster.Key, o *farm.Order) (any, error) {
	switch {
	case !who.May(roster.Admin):
		return nil, who.Deny("purge")
	case o.Why == "":
		return nil, farm.Refusef("a purge needs a reason")
	}
	c.judging.Lock() // a result is stored either before this purge, or with the next number of the take
	defer c.judging.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	r, err := c.found(o.Run)
	if err != nil {
		return nil, err
	}
	return c.void(ctx, who.Name, r, o)
}

// void makes the pairs void for purge. The run is open. The caller holds judging and mu.
func (c *Coordinator) void(ctx context.Context, by string, r *run, o *farm.Order) (out farm.Purged, err error) {
	if err := c.open(ctx, r, time.Now()); err != nil {
		return out, err
	}
	out = farm.Purged{Before: r.verdict(), After: r.verdict(), Selfplay: r.selfplays()}
	if out.Pairs, err = r.store.By(ctx, o.Worker); err == nil && r.tune != nil {
		out.Drawn, err = drawn(ctx, r, o.Worker, len(out.Pairs))
	}
	if o.Dry || err != nil {
		return out, err
	}
	for _, pair := range out.Pairs {
		delete(r.agreed, pair)
	}
	// The agreed audits are stored before the pairs become void. Otherwise they would confirm later playings of these
	// pairs after a crash.
	r.agreedChanged = r.agreedChanged || len(out.Pairs) > 0 && r.agreedRevision > 0
	if c.keepAudits(ctx, r); r.agreedChanged {
		return out, errors.New("coordinator: the agreed audits of the pairs were not stored")
	}
	if out.Pairs, err = r.store.Void(ctx, o.Worker, o.Why, by); err != nil {
		return out, c.fail(err)
	}
	now := time.Now()
	for _, pair := range out.Pairs {
		r.ledger.Void(now, pair)
	}
	if len(out.Pairs) > 0 {
		r.audits = slices.DeleteFunc(r.audits, func(a *audit) bool { return slices.Contains(out.Pairs, a.Pair) })
		r.auditsChanged = true
	}
	what := voidedText(r, o, &out)
	if _, err := c.rejudge(ctx, r); err != nil {
		r.note(now, by, what)
		c.setAside(ctx, r, err)
		if r.State.Final() { // otherwise setAside has stored the record
			err = errors.Join(err, c.keep(ctx, r))
		}
		return out, fmt.Errorf("coordinator: %d %ss of %s are void, and test %s is set aside: %w", len(out.Pairs), r.word(), o.Worker, r.Name, err)
	}
	out.After = r.verdict()
	out.Withdrawn = r.State == farm.Over && out.Before != out.After
	switch {
	case len(out.Pairs) == 0 && (r.decided() != "" || r.State != farm.Over && r.Provisional == nil):
		return out, nil
	case len(out.Pairs) == 0: // they became void before, and then the process ended or an error came
		what = fmt.Sprintf("pairs of %s voided%s", o.Worker, farm.Because(o.Why))
	case out.Withdrawn:
		what += fmt.Sprintf("; the verdict %s is withdrawn", out.Before)
	}
	r.Voided = what
	if r.State == farm.Over && r.decided() == "" {
		return out, c.turn(ctx, r, farm.Running, by, what)
	}
	r.limit()
	return out, c.set(ctx, by, r, what, func() {
		if r.unproved = true; r.decided() == "" {
			r.Provisional = nil
		}
	})
}

// drawn counts the pairs of other workers among all pairs that a purge of one worker removes from a tune. all is
// the number of removed pairs.
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

// voidedText returns the text about a purge for a test's log.
func voidedText(r *run, o *farm.Order, p *farm.Purged) string {
	others := ""
	if p.Drawn > 0 {
		others = fmt.Sprintf(", with %d of others that the tune drew after them,", p.Drawn)
	}
	return fmt.Sprintf("%d %ss of %s%s voided%s", len(p.Pairs)-p.Drawn, r.word(), o.Worker, others, farm.Because(o.Why))
}

func (c *Coordinator) trust(_ context.Context, who roster.Key, name string, w *roster.Worker, o *farm.Order) error {
	if err := roster.CheckLevel(o.Level); err != nil {
		return err
	}
	w.Trust = trust.Level(o.Level)
	w.Act(who.Name, name, "trust "+o.Level)
	c.proveAgain()
	return nil
}
