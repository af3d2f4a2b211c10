package series

import (
	"context"
	"fmt"
	"math"

	"gogi/lab/truth"
)

// A kind is one way to use gogi: the law of the games, and a function that runs the commands and adds the claims.
type kind struct {
	test bool // whether it has an SPRT
	law  func(Condition) *truth.Law
	play func(ctx context.Context, b *bench) error
}

// kinds has the kinds of series by their names in plans.
var kinds = map[string]kind{
	"match":       {law: two, play: playMatch},
	"sprt":        {law: two, play: playTest, test: true},
	"plan":        {law: two, play: askPlan, test: true},
	"anytime":     {law: two, play: playLooks},
	"compare":     {law: three, play: playCompare},
	"round_robin": {law: versions, play: playTournament},
	"gauntlet":    {law: versions, play: playTournament},
	"swiss":       {law: versions, play: playTournament},
	"adaptive":    {law: versions, play: playTournament},
	"sessions":    {law: two, play: playSessions},
	"ladder":      {law: versions, play: playLadder},
	"hunt":        {law: regression, play: playHunt},
	"tune":        {law: two, play: playTune},
	"tuned":       {law: levels, play: playTuned},
	"choice":      {law: versions, play: playChoice},
	"ratio":       {law: two, play: askRatio},
	"wald":        {law: two, play: playWald, test: true},
	"forecast":    {law: two, play: playForecast},
	"council":     {law: two, play: playCouncil},
	"farm":        {law: two, play: playFarm, test: true},

	"fastchess":      {law: two, play: playPeer},
	"fastchess_sprt": {law: two, play: playPeerTest, test: true},
}

// playMatch plays a match of fixed length and reads its report.
func playMatch(ctx context.Context, b *bench) error {
	a, err := b.play(ctx, []int{0}, b.match("m", nil, "--games", fmt.Sprint(2*b.Pairs))...)
	if err != nil {
		return err
	}
	b.headline(a.out)
	b.warnings(a.out)
	var r report
	if _, err := b.ask(ctx, &r, []int{0}, "report", "m", "--db", "t.db", "--json"); err != nil {
		return err
	}
	b.fixed(&r)
	return b.intervals(ctx, &r)
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
	a, err := b.play(ctx, []int{0, 10, 11}, b.match("m", nil, "--games", fmt.Sprint(2*b.Pairs), "--sprt", b.SPRT)...)
	if err != nil {
		return err
	}
	b.warnings(a.out)
	var d decision
	code, err := b.ask(ctx, &d, []int{0, 10, 11}, "gate", "m", "--db", "t.db", "--json")
	if err != nil {
		return err
	}
	b.certain("gate: its exit code is that of the match", code == a.code)
	if err := b.decided(&d); err != nil {
		return err
	}
	p, err := b.forecast(ctx)
	if err == nil {
		b.foreseen(p, &d)
	}
	return err
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
	test := "SPRT"
	if b.Kind == "farm" {
		test = "farm, SPRT"
	}
	const near = 1e-6
	if on <= elo0+near {
		b.claim(test+": false pass", 0.05, AtMost, d.Verdict == "pass")
	}
	if on >= elo1-near {
		b.claim(test+": false fail", 0.05, AtMost, d.Verdict == "fail")
	}
	elo := b.law.Elo(0, 1)
	b.interval(test+": Elo interval after the stop", 0.95, d.Gate.Elo, elo)
	if d.Gate.Openings >= 2 {
		b.value(test+": Elo after the stop", d.Gate.Elo, d.Pentanomial.scores())
	}
	if e := d.Gate.Elo.Estimate; e != nil && !math.IsInf(*e, 0) {
		b.claim(test+": estimate above the truth", 0.5, Equal, *e > elo)
	}
	b.interval("gate: anytime interval of the score", d.Anytime.Level, d.Anytime.span, b.law.Score(0, 1))
	return nil
}
