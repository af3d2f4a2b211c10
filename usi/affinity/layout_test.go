package affinity

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// told returns a layout as one line: the CPUs of each slot, and those of each opponent if they differ.
func told(l Layout) string {
	var slots []string
	for _, s := range l.Shares {
		text := s.Sets[0].String()
		if s.Sets[1].String() != text {
			text += "|" + s.Sets[1].String()
		}
		slots = append(slots, text)
	}
	text := strings.Join(slots, " ")
	if l.Split {
		text += " split"
	}
	return text
}

// TestLay compares layouts with results that were calculated by hand. The head of each machine's file explains them.
func TestLay(t *testing.T) {
	for _, c := range []struct {
		machine, allowed string
		demand           Demand
		want             string
	}{
		// Slots get whole cores, those with the highest CPUs first.
		{"smt", "0-11", Demand{Slots: 6, Cores: 1}, "0,6 1,7 2,8 3,9 4,10 5,11"},
		{"smt", "0-11", Demand{Slots: 2, Cores: 1}, "4,10 5,11"},
		{"smt", "0-11", Demand{Slots: 2, Cores: 2}, "2-3,8-9 4-5,10-11"},
		// Opponents think at the same time.
		{"smt", "0-11", Demand{Slots: 3, Cores: 1, Apart: true}, "0,6|1,7 2,8|3,9 4,10|5,11"},
		{"smt", "0-11", Demand{Slots: 1, Cores: 3, Apart: true}, "0-2,6-8|3-5,9-11"},
		// With too few cores, each thread gets a hardware thread, of the same core if possible.
		{"smt", "0-11", Demand{Slots: 7, Cores: 1}, "5 6 7 8 9 10 11 split"},
		{"smt", "0-11", Demand{Slots: 4, Cores: 2}, "2,8 3,9 4,10 5,11 split"},
		// A container has three CPUs: a core and half of one.
		{"smt", "0,1,6", Demand{Slots: 2, Cores: 1}, "0,6 1"},
		{"smt", "0,1,6", Demand{Slots: 1, Cores: 2}, "0-1,6"},
		{"smt", "0,1,6", Demand{Slots: 1, Cores: 1, Apart: true}, "0|1"}, // opponents get the same number
		{"smt", "0,1,6", Demand{Slots: 3, Cores: 1}, "0 1 6 split"},
		// Offline CPUs are not used.
		{"smt_off", "0-11", Demand{Slots: 6, Cores: 1}, "0 1 2 3 4 5"},
		// A slot has CPUs of one node, and the slots are spread over both nodes.
		{"two_sockets", "0-31", Demand{Slots: 2, Cores: 1}, "14,30 15,31"},
		{"two_sockets", "0-31", Demand{Slots: 2, Cores: 2}, "12,14,28,30 13,15,29,31"}, // in docs/faults.md
		{"two_sockets", "0-31", Demand{Slots: 4, Cores: 4},
			"0,2,4,6,16,18,20,22 1,3,5,7,17,19,21,23 8,10,12,14,24,26,28,30 9,11,13,15,25,27,29,31"},
		{"two_sockets", "0-31", Demand{Slots: 2, Cores: 3, Apart: true},
			"4,6,8,20,22,24|10,12,14,26,28,30 5,7,9,21,23,25|11,13,15,27,29,31"},
		// A slot that is larger than a node gets both, and each opponent gets one node.
		{"two_sockets", "0-31", Demand{Slots: 1, Cores: 8, Apart: true},
			"0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30|1,3,5,7,9,11,13,15,17,19,21,23,25,27,29,31"},
		// Slots can share the rest of both nodes: of five blocks of three in 8 + 8 cores, the last is on both.
		{"two_sockets", "0-31", Demand{Slots: 5, Cores: 3},
			"1-3,17-19 4,6,8,20,22,24 5,7,9,21,23,25 10,12,14,26,28,30 11,13,15,27,29,31"},
		// A slot has cores of one kind, and the faster kind comes first.
		{"hybrid", "0-19", Demand{Slots: 8, Cores: 1}, "0-1 2-3 4-5 6-7 8-9 10-11 12-13 14-15"},
		{"hybrid", "0-19", Demand{Slots: 9, Cores: 1}, "0-1 2-3 4-5 6-7 8-9 10-11 12-13 14-15 19"},
		{"hybrid", "0-19", Demand{Slots: 3, Cores: 3}, "4-9 10-15 17-19"},
		{"hybrid", "0-19", Demand{Slots: 5, Cores: 1, Apart: true}, "0-1|2-3 4-5|6-7 8-9|10-11 12-13|14-15 18|19"},
		{"big_little", "0-7", Demand{Slots: 5, Cores: 1}, "4 5 6 7 3"},
		{"big_little", "0-7", Demand{Slots: 2, Cores: 3}, "5-7 1-3"},
		// A slot prefers one cache, and then one node.
		{"epyc", "0-31", Demand{Slots: 4, Cores: 2}, "2-3,18-19 6-7,22-23 10-11,26-27 14-15,30-31"},
		{"epyc", "0-2,4,6,16-18,20,22", Demand{Slots: 1, Cores: 2}, "0-1,16-17"}, // although the last node is free
		{"epyc", "0-31", Demand{Slots: 8, Cores: 1}, "1,17 3,19 5,21 7,23 9,25 11,27 13,29 15,31"},
		{"epyc", "0-31", Demand{Slots: 4, Cores: 3}, "1-3,17-19 5-7,21-23 9-11,25-27 13-15,29-31"},
		{"epyc", "0-31", Demand{Slots: 5, Cores: 3}, "1-3,17-19 4,8,12,20,24,28 5-7,21-23 9-11,25-27 13-15,29-31"},
	} {
		l, err := read(t, c.machine, c.allowed).Lay(c.demand)
		got := told(l)
		testutil.Check(t, err == nil && got == c.want, "%s %s %+v: %s, %v\n want %s", c.machine, c.allowed, c.demand, got,
			err, c.want)
	}
}

