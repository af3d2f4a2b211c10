package chaos_test

import (
	"encoding/json"
	"strings"
	"testing"

	"gogi/farm"
	"gogi/farm/site"
	"gogi/internal/chaos"
	"gogi/match"
)

// sound is a short history in which everything is right: a lease expires and its pair is
// granted to another; a coordinator dies between storing a result and acknowledging it.
func sound() []site.Step {
	held := func(pair int, epoch farm.Epoch) []farm.Held {
		return []farm.Held{{Run: "r", Pair: pair, Epoch: epoch}}
	}
	return []site.Step{
		{What: "boot", Seq: 1},
		{What: "hello", Worker: "a", Start: "1"},
		{What: "grant", Worker: "a", Leases: held(0, 1<<32|1)},
		{What: "grant", Worker: "b", Leases: held(1, 1<<32|2)},
		{What: "beat", Worker: "a", Start: "1", Leases: held(0, 1<<32|1)},
		{What: "grant", Worker: "a", Leases: held(1, 1<<32|3)},
		{What: "delivery", Worker: "a", Seq: 1, Leases: held(0, 1<<32|1)},
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
	}
}

func soundStore() map[int]match.Provenance {
	return map[int]match.Provenance{0: {Worker: "a", Epoch: 1<<32 | 1}, 1: {Worker: "a", Epoch: 1<<32 | 3}}
}

// TestTheJudge finds nothing in a sound history, counts what happened there, and sees
// each promise that is broken.
func TestTheJudge(t *testing.T) {
	e, wrong := chaos.Judge(&chaos.History{Steps: sound()}, "r", 2, soundStore())
	want := chaos.Evidence{Boots: 2, Granted: 2, Again: 1, Adopted: 1, Twice: 1, Redeliver: 1, Acked: 3, StoredTold: 2}
	if len(wrong) != 0 || e != want {
		t.Errorf("a sound history: %v\n%+v, expected\n%+v", wrong, e, want)
	}
	for name, plant := range map[string]func(h *[]site.Step, stored map[int]match.Provenance){
		"I1: pair 1 is not stored": func(_ *[]site.Step, s map[int]match.Provenance) { delete(s, 1) },
		"I1: pair 7 is stored":     func(_ *[]site.Step, s map[int]match.Provenance) { s[7] = s[0] },
		"I3: pair 0 is stored":     func(_ *[]site.Step, s map[int]match.Provenance) { s[0] = match.Provenance{Worker: "a", Epoch: 9} },
		"I3: pair 1 is stored": func(_ *[]site.Step, s map[int]match.Provenance) {
			s[1] = match.Provenance{Worker: "b", Epoch: 1<<32 | 3}
		},
		"I4: a worker was told":    func(_ *[]site.Step, s map[int]match.Provenance) { delete(s, 0) },
		"I6: epoch 4294967297 was": func(h *[]site.Step, _ map[int]match.Provenance) { (*h)[3].Leases[0].Epoch = 1<<32 | 1 },
		"I6: boot 1 after boot 1":  func(h *[]site.Step, _ map[int]match.Provenance) { (*h)[7].Seq = 1 },
		"I11: the lease of pair 1": func(h *[]site.Step, _ map[int]match.Provenance) {
			*h = append(*h, site.Step{What: "beat", Worker: "a", Start: "2", Leases: (*h)[8].Leases})
		},
		"I11: b holds pair 0 under":    func(h *[]site.Step, _ map[int]match.Provenance) { (*h)[4].Worker = "b" },
		"I11: the lease of pair 0 und": func(h *[]site.Step, _ map[int]match.Provenance) { (*h)[8].Worker, (*h)[8].Leases = "b", (*h)[4].Leases },
	} {
		steps, stored := sound(), soundStore()
		plant(&steps, stored)
		_, wrong := chaos.Judge(&chaos.History{Steps: steps}, "r", 2, stored)
		if all := strings.Join(wrong, "\n"); !strings.Contains(all, name) {
			t.Errorf("planted %q, found %q", name, all)
		}
	}
}

// TestATornTrace: a line that a killed process has left is counted and passed over.
func TestATornTrace(t *testing.T) {
	var text strings.Builder
	for _, s := range sound() {
		line, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(line, '\n'))
		if s.What == "acked" {
			text.WriteString(`{"at":"2026-` + "\n")
		}
	}
	h, err := chaos.Read(strings.NewReader(text.String()))
	if err != nil || h.Torn != 3 || len(h.Steps) != len(sound()) {
		t.Fatalf("%v, %d torn, %d steps", err, h.Torn, len(h.Steps))
	}
	if _, wrong := chaos.Judge(h, "r", 2, soundStore()); len(wrong) > 0 {
		t.Error(wrong)
	}
}
