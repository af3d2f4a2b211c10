package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/jedib0t/go-pretty/v6/text"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/session"
	"gogi/internal/fail"
	"gogi/stats/hunt"
)

// huntCommand finds the version that lost or gained Elo.
type huntCommand struct {
	versionFlags

	Confidence float64 `default:"0.95" placeholder:"P" help:"Posterior probability at which gogi names a version (default ${default})."`
	Drift      float64 `default:"1" placeholder:"ELO" more:"" help:"Standard deviation of the Elo change of each other version (default ${default}); 0: no other version changes the strength."`
	Gained     bool    `help:"Find the version that gained Elo, not the one that lost Elo."`
}

// The defaults of --games and --block of a hunt.
const (
	huntGames = 20_000
	huntBlock = 16
)

// Help returns the text below the usage line of --help.
func (*huntCommand) Help() string {
	return `Example: find the version that lost Elo. The first version is a good one, the last one a bad one.

	gogi hunt --run lost builds/v1 builds/v2 builds/v3 builds/v4 builds/v5 \
	    --option all.Threads=1 --tc 8+0.08

gogi selects two versions, plays a block of pairs between them, and calculates for each version the probability that it is
the one that lost Elo. Each block is an ordinary run: NAME-001, NAME-002, …. No block starts after --games games (default 20000).
Run the same command again to resume. With --json the last line on stdout is the answer.

Exit codes: 0 found, 10 the last version is not weaker, 11 not found in --games games, 12 several versions changed the strength,
3 pairs unplayed, 2 usage, 1 error, 130 interrupted.`
}

// Run plays the hunt and prints its answer.
func (c *huntCommand) Run(ctx context.Context, env *cli.Env) error {
	return c.Session.Run(ctx, env, session.Target{DB: c.DB, Run: c.Flags.Run}, c.hunt)
}

func (c *huntCommand) hunt(ctx context.Context, s *session.Session) error {
	config := hunt.Config{Confidence: c.Confidence, Drift: c.Drift, Block: huntBlock}
	if c.Block != nil {
		config.Block = *c.Block
	}
	v, err := c.open(s, "hunt")
	if err != nil {
		return fail.Usage(err)
	}
	config.Versions = len(v.names)
	h, err := hunt.New(config)
	if err != nil {
		return fail.Usage(fmt.Errorf("hunt: %w", err))
	}
	games := huntGames
	if v.games != nil {
		games = *v.games
	}
	for block := 1; ; block++ {
		a := c.answer(v, h)
		if a.Verdict != hunt.Open || 2*a.Pairs >= games {
			return a.end(s, c.Session.JSON)
		}
		if err := c.block(ctx, v, h, block); err != nil {
			return err
		}
	}
}

// block plays the next block of a hunt and adds its results.
func (c *huntCommand) block(ctx context.Context, v *versions, h *hunt.Hunt, number int) error {
	q, before := h.Next(), c.answer(v, h)
	p := pairing{
		Run: fmt.Sprintf("%s-%03d", v.run, number), Old: v.names[q.Old], New: v.names[q.New], Pairs: q.Pairs, Offset: before.Pairs,
		Look: func() []string { return []string{before.state()} },
	}
	r, err := v.play(ctx, p)
	if err != nil {
		return err
	}
	scores := r.Pentanomial.PairScores()
	if c.Gained {
		scores = scores.Mirror()
	}
	h.Add(q.Old, q.New, scores)
	if !c.Session.Quiet {
		line := fmt.Sprintf("%s %s–%s, %d pairs: %s", p.Run, p.Old, p.New, p.Pairs, c.answer(v, h).state())
		fmt.Fprintln(v.match.session.Env.Err, text.Trim(line, 79))
	}
	return nil
}

// A huntAnswer is the result of a hunt, which --json prints.
type huntAnswer struct {
	Hunt string `json:"hunt"` // first part of the names of the runs
	hunt.Answer
	Version  string   `json:"version"`  // the most probable culprit
	Before   string   `json:"before"`   // the version before it
	Versions []string `json:"versions"` // oldest first
	Gained   bool     `json:"gained"`   // the hunt is for a version that gained Elo
}

