package ratings

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/report/calculator"
	"gogi/stats"
)

// The versions of the programs whose figures the next tests have. Each figure is the output of the program's own code,
// compiled or run without a change of its statistics.
const (
	fishtest   = "fishtest b8eecff"  // server/fishtest/stats, scipy 1.10.1
	fastchess  = "fastchess 74deac2" // matchmaking/sprt, matchmaking/elo
	openBench  = "OpenBench 9906bad" // OpenBench/stats.py, scipy 1.10.1
	shogitest  = "shogitest f620e5b" // src/sprt.rs, src/stats.rs
	rshogi     = "rshogi ef6be76"    // crates/tools/src/sprt
	cutechess  = "cutechess 5e84232" // projects/lib/src/sprt.cpp, elo.cpp
	normalized = "normalized"        // models of gogi stats sprt
	logistic   = "logistic"          //
	bayesElo   = "bayeselo"          //
	perSigma   = 800 / math.Ln10     // normalised Elo of one standard deviation of a game
	fewest     = 1e-3                // pairs or games of a result that did not occur, in gogi
	zWithin    = 1.959963984540054   // standard deviations of a normal distribution with 95% around the mean
)

// A count has the numbers of a result, from losses to wins: three of games or five of pairs.
type count []float64

// normal returns the shares of a count and the sum of its numbers, after each number was changed by f.
func (c count) normal(f func(float64) float64) (shares []float64, n float64) {
	for _, x := range c {
		shares = append(shares, f(x))
		n += f(x)
	}
	for i := range shares {
		shares[i] /= n
	}
	return shares, n
}

// balanced returns the distribution p/(1 + θa) for which a has the mean 0. It halves the bracket of θ.
func balanced(p, a []float64) []float64 {
	least, most := a[0], a[0]
	for _, x := range a {
		least, most = min(least, x), max(most, x)
	}
	lo, hi := -1/most, -1/least
	q := make([]float64, len(p))
	for range 200 {
		theta, sum := (lo+hi)/2, 0.0
		for i := range p {
			q[i] = p[i] / (1 + theta*a[i])
			sum += q[i] * a[i]
		}
		if sum > 0 { // the sum falls with θ
			lo = theta
		} else {
			hi = theta
		}
	}
	return q
}

// under returns the most likely distribution under which the mean score is s, or, with a t value, is t standard
// deviations above ½. The second is the iteration of van den Bergh, Comments on Normalized Elo, section 4.1. gogi has
// another one. The iteration ends if no share changes by more than until.
func under(p []float64, value float64, isT bool, until float64) []float64 {
	score := func(i int) float64 { return float64(i) / float64(len(p)-1) }
	q, a := make([]float64, len(p)), make([]float64, len(p))
	for i := range q {
		q[i] = 1 / float64(len(p))
	}
	for change := 1.0; change > until; {
		mean, variance := 0.0, 0.0
		for i, x := range q {
			mean += x * score(i)
		}
		for i, x := range q {
			variance += x * (score(i) - mean) * (score(i) - mean)
		}
		sigma := math.Sqrt(variance)
		for i := range a {
			a[i] = score(i) - value
			if isT {
				z := (score(i) - mean) / sigma
				a[i] = score(i) - 0.5 - value*sigma*(1+z*z)/2
			}
		}
		next := balanced(p, a)
		change = 0
		for i := range q {
			change = max(change, math.Abs(next[i]-q[i]))
		}
		q = next
	}
	return q
}

// ratio returns n times the mean of the logarithm of the two distributions under the hypotheses. The shares p need not
// add up to 1.
func ratio(p []float64, n, h0, h1 float64, isT bool, until float64) (llr float64) {
	p0, p1 := under(p, h0, isT, until), under(p, h1, isT, until)
	for i := range p {
		llr += n * p[i] * math.Log(p1[i]/p0[i])
	}
	return llr
}

