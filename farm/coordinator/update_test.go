package coordinator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/internal/testutil"
	"gogi/match"
)

// linux are the labels of a machine for which there is a release.
func linux() map[string]string { return map[string]string{"os": "linux", "arch": "amd64"} }

// program uploads a program for Linux and returns its release. The coordinator does not check the signature.
func (f *theFarm) program(t *testing.T, text string) farm.Release {
	t.Helper()
	sum := testutil.Must(f.broker.Connect("boss").PutArtefact(f.ctx, strings.NewReader(text), 1<<20))(t)
	return farm.Release{SHA256: sum, Size: int64(len(text)), OS: "linux", Arch: "amd64", Version: "v" + text,
		Signature: []byte("signed")}
}

// update sends an order and returns the status after it.
func (f *theFarm) update(t *testing.T, u farm.Update) (s farm.UpdateStatus) {
	t.Helper()
	testutil.OK(t, f.do("boss", "update", u, &s))
	return s
}

// firstOf returns the workers of all kinds that get the program first.
func firstOf(s *farm.UpdateStatus) (names []string) {
	for _, t := range s.Trials {
		names = append(names, t.First...)
	}
	return names
}

// crew starts workers that report an old program. There is no release for the machine of the last one.
func (f *theFarm) crew(n int) map[string]*hand {
	all := map[string]*hand{}
	for i := range n {
		h := &hand{name: fmt.Sprint("w", i), slots: 2, takes: seconds(20), labels: linux(), program: "old"}
		if i == n-1 {
			h.labels["os"] = "plan9"
		}
		f.begin(h)
		all[h.name] = h
	}
	return all
}

// toldOf returns the workers that must install a release.
func toldOf(crew map[string]*hand) (names []string) {
	for name, h := range crew {
		h.mu.Lock()
		if h.said == farm.SayUpdate {
			names = append(names, name)
		}
		h.mu.Unlock()
	}
	slices.Sort(names)
	return names
}

// becomes restarts a worker with a program.
func (h *hand) becomes(program string) {
	h.kill()
	h.program, h.said = program, ""
	h.begin()
}

// proves is becomes with eight slots, as many as a batch has pairs. So the others play less until a trial is over.
func (h *hand) proves(program string) {
	h.kill()
	h.slots, h.takes = 8, seconds(20)
	h.becomes(program)
}

// rest lets a crew play slowly, for a test that only waits.
func rest(crew map[string]*hand) {
	for _, h := range crew {
		h.mu.Lock()
		h.takes = func(int) time.Duration { return 10 * time.Minute }
		h.mu.Unlock()
	}
}

// crashes is play with an engine crash in the first game.
func crashes(p *match.Plan, id int) match.PairResult {
	r := play(p, id)
	g := &r.Games[0]
	g.Termination, g.Note = match.Crash, "signal: killed"
	g.Record.Result = g.Termination.String()
	return r
}

// TestAnUpdateIsTriedFirst: a twentieth of the workers get the update first. The others get it after 500 pairs with it,
// also over a restart of the coordinator.
func TestAnUpdateIsTriedFirst(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.run(testPlan("long", 4000, 1))
		crew := f.crew(6)
		f.until("they play", func() bool { return f.test("long").Stored > 20 })
		r := f.program(t, "2")
		s := f.update(t, farm.Update{Releases: []farm.Release{r}})
		if s.Stage != farm.StageTrial || len(firstOf(&s)) != 1 || len(s.Want) != 5 || !slices.Equal(s.None, []string{"w5"}) ||
			len(s.Have) != 0 {
			t.Fatalf("%+v", s)
		}
		first := firstOf(&s)[0]
		f.until("the first one is told", func() bool { return len(toldOf(crew)) > 0 })
		crew[first].mu.Lock()
		got := crew[first].release
		testutil.Check(t, got != nil && got.SHA256 == r.SHA256 && string(got.Signature) == "signed", "it is told %+v", got)
		crew[first].mu.Unlock()
		crew[first].proves(r.SHA256)
		pairs := func() int { return f.c.Status(f.ctx).Update.Trials[0].Pairs }
		f.until("half of the trial is over", func() bool { return pairs() >= 250 })
		f.restart()
		n := pairs()
		testutil.Check(t, n >= 250 && n <= 260, "after a restart it stands at %d pairs", n)
		f.until("nearly all of the trial is over", func() bool { return pairs() >= 490 })
		names := toldOf(crew)
		testutil.Check(t, len(names) == 0, "%v are told before its end", names)
		f.until("the others are told", func() bool { return len(toldOf(crew)) == 4 })
		if s := f.c.Status(f.ctx).Update; s.Stage != farm.StageAll || s.Trials[0].Pairs < 500 ||
			!slices.Equal(s.Have, []string{first}) {
			t.Errorf("%+v", s)
		}
		testutil.Check(t, !slices.Contains(toldOf(crew), "w5"), "a machine of another kind is told")
		for name, h := range crew {
			if name != first && name != "w5" {
				h.becomes(r.SHA256)
			}
		}
		f.until("all have it", func() bool { return len(f.c.Status(f.ctx).Update.Have) == 5 && len(toldOf(crew)) == 0 })
		next := f.program(t, "3")
		f.update(t, farm.Update{Releases: []farm.Release{next}, All: true})
		f.until("all are told without a trial", func() bool { return len(toldOf(crew)) == 5 })
		if s := f.update(t, farm.Update{Known: []string{r.SHA256}}); s.Stage != farm.StageTrial || len(s.Have) != 5 ||
			len(s.Known) != 1 || s.Known[0].SHA256 != next.SHA256 {
			t.Errorf("back to the one before: %+v", s)
		}
		if s := f.update(t, farm.Update{Off: true, Why: "enough"}); s.Stage != farm.StageNone || len(s.Known) != 2 ||
			s.Why != "enough" {
			t.Errorf("off: %+v", s)
		}
	})
}

