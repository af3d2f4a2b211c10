package series

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"gogi/lab/truth"
)

// A Claim is one printed figure that was true or false in one series.
type Claim struct {
	Figure  string  `json:"figure"`  // kind of the figure, such as "Elo interval of a match"
	Nominal float64 `json:"nominal"` // probability that the claim is true, as gogi prints or documents it
	Rule    Rule    `json:"rule"`    // how the share of true claims relates to the nominal one
	Held    bool    `json:"held"`    // whether the claim was true, or the error happened
}

// A Rule is the relation that the measured share of true claims must have to the nominal one.
type Rule string

// These are the rules.
const (
	AtLeast Rule = "at least" // true claims: intervals, verdicts
	AtMost  Rule = "at most"  // errors: p values below a level, false passes
	Equal   Rule = "equal"    // probabilities and unbiased estimates
	About   Rule = "about"    // figures that gogi itself calls approximate: measured, and no fault if they fall short
)

func (b *bench) claim(figure string, nominal float64, rule Rule, held bool) {
	b.claims = append(b.claims, Claim{figure, nominal, rule, held})
}

// certain adds a claim that is always true if gogi is right.
func (b *bench) certain(figure string, held bool) { b.claim(figure, 1, AtLeast, held) }

// A span is an interval in JSON. A missing end is infinite.
type span struct {
	Estimate *float64 `json:"estimate"`
	Lo       *float64 `json:"lo"`
	Hi       *float64 `json:"hi"`
	Why      string   `json:"why"`
}

func (s span) empty() bool { return s.Lo == nil && s.Hi == nil && s.Estimate == nil }

func (s span) covers(v float64) bool {
	return (s.Lo == nil || *s.Lo <= v) && (s.Hi == nil || v <= *s.Hi)
}

// interval adds the claim of an interval that was printed.
func (b *bench) interval(figure string, level float64, s span, real float64) {
	if !s.empty() {
		b.claim(figure, level, AtLeast, s.covers(real))
	}
}

// value adds the claim that a figure that must exist was printed.
func (b *bench) value(figure string, s span, scores int) {
	if scores >= 2 {
		b.certain(figure+" has a value", !s.empty())
	}
}

// pValue adds the claims of a p value: under the null hypothesis it is rarely small.
func (b *bench) pValue(figure string, p *float64) {
	if p == nil {
		return
	}
	b.certain(figure+" is a probability", *p >= 0 && *p <= 1)
	if math.Abs(b.law.Score(0, 1)-0.5) > 1e-9 {
		return
	}
	for _, level := range []float64{0.05, 0.01} {
		b.claim(fmt.Sprintf("%s ≤ %g, equal players", figure, level), level, AtMost, *p <= level)
	}
}

// A pentanomial has the counts of pairs by their result.
type pentanomial struct {
	LL int `json:"ll"`
	LD int `json:"ld"`
	WL int `json:"wl"`
	DD int `json:"dd"`
	WD int `json:"wd"`
	WW int `json:"ww"`
}

// scores returns the number of different scores of pairs.
func (p pentanomial) scores() (n int) {
	for _, count := range []int{p.LL, p.LD, p.WL + p.DD, p.WD, p.WW} {
		if count > 0 {
			n++
		}
	}
	return n
}

// flag returns the pentanomial as the commands of gogi stats read it.
func (p pentanomial) flag() string {
	return fmt.Sprintf("--pentanomial=%d,%d,%d,%d,%d", p.LL, p.LD, p.WL+p.DD, p.WD, p.WW)
}

// A report is a part of gogi report --json.
type report struct {
	Intervals []struct {
		span
		Of     string  `json:"of"`
		Method string  `json:"method"`
		Level  float64 `json:"level"`
	} `json:"intervals"`
	Tests []struct {
		Method string   `json:"method"`
		P      *float64 `json:"p"`
	} `json:"tests"`
	Score   *float64 `json:"score"`
	Players []struct {
		Wins   int `json:"wins"`
		Draws  int `json:"draws"`
		Losses int `json:"losses"`
	} `json:"players"`
	Elo            span        `json:"elo"`
	EloDecisive    span        `json:"elo_decisive"`
	BlackAdvantage span        `json:"black_advantage"`
	Pentanomial    pentanomial `json:"pentanomial"`
	Dependence     struct {
		Openings int `json:"openings"`
	} `json:"dependence"`
}

