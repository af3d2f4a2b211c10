package rollout

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/internal/testutil"
)

var (
	linux = farm.Release{SHA256: "new", Size: 3, OS: "linux", Arch: "amd64"}
	mac   = farm.Release{SHA256: "mac", Size: 3, OS: "darwin", Arch: "arm64"}
	sizes = map[string]int64{"new": 3, "mac": 3, "newer": 3}
	noon  = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
)

// crew returns n connected workers on Linux with an old program, none of them in quarantine.
func crew(n int) (list []Worker) {
	for i := range n {
		list = append(list, Worker{Name: fmt.Sprintf("w%02d", i), OS: "linux", Arch: "amd64", Program: "old", Here: true,
			Sound: true})
	}
	return list
}

// ordered returns the state after an order for a trial of the Linux release.
func ordered(t *testing.T, workers []Worker) *State {
	t.Helper()
	s := &State{}
	testutil.OK(t, s.Order("boss", &farm.Update{Releases: []farm.Release{linux}}, sizes, workers, noon))
	return s
}

// first returns the first workers of the trial of the Linux release.
func (s *State) first() []string { return s.Trials["new"].First }

// TestWhoIsFirst: the program first goes to a twentieth of the workers of each kind, rounded up (3 of 41). Disconnected
// workers, workers in quarantine and leaving workers are not counted. Workers that cannot install a program come last.
func TestWhoIsFirst(t *testing.T) {
	workers := crew(41)
	s := ordered(t, workers)
	testutil.Check(t, len(s.first()) == 3 && s.Stage == farm.StageTrial && s.By == "boss" && s.At.Equal(noon), "%+v", s)
	again := ordered(t, append(slices.Clone(workers[20:]), workers[:20]...))
	testutil.Check(t, slices.Equal(s.first(), again.first()), "the draw depends on the order: %v, %v", s.first(),
		again.first())
	workers = crew(4)
	workers[0].Here, workers[1].Sound, workers[2].Program = false, false, ""
	if s := ordered(t, workers); !slices.Equal(s.first(), []string{"w03"}) {
		t.Errorf("first is %v", s.first())
	}
	if s := ordered(t, workers[:3]); !slices.Equal(s.first(), []string{"w02"}) {
		t.Errorf("where no other is, first is %v", s.first())
	}
	if s := ordered(t, workers[:2]); len(s.first()) > 0 {
		t.Errorf("first is %v", s.first())
	}
}

