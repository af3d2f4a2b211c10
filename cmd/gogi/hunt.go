package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/jedib0t/go-pretty/v6/text"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/session"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/results"
	"gogi/stats"
	"gogi/stats/hunt"
)

// huntCommand finds the version that lost or gained Elo.
type huntCommand struct {
	versionFlags
	buildFlags

	Confidence float64 `default:"0.95" placeholder:"P" help:"Posterior probability at which gogi names a version (default ${default})."`
	Drift      float64 `default:"1" placeholder:"ELO" more:"" help:"Standard deviation of the Elo change of every version except the culprit (default ${default}); 0: only the culprit changes the strength."`
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

The versions may be the commits of a git repository. gogi builds only those that it needs:

	gogi hunt --good v1.2 --bad main --build 'make -j' --engine ./engine --tc 8+0.08

gogi selects two versions, plays a block of pairs between them, and calculates for each version the probability that it is
the one that lost Elo. It also uses the stored games of earlier runs. Each block is an ordinary run: NAME-001, NAME-002, ….
No block starts after --games games (default 20000). Run the same command again to resume. With --json the last line on
stdout is the answer.

Exit codes: 0 found, 10 the last version is not weaker, 11 not found in --games games, 12 several versions changed the strength,
125 the good or the bad commit does not build, 3 pairs unplayed, 2 usage, 1 error, 130 interrupted.`
}

// Run plays pairs between versions until it has found the version that changed the strength, and prints that
// version.
func (c *huntCommand) Run(ctx context.Context, env *cli.Env) error {
	return c.Session.Run(ctx, env, session.Target{DB: c.DB, Run: c.Flags.Run}, c.hunt)
}

func (c *huntCommand) hunt(ctx context.Context, s *session.Session) (err error) {
	var git *commits
	if c.Good != "" {
		if git, err = c.commits(ctx, c.DB, &c.Flags); err != nil {
			return fail.Usage(err)
		}
	} else if c.Bad != "" || c.Build != "" || c.Path != nil {
		return fail.Usage(errors.New("--bad, --build, --path: they need --good REV"))
	}
	v, err := c.open(s, "hunt")
	if err != nil {
		return fail.Usage(err)
	}
	if git != nil {
		git.identify(v.file)
	}
	v.git = git
	config := hunt.Config{Confidence: c.Confidence, Drift: c.Drift, Block: huntBlock}
	if c.Block != nil {
		config.Block = *c.Block
	}
	games := huntGames
	if v.games != nil {
		games = *v.games
	}
	return (&search{huntCommand: c, versions: v, config: config, until: map[string]string{}, base: v.run}).run(ctx, s,
		games)
}

// A search is a hunt in progress.
type search struct {
	*huntCommand
	*versions

	config hunt.Config
	hunt   *hunt.Hunt
	known

	until  map[string]string // the newest version that equals a version, see merge
	base   string            // the first part of the names of the runs, without the number that nextName adds
	number int               // number after base in that part; below 2: none
}

// known has the games that a hunt uses.
type known struct {
	played []played
	stored []played                      // pairs of earlier runs
	past   past                          // pairs of earlier runs with a time limit
	used   map[[2]string]map[uint64]bool // hashes of the openings that two versions, older and newer, have played
	offset int                           // number of the next opening
}

// played has pairs between an older and a newer version: a finished block, or pairs of earlier runs. scores are from
// the point of view of the newer version; with --gained, of the older version. If an opening recurs, it has one score.
type played struct {
	old, new string
	scores   stats.Scores
	games    int
}

// run plays blocks until the hunt has an answer, or until at least this number of games has been played. Then it
// prints the answer.
func (h *search) run(ctx context.Context, s *session.Session, games int) error {
	h.config.Versions = len(h.names)
	if err := h.config.Check(); err != nil {
		return fail.Usage(fmt.Errorf("hunt: %w", err))
	}
	for {
		var err error
		if h.hunt == nil {
			err = h.begin(ctx, s)
		} else if a := h.answer(); a.Verdict != hunt.Open || 2*a.Pairs >= games {
			return a.end(s, s.JSON)
		} else {
			err = h.block(ctx, a)
		}
		if broken, ok := errors.AsType[*unbuildable](err); ok {
			err = h.without(s, broken)
		}
		if other, ok := errors.AsType[*results.DifferentPlan](err); ok && !h.chosen {
			err = nil
			h.again(s, other.Run)
		}
		if err != nil {
			return err
		}
	}
}

// again begins the hunt again with the next name, because a run with the name of a block has another plan: the versions
// have changed since that hunt, or a run of it has another name now. The hunt uses the games of all runs.
func (h *search) again(s *session.Session, taken string) {
	h.nextName()
	h.hunt, h.known = nil, known{}
	s.Note(i18n.Of("%s",
		fmt.Sprintf("run %s belongs to another hunt; the runs of this hunt are %s-…, and it uses the stored games", taken,
			h.versions.run)))
}

// nextName changes the first part of the names of the runs from NAME to NAME-2, NAME-3, ….
func (h *search) nextName() {
	h.number = max(2, h.number+1)
	h.versions.run = fmt.Sprintf("%s-%d", h.base, h.number)
}

// restart begins the calculation of the hunt again, with the stored pairs and all blocks that were played.
func (h *search) restart() (err error) {
	h.config.Versions = len(h.names)
	if h.hunt, err = hunt.New(h.config); err != nil {
		return err
	}
	for _, p := range h.stored {
		if old, new := slices.Index(h.names, p.old), slices.Index(h.names, p.new); old >= 0 && new >= 0 {
			h.hunt.Know(old, new, p.scores)
		}
	}
	for _, m := range h.past.meetings {
		if old, new := slices.Index(h.names, m.old), slices.Index(h.names, m.new); h.past.refused == nil && old >= 0 &&
			new >= 0 {
			h.hunt.Remember(old, new, h.past.between.History(m.sessions))
		}
	}
	for _, p := range h.played {
		h.hunt.Add(slices.Index(h.names, p.old), slices.Index(h.names, p.new), p.scores)
	}
	return nil
}

// without removes a commit that does not build. Its changes count as changes of the next commit.
func (h *search) without(s *session.Session, broken *unbuildable) error {
	at := slices.Index(h.names, broken.name)
	if at == 0 || at == len(h.names)-1 {
		return &cli.Exit{Code: cli.BisectSkip, Err: fmt.Errorf("%w; give another commit for --good or --bad", broken)}
	}
	s.Note(i18n.Of("%s", fmt.Sprintf("%s; its changes count as changes of %s", broken, h.names[at+1])))
	h.names = slices.Delete(slices.Clone(h.names), at, at+1)
	return h.restart()
}

// block plays the next block of a hunt and adds its results. before is the answer before this block, which the
// progress shows.
func (h *search) block(ctx context.Context, before huntAnswer) error {
	q, env := h.hunt.Next(), h.match.session.Env
	p := pairing{
		Run: h.runName(len(h.played) + 1), A: h.names[q.New], B: h.names[q.Old],
		Pairs: q.Pairs, Offset: h.offset, Used: h.openings(h.names[q.Old], h.names[q.New]),
		Look: func() []string { return []string{before.state()} },
	}
	r, plan, err := h.play(ctx, env, p)
	if err != nil {
		return err
	}
	h.offset = h.next
	for _, o := range plan.Openings {
		p.Used[o.Hash()] = true
	}
	scores := r.Pentanomial.PairScores()
	if h.Gained {
		scores = scores.Mirror()
	}
	h.played = append(h.played, played{p.B, p.A, scores, 2 * scores.N()})
	h.hunt.Add(q.Old, q.New, scores)
	if !h.match.session.Quiet {
		line := fmt.Sprintf("%s %s–%s, %s: %s", p.Run, p.B, p.A, format.NumberOf(p.Pairs, "pair"), h.answer().state())
		fmt.Fprintln(env.Err, text.Trim(line, 79))
	}
	return nil
}

// runName returns the name of the run of a block, counted from 1.
func (h *search) runName(block int) string { return fmt.Sprintf("%s-%03d", h.versions.run, block) }

// A huntAnswer is the result of a hunt, which --json prints.
type huntAnswer struct {
	Hunt string `json:"hunt"` // first part of the names of the runs
	hunt.Answer
	Version  string   `json:"version"`      // the most probable culprit
	Before   string   `json:"before"`       // the version before it
	Versions []string `json:"versions"`     // oldest first; of equal versions only the oldest one
	Gained   bool     `json:"gained"`       // the hunt is for a version that gained Elo
	Stored   int      `json:"stored_games"` // games of earlier runs without a time limit that the posterior uses

	History *huntHistory `json:"history,omitempty"` // games of earlier runs with a time limit; nil: none
}

func (h *search) answer() huntAnswer {
	a := h.hunt.Answer()
	answer := huntAnswer{
		Hunt: h.versions.run, Answer: a, Version: h.title(h.names[a.Culprit]),
		Before: h.title(cmp.Or(h.until[h.names[a.Culprit-1]], h.names[a.Culprit-1])), Gained: h.Gained,
	}
	for _, name := range h.names {
		answer.Versions = append(answer.Versions, h.title(name))
	}
	for _, p := range h.stored {
		answer.Stored += p.games
	}
	answer.History = h.past.history()
	return answer
}

// title returns the name of a version. For a commit it is the short hash with the subject.
func (h *search) title(name string) string {
	if h.git == nil {
		return name
	}
	return name + " " + sanitize.Printable(h.git.of[name].subject, 60)
}

// state returns the most probable culprit and its loss, for the progress.
func (a huntAnswer) state() string {
	return fmt.Sprintf("%s %.0f%%, %v Elo, %d games", a.Version, 100*a.Posterior[a.Culprit], a.Elo, 2*a.Pairs)
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
		fmt.Fprintf(w, "  It %s %v Elo [%v, %v] against %s.\n", lost, a.Elo, a.Lo, a.Hi, a.Before)
	case hunt.NoLoss:
		fmt.Fprintf(w, "%s is not %s than %s. There is nothing to find.\n", a.Versions[last], weaker, a.Versions[0])
	case hunt.Several:
		fmt.Fprintf(w, "Several versions changed the strength: no single one explains the games (p = %.2g).\n", a.ResidualP)
		a.printPosterior(w)
	case hunt.Open:
		fmt.Fprintf(w, "Not found: these versions may have %s Elo.\n", lost)
		a.printPosterior(w)
	}
	fmt.Fprintf(w, "  %s %s %v Elo [%v, %v] against %s. %d games.\n",
		a.Versions[last], lost, a.Total, a.TotalLo, a.TotalHi, a.Versions[0], 2*a.Pairs)
	if a.Stored > 0 {
		fmt.Fprintf(w, "  The probabilities also use %d stored games of earlier runs.\n", a.Stored)
	}
	if a.History != nil {
		fmt.Fprintf(w, "  %s\n", a.History)
	}
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
		return fmt.Sprintf("hunt again in the parts from %s to %s and from %s to %s.",
			a.Versions[0], a.Before, a.Version, a.Versions[last])
	case a.Verdict == hunt.NoLoss:
		return "name a version that is stronger first, and a weaker one last; --gained looks for the opposite."
	}
	return fmt.Sprintf("run the same command with --games %d to continue.", 4*a.Pairs)
}