// TestLayDescribes tests the other values of a layout and of its slots.
func TestLayDescribes(t *testing.T) {
	l, err := read(t, "two_sockets", "0-31").Lay(Demand{Slots: 1, Cores: 8, Apart: true})
	testutil.Check(t, err == nil && l.Cores == 16 && l.CPUs == 32 && l.Shares[0].Cores == 16 &&
		len(l.Shares[0].Nodes) == 2,
		"both sockets: %+v, %v", l, err)
	l, err = read(t, "two_sockets", "0-31").Lay(Demand{Slots: 1, Cores: 4})
	testutil.Check(t, err == nil && l.Shares[0].Cores == 4 && len(l.Shares[0].Nodes) == 1 && l.Shares[0].Nodes[0] == 1,
		"one node: %+v, %v", l, err)
	l, err = read(t, "smt", "0,6").Lay(Demand{Slots: 1, Cores: 2})
	testutil.Check(t, err == nil && l.Split && l.Shares[0].Cores == 1, "two threads on one core: %+v, %v", l, err)
	l, err = read(t, "hybrid", "0-19").Lay(Demand{Slots: 9, Cores: 1})
	testutil.Check(t, err == nil && l.Shares[0].Kind.Name == "core" && l.Shares[8].Kind.Name == "atom",
		"two kinds: %+v, %v", l, err)
}

