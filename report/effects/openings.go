package effects

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/report"
	"gogi/stats"
)

// Boards has player A's score for each opening and for each family of openings. It answers where a patch loses. It has
// many rows, so some of them are unusual by chance: the intervals hold for all rows of a list together.
type Boards struct {
	Head
	Families BoardList `json:"families"`
	Openings BoardList `json:"openings"`
}

// A BoardList is a list of openings or of families.
type BoardList struct {
	Looked int     `json:"looked"` // number of rows that were looked at
	Chance float64 `json:"chance"` // surprise that the largest of so many rows exceeds by chance in 1 of 20 runs
	Rows   []Board `json:"rows"`

	spread   float64 // standard deviation of the observations' scores
	mean     float64 // mean of the observations' scores
	interval map[string]report.Bounds
}

// Board is one opening or family, with A's results in its games.
type Board struct {
	Name     string `json:"name"`              // ID of the opening, or name of the family
	Opening  string `json:"opening,omitempty"` // start position and moves; "" for a family
	Games    int    `json:"games"`
	Wins     int    `json:"wins"`
	Draws    int    `json:"draws"`
	Losses   int    `json:"losses"`
	Units    int    `json:"units"` // independent observations: distinct pairs of an opening, openings of a family
	Pair     int    `json:"pair"`  // first pair of the row
	Leg      int    `json:"leg"`   // first game of that pair
	FirstPly int    `json:"plies"` // number of the opening's moves, of a family 2 at most

	Score float64 `json:"score"` // A's score: the mean over the units
	// Bounds is the interval of the score. All intervals of the list hold together with 95% confidence.
	report.Bounds
	// Surprise is the distance of the score from A's mean score, in standard errors. It is negative if A scored less.
	Surprise *float64 `json:"surprise"`
	// Stands means that the interval does not contain A's mean score.
	Stands bool `json:"stands"`

	shares []float64
}

// Boards returns the rows of all openings and families. The intervals are missing; see BoardList.Bound.
func (g *Gatherer) Boards() *Boards {
	b := &Boards{Head: g.head()}
	if s, err := g.series.Sample(); err == nil {
		b.Score = &s.Mean
	}
	for _, w := range g.groupings {
		switch w.name {
		case "opening":
			b.Openings = g.boards(w)
		case "family":
			b.Families = g.boards(w)
		}
	}
	b.Warnings = []i18n.Message{i18n.Of("Some rows stand out by chance: %s were looked at here. The intervals hold for all rows of a list together; a row that stands out is a hypothesis for a new run.",
		i18n.Number{N: b.Openings.Looked + b.Families.Looked, Noun: "row"})}
	if !b.Finished {
		b.Warnings = append(b.Warnings,
			i18n.Of("The run is not finished: the intervals hold only at the end that was planned."))
	}
	if g.run.Gate != "" {
		b.Warnings = append(b.Warnings,
			i18n.Of("A sequential test (%s) stopped the run, so the scores are biased towards the extremes. Rows may still be compared with each other.", g.run.Gate))
	}
	return b
}

// boards returns a row for each group of a grouping. It merges no groups.
func (g *Gatherer) boards(w *grouping) BoardList {
	list := BoardList{Rows: []Board{}, interval: map[string]report.Bounds{}}
	places := map[string]int{}
	g.each(w, func(group string, k *counted) int {
		place, known := places[group]
		if !known {
			place = len(list.Rows)
			places[group] = place
			o := &g.openings[k.opening]
			row := Board{Name: group, Pair: k.pair, Leg: k.leg, FirstPly: len(o.Moves)}
			if w.byPair {
				row.Name, row.Opening = o.ID, o.String()
			} else {
				row.FirstPly = min(2, row.FirstPly)
			}
			list.Rows = append(list.Rows, row)
		}
		return place
	}, func(place, _ int, s sum) {
		row := &list.Rows[place]
		row.Games, row.Wins, row.Draws, row.Units = row.Games+s.games, row.Wins+s.won, row.Draws+s.drawn, row.Units+1
		row.shares = append(row.shares, s.share())
	})
	list.finish()
	return list
}

// finish calculates the scores and the surprises.
func (l *BoardList) finish() {
	var all []float64
	for i := range l.Rows {
		row := &l.Rows[i]
		row.Losses, row.Score = row.Games-row.Wins-row.Draws, mean(row.shares)
		all = append(all, row.shares...)
	}
	l.Looked = len(l.Rows)
	if l.Looked == 0 {
		return
	}
	l.Chance = math.Sqrt2 * math.Erfinv(math.Pow(1-(1-Level), 1/float64(l.Looked)))
	squares := 0.0
	l.mean = mean(all)
	for _, s := range all {
		squares += (s - l.mean) * (s - l.mean)
	}
	if l.spread = math.Sqrt(squares / float64(max(1, len(all)-1))); l.spread == 0 || l.Looked == 1 {
		return
	}
	for i := range l.Rows {
		row := &l.Rows[i]
		// The rest has its own error, so a row with nearly all observations does not surprise.
		rest := float64(len(all)) / float64(max(1, len(all)-row.Units))
		z := (row.Score - l.mean) * math.Sqrt(float64(row.Units)) / l.spread * math.Sqrt(rest)
		row.Surprise = &z
	}
}

