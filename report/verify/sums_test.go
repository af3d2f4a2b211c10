package verify

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/report"
)

// oracle counts games with its own code. The tests compare a report with its counts.
type oracle struct {
	plan *match.Plan
	sums Sums
}

// count returns the games and sums of pairs.
func count(t *testing.T, plan *match.Plan, pairs []match.PairResult) (games int, sums Sums) {
	t.Helper()
	c := &oracle{plan: plan}
	for i := range plan.Players {
		c.sums.Players = append(c.sums.Players, Player{Name: plan.Players[i].Name})
	}
	for i := range pairs {
		games += len(pairs[i].Games)
		testutil.OK(t, c.add(&pairs[i]))
	}
	return games, c.sums.sorted()
}

// Sums has the counts of players, pairings and ends.
type Sums struct {
	Players  []Player  // in plan order
	Pairings []Pairing // by the players' places in the plan
	Ends     []End     // most frequent first
	Plies    int       // of all games

	pairings map[[2]int]*Pairing
	ends     map[End]int
}

// A Count is the number of won, drawn and lost games.
type Count struct{ Wins, Draws, Losses int }

// String returns a text such as "3 won, 1 drawn, 4 lost".
func (n Count) String() string {
	return fmt.Sprintf("%d won, %d drawn, %d lost", n.Wins, n.Draws, n.Losses)
}

func (n *Count) add(won, lost bool) {
	switch {
	case won:
		n.Wins++
	case lost:
		n.Losses++
	default:
		n.Draws++
	}
}

// A Player has the games of one player against all opponents.
type Player struct {
	Name   string
	Black  Count
	White  Count
	Points float64
}

// A Pairing has the games of the pairs of A and B, from A's view.
type Pairing struct {
	A, B   string
	Pairs  int
	Points float64 // A's
	Count
	Two Two

	order [2]int
}

// A Two has the number of pairs by their result for A: LL lost both games, LD lost one and drew the other, and so on.
type Two struct{ LL, LD, WL, DD, WD, WW int }

