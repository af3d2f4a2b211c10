package effects

import (
	"cmp"
	"math"
	"slices"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/report"
	"gogi/stats"
	"gogi/stats/binomial"
)

const (
	// Least is the smallest number of independent observations, such as openings, that a row and the rest
	// must each have for a test. Smaller groups of openings are merged into one row.
	Least = 10
	// Most is the largest number of groups of openings that have their own rows.
	Most = 12
)

// others is the name of the row with all groups that are too small for a row of their own.
var others = i18n.Phrase("others")

// A Head has the facts about a run that precede the rows of a table.
type Head struct {
	Version  int            `json:"version"`
	Run      string         `json:"run"`
	A        string         `json:"a"`        // name of the player whose score the rows have
	B        string         `json:"b"`        // name of the other player
	Finished bool           `json:"finished"` // every pair of the plan is stored
	Games    int            `json:"games"`
	Score    *float64       `json:"score"` // A's score: the mean of the openings' mean scores
	Warnings []i18n.Message `json:"warnings"`
}

func (g *Gatherer) head() Head {
	return Head{Version: 1, Run: g.run.Name, A: g.run.A, B: g.run.B, Finished: g.run.Finished, Games: g.games}
}

// Table is the result that "gogi compare --breakdown --json" prints. A number that does not exist is null,
// with a "why" next to it.
type Table struct {
	Head
	Pairs    int `json:"pairs"`
	Openings int `json:"openings"` // number of different openings
	Copies   int `json:"copies"`   // pairs that repeat an earlier pair move for move

	Elo           *float64 `json:"elo"`
	report.Bounds          // in Elo

	// number of rows with a p value. The adjusted p values allow for this number of tests.
	Tested    int        `json:"tested"`
	Groupings []Grouping `json:"groupings"`
}

// Grouping is one way to sort the games into groups, such as by colour. It has a row for each group.
type Grouping struct {
	Name  string       `json:"name"`
	Title i18n.Message `json:"title"`
	About i18n.Message `json:"about"` // how games are sorted
	// Unit is the independent unit of this grouping: distinct_pair, pair, opening or game. If rows divide
	// pairs or openings, it is pair_part or opening_part: the games of a pair or opening that fall into the
	// same row.
	Unit string       `json:"unit"`
	Rows []Row        `json:"rows"`
	Why  i18n.Message `json:"why,omitzero"` // reason if there are no rows
}

// Row is one group of games, with player A's score in these games.
type Row struct {
	Name  string `json:"name"`
	Games int    `json:"games"`
	Units int    `json:"units"` // number of independent units

	Score float64 `json:"score"` // A's score: the mean over the units
	report.Bounds
	Elo   *float64 `json:"elo"`
	EloLo *float64 `json:"elo_lo"`
	EloHi *float64 `json:"elo_hi"`

	Effect   *float64     `json:"effect"`     // score minus the score of the rest
	Shift    *float64     `json:"effect_elo"` // Effect in Elo.
	Method   string       `json:"method,omitempty"`
	P        *float64     `json:"p"`        // two-sided p value of no difference between the group and the rest
	Adjusted *float64     `json:"adjusted"` // p value adjusted for all tested rows of the table (Holm).
	Why      i18n.Message `json:"why,omitzero"`

	class bool // the name is a text of gogi, not the name of an opening

	shares []float64 // the units' mean scores
}

// Stands reports whether A's score in this group differs significantly from A's score in the other games. It
// uses the p value adjusted for the number of rows.
func (r Row) Stands() bool {
	return r.Adjusted != nil && binomial.Test{P: *r.Adjusted}.Significant(1-Level)
}

