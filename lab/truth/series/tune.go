package series

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gogi/internal/shellwords"
)

// tuneFile is a tune of options that change nothing, and its validation.
const tuneFile = `run = "t"
games = %d
seed = %d
concurrency = 1
limits = {nodes = 1}
openings = "openings.usi"
[[engine]]
name = "dev"
cmd = %q
options = {Seed = "%d"}
[tune]
[[param]]
name = "Useless1"
[[param]]
name = "Useless2"
[tune.validate]
sprt = [0, 60]
games = %d
`

// playTune tunes two options that change nothing, and validates the result: every effect is 0.
func playTune(ctx context.Context, b *bench) error {
	text := fmt.Sprintf(tuneFile, 2*b.Pairs, b.seed, b.engine+" --truth "+shellwords.Quote(filepath.Join(b.dir, "law.toml")), b.seed, 2*b.Pairs)
	if err := os.WriteFile(filepath.Join(b.dir, "tune.toml"), []byte(text), 0o644); err != nil { //nolint:gosec // no secrets
		return err
	}
	a, err := b.play(ctx, []int{0, 10, 11}, "tune", "run", "tune.toml", "--db", "t.db", "-q")
	if err != nil {
		return err
	}
	b.claim("tune: the validation passes a useless candidate", 0.025, AtMost, a.code == 0)
	var t struct {
		Summary struct {
			Loss   *span `json:"loss"`
			Params []struct {
				P      *float64 `json:"p"`
				Effect *span    `json:"sensitivity"`
			} `json:"params"`
		} `json:"summary"`
	}
	if _, err := b.ask(ctx, &t, []int{0}, "tune", "report", "t", "--db", "t.db", "--json"); err != nil {
		return err
	}
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
