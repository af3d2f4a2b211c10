package series

import (
	"context"
	"fmt"
	"math"
)

// A kind is one way to use gogi. play runs the commands and adds the claims.
type kind struct {
	test bool // whether it has an SPRT
	play func(ctx context.Context, b *bench) error
}

var kinds map[string]kind

func init() {
	kinds = map[string]kind{
		"match": {play: playMatch},
		"sprt":  {test: true, play: playTest},
	}
}

// playMatch plays a match of fixed length and reads its report.
func playMatch(ctx context.Context, b *bench) error {
	args := b.match("m", "--games", fmt.Sprint(2*b.Pairs))
	a, err := b.run(ctx, args...)
	if err != nil {
		return err
	}
	if err := a.expect(args, 0); err != nil {
		return err
	}
	b.headline(a.out)
	b.warnings(a.out)
	var r report
	if _, err := b.ask(ctx, &r, []int{0}, "report", "m", "--db", "t.db", "--json"); err != nil {
		return err
	}
	b.fixed(&r)
	return nil
}

// A decision is a part of gogi gate --json.
type decision struct {
	Verdict string `json:"verdict"`
	Gate    struct {
		Elo      span `json:"elo"`
		Pairs    int  `json:"pairs"`
		Openings int  `json:"openings"`
	} `json:"gate"`
	Pentanomial pentanomial `json:"pentanomial"`
	Anytime     struct {
		span
		Level float64 `json:"level"`
	} `json:"anytime"`
}

// playTest plays a match with an SPRT, and reads its decision and its exit code.
func playTest(ctx context.Context, b *bench) error {
	args := b.match("m", "--games", fmt.Sprint(2*b.Pairs), "--sprt", b.SPRT)
	a, err := b.run(ctx, args...)
	if err != nil {
		return err
	}
	if err := a.expect(args, 0, 10, 11); err != nil {
		return err
	}
	b.warnings(a.out)
	var d decision
	code, err := b.ask(ctx, &d, []int{0, 10, 11}, "gate", "m", "--db", "t.db", "--json")
	if err != nil {
		return err
	}
	b.certain("gate: its exit code is that of the match", code == a.code)
	return b.decided(&d)
}

// decided adds the claims of an SPRT's decision.
func (b *bench) decided(d *decision) error {
	elo0, elo1, normalized, err := hypotheses(b.SPRT)
	if err != nil {
		return err
	}
	on := b.law.Elo(0, 1)
	if normalized {
		on = b.law.Normalized(0, 1)
	}
	const near = 1e-6
	if on <= elo0+near {
		b.claim("SPRT: false pass", 0.05, AtMost, d.Verdict == "pass")
	}
	if on >= elo1-near {
		b.claim("SPRT: false fail", 0.05, AtMost, d.Verdict == "fail")
	}
	elo := b.law.Elo(0, 1)
	b.interval("SPRT: Elo interval after the stop", 0.95, d.Gate.Elo, elo)
	if d.Gate.Openings >= 2 {
		b.value("SPRT: Elo after the stop", d.Gate.Elo, d.Pentanomial.scores())
	}
	if e := d.Gate.Elo.Estimate; e != nil && !math.IsInf(*e, 0) {
		b.claim("SPRT: estimate above the truth", 0.5, Equal, *e > elo)
	}
	b.interval("gate: anytime interval of the score", d.Anytime.Level, d.Anytime.span, b.law.Score(0, 1))
	return nil
}