// independent reports whether the games of the condition are independent, given the players.
func (c Condition) independent() bool { return c.Bias == 0 && c.Liking == 0 && !c.Repeat }

// fixed adds the claims of the report of a match of fixed length.
func (b *bench) fixed(r *report) {
	score, elo := b.law.Score(0, 1), b.law.Elo(0, 1)
	for _, i := range r.Intervals {
		switch {
		case i.Of == "score":
			b.interval("report: score interval ("+i.Method+")", i.Level, i.span, score)
		case b.independent() && b.Black == 0:
			b.interval("report: "+i.Of+" ("+i.Method+")", i.Level, i.span, b.law.Decisive(0, 1))
		}
	}
	if b.independent() && b.Black == 0 {
		b.interval("report: Elo of decisive games", 0.95, r.EloDecisive, truth.EloOf(b.law.Decisive(0, 1)))
		b.interval("report: Black's advantage", 0.95, r.BlackAdvantage, b.law.BlackDecisive(0, 1))
	}
	b.interval("report: Elo interval", 0.95, r.Elo, elo)
	if r.Dependence.Openings >= 2 {
		b.value("report: Elo", r.Elo, r.Pentanomial.scores())
	}
	for _, t := range r.Tests {
		if t.Method != "binomial_exact" || b.independent() {
			b.pValue("report: p ("+t.Method+")", t.P)
		}
	}
}

// headline adds the claim of the sentence above a report: that it names no wrong winner.
func (b *bench) headline(text string) {
	elo := b.law.Elo(0, 1)
	a, other := strings.Contains(text, "a is stronger than b"), strings.Contains(text, "b is stronger than a")
	nominal := 0.975
	if math.Abs(elo) < 1e-6 {
		nominal, elo = 0.95, 0
	}
	b.claim("report: no wrong winner in the headline", nominal, AtLeast, !(a && elo <= 0 || other && elo >= 0))
}

// A warning is a note of a report whose truth is known.
type warning struct {
	part  string // of its text
	holds func(*bench) bool
	level float64 // probability of the warning if it does not hold
	tests func(*bench) bool
}

var warnings = []warning{
	{part: "To calculate how many games", holds: func(*bench) bool { return true }}, // advice
	{
		part: "Pairs from one opening depend on each other", holds: func(b *bench) bool { return b.Repeat || b.Liking != 0 },
		level: 0.01, tests: func(b *bench) bool { return b.Openings > 1 && b.Openings < b.Pairs },
	},
	// the engine takes a part of its time
	{part: "this run does not compare equal times", holds: func(b *bench) bool { return b.timed() }},
}

// chance recognises notes that may be true by chance: equal games of a law, and delays by other programs of the
// machine.
var chance = regexp.MustCompile("^[0-9,]+ of [0-9,]+ (games repeat an earlier game|pairs contain a move that the machine delayed)")

// warnings adds a claim for each warning of a report. The matches give no reason for a warning that is not known here.
func (b *bench) warnings(text string) {
	printed := map[string]bool{}
	for line := range strings.Lines(text) {
		note, ok := strings.CutPrefix(strings.TrimSpace(line), "! ")
		if !ok || chance.MatchString(note) {
			continue
		}
		if i := slices.IndexFunc(warnings, func(w warning) bool { return strings.Contains(note, w.part) }); i >= 0 {
			printed[warnings[i].part] = true
		} else {
			b.certain("report: warning: "+strings.Map(withoutDigits, note), false)
		}
	}
	for _, w := range warnings {
		switch {
		case w.level > 0 && w.tests(b) && !w.holds(b):
			b.claim("report: false warning: "+w.part, w.level, AtMost, printed[w.part])
		case printed[w.part]:
			b.certain("report: warning: "+w.part, w.holds(b))
		}
	}
}

func withoutDigits(r rune) rune {
	if r >= '0' && r <= '9' {
		return '#'
	}
	return r
}
