package effects

// cell is a place in the table: a row, or -1 for omitted games, and the observation (unit) to which the games belong,
// such as an opening.
type cell struct{ row, unit int }

// each calls yield once for each cell of a grouping with the games in it, in the order of the cells' first games. It
// calls row for the groups of each kind, in the order of the kinds' first games. row returns the row of a group, or -1
// to omit it. Equal groups have equal rows.
func (g *Gatherer) each(w *grouping, row func(group string, k *counted) int, yield func(row, unit int, s sum)) {
	rows := make([][2]int, len(g.kinds))
	for i := range g.kinds {
		k := &g.kinds[i]
		for leg := range k.legs {
			rows[i][leg] = -1
			if group := w.sort(&g.openings[k.opening], k.games[leg]); group != "" {
				rows[i][leg] = row(group, k)
			}
		}
	}
	if w.byPair {
		g.eachPair(rows, yield)
	} else {
		g.eachOpening(rows, yield)
	}
}

// eachOpening calls yield for each cell. The units are the numbers of the openings. rows has the rows of the kinds'
// games.
func (g *Gatherer) eachOpening(rows [][2]int, yield func(row, unit int, s sum)) {
	places := map[cell]int{}
	var order []cell
	var sums []sum
	for i := range g.kinds {
		k := &g.kinds[i]
		for leg := range k.legs {
			at := cell{rows[i][leg], g.openings[k.opening].number}
			if at.row < 0 {
				continue
			}
			place, known := places[at]
			if !known {
				place = len(order)
				places[at], order, sums = place, append(order, at), append(sums, sum{})
			}
			sums[place].add(k.games[leg], k.pairs)
		}
	}
	for i, at := range order {
		yield(at.row, at.unit, sums[i])
	}
}

// eachPair calls yield for each cell. The units are the numbers of the pairs; pairs that repeat each other have one
// number. All games of a pair are in one row.
func (g *Gatherer) eachPair(rows [][2]int, yield func(row, unit int, s sum)) {
	first, sums := g.repeated(rows)
	for i := range g.plays {
		p := &g.plays[i]
		at := cell{rows[p.kind][0], i}
		if at.row < 0 {
			continue
		}
		number, repeated := first[g.keyOf(p)]
		if !repeated {
			var s sum
			g.addPair(&s, p)
			yield(at.row, at.unit, s)
			continue
		}
		at.unit = number
		if s, left := sums[at]; left {
			yield(at.row, at.unit, *s)
			delete(sums, at)
		}
	}
}

// pairKey is equal for pairs that repeat each other.
type pairKey struct {
	hash    uint64
	opening int // the number
}

func (g *Gatherer) keyOf(p *play) pairKey {
	return pairKey{p.hash, g.openings[g.kinds[p.kind].opening].number}
}

// repeated returns the number of the first pair for each pair that others repeat, and the games in the cells of such
// pairs. Most pairs are different, so these maps are small. They would be the largest part of the memory if they had
// all pairs.
func (g *Gatherer) repeated(rows [][2]int) (first map[pairKey]int, sums map[cell]*sum) {
	first, sums = map[pairKey]int{}, map[cell]*sum{}
	for _, i := range g.copies {
		first[g.keyOf(&g.plays[i])] = -1
	}
	if len(first) == 0 {
		return first, sums
	}
	for i := range g.plays {
		p := &g.plays[i]
		number, repeated := first[g.keyOf(p)]
		if !repeated {
			continue
		}
		if number < 0 {
			number = i
			first[g.keyOf(p)] = i
		}
		at := cell{rows[p.kind][0], number}
		if sums[at] == nil {
			sums[at] = &sum{}
		}
		g.addPair(sums[at], p)
	}
	return first, sums
}

func (g *Gatherer) addPair(s *sum, p *play) {
	k := &g.kinds[p.kind]
	for leg := range k.legs {
		s.add(k.games[leg], 1)
	}
}