// bayes returns the shares of losses, draws and wins in the model of BayesElo.
func bayes(elo, draw float64) []float64 {
	win, loss := 1/(1+math.Pow(10, (draw-elo)/400)), 1/(1+math.Pow(10, (draw+elo)/400))
	return []float64{loss, 1 - win - loss, win}
}

// drawElo returns BayesElo's draw parameter of shares.
func drawElo(p []float64) float64 {
	return 200 * math.Log10((1-p[0])/p[0]*(1-p[2])/p[2])
}

// definition returns the ratio as fishtest and gogi define it. A result that did not occur counts 0.001.
func definition(c count, elo0, elo1 float64, model string) float64 {
	p, n := c.normal(func(x float64) float64 { return max(x, fewest) })
	games := float64(len(c)-1) / 2
	h := func(elo float64) float64 {
		switch model {
		case normalized:
			return elo / perSigma * math.Sqrt(games)
		case bayesElo:
			q := bayes(elo, drawElo(p))
			return q[2] + q[1]/2
		}
		return 1 / (1 + math.Pow(10, -elo/400))
	}
	return ratio(p, n, h(elo0), h(elo1), model == normalized, 1e-13)
}

// raised returns the ratio of shogitest and rshogi: each share is at least 0.001, the shares then add up to more than
// 1, and the pairs are those that were played. Their search ends if no share changes by more than 0.0001, as that of
// fastchess does. With rare results that is early: to the end, the LLR of 2,1,3300,5,4 is -1.957 instead of -1.833.
func raised(c count, elo0, elo1 float64, _ string) float64 {
	p, n := c.normal(func(x float64) float64 { return x })
	for i := range p {
		p[i] = max(p[i], fewest)
	}
	return ratio(p, n, elo0/perSigma*math.Sqrt2, elo1/perSigma*math.Sqrt2, true, 1e-4)
}

// bayesRatio returns the ratio of the games between two distributions of BayesElo with the draw parameter of the games.
// more is added to each count. With scaled, the hypotheses are Elo of the score near 0, otherwise of BayesElo.
func bayesRatio(c count, elo0, elo1, more float64, scaled bool) (llr float64) {
	p, n := c.normal(func(x float64) float64 { return x + more })
	draw, scale := drawElo(p), 1.0
	if scaled {
		x := math.Pow(10, -draw/400)
		scale = 4 * x / ((1 + x) * (1 + x))
	}
	p0, p1 := bayes(elo0/scale, draw), bayes(elo1/scale, draw)
	for i := range p {
		llr += n * p[i] * math.Log(p1[i]/p0[i])
	}
	return llr
}

// halves is the ratio of cutechess, and fixed that of OpenBench for games: 0 if a result did not occur.
func halves(c count, elo0, elo1 float64, _ string) float64 {
	return bayesRatio(c, elo0, elo1, 0.5, true)
}

func fixed(c count, elo0, elo1 float64, _ string) float64 {
	if min(c[0], c[1], c[2]) == 0 {
		return 0
	}
	return bayesRatio(c, elo0, elo1, 0, false)
}

// decisive is the ratio of fastchess with model=bayesian: 0 without a win or without a loss.
func decisive(c count, elo0, elo1 float64, model string) float64 {
	if min(c[0], c[2]) == 0 {
		return 0
	}
	return definition(c, elo0, elo1, model)
}

