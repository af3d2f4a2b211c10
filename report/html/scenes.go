package html

import (
	"cmp"
	"math"
	"slices"

	"gogi/match"
	"gogi/report"
	"gogi/shogi"
)

// These constants limit the data that Scenes stores for a page, so that their size does not depend on the length of the
// run.
const (
	curvePoints = 400 // points of the score curve
	shownGames  = 8   // games shown as diagrams
	shownFaults = 12  // games that ended by a fault, shown with their notes
	lengthStep  = 10  // width of the histogram's finest classes, in plies
)

// Scenes collects the data of a run's page that the report does not have, such as the course of the score. The caller
// adds each pair once, in order.
type Scenes struct {
	a, b    string
	curve   curve
	lengths map[int]int // games by plies / lengthStep
	latest  map[match.Termination][]match.Row
}

// NewScenes returns a Scenes without games, for the page of a run with a as player A and b as player B.
func NewScenes(a, b string) *Scenes {
	return &Scenes{
		a: a, b: b, curve: curve{every: 1},
		lengths: map[int]int{}, latest: make(map[match.Termination][]match.Row),
	}
}

// Watch sets the function now, which returns the always-valid interval of the score and the state of the gate
// (the sequential test). Scenes calls this function for each point of the curve, and stores the result with
// the point.
func (s *Scenes) Watch(now func() report.Moment) { s.curve.moment = now }

// Curve returns the points of A's score along the run. If there are too many points, it returns only every
// n-th one, so that there are at most a few hundred.
func (s *Scenes) Curve() []CurvePoint { return s.curve.all() }

// Add adds the games of the next pair. It never fails.
func (s *Scenes) Add(rows []match.Row) {
	points, games := 0.0, 0
	for _, r := range rows {
		s.addGame(r)
		if r.PairA != s.a || r.PairB != s.b {
			continue
		}
		colour := shogi.White
		if r.Black == s.a {
			colour = shogi.Black
		}
		points += r.Points[colour]
		games++
	}
	if games > 0 {
		s.curve.add(points, games)
	}
}

func (s *Scenes) addGame(r match.Row) {
	s.lengths[r.Plies/lengthStep]++
	kept := append(s.latest[r.Termination], r)
	s.latest[r.Termination] = kept[max(0, len(kept)-shownFaults):]
}

// ChangeNotes replaces the note of each game by change(note), for readers who may not read all of it.
func (s *Scenes) ChangeNotes(change func(note string) string) {
	for _, list := range s.latest {
		for i := range list {
			list[i].Note = change(list[i].Note)
		}
	}
}

// curve is A's score along the run. When it has too many points, it drops every second one.
type curve struct {
	pairs  int
	games  int
	points float64
	every  int // pairs between two points
	kept   []CurvePoint
	moment func() report.Moment // nil: no interval and no gate
}

// CurvePoint is A's score after some number of pairs, with the always-valid interval and the state of the
// gate (the sequential test) at that time.
type CurvePoint struct {
	Pairs int
	Score float64
	report.Moment
}

func (c *curve) add(points float64, games int) {
	c.pairs++
	c.points += points
	c.games += games
	if c.pairs%c.every != 0 {
		return
	}
	if len(c.kept) == curvePoints {
		c.every *= 2
		c.kept = slices.DeleteFunc(c.kept, func(p CurvePoint) bool { return p.Pairs%c.every != 0 })
	}
	if c.pairs%c.every == 0 {
		c.kept = append(c.kept, c.now())
	}
}

func (c *curve) now() CurvePoint {
	p := CurvePoint{Pairs: c.pairs, Score: c.points / float64(c.games)}
	if c.moment != nil {
		p.Moment = c.moment()
	}
	return p
}

// all returns the stored points, and the point of the last pair.
func (c *curve) all() []CurvePoint {
	if n := len(c.kept); c.pairs > 0 && (n == 0 || c.kept[n-1].Pairs != c.pairs) {
		return append(slices.Clone(c.kept), c.now())
	}
	return c.kept
}

// games returns the games to show. It takes the latest game of each termination, unusual terminations first,
// then the second latest game of each termination, and so on.
func (s *Scenes) games() []match.Row {
	var chosen []match.Row
	for back := 1; back <= shownGames; back++ {
		for _, t := range s.endings() {
			list := s.latest[t]
			if back <= len(list) && len(chosen) < shownGames {
				chosen = append(chosen, list[len(list)-back])
			}
		}
	}
	slices.SortStableFunc(chosen, func(x,
		y match.Row) int {
		return strangeness(y.Termination) - strangeness(x.Termination)
	})
	return chosen
}

// endings returns the terminations that occurred, the unusual ones first.
func (s *Scenes) endings() []match.Termination {
	var all []match.Termination
	for t := range s.latest {
		all = append(all, t)
	}
	slices.SortFunc(all, func(x, y match.Termination) int {
		return cmp.Or(strangeness(y)-strangeness(x), cmp.Compare(x, y))
	})
	return all
}

// strangeness returns a rank of a termination. A higher rank means that its games are more interesting to a reader.
func strangeness(t match.Termination) int {
	switch {
	case t.IsFault():
		return 3
	case t == match.Declaration || t == match.FalseDeclaration || t == match.Impasse:
		return 2
	case t == match.Checkmate || t == match.Resignation:
		return 0
	}
	return 1
}

// faults returns the latest games that ended by a fault.
func (s *Scenes) faults() []match.Row {
	var all []match.Row
	for t, list := range s.latest {
		if t.IsFault() {
			all = append(all, list...)
		}
	}
	slices.SortFunc(all, func(x, y match.Row) int { return cmp.Or(y.Pair-x.Pair, y.Leg-x.Leg) })
	return all[:min(len(all), shownFaults)]
}

// lengthClass is a bar of the histogram: games of From to To plies.
type lengthClass struct{ From, To, Games int }

// histogram returns the classes of game lengths. It merges the finest classes until there are few enough for
// a chart.
func (s *Scenes) histogram() []lengthClass {
	const most = 24
	low, high := math.MaxInt, 0
	for class := range s.lengths {
		low, high = min(low, class), max(high, class)
	}
	if high < low {
		return nil
	}
	merge := roundUp((high - low + most) / most)
	low -= low % merge
	classes := make([]lengthClass, (high-low)/merge+1)
	for i := range classes {
		from := (low + i*merge) * lengthStep
		classes[i] = lengthClass{From: from, To: from + merge*lengthStep - 1}
	}
	for class, games := range s.lengths {
		classes[(class-low)/merge].Games += games
	}
	return classes
}

// roundUp returns the smallest of the numbers 1, 2, 5, 10, 20, 50, … that is at least n.
func roundUp(n int) int {
	for scale := 1; ; scale *= 10 {
		for _, digit := range []int{1, 2, 5} {
			if digit*scale >= n {
				return digit * scale
			}
		}
	}
}
