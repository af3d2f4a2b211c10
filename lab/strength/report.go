package strength

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"gonum.org/v1/gonum/stat"

	"gogi/internal/format"
	"gogi/lab/linear"
	"gogi/lab/review"
	"gogi/stats/binomial"
)

// Report is the result that "gogi-lab review fit --json" prints.
type Report struct {
	Version  int        `json:"version"`
	Of       string     `json:"of"` // unit of the ratings
	Subjects []Subject  `json:"subjects"`
	Unrated  []string   `json:"unrated"` // players without a rating. They are left out.
	Empty    []string   `json:"empty"`   // players without a move that counts
	Simple   []Simple   `json:"simple"`  // a regression for each single metric
	Model    *ModelJSON `json:"model"`
	Games    []WonLost  `json:"won_against_lost"` // empty for a table
	Why      string     `json:"why,omitempty"`
}

// Simple is the linear regression of ratings on one metric alone.
type Simple struct {
	Metric    string   `json:"metric"`  // name of the metric
	R         *float64 `json:"pearson"` // correlation with the rating
	P         *float64 `json:"p"`
	Slope     *float64 `json:"slope"`
	Intercept *float64 `json:"intercept"`
	R2        *float64 `json:"r2"`
	LOORMSE   *float64 `json:"loo_rmse"`
	Why       string   `json:"why,omitempty"`
}

// ModelJSON is the JSON form of the fitted model.
type ModelJSON struct {
	Terms    []string           `json:"terms"`    // terms of the equation
	Equation map[string]float64 `json:"equation"` // the fitted equation, as text
	linear.Quality
}

// WonLost compares one metric between won games and lost games of all players, by Wilcoxon's rank-sum test.
// Each game counts for both of its players, so the values are not fully independent.
type WonLost struct {
	Metric string   `json:"metric"` // name of the metric
	Won    int      `json:"won"`
	Lost   int      `json:"lost"`
	MeanW  *float64 `json:"mean_won"`  // mean over won games
	MeanL  *float64 `json:"mean_lost"` // mean over lost games
	P      *float64 `json:"p"`         // two-sided
	Why    string   `json:"why,omitempty"`
}

// NewReport returns the report of a fitted model. It adds a regression for each metric alone. subjects are
// all players, with and without a rating. t is the tally of the review; it is nil for subjects from a table.
// empty has the names of the players without a counted move.
func NewReport(m *Model, subjects []Subject, empty []string, t *review.Tally) *Report {
	r := &Report{Version: 1, Of: m.Of, Subjects: m.Subjects, Unrated: []string{}, Empty: append([]string{}, empty...),
		Games: []WonLost{}}
	for _, s := range subjects {
		if !s.Rated() {
			r.Unrated = append(r.Unrated, s.Name)
		}
	}
	for _, name := range review.MetricNames() {
		if _, ok := m.Subjects[0].Metrics[name]; ok {
			r.Simple = append(r.Simple, simple(name, m.Subjects))
		}
	}
	r.Model = &ModelJSON{m.Terms, m.Equation, m.fit.Quality}
	if t != nil {
		for i, name := range review.MetricNames() {
			r.Games = append(r.Games, wonLost(t, name, i))
		}
	}
	return r
}

// simple returns the regression of ratings on one metric.
func simple(name string, subjects []Subject) Simple {
	s := Simple{Metric: name}
	x, y := make([]float64, len(subjects)), make([]float64, len(subjects))
	for i := range subjects {
		x[i], y[i] = subjects[i].Metrics[name], subjects[i].Rating
	}
	c, err := linear.Pearson(x, y)
	if err == nil {
		s.R, s.P = format.Finite(c.R), format.Finite(c.P)
		var fit linear.Fit
		if fit, err = linear.LeastSquares(y, linear.Column{Name: name, Values: x}); err == nil {
			s.Intercept, s.Slope = format.Finite(fit.Terms[0].Value), format.Finite(fit.Terms[1].Value)
			s.R2, s.LOORMSE = format.Finite(fit.R2), format.Finite(fit.LOORMSE)
		}
	}
	if err != nil {
		s.Why = err.Error()
	}
	return s
}

