//go:build unix

package chaos

import (
	"context"
	"fmt"

	"gogi/farm"
	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/results"
)

// twin is a worker that the test controls. It sends messages for the test and plays no games. Its results are those of
// the same match, played on this machine.
type twin struct {
	w     *world
	way   farm.Transport
	sign  farm.Signer
	name  string
	sent  int
	beats uint64
}

const twinSession = "twin"

// twin connects a worker that already has a key.
func (w *world) twin(name string) *twin {
	w.t.Helper()
	creds, err := keys.ReadCreds(w.file(name + ".creds"))
	testutil.OK(w.t, err)
	v := &twin{w: w, name: name}
	if v.way, err = nats.Dial(creds); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = v.way.Close() })
	if v.sign, err = creds.Sign(); err != nil {
		w.t.Fatal(err)
	}
	v.hello()
	return v
}

func (v *twin) ask(subject string, in, out any) {
	v.w.t.Helper()
	var err error
	v.w.until("the coordinator answers "+subject, func() bool {
		ctx, cancel := context.WithTimeout(v.w.t.Context(), leaseTime)
		defer cancel()
		err = v.way.Request(ctx, subject+v.name, in, out)
		return err == nil
	})
}

func (v *twin) hello() {
	v.w.t.Helper()
	var w farm.HelloReply
	v.ask(farm.SubjectHello, farm.Hello{Protocol: farm.Protocol, Session: twinSession, Start: 1, Slots: 8,
		Version: "twin"}, &w)
	testutil.Require(v.w.t, w.Refusal == nil, "%v", w.Refusal)
}

// want requests pairs until n are granted.
func (v *twin) want(n int) (grants []farm.Grant) {
	v.w.t.Helper()
	v.w.until(fmt.Sprintf("%s is granted %d pairs", v.name, n), func() bool {
		var g farm.Grants
		v.ask(farm.SubjectLease, farm.Ask{Session: twinSession, Want: n - len(grants)}, &g)
		if g.Unknown {
			v.hello()
		}
		grants = append(grants, g.Grants...)
		return len(grants) >= n
	})
	return grants
}

// back returns pairs to the coordinator.
func (v *twin) back(grants []farm.Grant) {
	v.w.t.Helper()
	v.beats++
	b := farm.Beat{Session: twinSession, Number: v.beats}
	for i := range grants {
		b.Back = append(b.Back, farm.Back{Held: grants[i].Held, Why: "a test"})
	}
	v.ask(farm.SubjectBeat, b, &farm.BeatReply{})
}

// item returns the result of a pair that this machine played.
func (v *twin) item(run string, g farm.Grant, change func(*match.PairResult)) farm.Item {
	v.w.t.Helper()
	ctx := v.w.t.Context()
	store, err := results.OpenExisting(ctx, v.w.file("local.db"))
	testutil.OK(v.w.t, err)
	defer store.Close()
	info, err := store.FindRun(ctx, run)
	testutil.OK(v.w.t, err)
	p, err := store.Pair(ctx, info.ID, g.Pair)
	testutil.OK(v.w.t, err)
	p.Played = match.Provenance{}
	if change != nil {
		change(&p)
	}
	text, err := match.EncodePair(p)
	testutil.OK(v.w.t, err)
	return farm.Item{Lease: g.Held, Pair: text}
}

// send publishes a message, each time under a new id.
func (v *twin) send(items ...farm.Item) {
	v.w.t.Helper()
	body, err := farm.Seal(&farm.Batch{Worker: v.name, Session: twinSession, Items: items}, v.sign)
	testutil.OK(v.w.t, err)
	v.sent++
	v.w.until(v.name+" has sent a message", func() bool {
		ctx, cancel := context.WithTimeout(v.w.t.Context(), leaseTime)
		defer cancel()
		return v.way.Publish(ctx, farm.SubjectResults+v.name+".0", fmt.Sprintf("%s/%d", v.name, v.sent), body) == nil
	})
}
