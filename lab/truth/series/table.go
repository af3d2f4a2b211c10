package series

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"

	"gonum.org/v1/gonum/mathext"
)

// A Row counts how often one kind of figure was true.
type Row struct {
	Figure    string `json:"figure"`              // kind of the figure, such as the Elo interval of a report
	Condition string `json:"condition,omitempty"` // condition of the series; missing: all conditions together
	// how the measured share must relate to the nominal one: at least, at most, equal, about
	Rule     Rule    `json:"rule"`
	Series   int     `json:"series"`   // number of claims, of which a series may have several
	Held     int     `json:"held"`     // number of claims that were true, or of errors for the rule "at most"
	Nominal  float64 `json:"nominal"`  // mean of the nominal probabilities
	Measured float64 `json:"measured"` // share of the claims that were true
	Error    float64 `json:"se"`       // standard error of the measured share if the nominal one is right
	// whether the measured share falls short by more than chance: as rarely as beyond three standard errors of a normal
	// value, and for single conditions as rarely among all of them
	Falls    bool `json:"falls_short"`
	variance float64
	excess   float64 // sum over the claims of held, as 0 or 1, minus the nominal probability
	squares  float64 // sum of the squares of each series' part of excess
	records  int     // number of series
}

// Counted has the rows of a set of records.
type Counted struct {
	Rows   []Row    `json:"rows"`   // one for each kind of figure
	Cells  []Row    `json:"cells"`  // the same by condition
	Series int      `json:"series"` // number of series
	CPU    float64  `json:"cpu"`    // mean seconds of CPU of a series
	Errors []Record `json:"errors"` // series that gogi did not finish
}

// Count counts the claims of the records.
func Count(records []Record) *Counted {
	records = latest(records)
	c := &Counted{Series: len(records), Errors: []Record{}}
	rows, cells := map[[2]string]*Row{}, map[[2]string]*Row{}
	for _, r := range records {
		c.CPU += r.CPU / float64(len(records))
		if r.Error != "" {
			c.Errors = append(c.Errors, r)
		}
		for _, all := range []struct {
			rows      map[[2]string]*Row
			condition string
		}{{rows, ""}, {cells, r.Condition}} {
			before := map[*Row]float64{}
			for _, claim := range r.Claims {
				row := row(all.rows, claim, all.condition)
				if _, known := before[row]; !known {
					before[row] = row.excess
				}
				row.add(claim)
			}
			for row, excess := range before {
				row.records++
				row.squares += (row.excess - excess) * (row.excess - excess)
			}
		}
	}
	c.Rows, c.Cells = finished(rows, beyond), finished(cells, beyond/float64(max(1, len(cells))))
	return c
}

// latest returns the last record of each series: a series that ended by an error is run again.
func latest(records []Record) (list []Record) {
	at := map[string]int{}
	for _, r := range records {
		key := fmt.Sprintf("%s %d", r.Condition, r.Seed)
		if i, again := at[key]; again {
			list[i] = r
			continue
		}
		at[key] = len(list)
		list = append(list, r)
	}
	return list
}

// row returns the row of a claim, which may be new.
func row(rows map[[2]string]*Row, claim Claim, condition string) *Row {
	key := [2]string{claim.Figure, condition}
	if rows[key] == nil {
		rows[key] = &Row{Figure: claim.Figure, Condition: condition, Rule: claim.Rule}
	}
	return rows[key]
}

func (r *Row) add(claim Claim) {
	r.Series++
	r.excess -= claim.Nominal
	if claim.Held {
		r.Held++
		r.excess++
	}
	r.Nominal += claim.Nominal
	r.variance += claim.Nominal * (1 - claim.Nominal)
}

// finished returns the rows with their shares. Of the rows of single conditions there are many, so that chance alone
// would make some fall short: for them the level is divided by their number.
func finished(rows map[[2]string]*Row, level float64) []Row {
	list := make([]Row, 0, len(rows))
	for _, r := range rows {
		n := float64(r.Series)
		r.Nominal, r.Measured, r.Error = r.Nominal/n, float64(r.Held)/n, math.Sqrt(r.variance)/n
		r.Falls = r.tail() < level
		list = append(list, *r)
	}
	slices.SortFunc(list, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Figure, b.Figure), cmp.Compare(a.Condition, b.Condition))
	})
	return list
}

// beyond is the probability that a normal value is more than three standard errors above its mean.
const beyond = 0.00135

// tail returns the probability of a result that is as bad or worse if the nominal probability is right. If a series has
// several claims, they may depend on each other. Then tail is at least the normal tail with the variance between the
// series.
func (r *Row) tail() float64 {
	below, above := atMost(r.Held, r.Series, r.Nominal), atMost(r.Series-r.Held, r.Series, 1-r.Nominal)
	if r.Series > r.records && r.Nominal < 1 && r.squares > 0 {
		z := r.excess / math.Sqrt(r.squares)
		below, above = max(below, math.Erfc(-z/math.Sqrt2)/2), max(above, math.Erfc(z/math.Sqrt2)/2)
	}
	switch r.Rule {
	case AtLeast:
		return below
	case AtMost:
		return above
	case Equal:
		return min(below, above)
	case About:
	}
	return 1 // no fault
}

// atMost returns the probability of at most k successes in n trials with probability p.
func atMost(k, n int, p float64) float64 {
	switch {
	case k >= n || p <= 0:
		return 1
	case p >= 1:
		return 0
	}
	return mathext.RegIncBeta(float64(n-k), float64(k+1), 1-p)
}

// Falls returns the rows and cells that fall short.
func (c *Counted) Falls() (list []Row) {
	for _, rows := range [][]Row{c.Rows, c.Cells} {
		for _, r := range rows {
			if r.Falls {
				list = append(list, r)
			}
		}
	}
	return list
}

// Text prints the table and the conditions in which a figure falls short.
func (c *Counted) Text(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	_, _ = fmt.Fprintf(t, "figure\tnominal\tmeasured\tse\tseries\t\n")
	for _, r := range c.Rows {
		_, _ = fmt.Fprintf(t, "%s\t%s %.4g\t%.4f\t%.4f\t%d\t%s\n", r.Figure, r.Rule, r.Nominal, r.Measured, r.Error, r.Series,
			mark(r))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, _ = fmt.Fprintf(w, "\n%d series, %.2f s of CPU each.\n", c.Series, c.CPU)
	worst := 0
	for _, r := range c.Cells {
		if r.Falls {
			if worst == 0 {
				_, _ = fmt.Fprintf(w, "\nConditions in which a figure falls short by more than chance:\n")
			}
			worst++
			_, _ = fmt.Fprintf(w, "  %s: %s %.4g, measured %.4f (se %.4f, %d series): %s\n", r.Figure, r.Rule, r.Nominal,
				r.Measured, r.Error, r.Series, r.Condition)
		}
	}
	for i, r := range c.Errors {
		if i == 10 {
			_, _ = fmt.Fprintf(w, "… and %d more errors\n", len(c.Errors)-i)
			break
		}
		_, _ = fmt.Fprintf(w, "error: %s, run %d, seed %d: %s\n", r.Condition, r.Run, r.Seed, r.Error)
	}
	return nil
}

func mark(r Row) string {
	if r.Falls {
		return "falls short"
	}
	return ""
}
