package series

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"gogi/internal/shellwords"
	"gogi/lab/truth"
)

// fastchess plays the match with fastchess, under the same law, in chess.
func (b *bench) fastchess(ctx context.Context, more ...string) (answer, error) {
	if err := writeChess(filepath.Join(b.dir, "openings.epd"), b.openings()); err != nil {
		return answer{}, err
	}
	words, err := shellwords.Split(b.engine)
	if err != nil {
		return answer{}, err
	}
	var args []string
	for _, p := range b.law.Players {
		args = append(args, "-engine", "cmd="+words[0], "args="+strings.Join(append(words[1:], "--truth law.toml"), " "),
			"dir="+b.dir,
			"name="+p.Name, "option.Player="+p.Name, fmt.Sprintf("option.Seed=%d", b.seed))
	}
	args = append(args, "-each", "tc=inf", "nodes=1", "proto=uci", "-openings", "file=openings.epd", "format=epd",
		"order=random",
		"-srand", fmt.Sprint(b.seed), "-repeat", "-games", "2", "-rounds", fmt.Sprint(b.Pairs), "-resign", "movecount=1",
		"score=500",
		"-concurrency", "1", "-log", "file=fastchess.log")
	a, err := b.program(ctx, b.peer, append(args, more...)...)
	if err == nil {
		err = a.expect([]string{"(fastchess)"}, 0)
	}
	return a, err
}

// writeChess writes a file of count different chess openings.
func writeChess(path string, count int) error {
	seen := map[string]bool{}
	var text strings.Builder
	for n := uint64(0); len(seen) < count; n++ {
		fen := truth.ChessOpening(rand.New(rand.NewPCG(n, 0)), openingPlies)
		if !seen[fen] {
			text.WriteString(fen + "\n")
		}
		seen[fen] = true
	}
	return os.WriteFile(path, []byte(text.String()), 0o644) // no secrets
}

var (
	peerElo  = regexp.MustCompile(`(?m)^Elo: (\S+) \+/- (\S+), nElo`)
	peerLOS  = regexp.MustCompile(`(?m)^LOS: (\S+) %`)
	peerPtn  = regexp.MustCompile(`(?m)^Ptnml\(0-2\): \[(\d+), (\d+), (\d+), (\d+), (\d+)\]`)
	peerSPRT = regexp.MustCompile(`(?m)^SPRT \(.*\) completed - (H[01]) was accepted`)
)

// last returns the groups of the last match of a pattern.
func last(pattern *regexp.Regexp, text string) []string {
	all := pattern.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		return nil
	}
	return all[len(all)-1][1:]
}

// playPeer plays a match of fixed length with fastchess and reads its last figures.
func playPeer(ctx context.Context, b *bench) error {
	a, err := b.fastchess(ctx)
	if err != nil {
		return err
	}
	return b.peerFigures("fastchess", a.out)
}

// peerFigures adds the claims of the Elo and the LOS that fastchess printed.
func (b *bench) peerFigures(figure, text string) error {
	elo, counts := last(peerElo, text), last(peerPtn, text)
	if elo == nil || counts == nil {
		return fmt.Errorf("fastchess printed no figures: %s", text[max(0, len(text)-500):])
	}
	scores := 0
	for _, c := range counts {
		if c != "0" {
			scores++
		}
	}
	estimate, err1 := strconv.ParseFloat(elo[0], 64)
	wide, err2 := strconv.ParseFloat(elo[1], 64)
	known := err1 == nil && err2 == nil && !math.IsNaN(estimate+wide) && !math.IsInf(estimate+wide, 0)
	if scores >= 2 {
		b.certain(figure+": Elo has a value", known)
	}
	if known {
		b.claim(figure+": Elo interval", 0.95, AtLeast, math.Abs(estimate-b.law.Elo(0, 1)) <= wide)
	}
	if los := last(peerLOS, text); los != nil && math.Abs(b.law.Elo(0, 1)) < 1e-6 {
		if p, err := strconv.ParseFloat(los[0], 64); err == nil {
			b.claim(figure+": LOS ≥ 97.5% or ≤ 2.5%, equal players", 0.05, AtMost, p >= 97.5 || p <= 2.5)
		}
	}
	return nil
}

// playPeerTest plays a match with an SPRT of fastchess and reads its decision.
func playPeerTest(ctx context.Context, b *bench) error {
	elo0, elo1, normalized, err := hypotheses(b.SPRT)
	if err != nil {
		return err
	}
	model, on := "logistic", b.law.Elo(0, 1)
	if normalized {
		model, on = "normalized", b.law.Normalized(0, 1)
	}
	a, err := b.fastchess(ctx, "-sprt", fmt.Sprintf("elo0=%g", elo0), fmt.Sprintf("elo1=%g", elo1), "alpha=0.05",
		"beta=0.05", "model="+model)
	if err != nil {
		return err
	}
	verdict := ""
	if v := last(peerSPRT, a.out); v != nil {
		verdict = v[0]
	}
	if on <= elo0+1e-6 {
		b.claim("fastchess SPRT: false pass", 0.05, AtMost, verdict == "H1")
	}
	if on >= elo1-1e-6 {
		b.claim("fastchess SPRT: false fail", 0.05, AtMost, verdict == "H0")
	}
	return b.peerFigures("fastchess SPRT", a.out)
}