// TestOtherProgramsLLR compares the LLR of gogi stats sprt with those of other programs for the same results. Each row
// has the calculation of that program. The test checks that this calculation gives the program's figure, that gogi's
// definition gives gogi's figure, and that both are equal exactly in the rows without a difference.
func TestOtherProgramsLLR(t *testing.T) {
	type calculation func(c count, elo0, elo1 float64, model string) float64
	rare, rarer, many := count{0, 10, 900, 30, 0}, count{2, 1, 3300, 5, 4}, count{0, 100, 4000, 160, 0}
	often, long := count{10, 20, 60, 30, 15}, count{39, 8843, 26675, 9240, 44}
	few := count{0, 3, 20, 9, 0}
	games, drawn, won, close := count{10, 20, 30}, count{5, 34, 19}, count{0, 0, 10}, count{469, 10, 521}
	for _, row := range []struct {
		program, option string
		model           string // of gogi, for the same question
		c               count
		elo0, elo1      float64
		theirs          float64
		by              calculation
		within          float64 // accuracy of the program's own search, relative to 1 + |LLR|
		equal           bool
	}{
		{fishtest, "LLR_normalized", normalized, rare, 0, 10, 3.2178567132386, definition, 1e-7, true},
		{fishtest, "LLR_normalized", normalized, rarer, 0, 10, 0.556516684481287, definition, 1e-7, true},
		{fishtest, "LLR_normalized", normalized, long, 0.5, 2.5, 2.9416752079894, definition, 1e-7, true},
		{fishtest, "LLR_logistic", logistic, few, 0, 10, 0.793655011499772, definition, 1e-7, true},
		{fishtest, "LLR_logistic", logistic, many, 0, 10, -47.0300005441934, definition, 1e-7, true},
		{fishtest, "BayesElo", bayesElo, games, 0, 10, 0.7124844653499229, definition, 1e-7, true},
		{fishtest, "BayesElo", bayesElo, won, 0, 10, 0.2754482458932413, definition, 1e-7, true},
		{fastchess, "model=normalized", normalized, rare, 0, 10, 3.21785849453191, definition, 1e-6, true},
		{fastchess, "model=normalized", normalized, rarer, 0, 10, 0.556340049153072, definition, 2e-4, true},
		{fastchess, "model=logistic", logistic, often, 0, 10, 0.832986222427414, definition, 1e-6, true},
		{fastchess, "model=bayesian", bayesElo, drawn, 0, 10, 0.550433448665949, definition, 1e-6, true},
		{fastchess, "model=bayesian", bayesElo, won, 0, 10, 0, decisive, 0, false},
		{openBench, "PentanomialSPRT", normalized, rare, 0, 10, 3.2178567132386, definition, 1e-7, true},
		{openBench, "PentanomialSPRT", normalized, long, 0.5, 2.5, 2.9416752079894, definition, 1e-7, true},
		{openBench, "TrinomialSPRT", bayesElo, games, 0, 10, 0.767171676272635, fixed, 1e-12, false},
		{openBench, "TrinomialSPRT", bayesElo, drawn, 0, 10, 0.641431218459563, fixed, 1e-12, false},
		{openBench, "TrinomialSPRT", bayesElo, won, 0, 10, 0, fixed, 0, false},
		{shogitest, "-sprt", normalized, often, 0, 10, 0.65799270508305241, raised, 1e-7, true}, // no share is below 0.001
		{shogitest, "-sprt", normalized, rare, 0, 10, 2.69322314890900705, raised, 1e-6, false},
		{shogitest, "-sprt", normalized, rarer, 0, 10, -1.83269320137490910, raised, 1e-6, false},
		{shogitest, "-sprt", normalized, many, 0, 10, 5.75381658293164122, raised, 1e-6, false},
		{rshogi, "sprt", normalized, often, 0, 10, 0.65799270508305241, raised, 1e-7, true},
		{rshogi, "sprt", normalized, rare, 0, 10, 2.69322314890900705, raised, 1e-6, false},
		{cutechess, "-sprt", logistic, games, 0, 10, 0.88758372385295, halves, 1e-12, false},
		{cutechess, "-sprt", logistic, drawn, 0, 10, 1.04012534816251, halves, 1e-12, false},
		{cutechess, "-sprt", logistic, won, 0, 10, 0.347065356414118, halves, 1e-12, false},
		{cutechess, "-sprt", logistic, close, 0, 10, 1.09340737059239, halves, 1e-12, false},
	} {
		name := fmt.Sprint(row.program, " ", row.option, " ", row.c)
		q := calculator.SPRTQuestion{Design: calculator.Design{Elo0: row.elo0, Elo1: row.elo1, Alpha: 0.05, Beta: 0.05,
			Model: row.model, Boundary: "wald"}, Confidence: 0.95}
		if len(row.c) == 5 {
			q.Pentanomial = flagOf(row.c)
		} else {
			q.Trinomial = flagOf(count{row.c[2], row.c[1], row.c[0]})
		}
		answer, err := q.Answer()
		testutil.OK(t, err, "%s", name)
		ours := answer.SPRTs[0].LLR
		near(t, name+", their calculation", &row.theirs, row.by(row.c, row.elo0, row.elo1, row.model),
			row.within*(1+math.Abs(row.theirs))+1e-300)
		near(t, name+", our definition", ours, definition(row.c, row.elo0, row.elo1, row.model), 1e-8*(1+math.Abs(*ours)))
		testutil.Equal(t, math.Abs(*ours-row.theirs) <= max(row.within, 1e-7)*(1+math.Abs(row.theirs)), row.equal,
			"%s: %v, ours %v", name, row.theirs, *ours)
	}
}

