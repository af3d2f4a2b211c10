package tournament

// graph defines which players may meet: a symmetric relation between vertices 0 to n-1.
type graph struct {
	n    int
	edge func(a, b int) bool
}

// matching has the partner of each vertex, or -1 for a vertex without a partner.
type matching struct {
	graph
	mate []int
	gone []bool // vertices that are removed from the graph
}

func newMatching(g graph) *matching {
	m := &matching{graph: g, mate: make([]int, g.n), gone: make([]bool, g.n)}
	for i := range m.mate {
		m.mate[i] = -1
	}
	return m
}

// perfect matches all vertices by augmenting paths. It returns false if no perfect matching exists.
func (m *matching) perfect() bool {
	for v := range m.n {
		if m.mate[v] < 0 && !m.gone[v] && !m.augment(v) {
			return false
		}
	}
	return true
}

// forest is the state of one search for an augmenting path from a root, with the blossoms that it has
// contracted. The algorithm is Edmonds' (1965), in the form with bases by Gabow (1976).
type forest struct {
	*matching
	parent []int  // for an odd vertex, the even one from which it was reached
	base   []int  // base of the vertex's blossom
	even   []bool // reached by an even number of edges
	queue  []int
}

// augment matches the free vertex root by an augmenting path, if there is one. If there is none now, then no perfect
// matching exists.
func (m *matching) augment(root int) bool {
	f := &forest{matching: m, parent: make([]int, m.n), base: make([]int, m.n), even: make([]bool, m.n),
		queue: []int{root}}
	for i := range m.n {
		f.parent[i], f.base[i] = -1, i
	}
	f.even[root] = true
	for len(f.queue) > 0 {
		v := f.queue[0]
		f.queue = f.queue[1:]
		for to := range m.n {
			if end, found := f.visit(root, v, to); found {
				f.flip(end)
				return true
			}
		}
	}
	return false
}

// visit follows the edge (v, to). v is an even vertex of the forest with this root. If the edge ends an augmenting
// path, visit returns the path's end, and found is true.
func (f *forest) visit(root, v, to int) (end int, found bool) {
	if to == v || f.gone[to] || f.base[v] == f.base[to] || f.mate[v] == to || !f.edge(v, to) {
		return 0, false
	}
	switch {
	case to == root || f.mate[to] >= 0 && f.parent[f.mate[to]] >= 0:
		f.contract(v, to)
	case f.parent[to] < 0:
		f.parent[to] = v
		if f.mate[to] < 0 {
			return to, true
		}
		f.even[f.mate[to]] = true
		f.queue = append(f.queue, f.mate[to])
	}
	return 0, false
}

// contract contracts the odd cycle that is closed by the edge (v, to) between two even vertices. The cycle then counts
// as one even vertex.
func (f *forest) contract(v, to int) {
	top := f.meeting(v, to)
	blossom := make([]bool, f.n)
	f.mark(blossom, v, top, to)
	f.mark(blossom, to, top, v)
	for i := range f.n {
		if !blossom[f.base[i]] {
			continue
		}
		f.base[i] = top
		if !f.even[i] {
			f.even[i] = true
			f.queue = append(f.queue, i)
		}
	}
}

// mark adds the blossoms between an even vertex and top to the new blossom. child becomes the parent of v in the
// forest.
func (f *forest) mark(blossom []bool, v, top, child int) {
	for f.base[v] != top {
		blossom[f.base[v]], blossom[f.base[f.mate[v]]] = true, true
		f.parent[v] = child
		child = f.mate[v]
		v = f.parent[f.mate[v]]
	}
}

// meeting returns the vertex in which the paths from two even vertices to the root meet.
func (f *forest) meeting(a, b int) int {
	onWay := make([]bool, f.n)
	for {
		a = f.base[a]
		onWay[a] = true
		if f.mate[a] < 0 {
			break
		}
		a = f.parent[f.mate[a]]
	}
	for {
		b = f.base[b]
		if onWay[b] {
			return b
		}
		b = f.parent[f.mate[b]]
	}
}

// flip exchanges matched and free edges along the path from end to the root.
func (f *forest) flip(end int) {
	for end >= 0 {
		before := f.parent[end]
		following := f.mate[before]
		f.mate[end], f.mate[before] = before, end
		end = following
	}
}

// fix matches two vertices permanently if all others can still be matched, and returns whether it did.
func (m *matching) fix(a, b int) bool {
	if m.mate[a] == b {
		m.gone[a], m.gone[b] = true, true
		return true
	}
	kept := append([]int(nil), m.mate...)
	left, other := m.mate[a], m.mate[b]
	m.gone[a], m.gone[b] = true, true
	m.mate[left], m.mate[other] = -1, -1
	if m.augment(left) {
		m.mate[a], m.mate[b] = b, a
		return true
	}
	copy(m.mate, kept)
	m.gone[a], m.gone[b] = false, false
	return false
}

// firstMatching returns a perfect matching that prefers the first candidates. It goes through the vertices in order.
// It matches each free vertex with the first of its candidates that still allows a perfect matching of the others. It
// returns nil if there is no perfect matching.
func firstMatching(g graph, candidates func(v int) []int) [][2]int {
	m := newMatching(g)
	if !m.perfect() {
		return nil
	}
	var list [][2]int
	for v := range g.n {
		if m.gone[v] {
			continue
		}
		for _, to := range candidates(v) {
			if !m.gone[to] && g.edge(v, to) && m.fix(v, to) {
				list = append(list, [2]int{v, to})
				break
			}
		}
	}
	return list
}