// String returns the counts above zero, for example "2 LL, 1 WL".
func (t Two) String() string {
	var parts []string
	for _, cell := range []struct {
		name string
		n    int
	}{{"LL", t.LL}, {"LD", t.LD}, {"WL", t.WL}, {"DD", t.DD}, {"WD", t.WD}, {"WW", t.WW}} {
		if cell.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", cell.n, cell.name))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

func (t *Two) add(pair Count) {
	switch pair {
	case Count{Losses: 2}:
		t.LL++
	case Count{Losses: 1, Draws: 1}:
		t.LD++
	case Count{Losses: 1, Wins: 1}:
		t.WL++
	case Count{Draws: 2}:
		t.DD++
	case Count{Wins: 1, Draws: 1}:
		t.WD++
	case Count{Wins: 2}:
		t.WW++
	}
}

// An End has the number of games that a player lost in one way. A game without a loser has an empty Loser.
type End struct {
	Termination string
	Loser       string
	Games       int
}

// add counts a pair.
func (c *oracle) add(p *match.PairResult) error {
	a, b := p.Pair.Players[0], p.Pair.Players[1]
	if n := len(c.sums.Players); min(a, b) < 0 || max(a, b) >= n {
		return fmt.Errorf("it is of players %d and %d, of %d", a, b, n)
	}
	pairing := c.sums.pairing(a, b)
	pairing.Pairs++
	var own Count
	for leg := range p.Games {
		g := &p.Games[leg]
		colour := leg % 2 // A's: the players swap colours in the second game
		if c.plan.Design.Kind == match.DesignImported && g.Players[1] == a {
			colour = 1 // A had White in this game
		}
		seats := [2]int{a, b}
		if colour == 1 {
			seats = [2]int{b, a}
		}
		worth := worth(g, c.plan.Rules)
		c.sums.game(g, seats, worth)
		wins := [2]match.Outcome{match.BlackWins, match.WhiteWins}
		own.add(g.Outcome == wins[colour], g.Outcome == wins[1-colour])
		pairing.Points += worth[colour]
	}
	pairing.Wins, pairing.Draws, pairing.Losses = pairing.Wins+own.Wins, pairing.Draws+own.Draws, pairing.Losses+own.Losses
	pairing.Two.add(own)
	return nil
}

func (s *Sums) pairing(a, b int) *Pairing {
	if s.pairings == nil {
		s.pairings, s.ends = map[[2]int]*Pairing{}, map[End]int{}
	}
	key := [2]int{a, b}
	if s.pairings[key] == nil {
		s.pairings[key] = &Pairing{A: s.Players[a].Name, B: s.Players[b].Name, order: key}
	}
	return s.pairings[key]
}

// game counts a game. The seats are the players with Black and White.
func (s *Sums) game(g *match.Result, seats [2]int, worth [2]float64) {
	black, white := &s.Players[seats[0]], &s.Players[seats[1]]
	black.Black.add(g.Outcome == match.BlackWins, g.Outcome == match.WhiteWins)
	white.White.add(g.Outcome == match.WhiteWins, g.Outcome == match.BlackWins)
	black.Points += worth[0]
	white.Points += worth[1]
	end := End{Termination: g.Termination.String()}
	switch g.Outcome {
	case match.BlackWins:
		end.Loser = white.Name
	case match.WhiteWins:
		end.Loser = black.Name
	case match.Draw, match.Unfinished:
	}
	s.ends[end]++
	s.Plies += len(g.Record.Moves)
}

// sorted returns the sums with their lists in order.
func (s *Sums) sorted() Sums {
	out := Sums{Players: s.Players, Plies: s.Plies}
	for _, p := range s.pairings {
		out.Pairings = append(out.Pairings, *p)
	}
	slices.SortFunc(out.Pairings, func(p, q Pairing) int { return slices.Compare(p.order[:], q.order[:]) })
	for end, n := range s.ends {
		end.Games = n
		out.Ends = append(out.Ends, end)
	}
	slices.SortFunc(out.Ends, func(a, b End) int {
		return cmp.Or(b.Games-a.Games, cmp.Compare(a.Termination, b.Termination), cmp.Compare(a.Loser, b.Loser))
	})
	return out
}

// Games returns the number of games.
func (n Count) Games() int { return n.Wins + n.Draws + n.Losses }

// rounding is the largest difference of two sums of points: both add the same points, in different orders.
const rounding = 1e-9

// counted has the counts that the test calculates itself.
type counted struct {
	Games int
	Sums  Sums
}

// compare returns the differences between a report and the counts.
func compare(f *counted, r *report.Report) (differences []string) {
	note := func(what string, reported, counted any) {
		differences = append(differences, fmt.Sprintf("a report says, of %s: %v; the games say: %v", what, reported, counted))
	}
	same := func(what string, reported, counted any) {
		if reported != counted {
			note(what, reported, counted)
		}
	}
	near := func(what string, reported, counted float64, n int) {
		if !(math.Abs(reported-counted) <= rounding*max(1, float64(n))) {
			note(what, reported, counted)
		}
	}
	same("pairs", r.Pairs, f.pairs())
	same("games", r.Games, f.Games)
	same("plies", r.Plies.Total, f.Sums.Plies)
	for i, p := range f.Sums.Players {
		if i >= len(r.Players) {
			note("players", len(r.Players), len(f.Sums.Players))
			break
		}
		q := &r.Players[i]
		same("player "+p.Name, q.Name, p.Name)
		same("the games of "+p.Name+" as Black", Count{q.Black.Wins, q.Black.Draws, q.Black.Losses}, p.Black)
		same("the games of "+p.Name+" as White", Count{q.White.Wins, q.White.Draws, q.White.Losses}, p.White)
		near("the points of "+p.Name, q.Points, p.Points, q.Games)
		same("the games of "+p.Name, q.Games, p.Black.Games()+p.White.Games())
	}
	comparePairings(f, r, same, near)
	compareEnds(f, r, same)
	return differences
}

// pairs returns the number of counted pairs.
func (f *counted) pairs() (n int) {
	return lists.Sum(f.Sums.Pairings, func(p Pairing) int { return p.Pairs })
}

func comparePairings(f *counted, r *report.Report, same func(string, any, any),
	near func(string, float64, float64, int)) {
	table := map[[2]string]report.Cross{}
	for _, c := range r.Crosstable {
		table[[2]string{c.A, c.B}] = c
	}
	for _, p := range f.Sums.Pairings {
		c, what := table[[2]string{p.A, p.B}], fmt.Sprintf("%s against %s", p.A, p.B)
		delete(table, [2]string{p.A, p.B})
		same(what, Count{c.Wins, c.Draws, c.Losses}, p.Count)
		near("the score of "+what, c.Score, p.Points/float64(max(1, p.Games())), 1)
		if p.A == r.A && p.B == r.B {
			same("how the pairs of "+what+" came out", Two(r.Pentanomial), p.Two)
		}
	}
	for _, key := range slices.SortedFunc(maps.Keys(table), func(a, b [2]string) int {
		return slices.Compare(a[:], b[:])
	}) {
		same(fmt.Sprintf("%s against %s", key[0], key[1]), table[key].Games, 0)
	}
}

func compareEnds(f *counted, r *report.Report, same func(string, any, any)) {
	reported := map[End]int{}
	for _, e := range r.Terminations {
		reported[End{Termination: e.Termination, Loser: e.Loser}] = e.Count
	}
	for _, e := range f.Sums.Ends {
		key := End{Termination: e.Termination, Loser: e.Loser}
		same(key.String(), reported[key], e.Games)
		delete(reported, key)
	}
	for key, n := range reported {
		same(key.String(), n, 0)
	}
}

// String returns a text such as "resignation of A", or "repetition" without a loser.
func (e End) String() string {
	if e.Loser == "" {
		return e.Termination
	}
	return e.Termination + " of " + e.Loser
}

// all returns a player's games with both colours.
func (p *Player) all() Count {
	return Count{p.Black.Wins + p.White.Wins, p.Black.Draws + p.White.Draws, p.Black.Losses + p.White.Losses}
}

// worth returns the points of a game for Black and White: one for the winner, half for a draw, and for a repetition the
// points in the rules. The test calculates them itself, so that it does not check the stored points with the code that
// made them.
func worth(g *match.Result, rules match.Rules) [2]float64 {
	switch g.Outcome {
	case match.BlackWins:
		return [2]float64{1, 0}
	case match.WhiteWins:
		return [2]float64{0, 1}
	case match.Draw:
		if g.Termination == match.Repetition {
			return rules.RepetitionPoints
		}
		return [2]float64{0.5, 0.5}
	case match.Unfinished:
	}
	return [2]float64{}
}