// Table returns the table of the pairs added so far. The caller may add more pairs afterwards.
func (g *Gatherer) Table() (*Table, error) {
	t, err := g.tested()
	if err != nil || !g.run.Finished {
		return t, err
	}
	if i, err := g.series.Interval(Level); err == nil {
		t.Bounds = report.NewBounds(binomial.EloInterval(i))
	}
	for i := range t.Groupings {
		for j := range t.Groupings[i].Rows {
			if err := t.Groupings[i].Rows[j].setInterval(); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// tested returns the table with the tests of its rows, but without the intervals of the rows.
func (g *Gatherer) tested() (*Table, error) {
	t := &Table{
		Head: g.head(), Pairs: g.series.Pairs(), Openings: g.series.Openings(), Copies: g.series.Copies(),
	}
	if s, err := g.series.Sample(); err == nil {
		t.Score, t.Elo = &s.Mean, format.Finite(binomial.Elo(s.Mean))
	}
	for _, w := range g.groupings {
		t.Groupings = append(t.Groupings, g.table(w, t.Openings < t.Pairs, t.Games == t.Pairs))
	}
	if !g.run.Finished {
		t.withhold()
	}
	err := t.adjust()
	t.Warnings = t.warn(g.run.Gate)
	return t, err
}

// withhold removes the tests of an unfinished run, because they are valid only at its planned end.
func (t *Table) withhold() {
	for i := range t.Groupings {
		for j := range t.Groupings[i].Rows {
			r := &t.Groupings[i].Rows[j]
			r.P, r.Method, r.Why = nil, "", i18n.Of("the run is not finished")
		}
	}
}

// setInterval sets the row's interval: Gaffke's interval of the units' mean score, also converted to Elo.
func (r *Row) setInterval() error {
	i, err := stats.GamesInterval(r.shares, Level)
	if err != nil {
		return err
	}
	image := binomial.EloInterval(i)
	r.Bounds, r.EloLo, r.EloHi = report.NewBounds(i), format.Finite(image.Lo), format.Finite(image.Hi)
	return nil
}

// adjust sets the rows' p values adjusted for the number of tested rows (Holm).
func (t *Table) adjust() error {
	var raw []float64
	var rows []*Row
	for i := range t.Groupings {
		for j := range t.Groupings[i].Rows {
			if r := &t.Groupings[i].Rows[j]; r.P != nil {
				raw, rows = append(raw, *r.P), append(rows, r)
			}
		}
	}
	t.Tested = len(rows)
	adjusted, err := binomial.Holm.Adjust(raw)
	for i := range adjusted {
		rows[i].Adjusted = &adjusted[i]
	}
	return err
}

func (t *Table) warn(gate string) []i18n.Message {
	looks := i18n.Of("This is an analysis after the fact: a row that stands out is a hypothesis for a new run, not a result.")
	if t.Tested > 0 {
		looks = i18n.Of("%s The adjusted p values allow for the %s of this table, not for other tables, runs or bounds that were tried.", looks, i18n.Number{N: t.Tested, Noun: "tested row"})
	}
	all := []i18n.Message{looks}
	if !t.Finished {
		all = append(all,
			i18n.Of("The run is not finished: intervals and tests hold only at the end that was planned, and are left out."))
	}
	if gate != "" {
		all = append(all,
			i18n.Of("The run was played with a sequential test (%s), so its scores, Elo and intervals are biased towards the extremes. Rows may still be compared with the rest, because the test looked at no groups.", gate))
	}
	switch {
	case t.Copies == 1:
		all = append(all,
			i18n.Of("1 pair repeats an earlier one of the same opening move for move; an opening counts once, however often it was played."))
	case t.Copies > 0:
		all = append(all,
			i18n.Of("%s pairs repeat an earlier one of the same opening move for move; an opening counts once, however often it was played.", format.Count(t.Copies)))
	}
	return all
}

// table returns a grouping with its rows. reused means that some openings were played in several pairs.
// single means that a pair is one game.
func (g *Gatherer) table(w *grouping, reused, single bool) Grouping {
	out := Grouping{Name: w.name, Title: w.title, About: w.about, Rows: []Row{}}
	parts := g.parts(w)
	divided := isDivided(parts)
	switch {
	case w.byPair:
		out.Unit = "distinct_pair"
	case single && !reused:
		out.Unit = "game"
	case divided && reused:
		out.Unit = "opening_part"
	case divided:
		out.Unit = "pair_part"
	case reused:
		out.Unit = "opening"
	default:
		out.Unit = "pair"
	}
	if len(parts) < 2 {
		if out.Why = w.missing; out.Why.IsZero() || len(parts) > 0 {
			out.Why = i18n.Of("all games are of one group")
		}
		if w.byPair {
			out.Why = i18n.Of("no opening was played in %d pairs that repeat no other", Least)
		}
		return out
	}
	for _, p := range parts {
		row := p.row()
		row.class = p.class
		out.Rows = append(out.Rows, row)
	}
	test(out.Rows, parts)
	return out
}

// part is one row before its calculation. It has the independent observations (units) of a group, with their mean
// scores.
type part struct {
	name   string
	class  bool // name is a text of gogi, not the name of an opening
	games  int
	drawn  int
	units  []int32
	shares []float64
}

// parts returns the groups in the order of the rows. It merges the small groups into one.
func (g *Gatherer) parts(w *grouping) []part {
	names := slices.Clone(w.classes)
	if names == nil {
		names = append(g.keep(w), others)
	}
	row := func(group string, _ *counted) int {
		if i := slices.Index(names, group); i >= 0 {
			return i
		}
		return len(names) - 1
	}
	units := make([]int, len(names))
	g.each(w, row, func(row, _ int, _ sum) { units[row]++ })
	parts := make([]part, len(names))
	for i, name := range names { // lists that grow would take three times the memory
		parts[i] = part{name: name, class: w.classes != nil || i == len(names)-1, units: make([]int32, 0, units[i]),
			shares: make([]float64, 0, units[i])}
	}
	g.each(w, row, func(row, unit int, s sum) {
		p := &parts[row]
		p.games += s.games
		p.drawn += s.drawn
		p.units, p.shares = append(p.units, int32(unit)), append(p.shares, s.share())
	})
	return slices.DeleteFunc(parts, func(p part) bool { return p.games == 0 })
}

// keep returns the groups with a row of their own. The choice depends on the numbers of observations, never on scores.
func (g *Gatherer) keep(w *grouping) []string {
	var names []string
	var units []int
	rows := map[string]int{}
	g.each(w, func(group string, _ *counted) int {
		row, known := rows[group]
		if !known {
			row = len(names)
			rows[group], names, units = row, append(names, group), append(units, 0)
		}
		return row
	}, func(row, _ int, _ sum) { units[row]++ })
	kept := slices.DeleteFunc(names, func(name string) bool { return units[rows[name]] < Least })
	slices.SortFunc(kept, func(a, b string) int { return cmp.Or(units[rows[b]]-units[rows[a]], cmp.Compare(a, b)) })
	return kept[:min(Most, len(kept))]
}

// isDivided reports whether one observation, such as an opening, has games in two rows.
func isDivided(parts []part) bool {
	_, n := slotsOf(parts)
	return n < lists.Sum(parts, func(p part) int { return len(p.units) })
}

// slotsOf numbers the units of all parts from 0 in the order of their first use. slots has the numbers in the order of
// the parts and their units. n is the number of different units.
func slotsOf(parts []part) (slots []int32, n int) {
	most, all := int32(-1), 0
	for _, p := range parts {
		all += len(p.units)
		for _, u := range p.units {
			most = max(most, u)
		}
	}
	slots = make([]int32, 0, all)
	known := make([]int32, most+1) // by unit: the slot plus 1
	for _, p := range parts {
		for _, u := range p.units {
			if known[u] == 0 {
				n++
				known[u] = int32(n)
			}
			slots = append(slots, known[u]-1)
		}
	}
	return slots, n
}

// row returns the row of a part. The caller sets its test and its interval.
func (p part) row() Row {
	r := Row{Name: p.name, Games: p.games, Units: len(p.units), Score: mean(p.shares), shares: p.shares}
	r.Elo = format.Finite(binomial.Elo(r.Score))
	return r
}

// test compares each row with the rest. It flips the signs of the contributions of whole observations (units). A
// permutation of units would be exact only for groups with the same distribution. Groups with the same mean can differ
// in how close their games are; a permutation test would then report too many chance results. test ignores rows that
// have only draws, because they score a half for players of any strength.
func test(rows []Row, parts []part) {
	var kept []part
	var at []int
	for i, p := range parts {
		if p.drawn == p.games {
			rows[i].Why = i18n.Of("all of these games were drawn")
			continue
		}
		kept, at = append(kept, p), append(at, i)
	}
	slots, units := slotsOf(kept)
	all, n := pooled(kept, -1)
	contributions := make([]float64, units)
	for k, i := range at {
		r := &rows[i]
		if len(kept) < 2 {
			r.Why = i18n.Of("there is no rest to hold it against")
			return
		}
		rest, restUnits := pooled(kept, k)
		effect := r.Score - rest
		r.Effect, r.Shift = &effect, format.Finite(binomial.Elo(r.Score)-binomial.Elo(rest))
		if n-restUnits < Least || restUnits < Least {
			r.Why = i18n.Of("fewer than %d units, here or in the rest", Least)
			continue
		}
		contribute(contributions, kept, slots, k, all)
		flip := stats.ScoreFlip(contributions)
		r.Method, r.P = flip.Method, &flip.P
	}
}

// mean returns the mean of scores in thousandths. If all scores are equal, it returns exactly that score,
// without a rounding error.
func mean(scores []float64) float64 { return thousandths(scores) / float64(1000*len(scores)) }

// thousandths returns the sum of scores in thousandths. The sum has no rounding error, so its order does not matter.
func thousandths(scores []float64) float64 {
	return lists.Sum(scores, func(s float64) float64 { return math.Round(1000 * s) })
}

// pooled returns the mean score of the units of all parts except one, and their number; -1 excludes no part.
func pooled(parts []part, without int) (mean float64, n int) {
	for k, p := range parts {
		if k != without {
			mean, n = mean+thousandths(p.shares), n+len(p.shares)
		}
	}
	return mean / float64(1000*n), n
}

// contribute sets how much each observation (unit) contributes to the difference between part k and the rest. all has
// an element for each unit, and slots the element of each unit of each part. mean is the mean score of all units.
func contribute(all []float64, parts []part, slots []int32, k int, mean float64) {
	clear(all)
	share := float64(len(parts[k].units)) / float64(len(slots))
	at := 0
	for j, p := range parts {
		inside := -share
		if j == k {
			inside++
		}
		for _, score := range p.shares {
			all[slots[at]] += (score - mean) * inside
			at++
		}
	}
	for i, z := range all {
		if math.Abs(z) < 1e-12 {
			all[i] = 0
		}
	}
}
