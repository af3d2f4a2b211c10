//go:build unix

package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"gogi/farm"
	"gogi/farm/keys"
	"gogi/internal/testutil"
	"gogi/match"
)

// The attackers are keys of one owner, black: a forger, a flooder of the farm, and thieves. Each thief begins after the
// quarantine of the one before. An attacker has at most attackPairs pairs at a time.
const (
	attackers   = "black"
	forger      = "forger"
	flood       = "flood"
	mostThieves = drawn + 1
	attackPairs = 6
	forgedRun   = "forged" // in local.db: legal games with the openings and seeds of the match, by other players
)

// enlist makes the keys of the attackers.
func (w *world) enlist() {
	w.t.Helper()
	w.issue(forger, attackers, keys.Work)
	w.issue(flood, attackers, keys.Work)
	for i := range mostThieves {
		w.issue(fmt.Sprint("thief", i), attackers, keys.Work)
	}
}

// forges sends legal games with other players as the results of pairs that the forger is granted.
func (w *world) forges() {
	w.t.Helper()
	v := w.twin(forger)
	for _, g := range v.want(attackPairs) {
		v.send(v.item(forgedRun, g, nil))
	}
}

// thief attacks with a key that is new to the farm. It sends forged pairs if it is granted any, then a flipped outcome,
// a pair without a grant, and invalid bytes. It sends each several times, and continues after its quarantine.
func (w *world) thief() {
	w.t.Helper()
	name := fmt.Sprint("thief", w.thieves)
	w.thieves++
	v := w.twin(name)
	var g farm.Grants
	v.ask(farm.SubjectLease, farm.Ask{Session: twinSession, Want: attackPairs}, &g)
	stolen := farm.Item{Lease: farm.Held{Run: w.run1("chaos").Digest, Pair: 1, Epoch: 1<<32 | 1, Token: make([]byte, 12)},
		Pair: []byte("no pair")}
	bad := []farm.Item{stolen}
	for i, granted := range g.Grants {
		switch i {
		case 0:
			v.try(v.item(forgedRun, granted, nil))
		case 1:
			bad = append(bad, v.item("chaos", granted, func(p *match.PairResult) { p.Games[0].Outcome = match.Draw }))
		case 2:
			bad = append(bad, farm.Item{Lease: granted.Held, Pair: []byte("no pair")})
		default:
			defer v.try(v.item(forgedRun, granted, nil)) // after its quarantine
		}
	}
	for range 3 {
		for _, item := range bad {
			v.try(item)
		}
	}
	w.until(name+" is in quarantine", func() bool { return w.worker(name).Quarantine != "" })
}

// try publishes a message, and repeats it while the coordinator is away. The coordinator may reject the message.
func (v *twin) try(items ...farm.Item) {
	v.w.t.Helper()
	body, err := farm.Seal(&farm.Batch{Worker: v.name, Session: twinSession, Items: items}, v.sign)
	testutil.OK(v.w.t, err)
	for range 5 {
		ctx, cancel := context.WithTimeout(v.w.t.Context(), leaseTime)
		v.sent++
		err := v.way.Publish(ctx, farm.SubjectResults+v.name+".0", fmt.Sprintf("%s/%d", v.name, v.sent), body)
		cancel()
		if err == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// floods sends unsigned messages with its own key until the test ends: results, requests and heartbeats. Their reply
// subjects belong to other workers, the journal and JetStream.
func (w *world) floods() {
	w.t.Helper()
	creds := testutil.Must(keys.ReadCreds(w.file(flood + ".creds")))(w.t)
	sign, public, err := keys.Sign(creds.Seed)
	testutil.OK(w.t, err)
	n, err := nats.Connect(creds.URL, nats.Nkey(public, nats.SignatureHandler(sign)),
		nats.RootCAs(w.write("ca.pem", creds.CA)), nats.CustomInboxPrefix(keys.Inbox(flood)),
		nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	testutil.OK(w.t, err)
	w.t.Cleanup(n.Close)
	go func() {
		for i := 0; w.t.Context().Err() == nil; i++ {
			subject := []string{"res." + flood + ".0", "lease." + flood, "beat." + flood, "hello." + flood}[i%4]
			reply := []string{"res.w0.0", "journal.w1.0", "ctl.all", "$KV.tests.x", "$JS.API.STREAM.PURGE.RESULTS_0",
				keys.Inbox(flood) + ".x"}[i%6]
			_ = n.PublishRequest(subject, reply, []byte("no message")) // the connection may be closed
			time.Sleep(10 * time.Millisecond)
		}
	}()
}

// worker returns the status of a worker, or the zero value if the farm does not know it.
func (w *world) worker(name string) farm.WorkerStatus {
	w.t.Helper()
	var all []farm.WorkerStatus
	testutil.OK(w.t, json.Unmarshal([]byte(w.run("farm", "worker", "list", "--json", "--creds", "ann.creds")), &all))
	for _, s := range all {
		if s.Name == name {
			return s
		}
	}
	return farm.WorkerStatus{}
}

// expel waits until audits detect the forger, which never sends a bad message. Then it voids the pairs of all
// attackers, and checks that none of these pairs is stored.
func (w *world) expel(run string) {
	w.t.Helper()
	w.until("the forger is in quarantine", func() bool { return w.worker(forger).Quarantine != "" })
	void := 0
	for _, by := range w.attacked(run) {
		w.run("farm", "worker", "void", by, "--run", run, "--why", "forged", "--creds", "boss.creds")
		void++
	}
	testutil.Check(w.t, void > 0, "no pair of an attacker was stored, so none was found out")
	testutil.Check(w.t, len(w.attacked(run)) == 0, "pairs of %v are stored after the void", w.attacked(run))
}

// attacked lists the attackers with stored pairs.
func (w *world) attacked(run string) (names []string) {
	seen := map[string]bool{}
	for _, p := range w.run1(run).Stored {
		if p.Owner == attackers && !seen[p.Worker] {
			seen[p.Worker] = true
			names = append(names, p.Worker)
		}
	}
	return names
}