// These are the orders of the rows.
const (
	BySurprise = "surprise" // the largest deviation first
	ByScore    = "score"    // the lowest score first
	ByGames    = "games"    // the most games first
)

// BoardOrders returns all orders of the rows; the first one is the default.
func BoardOrders() []string { return []string{BySurprise, ByScore, ByGames} }

// Sort sorts the rows. Rows that are equal in the order keep the order of their first pairs.
func (l *BoardList) Sort(order string) {
	strangeness := func(r Board) float64 {
		if r.Surprise == nil {
			return 0
		}
		return math.Abs(*r.Surprise)
	}
	slices.SortStableFunc(l.Rows, func(a, b Board) int {
		switch order {
		case ByScore:
			return cmp.Or(cmp.Compare(a.Score, b.Score), b.Units-a.Units, a.Pair-b.Pair)
		case ByGames:
			return cmp.Or(b.Games-a.Games, a.Pair-b.Pair)
		}
		return cmp.Or(cmp.Compare(strangeness(b), strangeness(a)), cmp.Compare(a.Score, b.Score), a.Pair-b.Pair)
	})
}

// Bound sets the intervals of the rows from first to end, with the level that all rows of the list need together. Most
// openings have few games, so equal rows share one calculation.
func (l *BoardList) Bound(first, end int) error {
	level := 1 - (1-Level)/float64(max(1, l.Looked))
	for i := max(0, first); i < min(end, len(l.Rows)); i++ {
		row := &l.Rows[i]
		key := fmt.Sprint(slices.Sorted(slices.Values(row.shares)))
		bounds, known := l.interval[key]
		if !known {
			interval, err := stats.GamesInterval(row.shares, level)
			if err != nil {
				return err
			}
			bounds = report.NewBounds(interval)
			l.interval[key] = bounds
		}
		row.Bounds = bounds
		row.Stands = bounds.Lo != nil && *bounds.Lo > l.mean || bounds.Hi != nil && *bounds.Hi < l.mean
	}
	return nil
}

// Print writes the families and the openings, each with at most most rows in the order order. Print ignores write
// errors.
func (b *Boards) Print(w io.Writer, in i18n.Language, order string, most int) error {
	for _, of := range []struct {
		title string
		list  *BoardList
	}{{i18n.Phrase("family"), &b.Families}, {i18n.Phrase("opening"), &b.Openings}} {
		of.list.Sort(order)
		if err := of.list.Bound(0, most); err != nil {
			return err
		}
		t := format.Table(i18n.Say(in, of.title), i18n.Say(in, "first moves"), i18n.Say(in, "first game"),
			i18n.Say(in, "games"), b.A+" W–D–L", i18n.Say(in, "score"), i18n.Say(in, "interval"), i18n.Say(in, "surprise"))
		for _, r := range of.list.Rows[:min(most, len(of.list.Rows))] {
			t.AppendRow([]any{
				shortened(r.Name), r.firstMoves(), fmt.Sprintf("%d.%d", r.Pair, r.Leg), format.Count(r.Games),
				fmt.Sprintf("%d–%d–%d", r.Wins, r.Draws, r.Losses),
				format.Percent(r.Score), r.IntervalText(), r.SurpriseText(),
			})
		}
		format.Render(w, t)
		fmt.Fprintln(w, i18n.Say(in, "%s of %s; in 1 of 20 runs chance alone gives a surprise above %.1f",
			format.Count(min(most, of.list.Looked)), format.Count(of.list.Looked), of.list.Chance))
	}
	for _, m := range b.Warnings {
		fmt.Fprintln(w, m.In(in))
	}
	return nil
}

// firstMoves returns the first moves of the opening in the width of a column, or "" for a family, which has them as its
// name.
func (r Board) firstMoves() string {
	return shortened(strings.TrimPrefix(r.Opening, "startpos moves "))
}

// shortened returns a text in the width of a column.
func shortened(text string) string {
	if runes := []rune(text); len(runes) > 26 {
		text = string(runes[:25]) + "…"
	}
	return text
}

// Lines returns the first openings of the list, in its order, as a file for gogi match --openings.
func (l *BoardList) Lines(most int) string {
	var out strings.Builder
	for _, r := range l.Rows[:min(most, len(l.Rows))] {
		fmt.Fprintln(&out, r.Opening)
	}
	return out.String()
}

// IntervalText returns the interval of the score in percent, such as [0%, 64%].
func (r Board) IntervalText() string {
	if r.Lo == nil || r.Hi == nil {
		return "–"
	}
	return fmt.Sprintf("[%.0f%%, %.0f%%]", 100**r.Lo, 100**r.Hi)
}

// SurpriseText returns the surprise with its sign, and a star if the row stands out.
func (r Board) SurpriseText() string {
	if r.Surprise == nil {
		return "–"
	}
	text := format.Minus(fmt.Sprintf("%+.1f", *r.Surprise))
	if r.Stands {
		text += " *"
	}
	return text
}
