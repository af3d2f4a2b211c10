package chaos

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"gogi/farm"
	"gogi/farm/site"
	"gogi/internal/testutil"
	"gogi/match"
)

func held(pair int, epoch farm.Epoch) []farm.Held {
	return []farm.Held{{Run: "r", Pair: pair, Epoch: epoch}}
}

// sound returns a short history without a broken promise. A lease expires and its pair is granted to another worker. A
// coordinator dies between storing a result and acknowledging it.
func sound() []site.Step {
	return []site.Step{
		{What: "boot", Seq: 1},
		{What: "hello", Worker: "a", Start: "1"},
		{What: "grant", Worker: "a", Leases: held(0, 1<<32|1)},
		{What: "grant", Worker: "b", Leases: held(1, 1<<32|2)},
		{What: "beat", Worker: "a", Start: "1", Leases: held(0, 1<<32|1)},
		{What: "grant", Worker: "a", Leases: held(1, 1<<32|3)},
		{What: "delivery", Worker: "a", Seq: 1, Leases: held(0, 1<<32|1)},
		{What: "acked", Worker: "a", Seq: 1},
		{What: StepKilled},
		{What: "boot", Seq: 2},
		{What: "beat", Worker: "a", Start: "1", Leases: held(1, 1<<32|3)},
		{What: "delivery", Worker: "a", Seq: 1, Again: true, Leases: held(0, 1<<32|1)},
		{What: "acked", Worker: "a", Seq: 1},
		{What: "stored", Worker: "a", Leases: held(0, 1<<32|1)},
		{What: "delivery", Worker: "a", Seq: 2, Leases: held(1, 1<<32|3)},
		{What: "acked", Worker: "a", Seq: 2},
		{What: "delivery", Worker: "a", Seq: 3, Leases: held(1, 1<<32|3)},
		{What: "acked", Worker: "a", Seq: 3},
		{What: "stored", Worker: "a", Leases: held(1, 1<<32|3)},
		{What: StepKilled, Worker: "b"},
		{What: StepStopped, Worker: "b"},
		{What: StepCut, Worker: "b", Seq: 7},
	}
}

func soundRun() Run {
	return Run{
		Digest: "r", Pairs: 2, Window: 2,
		Stored: map[int]match.Provenance{0: {Worker: "a", Epoch: 1<<32 | 1}, 1: {Worker: "a", Epoch: 1<<32 | 3}},
	}
}

// TestTheJudge requires that Judge finds nothing in a sound history, counts its events, and finds each broken promise.
func TestTheJudge(t *testing.T) {
	e, wrong := Judge(&History{Steps: sound()}, soundRun())
	want := Evidence{
		Boots: 2, Granted: 2, Again: 1, Adopted: 1, Twice: 1, Redeliver: 1, Between: 1, Acked: 4, StoredTold: 2,
		Killed: 1, KilledCoordinator: 1, Stopped: 1, Cut: 1, CutPackets: 7,
	}
	testutil.Check(t, len(wrong) == 0 && e == want, "a sound history: %v\n%+v, expected\n%+v", wrong, e, want)
	for name, plant := range map[string]func(h *[]site.Step, r *Run){
		"I1: pair 1 is not stored": func(_ *[]site.Step, r *Run) { delete(r.Stored, 1) },
		"I1: pair 7 is stored":     func(_ *[]site.Step, r *Run) { r.Stored[7] = r.Stored[0] },
		"I3: pair 0 is stored":     func(_ *[]site.Step, r *Run) { r.Stored[0] = match.Provenance{Worker: "a", Epoch: 9} },
		"I3: pair 1 is stored": func(_ *[]site.Step, r *Run) {
			r.Stored[1] = match.Provenance{Worker: "b", Epoch: 1<<32 | 3}
		},
		"I4: a worker was told":    func(_ *[]site.Step, r *Run) { delete(r.Stored, 0) },
		"I6: epoch 4294967297 was": func(h *[]site.Step, _ *Run) { (*h)[3].Leases[0].Epoch = 1<<32 | 1 },
		"I6: boot 1 after boot 1":  func(h *[]site.Step, _ *Run) { (*h)[9].Seq = 1 },
		"I7: pair 1 is granted":    func(_ *[]site.Step, r *Run) { r.Window = 1 },
		"I7: pair 3 is granted": func(h *[]site.Step, r *Run) { // the first message was refused, so there is no prefix
			r.Pairs, r.Window = 4, 3
			*h = append(*h, site.Step{What: "refused", Seq: 1}, site.Step{What: "grant", Worker: "b", Leases: held(3, 1<<32|9)})
		},
		"I9: pair 1 is stored": func(h *[]site.Step, _ *Run) {
			*h = slices.Insert(*h, 11, site.Step{What: StepRevoked, Worker: "a"})
		},
		"I9: pair 2 is granted": func(h *[]site.Step, _ *Run) {
			*h = append(*h, site.Step{What: StepRevoked, Worker: "a"},
				site.Step{What: "grant", Worker: "a", Leases: held(2, 2<<32|1)})
		},
		"I11: the lease of pair 1": func(h *[]site.Step, _ *Run) {
			*h = append(*h, site.Step{What: "beat", Worker: "a", Start: "2", Leases: held(1, 1<<32|3)})
		},
		"I11: b holds pair 0 under": func(h *[]site.Step, _ *Run) { (*h)[4].Worker = "b" },
		"I11: the lease of pair 0 und": func(h *[]site.Step,
			_ *Run) {
			(*h)[10].Worker, (*h)[10].Leases = "b", (*h)[4].Leases
		},
	} {
		steps, run := sound(), soundRun()
		plant(&steps, &run)
		_, wrong := Judge(&History{Steps: steps}, run)
		all := strings.Join(wrong, "\n")
		testutil.Check(t, strings.Contains(all, name), "planted %q, found %q", name, all)
	}
}