func (c *huntCommand) answer(v *versions, h *hunt.Hunt) huntAnswer {
	a := h.Answer()
	return huntAnswer{v.run, a, v.names[a.Culprit], v.names[a.Culprit-1], v.names, c.Gained}
}

// state returns the most probable culprit and its loss, for the progress.
func (a huntAnswer) state() string {
	return fmt.Sprintf("%s %.0f%%, %.0f Elo, %d games", a.Version, 100*a.Posterior[a.Culprit], a.Elo, 2*a.Pairs)
}

// end prints the answer and returns the exit code.
func (a huntAnswer) end(s *session.Session, asJSON bool) error {
	if asJSON {
		if err := json.NewEncoder(s.Env.Out).Encode(a); err != nil {
			return err
		}
	} else {
		a.print(s.Env.Out)
	}
	switch a.Verdict {
	case hunt.NoLoss:
		return &cli.Exit{Code: cli.GateFailed}
	case hunt.Several:
		return &cli.Exit{Code: cli.Differs}
	case hunt.Open:
		return &cli.Exit{Code: cli.GateOpen}
	case hunt.Found:
	}
	return nil
}

// shownPosterior is the smallest posterior that the answer prints.
const shownPosterior = 0.01

func (a huntAnswer) print(w io.Writer) {
	lost, weaker, last := "lost", "weaker", len(a.Versions)-1
	if a.Gained {
		lost, weaker = "gained", "stronger"
	}
	switch a.Verdict {
	case hunt.Found:
		fmt.Fprintf(w, "%s %s Elo (probability %.3f).\n", a.Version, lost, a.Posterior[a.Culprit])
		fmt.Fprintf(w, "  It %s %.0f Elo [%.0f, %.0f] against %s.\n", lost, a.Elo, a.Lo, a.Hi, a.Before)
	case hunt.NoLoss:
		fmt.Fprintf(w, "%s is not %s than %s. There is nothing to find.\n", a.Versions[last], weaker, a.Versions[0])
	case hunt.Several:
		fmt.Fprintf(w, "Several versions changed the strength: no single one explains the games (p = %.2g).\n", a.ResidualP)
		a.printPosterior(w)
	case hunt.Open:
		fmt.Fprintf(w, "Not found: these versions may have %s Elo.\n", lost)
		a.printPosterior(w)
	}
	fmt.Fprintf(w, "  %s %s %.0f Elo [%.0f, %.0f] against %s. %d games.\n", a.Versions[last], lost, a.Total, a.TotalLo, a.TotalHi, a.Versions[0], 2*a.Pairs)
	fmt.Fprintln(w, "Next: "+a.next())
}

func (a huntAnswer) printPosterior(w io.Writer) {
	order := make([]int, len(a.Posterior))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(a.Posterior[y], a.Posterior[x]) })
	for _, i := range order {
		if a.Posterior[i] >= shownPosterior {
			fmt.Fprintf(w, "  %5.1f%%  %s\n", 100*a.Posterior[i], a.Versions[i])
		}
	}
}

// next returns the advice for the user.
func (a huntAnswer) next() string {
	last := len(a.Versions) - 1
	switch {
	case a.Verdict == hunt.Found && a.TotalLo > a.Hi:
		return fmt.Sprintf("other versions changed the strength, too; hunt again from %s to %s, and from %s to %s.",
			a.Versions[0], a.Before, a.Version, a.Versions[last])
	case a.Verdict == hunt.Found:
		return fmt.Sprintf("read the change from %s to %s.", a.Before, a.Version)
	case a.Verdict == hunt.Several:
		return fmt.Sprintf("hunt again in the parts from %s to %s and from %s to %s.", a.Versions[0], a.Before, a.Version, a.Versions[last])
	case a.Verdict == hunt.NoLoss:
		return "name a version that is stronger first, and a weaker one last; --gained looks for the opposite."
	}
	return fmt.Sprintf("run the same command with --games %d to continue.", 4*a.Pairs)
}
