package coordinator

import (
	"cmp"
	"context"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/roster"
)

// decode decodes a message, and checks the message if its type has a Check method. Its error is a rejection.
func decode[T any](body []byte) (*T, error) {
	v := new(T)
	err := farm.Decode(body, v)
	if c, ok := any(v).(interface{ Check() error }); ok && err == nil {
		err = c.Check()
	}
	if err != nil {
		return nil, farm.Refusef("%v", err)
	}
	return v, nil
}

// hello starts a worker's session. It does nothing if the session has started already.
func (c *Coordinator) hello(ctx context.Context, subject string, body []byte) (any, error) {
	var h farm.Hello
	if err := farm.Decode(body, &h); err != nil {
		return nil, farm.Refusef("%v", err)
	}
	name := farm.Sender(subject)
	c.mu.Lock()
	defer c.mu.Unlock()

	owner, refusal := c.roster.Admit(name, &h)
	if refusal != nil {
		return farm.HelloReply{Refusal: refusal}, nil
	}
	if _, created := c.roster.Join(name, owner, h); created {
		c.tests.Join(name, h.Session)
	}
	c.judge.SetClaim(ctx, name, h.NPS)
	return farm.HelloReply{
		Protocol: min(h.Protocol, farm.Protocol), Lease: c.config.Lease, Beat: c.config.beat(),
		Plans: c.grants.Welcome(name, &h),
	}, nil
}

// lease answers a request for pairs.
func (c *Coordinator) lease(ctx context.Context, subject string, body []byte) (any, error) {
	ask, err := decode[farm.Ask](body)
	if err != nil {
		return nil, err
	}
	name := farm.Sender(subject)
	if _, refusal := c.roster.WorkKey(name); refusal != nil {
		return nil, refusal
	}
	c.mu.Lock()
	defer c.mu.Unlock()

	s := c.roster.SessionOf(name, ask.Session)
	if s == nil {
		return farm.Grants{Unknown: true}, nil
	}
	return c.grants.Lease(ctx, time.Now(), s, ask, c.judge.Broken == nil), nil
}

// beat answers a heartbeat. It extends the leases of a worker, and reports the leases that are invalid or
// stored.
func (c *Coordinator) beat(ctx context.Context, subject string, body []byte) (any, error) {
	b, err := decode[farm.Beat](body)
	if err != nil {
		return nil, err
	}
	if _, refusal := c.roster.WorkKey(farm.Sender(subject)); refusal != nil {
		return farm.BeatReply{Refusal: refusal}, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.roster.SessionOf(farm.Sender(subject), b.Session)
	if s == nil {
		return farm.BeatReply{Unknown: true}, nil
	}
	reply := farm.BeatReply{Lease: c.config.Lease}
	if b.Number < s.Beat {
		return reply, nil // a later heartbeat came first
	}
	s.Beat, s.Load = b.Number, b.Load
	if b.NPS > 0 {
		s.NPS = b.NPS
		c.judge.SetClaim(ctx, s.Name, b.NPS)
	}
	now := time.Now()
	for _, list := range []*[]farm.Held{&b.Held, &b.Outbox, &b.Sent} {
		*list = c.audits.Extend(now, s, *list, list != &b.Held, &reply)
	}
	c.audits.Leave(s.Name, s.ID) // leases of an older session, which has ended
	for _, back := range b.Back {
		if crashed := c.grants.TakeBack(now, s, &back); crashed != nil {
			c.updates.Count(ctx, crashed.Digest, s.Name, false, true)
			c.tests.LogCrash(ctx, now, crashed, s.Name, back.Pair)
		}
	}
	w := c.roster.Workers[s.Name]
	if w.Quarantine != "" {
		reply.Drop = slices.Concat(b.Held, b.Outbox, b.Sent) // none of these leases counts any more
		reply.Refusal = farm.Refusef("%s is in quarantine: %s", s.Name, w.Quarantine)
		return reply, nil
	}
	c.grants.Extend(now, s, b, &reply)
	reply.Watched = c.viewers.watched(s)
	due := c.updates.Current.Due(c.updates.Member(s, now))
	switch {
	case w.Draining:
		reply.Say = farm.SayDrain
	case due != nil:
		reply.Say, reply.Update, reply.Release = farm.SayUpdate, due.SHA256, due
	case w.Rebench != "" || w.Probation != "":
		reply.Say = farm.SayBench
	}
	return reply, nil
}

// workerStatus returns the status of a worker, with the texts that who may read.
func (c *Coordinator) workerStatus(name string, now time.Time, who roster.Key) farm.WorkerStatus {
	w := c.roster.Workers[name]
	out := farm.WorkerStatus{
		Name: name, Owner: w.Owner, Trust: string(c.roster.Level(w)), Suspect: c.roster.Suspect(w.Owner),
		Quarantine: w.Quarantine, Draining: w.Draining, Added: w.Played,
		Refused: w.Refused, Agreed: w.Agreed, Probation: cmp.Or(w.Probation, w.Unlike), Rebench: w.Rebench,
		Slots: w.Slots, NPS: w.Claim, Version: who.Version(w.Version, w.Owner), Labels: who.Labels(w.Labels, w.Owner),
		Seen: w.Seen, Errors: slices.Clone(w.Errors),
	}
	for i, e := range out.Errors {
		owners := []string{w.Owner}
		if r, err := c.tests.Found(e.By); err == nil {
			owners = append(owners, r.Owner)
		}
		out.Errors[i].What = who.Text(e.What, owners...)
	}
	out.Held, _ = c.tests.HeldBy(name)
	if s := c.roster.Sessions[name]; s != nil {
		out.Here = now.Sub(s.Seen) < c.config.Lease
		out.Slots, out.Load, out.NPS = s.Slots, s.Load, s.NPS
		out.Seen, out.Unfit = s.Seen.Round(0), c.grants.Unfit(s, who)
	}
	return out
}