// TestWhatIsNoViolation covers three allowed cases. A worker whose key is revoked keeps its earlier results. The prefix
// of the window counts pairs that came. A stopped test may lack pairs.
func TestWhatIsNoViolation(t *testing.T) {
	steps, run := sound(), soundRun()
	steps = append(steps, site.Step{What: StepRevoked, Worker: "a"},
		site.Step{What: "grant", Worker: "b", Leases: held(3, 2<<32|1)})
	run.Pairs, run.Stopped = 9, true
	e, wrong := Judge(&History{Steps: steps}, run)
	testutil.Check(t, len(wrong) == 0 && e.Revoked == 1, "%v, %+v", wrong, e)
}

// TestMissing requires that Missing names each class of faults that did not happen, and no other (I12).
func TestMissing(t *testing.T) {
	all := Evidence{
		Boots: 2, Again: 1, Adopted: 1, Twice: 1, Rivals: 1, Late: 1, Redeliver: 1, Between: 1, Refused: 1,
		Killed: 1, KilledCoordinator: 1, Stopped: 1,
	}
	if missing := all.Missing(); len(missing) > 0 {
		t.Error(missing)
	}
	for name, class := range map[string]*int{
		"booted": &all.Boots, "granted again": &all.Again, "adopted": &all.Adopted, "two messages": &all.Twice,
		"two leases": &all.Rivals,
		"overtook":   &all.Late, "delivered again": &all.Redeliver, "between": &all.Between, "refused": &all.Refused,
		"a worker was killed": &all.Killed, "a coordinator was killed": &all.KilledCoordinator, "stopped": &all.Stopped,
	} {
		before := *class
		*class--
		if missing := all.Missing(); len(missing) != 1 || !strings.Contains(missing[0], name) {
			t.Errorf("without %q: %q", name, missing)
		}
		*class = before
	}
}

// TestResultsOutOfOrder covers a pair with two leases in which the result of the later lease comes first.
func TestResultsOutOfOrder(t *testing.T) {
	late := func(first, second farm.Epoch) Evidence {
		e, _ := Judge(&History{Steps: []site.Step{
			{What: "boot", Seq: 1},
			{What: "grant", Worker: "a", Leases: held(0, 1<<32|1)}, {What: "grant", Worker: "b", Leases: held(0, 1<<32|2)},
			{What: "delivery", Worker: "a", Seq: 1, Leases: held(0, 1<<32|first)},
			{What: "delivery", Worker: "b", Seq: 2, Leases: held(0, 1<<32|second)},
		}}, Run{Digest: "r", Pairs: 1})
		return e
	}
	if e := late(1, 2); e.Rivals != 1 || e.Late != 0 {
		t.Errorf("in order: %+v", e)
	}
	if e := late(2, 1); e.Rivals != 1 || e.Late != 1 {
		t.Errorf("out of order: %+v", e)
	}
}

// TestShares covers two waiting tests and their parts of a thousand grants.
func TestShares(t *testing.T) {
	history := func(every int) *History { // one grant in every is of the small test
		h := &History{Steps: []site.Step{{What: "grant", Leases: []farm.Held{{Run: "alone", Pair: 1}}}}}
		for i := range 500 {
			// before the other test waits
			h.Steps = append(h.Steps, site.Step{What: "grant", Leases: []farm.Held{{Run: "big", Pair: i}}})
		}
		for i := range 1100 {
			run := "big"
			if i%every == 0 {
				run = "small"
			}
			h.Steps = append(h.Steps, site.Step{What: "grant", Leases: []farm.Held{{Run: run, Pair: i}}})
		}
		return h
	}
	want := []Share{{Run: "big", Part: 3}, {Run: "small", Part: 1}}
	if wrong, err := Shares(history(4), want); err != nil || len(wrong) > 0 {
		t.Errorf("%v, %q", err, wrong)
	}
	if wrong, err := Shares(history(5), want); err != nil || len(wrong) != 2 ||
		!strings.HasPrefix(wrong[1], "I8: small had 20.0%") {
		t.Errorf("a fifth instead of a quarter: %v, %q", err, wrong)
	}
	few := history(4)
	few.Steps = few.Steps[:1400]
	testutil.Fails(t, testutil.Err(Shares(few, want)), "", "900 grants are enough")
}

// TestATornTrace requires that Read counts and skips the torn line of a killed process.
func TestATornTrace(t *testing.T) {
	var text strings.Builder
	for _, s := range sound() {
		line := testutil.Must(json.Marshal(s))(t)
		text.Write(append(line, '\n'))
		if s.What == "acked" {
			text.WriteString(`{"at":"2026-` + "\n")
		}
	}
	h, err := Read(strings.NewReader(text.String()))
	testutil.Require(t, err == nil && h.Torn == 4 && len(h.Steps) == len(sound()), "%v, %d torn, %d steps", err, h.Torn,
		len(h.Steps))
	_, wrong := Judge(h, soundRun())
	testutil.Check(t, len(wrong) == 0, "%v", wrong)
}
