package affinity

import (
	"cmp"
	"fmt"
	"slices"
)

// Demand is what a plan needs, all of it from 1.
type Demand struct {
	Slots int
	Cores int  // that the threads of one player need
	Apart bool // both players of a game think at once, and need Cores each
}

// block is how many cores a slot needs.
func (d Demand) block() int {
	cores := max(1, min(d.Cores, Most+1)) // an engine may declare any number of threads
	if d.Apart {
		return 2 * cores
	}
	return cores
}

// Share is what one slot has.
type Share struct {
	Sets  [2]Set // of the two players of a game; the same twice, unless they are apart
	Cores int    // whole ones, of both sets together; in a Split layout those that it has a part of
	Nodes []int  // of memory, ascending
	Kind  Kind
}

// Layout is what all slots have.
type Layout struct {
	Shares []Share // by slot
	Spare  []Share // for more slots, as good as can be had without changing the others
	Split  bool    // there are too few cores: slots, or players that think at once, share some, a hardware thread each
	Cores  int     // that there are
	CPUs   int     // that there are
	Kinds  int     // of cores that there are; a slot has one of them
}

// TooFewError says that even hardware threads do not suffice.
type TooFewError struct {
	Demand Demand
	Cores  int // that there are
	CPUs   int // that there are
	Kinds  int // of cores, which no slot mixes
	Whole  int // how many slots could have whole cores
	Split  int // how many slots could have hardware threads
}

// Error is one line.
func (e *TooFewError) Error() string {
	kinds := ""
	if e.Kinds > 1 {
		kinds = fmt.Sprintf(" of %d kinds, which are not mixed", e.Kinds)
	}
	each := e.Demand.block()
	return fmt.Sprintf("%d at a time need %d CPUs, %d each for the threads that think at once, and there are %d on %d cores%s: at most %d at a time, or %d with whole cores",
		e.Demand.Slots, e.Demand.Slots*each, each, e.CPUs, e.Cores, kinds, e.Split, e.Whole)
}

// Lay gives every slot CPUs of its own: whole cores of one kind, if it can be of one
// cache, else of one memory node, else of one socket. Where the cores do not suffice,
// a thread gets a CPU instead of a core; where these do not, the error is a
// *TooFewError. Faster kinds come first; among equals, slots keep away from each
// other (each cache and each node is filled evenly), and the core of the lowest CPU,
// which serves most interrupts, is the last that is taken.
func (t Topology) Lay(d Demand) (Layout, error) {
	cores, threads := units(t.CPUs, func(c CPU) int { return c.Core }), units(t.CPUs, func(c CPU) int { return c.ID })
	whole, split := blocks(cores, d.block()), blocks(threads, d.block())
	l := Layout{Cores: len(cores), CPUs: len(t.CPUs), Kinds: kinds(t.CPUs)}
	chosen := whole
	if len(whole) < d.Slots {
		chosen, l.Split = split, true
	}
	if len(chosen) < d.Slots {
		return Layout{}, &TooFewError{Demand: d, Cores: l.Cores, CPUs: l.CPUs, Kinds: l.Kinds, Whole: len(whole), Split: len(split)}
	}
	used := chosen[:d.Slots]
	slices.SortFunc(used, func(a, b []unit) int { return compare(a[0], b[0]) }) // for whoever reads it
	for _, b := range chosen {
		l.Shares = append(l.Shares, shareOf(b, d.Apart))
	}
	l.Shares, l.Spare = l.Shares[:d.Slots:d.Slots], l.Shares[d.Slots:]
	return l, nil
}

// unit is what cannot be divided: the CPUs of a core, or one CPU.
type unit []CPU

// units groups CPUs, in the order of their numbers.
func units(list []CPU, by func(CPU) int) []unit {
	var all []unit
	at := map[int]int{}
	for _, c := range list {
		i, ok := at[by(c)]
		if !ok {
			i = len(all)
			at[by(c)], all = i, append(all, nil)
		}
		all[i] = append(all[i], c)
	}
	return all
}

func compare(a, b unit) int {
	return cmp.Or(a[0].Kind.compare(b[0].Kind), cmp.Compare(a[0].ID, b[0].ID))
}

