package series

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
)

// playCompare plays two versions against one opponent and compares the runs.
func playCompare(ctx context.Context, b *bench) error {
	for _, name := range []string{"old", "new"} {
		if _, err := b.play(ctx, []int{0},
			b.match(name, []string{name, "base"}, "--games", fmt.Sprint(2*b.Pairs), "--players", name+",base")...); err != nil {
			return err
		}
	}
	args := []string{"compare", "old", "new", "--db", "t.db", "--json"}
	if b.Margin != 0 {
		args = append(args, fmt.Sprintf("--not-worse=%g", b.Margin))
	}
	var answer struct {
		Steps []struct {
			span
			Elo      *float64 `json:"elo"`
			P        *float64 `json:"p"`
			NotWorse *struct {
				Verdict string   `json:"verdict"`
				Bound   *float64 `json:"bound"`
			} `json:"not_worse"`
		} `json:"steps"`
	}
	code, err := b.ask(ctx, &answer, []int{0, 10, 11}, args...)
	if err != nil {
		return err
	}
	gain := b.law.Elo(0, 1) - b.law.Elo(2, 1)
	for _, s := range answer.Steps {
		s.Estimate = s.Elo
		b.interval("compare: interval of the gain", 0.95, s.span, gain)
		if s.P != nil && math.Abs(gain) < 1e-6 {
			b.claim("compare: p ≤ 0.05, equal versions", 0.05, AtMost, *s.P <= 0.05)
		}
		if s.NotWorse != nil {
			b.certain("compare: exit code 0 is the verdict \"not worse\"", (code == 0) == (s.NotWorse.Verdict == "not_worse"))
			if gain <= -b.Margin+1e-6 {
				b.claim("compare: false \"not worse\"", 0.05, AtMost, code == 0)
			}
			if s.NotWorse.Bound != nil {
				b.claim("compare: bound of the gain", 0.95, AtLeast, *s.NotWorse.Bound <= gain)
			}
		}
	}
	return nil
}

// A rating is a part of gogi rate --pairwise --json.
type rating struct {
	Players []struct {
		span
		Name string   `json:"name"`
		Elo  *float64 `json:"elo"`
	} `json:"players"`
	Comparisons []struct {
		span
		A    string   `json:"a"`
		B    string   `json:"b"`
		Elo  *float64 `json:"elo"`
		P    *float64 `json:"p"`
		Holm *float64 `json:"p_holm"`
	} `json:"comparisons"`
	Warnings []struct {
		Kind string `json:"kind"`
	} `json:"warnings"`
	Goodness struct {
		P *float64 `json:"p_bootstrap"`
	} `json:"goodness"`
}

// playTournament plays a tournament and rates its players.
func playTournament(ctx context.Context, b *bench) error {
	more := []string{"--design", b.Kind}
	if b.Kind == "swiss" {
		more = append(more, "--rounds", fmt.Sprint(max(3, b.Players/2)), "--match-pairs", fmt.Sprint(b.Pairs))
	} else {
		more = append(more, "--games", fmt.Sprint(2*b.Pairs*b.pairings()))
	}
	a, err := b.play(ctx, []int{0}, b.match("m", nil, more...)...)
	if err != nil {
		return err
	}
	b.warnings(a.out)
	var r rating
	if _, err := b.ask(ctx, &r, []int{0}, "rate", "m", "--db", "t.db", "--pairwise", "--json"); err != nil {
		return err
	}
	b.rated(b.Kind, &r)
	return nil
}

// pairings returns the number of pairings of a round robin or a gauntlet, by which gogi divides its games.
func (b *bench) pairings() int {
	n := len(b.law.Players)
	if b.Kind == "gauntlet" {
		return n - 1
	}
	return n * (n - 1) / 2
}

// rated adds the claims of ratings. If gogi warns that results chose the pairings and that the intervals do not hold,
// the figures are approximate.
func (b *bench) rated(kind string, r *rating) {
	mean := 0.0
	for _, p := range b.law.Players {
		mean += p.Elo / float64(len(b.law.Players))
	}
	figure, atLeast, atMost := "rate, "+kind, AtLeast, AtMost
	said := map[string]bool{}
	for _, w := range r.Warnings {
		said[w.Kind] = true
	}
	if said["paired_by_result"] {
		figure, atLeast, atMost = figure+" (gogi warns)", About, About
	}
	for _, kind := range []string{"model_fails", "pairing_fails", "cycle"} {
		b.claim("rate: false warning "+kind, 0.05, AtMost, said[kind])
	}
	for _, p := range r.Players {
		i := b.law.Find(p.Name)
		if i < 0 || p.Elo == nil {
			continue
		}
		p.Estimate = p.Elo
		if !p.empty() {
			b.claim(figure+": interval of a player", 0.95, atLeast, p.covers(b.law.Players[i].Elo-mean))
		}
	}
	family, equals := false, 0
	for _, c := range r.Comparisons {
		difference := b.law.Players[b.law.Find(c.A)].Elo - b.law.Players[b.law.Find(c.B)].Elo
		c.Estimate = c.Elo
		if !c.empty() {
			b.claim(figure+": interval of a difference", 0.95, atLeast, c.covers(difference))
		}
		if difference != 0 || c.P == nil {
			continue
		}
		equals++
		b.claim(figure+": p ≤ 0.05, equal players", 0.05, atMost, *c.P <= 0.05)
		family = family || c.Holm != nil && *c.Holm <= 0.05
	}
	if equals > 0 {
		b.claim(figure+": any adjusted p ≤ 0.05 of equal players", 0.05, atMost, family)
	}
	if r.Goodness.P != nil {
		b.claim(figure+": test of the model, p ≤ 0.05", 0.05, AtMost, *r.Goodness.P <= 0.05)
	}
}

