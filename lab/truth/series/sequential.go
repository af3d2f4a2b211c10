package series

import (
	"context"
	"fmt"
	"math/rand/v2"
)

// playWald plays a match and asks gogi stats sprt after each pair until Wald's bounds decide.
func playWald(ctx context.Context, b *bench) error {
	elo0, elo1, normalized, err := hypotheses(b.SPRT)
	if err != nil {
		return err
	}
	a, err := b.play(ctx, []int{0}, b.match("m", nil, "--games", fmt.Sprint(2*b.Pairs), "--json")...)
	if err != nil {
		return err
	}
	states, err := afterEachPair(a.out)
	if err != nil {
		return err
	}
	on, model := b.law.Elo(0, 1), "logistic"
	if normalized {
		on, model = b.law.Normalized(0, 1), "normalized"
	}
	decision, at := "", span{}
	for _, p := range states {
		var answer struct {
			SPRTs []struct {
				Decision string   `json:"decision"`
				Lo       *float64 `json:"elo_lo"`
				Hi       *float64 `json:"elo_hi"`
			} `json:"sprts"`
		}
		if _, err := b.ask(ctx, &answer, []int{0}, "stats", "sprt", "--boundary", "wald", "--model", model, "--json",
			fmt.Sprintf("--elo0=%g", elo0), fmt.Sprintf("--elo1=%g", elo1), p.flag()); err != nil {
			return err
		}
		if len(answer.SPRTs) != 1 {
			return fmt.Errorf("gogi stats sprt printed %d rows", len(answer.SPRTs))
		}
		row := answer.SPRTs[0]
		if decision = row.Decision; decision == "pass" || decision == "fail" {
			at = span{Lo: row.Lo, Hi: row.Hi}
			break
		}
	}
	b.certain("match --json has an event for each pair", len(states) == b.Pairs)
	if on <= elo0+1e-6 {
		b.claim("SPRT by Wald: false pass", 0.05, AtMost, decision == "pass")
	}
	if on >= elo1-1e-6 {
		b.claim("SPRT by Wald: false fail", 0.05, AtMost, decision == "fail")
	}
	b.interval("SPRT by Wald: Elo interval after the stop", 0.95, at, b.law.Elo(0, 1))
	return nil
}

// playForecast draws the truth from the prior of gogi stats forecast, plays a record, asks for the forecast of a second
// match, and plays it. So the predicted probabilities are exact.
func playForecast(ctx context.Context, b *bench) error {
	b.drawn(rand.New(rand.NewPCG(b.seed, 1)))
	if err := b.rewrite(); err != nil {
		return err
	}
	var record, next report
	if err := b.short(ctx, "record", &record); err != nil {
		return err
	}
	games := 2 * b.Pairs
	r := record.Players[0]
	var answer struct {
		Forecasts []struct {
			Win  float64  `json:"win"`
			Draw float64  `json:"draw"`
			Loss float64  `json:"loss"`
			Lo   *float64 `json:"lo"`
			Hi   *float64 `json:"hi"`
		} `json:"forecasts"`
	}
	if _, err := b.ask(ctx, &answer, []int{0}, "stats", "forecast", "--json", fmt.Sprintf("--wins=%d", r.Wins),
		fmt.Sprintf("--draws=%d", r.Draws), fmt.Sprintf("--losses=%d", r.Losses), fmt.Sprintf("--games=%d", games)); err !=
		nil {
		return err
	}
	if len(answer.Forecasts) != 1 {
		return fmt.Errorf("gogi stats forecast printed %d rows", len(answer.Forecasts))
	}
	if err := b.short(ctx, "next", &next); err != nil {
		return err
	}
	f, n := answer.Forecasts[0], next.Players[0]
	b.claim("stats forecast: win", f.Win, Equal, n.Wins > n.Losses)
	b.claim("stats forecast: draw", f.Draw, Equal, n.Wins == n.Losses)
	b.claim("stats forecast: loss", f.Loss, Equal, n.Wins < n.Losses)
	if interval := (span{Lo: f.Lo, Hi: f.Hi}); !interval.empty() {
		p := b.wins(games)
		const rounding = 1e-9 // both sums end near 0 and 1
		b.claim("stats forecast: interval of the probability to win", 0.95, AtLeast, interval.covers(p-rounding) ||
			interval.covers(p+rounding) || interval.covers(p))
	}
	return nil
}

// drawn sets the law to rates of wins, draws and losses drawn from the Dirichlet distribution with the parameters ½.
func (b *bench) drawn(r *rand.Rand) {
	var rates [3]float64
	sum := 0.0
	for i := range rates {
		z := r.NormFloat64()
		rates[i] = z * z
		sum += rates[i]
	}
	draw := rates[1] / sum
	score := min(1-1e-9, max(1e-9, (rates[2]+rates[1]/2)/sum))
	b.law.Draws = min(1, draw/2/min(score, 1-score))
	b.law.Solve(0, 1, score, b.law.Score)
}

// short plays a match and reads its report.
func (b *bench) short(ctx context.Context, run string, into *report) error {
	if _, err := b.play(ctx, []int{0}, b.match(run, nil, "--games", fmt.Sprint(2*b.Pairs))...); err != nil {
		return err
	}
	_, err := b.ask(ctx, into, []int{0}, "report", run, "--db", "t.db", "--json")
	if err == nil && len(into.Players) == 0 {
		err = fmt.Errorf("the report of %s has no players", run)
	}
	return err
}

// wins returns the probability that player a wins more games than it loses in a match of this length.
func (b *bench) wins(games int) (p float64) {
	draw := b.law.DrawRate(0, 1)
	win := b.law.Score(0, 1) - draw/2
	at := make([]float64, 2*games+1) // by wins minus losses, from -games
	at[games] = 1
	for range games {
		next := make([]float64, len(at))
		for i, q := range at {
			if q == 0 {
				continue
			}
			next[i+1] += q * win
			next[i] += q * draw
			next[i-1] += q * (1 - win - draw)
		}
		at = next
	}
	for _, q := range at[games+1:] {
		p += q
	}
	return p
}