// TestAnUpdateThatIsWorse: the coordinator holds the update if engines crash with it or its worker is quarantined. An
// administrator can still give it to all workers.
func TestAnUpdateThatIsWorse(t *testing.T) {
	for what, spoil := range map[string]func(f *theFarm, h *hand){
		"engines failed": func(_ *theFarm, h *hand) {
			h.plays = func(p *match.Plan, id int) match.PairResult {
				if id%4 == 0 {
					return crashes(p, id)
				}
				return play(p, id)
			}
		},
		"is quarantined": func(f *theFarm, h *hand) {
			if err := f.do("boss", "quarantine", farm.Order{Worker: h.name, Why: "smoke"}, nil); err != nil {
				f.t.Error(err)
			}
		},
	} {
		t.Run(what, func(t *testing.T) {
			inFarm(t, func(t *testing.T, f *theFarm) {
				f.run(testPlan("long", 6000, 1))
				crew := f.crew(5)
				f.until("they play", func() bool { return f.test("long").Stored > 20 })
				r := f.program(t, "2")
				ordered := f.update(t, farm.Update{Releases: []farm.Release{r}})
				first := firstOf(&ordered)[0]
				crew[first].kill()
				crew[first].program = r.SHA256
				spoil(f, crew[first])
				crew[first].begin()
				f.until("it is held", func() bool { return f.c.Status(f.ctx).Update.Stage == farm.StageHeld })
				rest(crew)
				time.Sleep(time.Hour)
				if s := f.c.Status(f.ctx).Update; s.Stage != farm.StageHeld || !strings.Contains(s.Why, what) ||
					s.Trials[0].Pairs >= 500 {
					t.Errorf("%+v", s)
				}
				names := toldOf(crew)
				testutil.Check(t, len(names) == 0, "%v are told", names)
				if s := f.update(t, farm.Update{All: true, Why: "it is the engine"}); s.Stage != farm.StageAll {
					t.Errorf("%+v", s)
				}
				f.until("all are told", func() bool { return len(toldOf(crew)) == 3 })
			})
		})
	}
}

// TestUpdatesThatAreRefused: the coordinator rejects updates from keys without the right, and invalid updates.
func TestUpdatesThatAreRefused(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		r := f.program(t, "2")
		changed := func(change func(*farm.Release)) farm.Update {
			other := r
			change(&other)
			return farm.Update{Releases: []farm.Release{other}}
		}
		for _, c := range []struct {
			who, why string
			u        farm.Update
		}{
			{"ben", "may not update workers", farm.Update{Releases: []farm.Release{r}}},
			{"ben", "may not update workers", farm.Update{Off: true}},
			{"boss", "expected releases", farm.Update{All: true}},
			{"boss", "wants no releases", farm.Update{Off: true, Releases: []farm.Release{r}}},
			{"boss", "two releases for linux amd64", farm.Update{Releases: []farm.Release{r, r}}},
			{"boss", "upload it first", changed(func(r *farm.Release) { r.SHA256 = strings.Repeat("a", 64) })},
			{"boss", "upload it first", changed(func(r *farm.Release) { r.Size++ })},
			{"boss", "expected 64 digits", changed(func(r *farm.Release) { r.SHA256 = "../../etc/passwd" })},
			{"boss", "expected an os", changed(func(r *farm.Release) { r.OS = "" })},
			{"boss", "was ever wanted here", farm.Update{Known: []string{r.SHA256}}},
		} {
			testutil.Fails(t, f.do(c.who, "update", c.u, nil), c.why, "%s, %+v", c.who, c.u)
		}
		testutil.Check(t, f.c.Status(f.ctx).Update == nil, "an update has begun")
		if err := f.do("ann", "update", farm.Update{}, nil); err != nil {
			t.Errorf("everybody may ask: %v", err)
		}
	})
}