// wonLost compares the won with the lost games of all players by one metric. name is the name of the metric, and
// metric its index. wonLost leaves out games without a move that counts.
func wonLost(t *review.Tally, name string, metric int) WonLost {
	w := WonLost{Metric: name}
	var won, lost []float64
	for _, p := range t.Players {
		for i := range p.Games {
			g := &p.Games[i]
			m, ok := g.Parts.Whole().Metrics()
			switch {
			case !ok || !g.Known || g.Points == 0.5:
			case g.Points == 1:
				won = append(won, m.Values()[metric])
			default:
				lost = append(lost, m.Values()[metric])
			}
		}
	}
	w.Won, w.Lost, w.MeanW, w.MeanL = len(won), len(lost), format.Finite(stat.Mean(won, nil)),
		format.Finite(stat.Mean(lost, nil))
	test, err := linear.RankSum(won, lost, binomial.TwoSided)
	if err != nil {
		w.Why = err.Error()
		return w
	}
	w.P = format.Finite(test.Test.P)
	if w.P == nil {
		w.Why = "the test has no p value"
	}
	return w
}

// significant is the significance level for the comparison of games: 1%, as in the thesis.
const significant = 0.01

// Print writes the report for a terminal.
func (r *Report) Print(w io.Writer) {
	r.printSubjects(w)
	rows := format.Table("alone", "Pearson", "p", r.Of+" =", "R²", "error, left out")
	for _, s := range r.Simple {
		row := table.Row{s.Metric, number(s.R, "%+.3f"), format.Or(s.P, format.PValue), "–", number(s.R2, "%.3f"),
			number(s.LOORMSE, "%.4g")}
		if s.Slope != nil && s.Intercept != nil {
			row[3] = minus(fmt.Sprintf("%.5g %+.5g·x", *s.Intercept, *s.Slope))
		}
		rows.AppendRow(row)
	}
	format.Render(w, rows)
	m := r.Model
	fmt.Fprintf(w, "model   %s = %s\n", r.Of, m.words())
	fmt.Fprintf(w, "        R² %s, adjusted %s; error of each player by the others %s %s\n", number(&m.R2, "%.3f"),
		number(&m.AdjustedR2, "%.3f"), number(&m.LOORMSE, "%.4g"), r.Of)
	if m.N < 3*(len(m.Terms)+1) {
		fmt.Fprintf(w, "warning: %s for %s: expect much worse of others\n", format.NumberOf(m.N, "player"),
			format.NumberOf(len(m.Terms)+1, "coefficient"))
	}
	r.printGames(w)
	if len(r.Unrated) > 0 {
		fmt.Fprintf(w, "left out without a rating: %s\n", strings.Join(r.Unrated, ", "))
	}
	if len(r.Empty) > 0 {
		fmt.Fprintf(w, "left out without a move that counts: %s\n", strings.Join(r.Empty, ", "))
	}
}

// words returns the model's equation as text.
func (m *ModelJSON) words() string {
	text := fmt.Sprintf("%.5g", m.Equation["intercept"])
	for _, term := range m.Terms {
		text += fmt.Sprintf(" %+.5g·%s", m.Equation[term], term)
	}
	return minus(text)
}

func (r *Report) printSubjects(w io.Writer) {
	rows := format.Table(append([]any{"player", r.Of, "games", "moves"}, heads()...)...)
	rows.Style().Box.PaddingRight = "  " // without this the table is wider than a terminal
	for i := range r.Subjects {
		s := &r.Subjects[i]
		row := table.Row{format.Name(s.Name), fmt.Sprintf("%.0f", s.Rating), s.Games, format.Count(s.Moves)}
		for _, name := range review.MetricNames() {
			cell := "–"
			if v, ok := s.Metrics[name]; ok {
				cell = minus(fmt.Sprintf("%.3g", v))
			}
			row = append(row, cell)
		}
		rows.AppendRow(row)
	}
	format.Render(w, rows)
}

func heads() (list []any) {
	for _, name := range review.MetricNames() {
		list = append(list, strings.TrimPrefix(name, "avg_"))
	}
	list[3], list[4] = "gain", "fall"
	return list
}

func (r *Report) printGames(w io.Writer) {
	if len(r.Games) == 0 {
		return
	}
	fmt.Fprintln(w)
	rows := format.Table("games", "won", "mean", "lost", "mean", "p (rank sum)", "at 1%")
	for _, g := range r.Games {
		row := table.Row{g.Metric, g.Won, number(g.MeanW, "%.2f"), g.Lost, number(g.MeanL, "%.2f"), "–", "–"}
		if g.P != nil {
			row[5], row[6] = format.PValue(*g.P), "no"
			if *g.P < significant {
				row[6] = "differs"
			}
		}
		rows.AppendRow(row)
	}
	format.Render(w, rows)
}