func kinds(list []CPU) int {
	seen := map[Kind]bool{}
	for _, c := range list {
		seen[c.Kind] = true
	}
	return len(seen)
}

// blocks makes as many blocks of size units as there can be without mixing kinds,
// the best first.
func blocks(all []unit, size int) [][]unit {
	slices.SortStableFunc(all, compare)
	var list [][]unit
	for len(all) > 0 {
		end := slices.IndexFunc(all, func(u unit) bool { return u[0].Kind != all[0][0].Kind })
		if end < 0 {
			end = len(all)
		}
		found, _ := within(all[:end], size, levels())
		slices.SortStableFunc(found, func(a, b []unit) int { return cmp.Compare(spread(a), spread(b)) })
		list, all = append(list, found...), all[end:]
	}
	return list
}

// levels are what units share, the largest first.
func levels() []func(CPU) int {
	return []func(CPU) int{
		func(c CPU) int { return c.Package },
		func(c CPU) int { return c.Node },
		func(c CPU) int { return c.Cache },
		func(c CPU) int { return c.Core },
	}
}

// spread is how far apart the units of a block are: 0 for those of one core, up to the
// number of levels.
func spread(block []unit) int {
	shared := 0
	for _, level := range levels() {
		for _, u := range block {
			if level(u[0]) != level(block[0][0]) {
				return len(levels()) - shared
			}
		}
		shared++
	}
	return 0
}

// within makes blocks of units that share as much as possible, and says what is left
// over. Blocks are of equal size, so what remains of the parts is joined without
// loss. The blocks of the parts take turns, the last part first, so that the first
// few are spread and the lowest units come last.
func within(all []unit, size int, levels []func(CPU) int) (found [][]unit, rest []unit) {
	if len(levels) == 0 {
		return cut(all, size)
	}
	parts := map[int][]unit{}
	var order []int
	for _, u := range all {
		key := levels[0](u[0])
		if parts[key] == nil {
			order = append(order, key)
		}
		parts[key] = append(parts[key], u)
	}
	var lists [][][]unit
	for _, key := range order {
		some, left := within(parts[key], size, levels[1:])
		lists, rest = append([][][]unit{some}, lists...), append(rest, left...)
	}
	across, rest := cut(rest, size)
	return append(turns(lists), across...), rest
}

// cut takes blocks from the end.
func cut(all []unit, size int) (found [][]unit, rest []unit) {
	for len(all) >= size {
		found, all = append(found, all[len(all)-size:]), all[:len(all)-size]
	}
	return found, all
}

// turns takes the first of each list, then the second of each, and so on.
func turns(lists [][][]unit) (all [][]unit) {
	for i := 0; ; i++ {
		n := len(all)
		for _, list := range lists {
			if i < len(list) {
				all = append(all, list[i])
			}
		}
		if len(all) == n {
			return all
		}
	}
}

// shareOf turns a block into sets.
func shareOf(block []unit, apart bool) Share {
	s := Share{Kind: block[0][0].Kind}
	if apart {
		block = alike(block)
		half := len(block) / 2
		s.Sets = [2]Set{ids(block[:half]), ids(block[half:])}
	} else {
		s.Sets = [2]Set{ids(block), ids(block)}
	}
	cores := map[int]bool{}
	for _, u := range block {
		cores[u[0].Core] = true
		if !slices.Contains(s.Nodes, u[0].Node) {
			s.Nodes = append(s.Nodes, u[0].Node)
		}
	}
	slices.Sort(s.Nodes)
	s.Cores = len(cores)
	return s
}

// alike narrows cores to what the one with the fewest CPUs has: of some, a part may
// not be ours, and opponents on sets of their own must have the same.
func alike(block []unit) []unit {
	width := len(block[0])
	for _, u := range block {
		width = min(width, len(u))
	}
	narrow := make([]unit, len(block))
	for i, u := range block {
		narrow[i] = u[:width]
	}
	return narrow
}

func ids(block []unit) Set {
	var s Set
	for _, u := range block {
		for _, c := range u {
			s = append(s, c.ID)
		}
	}
	return s.sorted()
}
