package series

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"gogi/internal/shellwords"
	"gogi/lab/truth"
)

// tuneFile is the start of a tune and of its validation, without parameters.
const tuneFile = `run = "t"
games = %[1]d
seed = %[2]d
concurrency = 1
limits = {nodes = 1}
openings = "openings.usi"
[[engine]]
name = "dev"
cmd = %[3]q
options = {Seed = "%[2]d"}
[tune]
[tune.validate]
sprt = [0, 60]
games = %[1]d
`

// tuned has the parts of gogi tune report --json whose truth is known.
type tuned struct {
	Candidates []struct {
		Run   string
		Point []struct {
			Name  string `json:"name"`
			Value string `json:"value"`
		}
	} `json:"candidates"`
	Summary struct {
		Loss   *span `json:"loss"`
		Params []struct {
			Name   string   `json:"name"`
			P      *float64 `json:"p"`
			Moved  *float64 `json:"moved"`
			Effect *span    `json:"sensitivity"`
			Levels []struct {
				Name string  `json:"name"`
				Lo   float64 `json:"lo"`
				Hi   float64 `json:"hi"`
			} `json:"levels"`
		} `json:"params"`
	} `json:"summary"`
}

// tune plays a tune of these parameters and its validation, and returns the exit code and the report.
func (b *bench) tune(ctx context.Context, params string) (code int, t tuned, err error) {
	text := fmt.Sprintf(tuneFile, 2*b.Pairs, b.seed,
		b.engine+" --truth "+shellwords.Quote(filepath.Join(b.dir, "law.toml"))) + params
	if err := os.WriteFile(filepath.Join(b.dir, "tune.toml"), []byte(text), 0o644); err != nil { // no secrets
		return 0, t, err
	}
	a, err := b.play(ctx, []int{0, 10, 11}, "tune", "run", "tune.toml", "--db", "t.db", "-q")
	if err != nil {
		return 0, t, err
	}
	_, err = b.ask(ctx, &t, []int{0}, "tune", "report", "t", "--db", "t.db", "--json")
	return a.code, t, err
}

// playTune tunes two options that change nothing, and validates the result: every effect is 0.
func playTune(ctx context.Context, b *bench) error {
	code, t, err := b.tune(ctx, "[[param]]\nname = \"Useless1\"\n[[param]]\nname = \"Useless2\"\n")
	if err != nil {
		return err
	}
	b.claim("tune: the validation passes a useless candidate", 0.025, AtMost, code == 0)
	if t.Summary.Loss != nil {
		b.interval("tune: loss of the perturbed values", 0.95, *t.Summary.Loss, 0)
	}
	for _, p := range t.Summary.Params {
		if p.Effect != nil {
			b.interval("tune: effect of a useless parameter", 0.95, *p.Effect, 0)
		}
		if p.P != nil {
			b.claim("tune: p ≤ 0.05 of a useless parameter", 0.05, AtMost, *p.P <= 0.05)
		}
	}
	return nil
}

// These are the levels of a parameter with an effect.
const (
	levelCount = 11
	firstLevel = 3
	bestLevel  = 7
)

// levels returns the law of a tune: the player of a level loses the condition's Elo times the square of its distance to
// the best one, in sevenths of the range.
func levels(c Condition) *truth.Law {
	l := c.law()
	for i := range levelCount {
		far := float64(i-bestLevel) / bestLevel
		l.Players = append(l.Players, truth.Player{Name: fmt.Sprintf("level%02d", i), Elo: -c.Elo * far * far})
	}
	return l
}

// playTuned tunes a parameter with an effect, and compares the final value and its validation with the law.
func playTuned(ctx context.Context, b *bench) error {
	code, t, err := b.tune(ctx, fmt.Sprintf("[[param]]\nname = \"Level\"\nstart = %d\nmin = 0\nmax = %d\nscale = 3\n",
		firstLevel, levelCount-1))
	if err != nil {
		return err
	}
	for _, p := range t.Summary.Params {
		if p.P != nil && p.Moved != nil {
			b.claim("tune: p ≤ 0.05 for the wrong direction", 0.025, AtMost, *p.P <= 0.05 && *p.Moved < 0)
		}
	}
	b.certain("tune: it has one candidate with the parameter", len(t.Candidates) == 1 && len(t.Candidates[0].Point) > 0)
	for _, c := range t.Candidates {
		for _, p := range c.Point {
			level, err := strconv.Atoi(p.Value)
			if p.Name != "Level" || err != nil {
				continue
			}
			if level == firstLevel { // then there is nothing to validate
				b.certain("tune: the start is no new version", code != 0)
				continue
			}
			if err := b.validated(ctx, c.Run, code, b.law.Elo(level, firstLevel)); err != nil {
				return err
			}
		}
	}
	return nil
}

// validated adds the claims of the validation of a candidate that gains this Elo.
func (b *bench) validated(ctx context.Context, run string, code int, gain float64) error {
	var d decision
	if _, err := b.ask(ctx, &d, []int{0, 10, 11}, "gate", run, "--db", "t.db", "--json"); err != nil {
		return err
	}
	b.certain("tune: its exit code is that of the validation", (code == 0) == (d.Verdict == "pass"))
	if gain <= 0 {
		b.claim("tune: the validation passes a useless candidate", 0.025, AtMost, code == 0)
	}
	b.interval("tune: Elo interval of the validation", 0.95, d.Gate.Elo, gain)
	return nil
}

// playChoice tunes a choice, whose levels are the players.
func playChoice(ctx context.Context, b *bench) error {
	names := make([]string, len(b.law.Players))
	for i, p := range b.law.Players {
		names[i] = strconv.Quote(p.Name)
	}
	_, t, err := b.tune(ctx, "[[param]]\nname = \"Style\"\nkind = \"choice\"\nstart = "+names[0]+"\nlevels = ["+
		strings.Join(names, ", ")+"]\n")
	if err != nil {
		return err
	}
	for _, p := range t.Summary.Params {
		all := true
		for _, l := range p.Levels {
			if i := b.law.Find(l.Name); i > 0 {
				real := b.law.Elo(i, 0)
				all = all && l.Lo <= real && real <= l.Hi
			}
		}
		if len(p.Levels) > 0 {
			b.claim("tune: intervals of all levels of a choice", 0.95, AtLeast, all)
		}
	}
	return nil
}
