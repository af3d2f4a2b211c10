package affinity

import (
	"cmp"
	"fmt"
	"slices"

	"gogi/internal/lists"
)

// Demand describes how many CPUs a plan needs. All numbers are at least 1.
type Demand struct {
	Slots int
	Cores int  // number of cores for the threads of one player
	Apart bool // both players of a game think at the same time, and each needs Cores
}

// block returns the number of cores of a slot.
func (d Demand) block() int {
	cores := max(1, min(d.Cores, Most+1)) // an engine may declare any number of threads
	if d.Apart {
		return 2 * cores
	}
	return cores
}

// Share has the CPUs of one slot.
type Share struct {
	Sets [2]Set // the CPUs of the two players of a game; equal, except with Demand.Apart
	// number of cores of both sets together; in a Split layout it counts a core even if the slot has only a part of it
	Cores int
	Nodes []int // memory nodes, ascending
	Kind  Kind
}

// Layout assigns CPUs to all slots.
type Layout struct {
	Shares []Share // by slot
	Spare  []Share // CPUs for slots that are added later without changing Shares
	Split  bool    // there are too few cores, so each thread has one CPU and shares its core with other threads
	Cores  int     // cores of the machine
	CPUs   int     // CPUs of the machine
	Kinds  int     // kinds of cores of the machine; a slot has one kind
}

// TooFewError is the error of Lay if a machine has too few logical CPUs, even if each thread gets one logical
// CPU instead of a whole core.
type TooFewError struct {
	Demand Demand
	Cores  int // of the machine
	CPUs   int // CPUs of the machine
	Kinds  int // kinds of cores; a slot uses only one kind
	Whole  int // possible number of slots with whole cores
	Split  int // possible number of slots with hardware threads
}

// Error returns the numbers of needed and existing CPUs in one line.
func (e *TooFewError) Error() string {
	kinds := ""
	if e.Kinds > 1 {
		kinds = fmt.Sprintf(" of %d kinds, which are not mixed", e.Kinds)
	}
	each := e.Demand.block()
	return fmt.Sprintf("games at a time: %d; each needs %d CPUs for the threads that think at once, so they need %d, and there are %d on %d cores%s",
		e.Demand.Slots, each, e.Demand.Slots*each, e.CPUs, e.Cores, kinds)
}

// Lay assigns whole cores to every slot. They are of one kind, and if possible share one cache, else one
// memory node, else one socket. If there are too few cores, a slot gets one logical CPU for each thread
// instead of one core. If there are too few logical CPUs, the error is a *TooFewError.
//
// Lay uses faster kinds of cores first. Within one kind it fills all caches and nodes evenly, so that slots
// share as little as possible. It uses the core with the lowest CPU number last, because that CPU serves most
// interrupts.
func (t Topology) Lay(d Demand) (Layout, error) {
	cores, threads := units(t.CPUs, func(c CPU) int { return c.Core }), units(t.CPUs, func(c CPU) int { return c.ID })
	whole, split := blocks(cores, d.block()), blocks(threads, d.block())
	l := Layout{Cores: len(cores), CPUs: len(t.CPUs), Kinds: kinds(t.CPUs)}
	chosen := whole
	if len(whole) < d.Slots {
		chosen, l.Split = split, true
	}
	if len(chosen) < d.Slots {
		return Layout{}, &TooFewError{Demand: d, Cores: l.Cores, CPUs: l.CPUs, Kinds: l.Kinds, Whole: len(whole),
			Split: len(split)}
	}
	used := chosen[:d.Slots]
	slices.SortFunc(used, func(a, b []unit) int { return compare(a[0], b[0]) }) // sorted by CPU for the reader
	for _, b := range chosen {
		l.Shares = append(l.Shares, shareOf(b, d.Apart))
	}
	l.Shares, l.Spare = l.Shares[:d.Slots:d.Slots], l.Shares[d.Slots:]
	return l, nil
}

// unit is the smallest part of a layout: all CPUs of a core, or one CPU.
type unit []CPU

// units groups the CPUs for which key returns the same number. Units and their CPUs have the order of list.
func units(list []CPU, key func(CPU) int) []unit {
	var all []unit
	at := map[int]int{}
	for _, c := range list {
		i, ok := at[key(c)]
		if !ok {
			i = len(all)
			at[key(c)], all = i, append(all, nil)
		}
		all[i] = append(all[i], c)
	}
	return all
}

func compare(a, b unit) int {
	return cmp.Or(a[0].Kind.compare(b[0].Kind), cmp.Compare(a[0].ID, b[0].ID))
}

func kinds(list []CPU) int {
	seen := lists.Set(list, func(c CPU) Kind { return c.Kind })
	return len(seen)
}

// blocks makes as many blocks as possible. Each block has units of one kind, and their number is size. The blocks of
// the fastest kind come first, and within a kind the blocks whose units share the most, such as a cache.
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

// levels returns the resources that units share, such as memory nodes and caches, the largest resource first.
func levels() []func(CPU) int {
	return []func(CPU) int{
		func(c CPU) int { return c.Package },
		func(c CPU) int { return c.Node },
		func(c CPU) int { return c.Cache },
		func(c CPU) int { return c.Core },
	}
}

// spread returns how far apart the units of a block are: 0 if they share a core, and at most the number of levels.
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

// within makes blocks whose units share as much as possible, and returns the remaining units. size is the number of
// units in a block. levels are the resources to share, the largest first. It first makes blocks inside each part of
// the machine, such as a memory node. Then it makes blocks of the units that remain in all parts. The result has one
// block of each part in turn, beginning with the last part. So the first blocks are spread over the machine, and the
// lowest units come last.
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

// cut divides all into blocks, beginning at the end of all. size is the number of units in a block. rest are the units
// that are too few for another block.
func cut(all []unit, size int) (found [][]unit, rest []unit) {
	for len(all) >= size {
		found, all = append(found, all[len(all)-size:]), all[:len(all)-size]
	}
	return found, all
}

// turns returns the first element of each list, then the second of each, and so on.
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

// shareOf returns the share of a slot that has this block. With apart, each player gets half of the units.
func shareOf(block []unit, apart bool) Share {
	s := Share{Kind: block[0][0].Kind}
	if apart {
		block = equalWidths(block)
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

// equalWidths returns the block with the same number of CPUs from each core. The core with the fewest CPUs determines
// this number. This is necessary because some CPUs of a core may be excluded, and opponents with separate sets need
// sets of equal size.
func equalWidths(block []unit) []unit {
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