// playLadder rates versions by gogi ladder.
func playLadder(ctx context.Context, b *bench) error {
	file, err := b.file()
	if err != nil {
		return err
	}
	a, err := b.play(ctx, []int{0}, "ladder", file, "--run", "l", "--db", "t.db", "--json", "--nodes", "1",
		"--concurrency", "1",
		"--openings", "openings.usi", "--games", fmt.Sprint(2*b.Pairs))
	if err != nil {
		return err
	}
	var r rating
	if err := a.lastLine(&r); err != nil {
		return err
	}
	first := b.law.Players[0].Elo
	for _, p := range r.Players {
		if i := b.law.Find(p.Name); i > 0 && p.Elo != nil {
			p.Estimate = p.Elo
			b.interval("ladder: interval of a version", 0.95, p.span, b.law.Players[i].Elo-first)
		}
	}
	return nil
}

// playHunt hunts the version that lost Elo.
func playHunt(ctx context.Context, b *bench) error {
	file, err := b.file()
	if err != nil {
		return err
	}
	a, err := b.play(ctx, []int{0, 10, 11, 12}, "hunt", file, "--run", "h", "--db", "t.db", "--json", "--nodes", "1",
		"--concurrency", "1",
		"--openings", "openings.usi", "--games", fmt.Sprint(2*b.Pairs))
	if err != nil {
		return err
	}
	var h struct {
		Version string          `json:"version"`
		Verdict string          `json:"verdict"`
		Loss    json.RawMessage `json:"elo"`
		Lo      *float64        `json:"lo"`
		Hi      *float64        `json:"hi"`
		TotalLo *float64        `json:"total_lo"`
		TotalHi *float64        `json:"total_hi"`
	}
	if err := a.lastLine(&h); err != nil {
		return err
	}
	right := h.Version == b.law.Players[b.culprit()].Name
	switch {
	case b.Elo == 0:
		b.claim("hunt: names a version though none lost", 0.05, AtMost, a.code == 0)
	case a.code == 0:
		b.claim("hunt: the named version lost the Elo", 0.95, AtLeast, right)
	default:
		b.claim("hunt: \"no loss\" of a version that lost", 0.05, AtMost, a.code == 10)
	}
	b.claim("hunt: \"several versions\" when one lost", 0.05, AtMost, a.code == 12)
	if right && a.code == 0 {
		b.interval("hunt: interval of the loss", 0.95, span{Lo: h.Lo, Hi: h.Hi}, b.Elo)
	}
	if b.Elo != 0 && a.code == 0 {
		b.interval("hunt: interval of the total loss", 0.95, span{Lo: h.TotalLo, Hi: h.TotalHi}, b.Elo)
	}
	return nil
}

// playSessions plays some runs with a time limit, each in a session of its own, and rates both players by all of them.
func playSessions(ctx context.Context, b *bench) error {
	args := []string{"rate", "--db", "t.db", "--pairwise", "--json"}
	for n := range max(1, b.Sessions) {
		b.law.Now = fmt.Sprint(n)
		if err := b.rewrite(); err != nil {
			return err
		}
		run := fmt.Sprintf("s%d", n)
		if _, err := b.play(ctx, []int{0},
			append(b.flags([]string{"match", "--run", run, "--movetime", "10s"}, nil), "--games",
				fmt.Sprint(2*b.Pairs))...); err != nil {
			return err
		}
		args = append(args, run)
	}
	var r rating
	if _, err := b.ask(ctx, &r, []int{0}, args...); err != nil {
		return err
	}
	b.compared(&r)
	return nil
}

// compared adds the claims of a rating of two players. The one that is stronger by the results comes first.
func (b *bench) compared(r *rating) {
	b.certain("rate, sessions: a comparison of both players", len(r.Comparisons) == 1)
	for _, c := range r.Comparisons {
		c.Estimate = c.Elo
		b.interval("rate, sessions: interval of a difference", 0.95, c.span, b.law.Elo(b.law.Find(c.A), b.law.Find(c.B)))
	}
}