func TestDue(t *testing.T) {
	workers := crew(3)
	s := ordered(t, workers)
	first := s.first()[0]
	for _, w := range workers {
		due := s.Due(w)
		testutil.Check(t, (due != nil) == (w.Name == first), "%s is told %+v, first is %s", w.Name, due, first)
	}
	testutil.OK(t, s.Order("boss", &farm.Update{All: true}, nil, workers, noon))
	workers[1].Program, workers[2].OS = "new", "plan9"
	testutil.Check(t, s.Due(workers[0]) != nil && s.Due(workers[1]) == nil && s.Due(workers[2]) == nil,
		"of all, only who has another program of its kind is told")
	if u := s.Status(workers); !slices.Equal(u.Want, []string{"w00"}) || !slices.Equal(u.Have, []string{"w01"}) ||
		!slices.Equal(u.None, []string{"w02"}) {
		t.Errorf("%+v", u)
	}
	if err := s.Order("boss", &farm.Update{Off: true}, nil, workers, noon); err != nil || s.Due(workers[0]) != nil ||
		s.Stage != farm.StageNone {
		t.Errorf("%+v, %v", s, err)
	}
	// An order may name a known release without a new upload.
	if err := s.Order("boss", &farm.Update{Known: []string{"new"}}, nil, workers, noon); err != nil ||
		len(s.Releases) != 1 || len(s.Known) != 0 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestTrial: the trial ends after 500 pairs of the first workers, and is tested ten times. A failure that the other
// workers have as often does not count against the program.
func TestTrial(t *testing.T) {
	workers := crew(2)
	s := ordered(t, workers)
	i := slices.IndexFunc(workers, func(w Worker) bool { return w.Name == s.first()[0] })
	first, other := workers[i], workers[1-i]
	if first.Program = "new"; s.Count("t", other, true, false) || s.Trials["new"].Pairs != 0 {
		t.Error("another's pair counts")
	}
	liar := other
	liar.Program = "new"
	if s.Count("t", liar, true, true); s.Trials["new"].Pairs != 0 || s.Trials["new"].Tried["t"].Tries != 0 {
		t.Error("who says to have it without having been told counts")
	}
	looks := 0
	for n := range 500 {
		s.Count("t", other, true, n%9 == 0)
		if s.Count("t", first, true, n%9 == 0) {
			looks++
			if s.Look(""); s.Stage != farm.StageTrial && n < 499 {
				t.Fatalf("it ended after %d pairs: %+v", n+1, s)
			}
		}
	}
	testutil.Check(t, looks == 10 && s.Stage == farm.StageAll, "%d looks, %s: %s", looks, s.Stage, s.Why)
	if s.Count("t", first, true, true); s.Trials["new"].Pairs != 500 {
		t.Error("a pair counts after the trial")
	}
}

// TestHeld: ten failures in ten tries against none in ten are significant (5·10⁻⁶: one of 184,756 ways to choose ten of
// twenty). Six against one are not (0.029). An accusation holds the release at once.
func TestHeld(t *testing.T) {
	for _, test := range []struct {
		mine, others int
		accused      string
		stage        farm.Stage
	}{
		{10, 0, "", farm.StageHeld}, {6, 1, "", farm.StageTrial}, {0, 0, "it lies", farm.StageHeld},
	} {
		workers := crew(2)
		s := ordered(t, workers)
		i := slices.IndexFunc(workers, func(w Worker) bool { return w.Name == s.first()[0] })
		first := workers[i]
		first.Program = "new"
		for n := range 10 {
			s.Count("t", first, false, n < test.mine)
			s.Count("t", workers[1-i], true, n < test.others)
		}
		s.Look(test.accused)
		testutil.Check(t, s.Stage == test.stage && s.Trials["new"].Pairs == 0 && strings.Contains(s.Why, test.accused),
			"%+v: %s, %s", test, s.Stage, s.Why)
	}
}

// TestEachKind: each kind of machine has its own trial. A program that has passed goes to all workers of its kind, and
// to no others.
func TestEachKind(t *testing.T) {
	workers := append(crew(3), Worker{Name: "m", OS: "darwin", Arch: "arm64", Program: "old", Here: true, Sound: true})
	s := &State{}
	testutil.OK(t, s.Order("boss", &farm.Update{Releases: []farm.Release{linux, mac}}, sizes, workers, noon))
	i := slices.IndexFunc(workers, func(w Worker) bool { return w.Name == s.first()[0] })
	workers[i].Program = "new"
	for range 500 {
		if s.Count("t", workers[i], true, false) {
			s.Look("")
		}
	}
	if s.Stage != farm.StageTrial || s.Due(workers[(i+1)%3]) == nil ||
		!slices.Equal(s.Trials["mac"].First, []string{"m"}) || s.Trials["mac"].Pairs != 0 {
		t.Errorf("%+v, of mac %+v", s, s.Trials["mac"])
	}
	if why := s.Accused(func(name string) (string, time.Time) { return "it lies", noon }); !strings.HasPrefix(why, "m, ") {
		t.Errorf("accused is %q, and the other trial has passed", why)
	}
	workers[3].Program = "mac"
	for range 500 {
		if s.Count("t", workers[3], true, false) {
			s.Look("")
		}
	}
	testutil.Check(t, s.Stage == farm.StageAll, "%+v", s)
}

// TestStuck: if the workers of a trial do not run the program for an hour, the trial draws more workers.
func TestStuck(t *testing.T) {
	workers := crew(2)
	s := ordered(t, workers)
	for minutes, drew := range map[int]bool{59: false, 60: true} {
		again := ordered(t, workers)
		if got := again.Tend(workers, "", noon.Add(time.Duration(minutes)*time.Minute)); got != drew ||
			(len(again.first()) == 2) != drew {
			t.Errorf("after %d minutes others are drawn: %t, %v", minutes, got, again.first())
		}
	}
	i := slices.IndexFunc(workers, func(w Worker) bool { return w.Name == s.first()[0] })
	workers[i].Program = "new"
	s.Tend(workers, "", noon.Add(50*time.Minute))
	testutil.Check(t, !s.Tend(workers, "", noon.Add(100*time.Minute)), "others are drawn though one runs it")
	workers[i].Here, s.Trials["new"].seen = false, time.Time{} // a new process has not seen the worker
	if s.Tend(workers, "", noon.Add(300*time.Minute)) || s.Tend(workers, "", noon.Add(359*time.Minute)) ||
		!s.Tend(workers, "", noon.Add(360*time.Minute)) {
		t.Errorf("others are drawn before or after an hour of a new process: %v", s.first())
	}
	testutil.Check(t, s.Tend(workers, "it lies", noon.Add(361*time.Minute)), "nobody looks at who is accused")
}