// flagOf returns counts as a flag of gogi has them.
func flagOf(c count) string {
	words := make([]string, len(c))
	for i, x := range c {
		words[i] = fmt.Sprint(int(x))
	}
	return strings.Join(words, ",")
}

// TestOtherProgramsIntervals compares 95% intervals of Elo. Other programs take the score as normally distributed: the
// standard error comes from the result itself. gogi's interval of pairs is Gaffke's, by which the tail beyond each end
// is 2.5%. The test calculates the program's figure and gogi's tails.
func TestOtherProgramsIntervals(t *testing.T) {
	only, often, few := count{30, 0, 0, 0, 50}, count{10, 20, 60, 30, 15}, count{0, 3, 20, 9, 0}
	for _, row := range []struct {
		program string
		c       count
		elo     float64
		lo, hi  float64 // ends, or half of the width below and above elo if the program prints ±
		quant   float64 // standard errors
		half    bool
	}{
		{shogitest, only, 88.739499846543, 80.296605504802, 0, zWithin, true},
		{shogitest, often, 25.783195690767, 30.833183305934, 0, zWithin, true},
		{rshogi, only, 88.73949984654251, 80.29660550480159, 0, zWithin, true},
		{rshogi, few, 32.66801858052783, 35.52555493829976, 0, zWithin, true},
		{fastchess, often, 25.7831956908, 30.8331833059, 0, zWithin, true},
		{fishtest, often, 25.783195690767446, 30.833183305933765, 0, zWithin, true},
		// Student's t, 79 degrees of freedom
		{openBench, only, 88.73949984654251, 12.000833199739027, 175.20307268964353, 1.990450, false},
		{openBench, few, 32.66801858052783, -3.9400749626434037, 70.01677282185649, 2.039513, false}, // 31
	} {
		name := fmt.Sprint(row.program, " ", row.c)
		p, n := row.c.normal(func(x float64) float64 { return x })
		mean, variance := 0.0, 0.0
		for i, x := range p {
			mean += x * float64(i) / 4
		}
		for i, x := range p {
			variance += x * (float64(i)/4 - mean) * (float64(i)/4 - mean)
		}
		elo := func(s float64) float64 { return 400 * math.Log10(s/(1-s)) }
		lo, hi := elo(mean-row.quant*math.Sqrt(variance/n)), elo(mean+row.quant*math.Sqrt(variance/n))
		if row.half {
			lo, hi = (hi-lo)/2, 0
		}
		near(t, name+", their lower end", &row.lo, lo, 2e-4)
		near(t, name+", their upper end", &row.hi, hi, 2e-4)

		answer, err := calculator.IntervalQuestion{Pentanomial: flagOf(row.c), Confidence: 0.95, Method: "gaffke",
			DrawMode: "drop"}.Answer()
		testutil.OK(t, err)
		ours := answer.Intervals[0]
		near(t, name+", Elo", ours.Elo, row.elo, 1e-6)
		near(t, name+", tail of our lower end", tail(row.c, *ours.Lo, 0), 0.025, 1e-6)
		near(t, name+", tail of our upper end", tail(row.c, *ours.Hi, 1), 0.975, 1e-6)
	}
}

