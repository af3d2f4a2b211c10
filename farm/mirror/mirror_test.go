package mirror_test

import (
	"context"
	"crypto/ed25519"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/bustest"
	"gogi/farm/coordinator"
	"gogi/farm/coordinator/roster"
	"gogi/farm/mirror"
	"gogi/farm/site"
	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/farmstate"
	"gogi/shogi"
)

// theFarm is a coordinator with a real database, and a replica with another one.
type theFarm struct {
	*testing.T
	bus  *bustest.MemoryBroker
	file string // the farm's database
	f    *mirror.Replica
	copy *results.Store
}

type keyring map[string]roster.Key

func (k keyring) Key(name string) (roster.Key, bool) {
	key, ok := k[name]
	return key, ok
}

func begin(t *testing.T) *theFarm {
	t.Helper()
	f := &theFarm{T: t, bus: bustest.NewMemoryBroker(), file: filepath.Join(t.TempDir(), "farm.db")}
	open := func(file string) *results.Store {
		s := testutil.Must(results.Open(t.Context(), file))(t)
		t.Cleanup(func() { s.Close() })
		return s
	}
	keys := keyring{}
	for name, right := range map[string]string{"ann": "submit", "ben": "approve", "boss": "admin"} {
		keys[name] = roster.Key{Name: name, Owner: name, Rights: []string{right}}
	}
	_, private, err := ed25519.GenerateKey(nil)
	testutil.OK(t, err)
	state := testutil.Must(farmstate.Open(t.Context(), filepath.Join(t.TempDir(), "state.db")))(t)
	t.Cleanup(func() { _ = state.Close() })
	c, err := coordinator.New(t.Context(), coordinator.Config{
		Bus: f.bus.Open(), State: state, Keys: keys, Sign: func(text []byte) ([]byte, error) {
			return ed25519.Sign(private, text), nil
		},
		Open: site.Stores(open(f.file)),
	})
	testutil.OK(t, err)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.Serve(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	testutil.Eventually(t, "the coordinator serves", func() bool {
		return f.ask("boss")(t.Context(), "list", farm.Order{}, new(any)) == nil
	})
	f.copy = open(filepath.Join(t.TempDir(), "copy.db"))
	f.f = &mirror.Replica{Store: f.copy, Ask: f.ask("boss"), Log: slog.New(slog.DiscardHandler)}
	return f
}

func (f *theFarm) ask(who string) mirror.Ask {
	t := f.bus.Connect(who)
	return func(ctx context.Context, verb string, in, out any) error {
		return t.Request(ctx, farm.SubjectAdmin+who+"."+verb, in, out)
	}
}

func (f *theFarm) do(who, verb string, in any) {
	f.Helper()
	testutil.OK(f, f.ask(who)(f.Context(), verb, in, new(any)), "%s of %s", verb, who)
}

// test submits and approves a plan.
func (f *theFarm) test(seed uint64) *match.Plan {
	f.Helper()
	p := f.plan(seed)
	text := testutil.Must(match.EncodePlan(p))(f)
	f.do("ann", "submit", farm.Submission{Plan: text})
	f.do("ben", "approve", farm.Order{Run: p.Digest()})
	return p
}

// plan returns the plan of a test, which is called r for the seed 1 and r-SEED for others.
func (f *theFarm) plan(seed uint64) *match.Plan {
	name := "r"
	if seed > 1 {
		name = fmt.Sprint("r-", seed)
	}
	p := &match.Plan{
		Run: name, Pairs: 3000, Seed: seed, Design: match.Design{Kind: match.DesignMatch, Swap: true}, Concurrency: 1,
		Ponder: match.PonderOff,
		Slowed: match.PolicyCount, Rules: match.RulesProfiles()[match.DefaultRules],
		Openings: []match.Opening{{ID: "1", Start: "startpos"}},
	}
	for _, name := range []string{"a", "b"} {
		p.Players = append(p.Players, match.Player{Name: name, Command: []string{"/x"}, Identity: match.Identity{Fixed: name},
			Limits: match.Limits{Nodes: 1}, Restart: match.RestartNever})
	}
	return p
}

// resigned returns a pair whose players resign before their first move.
func (f *theFarm) resigned(p *match.Plan, id int, second int64) []byte {
	f.Helper()
	return testutil.Must(match.EncodePair(matchtest.Resigned(p, id, shogi.Black, time.Unix(second, 0))))(f)
}

func (f *theFarm) push(p *match.Plan, second int64, ids ...int) {
	f.Helper()
	texts := lists.Map(ids, func(id int) []byte { return f.resigned(p, id, second) })
	f.do("boss", "push", farm.Push{Run: p.Digest(), Pairs: texts})
}

// round replicates once. It requires that the replica has want pairs of the run and equals the farm's database.
func (f *theFarm) round(run string, want int) {
	f.Helper()
	testutil.OK(f, testutil.Err(f.f.Round(f.Context())))
	info := testutil.Must(f.copy.FindRun(f.Context(), run))(f)
	finished, err := f.copy.Finished(f.Context(), info.ID)
	testutil.Require(f, err == nil && len(finished) == want, "the copy of %s has %d pairs, %v: want %d", run,
		len(finished), err, want)
	testutil.OK(f, testutil.Err(f.f.Compare(f.Context())))
}

func ids(from, below int) (list []int) {
	for id := from; id < below; id++ {
		list = append(list, id)
	}
	return list
}

// TestReplicating: the replica copies new pairs once, also with gaps and in several pages. Pairs that the farm makes
// void become void in the replica. The replica also copies the pairs that are played instead.
func TestReplicating(t *testing.T) {
	t.Parallel()
	f := begin(t)
	p := f.test(1)
	f.push(p, 1, ids(0, 300)...)
	f.push(p, 1, 700, 2500)
	f.round("r", 302)
	f.push(p, 1, 500)
	f.round("r", 303)

	f.do("boss", "purge", farm.Order{Run: "r", Worker: "boss", Why: "warm"})
	f.round("r", 0)
	f.push(p, 1, 7) // the same result again
	f.push(p, 2, 8) // a different result
	f.round("r", 2)
	f.do("boss", "purge", farm.Order{Run: "r", Worker: "boss", Why: "warm"})
	f.push(p, 3, 7, 8, 9) // between two rounds
	f.round("r", 3)
	pair, err := f.copy.Pair(t.Context(), 1, 8)
	if err != nil || pair.Games[0].Started.Unix() != 3 {
		t.Errorf("pair 8 of the copy was played at %v, %v", pair.Games[0].Started, err)
	}
	list, err := f.copy.Voided(t.Context(), 1)
	testutil.Check(t, err == nil && len(list) == 305 && list[0].Why == "warm" && list[0].By == "boss",
		"%d void in the copy, %v", len(list), err)
}

// TestARemarkIsCopied: the replica stores why a decision is provisional, until it is final and the pairs are copied.
func TestARemarkIsCopied(t *testing.T) {
	t.Parallel()
	f := begin(t)
	p := f.test(1)
	text := testutil.Must(match.EncodePlan(p))(t)
	why, before := "", ""
	remark := func(want string) {
		t.Helper()
		info := testutil.Must(f.copy.FindRun(t.Context(), "r"))(t)
		list, err := f.copy.Settings(t.Context(), info.ID)
		testutil.Check(t, err == nil && len(list) == 1 && list[0].Provisional == want, "%+v, %v, expected %q", list, err,
			want)
	}
	f.f.Ask = func(_ context.Context, verb string, _, out any) error {
		switch out := out.(type) {
		case *farm.Status:
			out.Tests = []farm.TestStatus{{Run: p.Digest(), Name: p.Run, State: farm.Over, Provisional: why}}
		case *farm.Pulled:
			if before != "" {
				remark(before)
			}
			*out = farm.Pulled{Plan: text, Test: farm.TestStatus{Provisional: why}}
		default:
			t.Errorf("%s is asked", verb)
		}
		return nil
	}
	for _, why = range []string{"audits are missing", ""} {
		testutil.Must(f.f.Round(t.Context()))(t)
		remark(why)
		before = why
	}
}

// TestReplicatingTwoOfOneName: a test whose name belongs to another run of the database gets its plan hash as a suffix.
func TestReplicatingTwoOfOneName(t *testing.T) {
	t.Parallel()
	f := begin(t)
	other := f.plan(2)
	other.Run = "r"
	run := testutil.Must(f.copy.Begin(t.Context(), other))(t)
	testutil.OK(t, run.Close())
	p := f.test(1)
	f.push(p, 1, 0, 1)
	f.round("r-"+p.Digest()[:8], 2)
}

// TestADifferentFarm: the comparison reports a changed game in the farm's database, and a pair that the farm has lost.
// New pairs that the replica does not have yet hide no difference.
func TestADifferentFarm(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]struct {
		statement, want string
		more            []int
	}{
		"lost": {"UPDATE pairs SET pair = 2999 WHERE pair = 5; UPDATE games SET pair = 2999 WHERE pair = 5",
			"was it restored?", nil},
		"changed": {"UPDATE games SET note = 'it was not so', checksum = NULL WHERE pair = 5", "SHA-256", nil},
		"changed while it plays": {"UPDATE games SET note = 'it was not so', checksum = NULL WHERE pair = 5", "SHA-256",
			[]int{10, 20}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := begin(t)
			p := f.test(1)
			f.push(p, 1, ids(0, 10)...)
			f.round("r", 10)
			db := testutil.Must(sql.Open("sqlite3", f.file))(t)
			defer db.Close()
			for _, s := range strings.Split(change.statement, ";") {
				testutil.OK(t, testutil.Err(db.ExecContext(t.Context(), s)))
			}
			f.push(p, 1, change.more...)
			if _, err := f.f.Compare(t.Context()); !errors.Is(err, mirror.ErrDiffers) ||
				!strings.Contains(fmt.Sprint(err), change.want) {
				t.Errorf("it says %v: want %q", err, change.want)
			}
		})
	}
}

