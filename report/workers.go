package report

import (
	"cmp"
	"math"
	"slices"

	"gogi/internal/format"
	"gogi/internal/lists"
	"gogi/match"
	"gogi/match/trust"
	"gogi/stats/binomial"
)

// Worker is a machine that plays games for the run, with its results. Scores are scores of the run's first
// player (A) against its second player (B).
type Worker struct {
	Name  string   `json:"name"` // "" for the process that stores the pairs, if it also played
	Pairs int      `json:"pairs"`
	Share float64  `json:"share"` // share of the run's pairs
	Score *float64 `json:"score"` // A's points per game
	// Difference is the score minus the score in all other workers' pairs. Its interval is Welch's, with
	// normal quantiles. It is approximate, and not corrected for the number of workers.
	Difference *float64 `json:"difference"`
	Bounds
	TimeLosses int `json:"time_losses"` // games
	Crashes    int `json:"crashes"`     // games
	Slowed     int `json:"slowed"`      // pairs with a move that the machine delayed
	// Log10E is the evidence that the worker differs from the others: the decimal logarithm of an e-value
	// (see package trust). It counts the pairs up to the first missing pair. It is null if there is no
	// e-value.
	Log10E *float64 `json:"log10_e"`
	// the quantity that differs most, if the evidence is significant after correction for all workers
	StandsOut string `json:"stands_out,omitempty"`
}

// thisProcess is the name of this process in the comparison of workers. No worker can have this name.
const thisProcess = "\x00"

// workers adds up the results of a run's pairs for each worker.
type workers struct {
	next      int // number of the next pair for the residuals
	of        map[string]*workerSums
	all       sums
	residuals trust.Residuals
	farm      bool // a process other than this one has played pairs
}

// workerSums holds the results of one worker.
type workerSums struct {
	sums
	pairs, onTime, crashes, slowed int
}

// sums has the sums over pairs of A against B.
type sums struct {
	n     int     // pairs
	x, x2 float64 // sums of the points per game, and of their squares
}

func (s *sums) add(x float64) { s.n, s.x, s.x2 = s.n+1, s.x+x, s.x2+x*x }

// without returns the sums of the pairs that are not in o.
func (s sums) without(o sums) sums { return sums{n: s.n - o.n, x: s.x - o.x, x2: s.x2 - o.x2} }

func (s sums) mean() float64 { return s.x / float64(s.n) }

// error2 returns the squared standard error of the mean.
func (s sums) error2() float64 {
	n := float64(s.n)
	return max(0, s.x2-s.x*s.x/n) / (n - 1) / n
}

// add adds the next pair, in the order of the plan. head means that the pair is of A against B.
func (w *workers) add(rows []match.Row, head bool) error {
	name := rows[0].Worker
	own := w.of[name]
	if own == nil {
		own = &workerSums{}
		w.of[name] = own
	}
	w.farm = w.farm || name != ""
	own.pairs++
	p := trust.OfRows(rows)
	p.Worker = cmp.Or(name, thisProcess)
	own.onTime += p.OnTime
	own.crashes += p.Crashes
	if p.Slowed {
		own.slowed++
	}
	if head {
		own.sums.add(p.Points / float64(len(rows)))
		w.all.add(p.Points / float64(len(rows)))
	}
	if rows[0].Pair != w.next {
		return nil // which pairs have arrived after a gap depends on the length of their games
	}
	w.next++
	if !head {
		return nil
	}
	return w.residuals.Add(p)
}

// list returns the workers. pairs is the number of the run's pairs. Workers that stand out come first, then the workers
// with the most pairs. The list is empty if this process has played all pairs.
func (w *workers) list(pairs int) []Worker {
	if !w.farm {
		return nil
	}
	evidence := map[string]trust.Evidence{}
	all := w.residuals.Evidence()
	for _, e := range all {
		evidence[e.Worker] = e
	}
	for len(all) < len(w.of) { // workers without a comparison also count in the correction
		all = append(all, trust.Evidence{})
	}
	accused := lists.Set(trust.Accused(all, trust.Alpha), func(e trust.Evidence) string { return e.Worker })
	var list []Worker
	for name, own := range w.of {
		row := Worker{Name: name, Pairs: own.pairs, Share: float64(own.pairs) / float64(pairs), TimeLosses: own.onTime,
			Crashes: own.crashes, Slowed: own.slowed}
		row.compare(own.sums, w.all.without(own.sums))
		if e, ok := evidence[cmp.Or(name, thisProcess)]; ok {
			row.Log10E = format.Finite(e.LogE / math.Ln10)
			if accused[e.Worker] {
				row.StandsOut = e.Kind.String()
			}
		}
		list = append(list, row)
	}
	slices.SortFunc(list, func(a, b Worker) int {
		return cmp.Or(min(len(b.StandsOut), 1)-min(len(a.StandsOut), 1), -cmp.Compare(a.Pairs, b.Pairs),
			cmp.Compare(a.Name, b.Name))
	})
	return list
}

// compare sets the worker's score, and its difference from the score of the other workers. own has the sums of the
// worker, and rest those of the others.
func (w *Worker) compare(own, rest sums) {
	if own.n == 0 {
		return
	}
	w.Score = format.Finite(own.mean())
	if own.n < 2 || rest.n < 2 {
		return
	}
	difference, half := own.mean()-rest.mean(), binomial.ZAbove((1-Level)/2)*math.Sqrt(own.error2()+rest.error2())
	if half == 0 {
		return // all pairs have the same score, so the variance is unknown
	}
	w.Difference, w.Bounds = format.Finite(difference),
		NewBounds(binomial.Interval{Lo: difference - half, Hi: difference + half})
}