func number(v *float64, layout string) string {
	return format.Or(v, func(v float64) string { return minus(fmt.Sprintf(layout, v)) })
}

func minus(text string) string { return strings.ReplaceAll(text, "-", "−") }

// Estimates is the result that "gogi-lab review estimate --json" prints.
type Estimates struct {
	Version int        `json:"version"`
	Of      string     `json:"of"` // what the model estimates
	Players []Estimate `json:"players"`
	Empty   []string   `json:"empty"` // players without a move that counts
	// RMSE is the root-mean-square error over the players with a known rating, in the unit Of. It is null if
	// no rating is known.
	RMSE  *float64 `json:"rmse"`
	Known int      `json:"known"` // the players have known ratings
	Why   string   `json:"why,omitempty"`
	// Warnings are facts that a user must know before using the estimates.
	Warnings []string `json:"warnings"`
	ranks    bool
}

// NewEstimates returns a model's estimates for players. If ranks is true, ratings are points of Go, and each
// estimate also has a rank. empty has the names of the players without a counted move.
func NewEstimates(m *Model, subjects []Subject, empty []string, ranks bool) (*Estimates, error) {
	all := &Estimates{Version: 1, Of: m.Of, Players: []Estimate{}, Empty: append([]string{}, empty...),
		Warnings: []string{}, ranks: ranks}
	sum := 0.0
	for i := range subjects {
		e, err := m.Estimate(&subjects[i])
		if err != nil {
			return nil, err
		}
		if ranks {
			e.Rank = Rank(e.Value)
		}
		if e.Rating != nil {
			all.Known++
			sum += (e.Value - *e.Rating) * (e.Value - *e.Rating)
		}
		all.Players = append(all.Players, e)
	}
	if all.Known == 0 {
		all.Why = "no player's rating is known"
		return all, nil
	}
	all.RMSE = format.Finite(math.Sqrt(sum / float64(all.Known)))
	return all, nil
}

// Print writes the estimates for a terminal.
func (a *Estimates) Print(w io.Writer) {
	head := []any{"player", "games", "moves", a.Of, "95%", "known", "off by"}
	if a.ranks {
		head = append(head, "rank")
	}
	rows := format.Table(head...)
	for i := range a.Players {
		e := &a.Players[i]
		row := table.Row{format.Name(e.Name), e.Games, format.Count(e.Moves), minus(fmt.Sprintf("%.0f", e.Value)),
			minus(fmt.Sprintf("%.0f to %.0f", e.Lo, e.Hi)), "–", "–"}
		if e.Rating != nil {
			row[5], row[6] = minus(fmt.Sprintf("%.0f", *e.Rating)), minus(fmt.Sprintf("%+.0f", e.Value-*e.Rating))
		}
		if a.ranks {
			row = append(row, e.Rank)
		}
		rows.AppendRow(row)
	}
	format.Render(w, rows)
	a.printError(w)
	for _, text := range a.Warnings {
		fmt.Fprintf(w, "warning: %s\n", text)
	}
	for i := range a.Players {
		for _, b := range a.Players[i].Outside {
			fmt.Fprintf(w, "warning: %s: %s %.4g is outside of what the model was fitted to (%.4g to %.4g)\n",
				format.Name(a.Players[i].Name), b.Metric, b.Value, b.Lo, b.Hi)
		}
		if a.Players[i].FewMoves {
			fmt.Fprintf(w, "warning: %s: fewer moves than of any player of the fit: the interval is too narrow\n",
				format.Name(a.Players[i].Name))
		}
	}
	if len(a.Empty) > 0 {
		fmt.Fprintf(w, "no estimate without a move that counts: %s\n", strings.Join(a.Empty, ", "))
	}
}

// printError writes the RMSE. If ratings are points of Go, it also writes the RMSE in ranks.
func (a *Estimates) printError(w io.Writer) {
	if a.RMSE == nil {
		return
	}
	fmt.Fprintf(w, "error (RMSE) %.4g %s over %s", *a.RMSE, a.Of, format.NumberOf(a.Known, "player"))
	if a.ranks {
		fmt.Fprintf(w, ": %.2f ranks, 1-dan being next to 1-kyu", *a.RMSE/pointsOfRank)
	}
	fmt.Fprintln(w)
}