// tail returns the probability that a weighted mean of the scores is at most s. The weights are those of a Dirichlet
// distribution: the number of pairs with each score, and 1 for the extreme score more (0 or 1). Gaffke's bounds are the
// quantiles of this mean. It is at most s if the sum of (score - s) times a gamma variable is at most 0; Imhof's
// integral (1961) has that probability.
func tail(c count, s float64, more int) *float64 {
	shape := append(count{}, c...)
	shape[4*more]++
	const step, steps = 1e-3, 400_000
	sum := 0.0
	for k := range steps {
		u := (float64(k) + 0.5) * step
		angle, size := 0.0, 0.0
		for i, a := range shape {
			v := (float64(i)/4 - s) * u
			angle += a * math.Atan(v)
			size += a / 2 * math.Log1p(v*v)
		}
		sum += math.Sin(angle) / u * math.Exp(-size) * step
		if size > 40 {
			break
		}
	}
	below := 0.5 - sum/math.Pi
	return &below
}

// TestOtherProgramsWald compares ± of games. That of cutechess is the one of gogi's method wald if no game was drawn,
// up to its approximation of the normal distribution (1.9572 instead of 1.9600 standard errors). gogi's wald leaves out
// draws. fastchess and cutechess include them with their own variance; the table of rshogi's analyze_selfplay includes
// them as half a win and half a loss.
func TestOtherProgramsWald(t *testing.T) {
	ends := func(mean, variance float64) float64 {
		e := zWithin * math.Sqrt(variance)
		return 200 * (math.Log10((mean+e)/(1-mean-e)) - math.Log10((mean-e)/(1-mean+e)))
	}
	slope := func(mean, variance float64) float64 {
		return 1.96 * math.Sqrt(variance) * 400 / math.Ln10 / (mean * (1 - mean))
	}
	whole, drawn, few := stats.WDL{Wins: 521, Losses: 469}, stats.WDL{Wins: 521, Losses: 469, Draws: 10},
		stats.WDL{Wins: 30, Draws: 20, Losses: 10}
	for _, row := range []struct {
		program string
		games   stats.WDL
		half    float64 // of the width in Elo
		by      func(mean, variance float64) float64
		spread  float64 // part of the variance of draws that the program subtracts
		within  float64
		equal   bool
	}{
		{cutechess, whole, 21.6695889014, ends, 1, 2e-3, true},
		{cutechess, drawn, 21.4514434009, ends, 1, 2e-3, false},
		{cutechess, few, 75.1476802729, ends, 1, 2e-3, false},
		{fastchess, drawn, 21.482234177, ends, 1, 1e-9, false},
		{fishtest, drawn, 21.482234176989657, ends, 1, 1e-9, false},
		{rshogi, drawn, 21.563454217489042, slope, 0, 1e-9, false},
		{rshogi, few, 93.24617066066462, slope, 0, 1e-9, false},
	} {
		name := fmt.Sprint(row.program, " ", row.games)
		answer, err := calculator.IntervalQuestion{Counts: &row.games, Confidence: 0.95, Method: "wald",
			DrawMode: "drop"}.Answer()
		testutil.OK(t, err)
		ours := (*answer.Intervals[0].EloHi - *answer.Intervals[0].EloLo) / 2
		w, d, n := float64(row.games.Wins), float64(row.games.Draws), float64(row.games.Games())
		mean := (w + d/2) / n
		near(t, name+", their calculation", &row.half, row.by(mean, (mean*(1-mean)-row.spread*d/n/4)/n), row.within*row.half)
		rate := w / (n - d)
		near(t, name+", ours", &ours, ends(rate, rate*(1-rate)/(n-d)), 1e-8)
		testutil.Equal(t, math.Abs(ours-row.half) <= row.within*row.half, row.equal, "%s: %v, ours %v", name, row.half, ours)
	}
}