// TestAForgedFarm: the replica rejects a pair that cannot have been played.
func TestAForgedFarm(t *testing.T) {
	t.Parallel()
	f := begin(t)
	p := f.test(1)
	f.push(p, 1, 0)
	ask := f.f.Ask
	f.f.Ask = func(ctx context.Context, verb string, in, out any) error {
		err := ask(ctx, verb, in, out)
		if page, ok := out.(*farm.Pulled); ok && len(page.Pairs) > 0 {
			r, why := match.DecodePair(page.Pairs[0], 1<<20)
			if why != nil {
				return why
			}
			r.Games[0].Outcome = match.LossFor(1, match.Resignation, "").Outcome
			page.Pairs[0], why = match.EncodePair(r)
			err = errors.Join(err, why)
		}
		return err
	}
	testutil.Is(t, testutil.Err(f.f.Round(t.Context())), mirror.ErrDiffers, "it says")
}

// TestATestThatCannotBeCopied: of three tests the second cannot be copied. The round reports this and copies the
// others. A canceled round requests no further test.
func TestATestThatCannotBeCopied(t *testing.T) {
	t.Parallel()
	f := begin(t)
	var plans []*match.Plan
	for seed := range uint64(3) {
		p := f.test(seed + 1)
		f.push(p, 1, int(seed))
		f.do("ann", "stop", farm.Order{Run: p.Digest()})
		plans = append(plans, p)
	}
	ask, away := f.f.Ask, errors.New("its store is damaged")
	f.f.Ask = func(ctx context.Context, verb string, in, out any) error {
		if o, ok := in.(farm.Pull); ok && o.Run == plans[1].Digest() {
			return away
		}
		return ask(ctx, verb, in, out)
	}
	if _, err := f.f.Round(t.Context()); !errors.Is(err, away) || !strings.Contains(err.Error(), "test r-2: ") {
		t.Errorf("it says %v", err)
	}
	for name, want := range map[string]bool{"r": true, "r-2": false, "r-3": true} {
		if _, err := f.copy.FindRun(t.Context(), name); (err == nil) != want {
			t.Errorf("%s in the copy: %v, expected %t", name, err, want)
		}
	}
	f.f.Ask = ask
	f.round("r-2", 1)

	ctx, cancel := context.WithCancel(t.Context())
	asked := 0
	f.push(plans[0], 1, 10)
	f.push(plans[2], 1, 10)
	f.f.Ask = func(_ context.Context, verb string, in, out any) error {
		if verb == "list" {
			return ask(ctx, verb, in, out)
		}
		asked++
		cancel()
		return ctx.Err()
	}
	if _, err := f.f.Round(ctx); !errors.Is(err, context.Canceled) || asked != 1 {
		t.Errorf("it says %v after %d questions: expected none after the end", err, asked)
	}
}