func TestLayTooMany(t *testing.T) {
	for _, c := range []struct {
		machine, allowed string
		demand           Demand
		want             TooFewError
		text             string
	}{
		{
			"smt", "0-11", Demand{Slots: 13, Cores: 1}, TooFewError{Cores: 6, CPUs: 12, Kinds: 1, Whole: 6, Split: 12},
			"games at a time: 13; each needs 1 CPUs for the threads that think at once, so they need 13, and there are 12 on 6 cores",
		},
		{
			"smt", "0-11", Demand{Slots: 4, Cores: 2, Apart: true},
			TooFewError{Cores: 6, CPUs: 12, Kinds: 1, Whole: 1, Split: 3},
			"games at a time: 4; each needs 4 CPUs for the threads that think at once, so they need 16, and there are 12 on 6 cores",
		},
		{
			"hybrid", "0-19", Demand{Slots: 1, Cores: 17}, TooFewError{Cores: 12, CPUs: 20, Kinds: 2},
			"games at a time: 1; each needs 17 CPUs for the threads that think at once, so they need 17, and there are 20 on 12 cores of 2 kinds, which are not mixed",
		},
	} {
		_, err := read(t, c.machine, c.allowed).Lay(c.demand)
		few, ok := errors.AsType[*TooFewError](err)
		c.want.Demand = c.demand
		testutil.Check(t, ok && *few == c.want && few.Error() == c.text, "%s %+v: %v", c.machine, c.demand, err)
	}
}

// TestLayIsFair requires for any request on any machine that no two slots share a CPU. Opponents share a set, or have
// as many CPUs on as many cores of one kind. There are as many cores as threads, unless the layout is split.
func TestLayIsFair(t *testing.T) {
	for name, allowed := range map[string]string{
		"smt": "0-11", "smt_off": "0-5", "two_sockets": "0-31", "hybrid": "0-19", "big_little": "0-7",
		"epyc": "1-4,6-15,17,20-31",
	} {
		top := read(t, name, allowed)
		laid := 0
		for slots := 1; slots <= 33; slots += 3 {
			for cores := 1; cores <= 9; cores++ {
				for _, apart := range []bool{false, true} {
					if l, err := top.Lay(Demand{slots, cores, apart}); err == nil {
						laid++
						checkFair(t, top, Demand{slots, cores, apart}, l)
					}
				}
			}
		}
		testutil.Check(t, laid >= 10, "%s: only %d demands could be laid", name, laid)
	}
}

func checkFair(t *testing.T, top Topology, d Demand, l Layout) {
	t.Helper()
	testutil.Require(t, len(l.Shares) == d.Slots, "%+v: %d shares", d, len(l.Shares))
	more, err := top.Lay(Demand{d.Slots + len(l.Spare) + 1, d.Cores, d.Apart})
	testutil.Check(t, err != nil || more.Split != l.Split, "%+v: there is room for more than %d spare shares", d,
		len(l.Spare))
	owner := map[int]int{} // slot by CPU, or by core if cores are whole
	for slot, s := range slices.Concat(l.Shares, l.Spare) {
		both := s.Sets[0].Union(s.Sets[1])
		of, missing := top.Only(both)
		cores := map[int]bool{}
		for _, c := range of.CPUs {
			cores[c.Core] = true
			key := c.ID
			if !l.Split {
				key = c.Core
			}
			if before, taken := owner[key]; taken && before != slot {
				t.Errorf("%+v: CPU %d is of slots %d and %d: %s", d, c.ID, before, slot, told(l))
			}
			owner[key] = slot
			testutil.Equal(t, c.Kind, s.Kind, "%+v: slot %d mixes kinds: %s", d, slot, told(l))
		}
		same := s.Sets[0].String() == s.Sets[1].String()
		disjoint := len(s.Sets[0])+len(s.Sets[1]) == len(both)
		switch {
		case len(missing) > 0:
			t.Errorf("%+v: there are no CPUs %s", d, missing)
		case len(cores) != s.Cores || !l.Split && len(cores) != d.block() || l.Split && len(both) != d.block():
			t.Errorf("%+v: slot %d has %d CPUs on %d cores: %s", d, slot, len(both), len(cores), told(l))
		case same == d.Apart || d.Apart && (!disjoint || len(s.Sets[0]) != len(s.Sets[1])):
			t.Errorf("%+v: the opponents of slot %d: %s", d, slot, told(l))
		}
	}
}
