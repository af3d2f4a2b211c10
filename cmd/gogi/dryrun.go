package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"gogi/configs"
	"gogi/internal/format"
	"gogi/match"
	"gogi/usi"
)

// typicalPlies is a game's length for estimates: between engines it is mostly
// between 100 and 140.
const typicalPlies = 120

// dryRun prints what would be played, and plays nothing.
func dryRun(ctx context.Context, w io.Writer, o *opener, greetings []usi.Greeting, warnings []string) error {
	plan := o.plan
	fmt.Fprintf(w, "run %s   digest %s\n", plan.Run, plan.Digest()[:16])
	fmt.Fprintf(w, "  %s games in %s pairs (%s), %d at a time, seed %d\n", format.Count(plan.Games()), format.Count(plan.Pairs), plan.Design.Kind, plan.Concurrency, plan.Seed)
	fmt.Fprintf(w, "  rules %s: %s, %d plies\n", plan.Rules.Name, plan.Rules.Declaration, plan.Rules.MaxPlies)
	fmt.Fprintf(w, "  %s openings, pondering %s\n\n", format.Count(len(plan.Openings)), plan.Ponder)
	left := greetings
	for _, p := range plan.Players {
		left = printPlayer(w, plan, p, left)
	}
	c := need(plan, greetings)
	fmt.Fprintf(w, "memory    hash tables %s MiB of %s MiB\n", format.Count(int(c.HashMiB)), format.Count(int(c.MemoryMiB)))
	if len(c.undeclared) > 0 {
		fmt.Fprintf(w, "          not known: %s (no hash option)\n", strings.Join(c.undeclared, ", "))
	}
	fmt.Fprintf(w, "threads   %d thinking at a time on %d CPUs\n", c.Threads, c.CPUs)
	length, err := o.gameLength(ctx)
	if err != nil {
		return err
	}
	total := length * time.Duration(plan.Games()) / time.Duration(plan.Concurrency)
	fmt.Fprintf(w, "duration  about %s a game of %d plies, %s for all\n", format.Duration(length), typicalPlies, format.Duration(total))
	more, fatal := c.problems()
	for _, warning := range append(warnings, more...) {
		fmt.Fprintln(w, "warning:", warning)
	}
	return fatal
}

// printPlayer prints a player, and returns the greetings that are not its.
func printPlayer(w io.Writer, plan *match.Plan, p match.Player, greetings []usi.Greeting) []usi.Greeting {
	if p.Council == nil {
		printEngine(w, plan, p, greetings[0])
		return greetings[1:]
	}
	printCouncil(w, p)
	for _, m := range p.Council.Members {
		greetings = printPlayer(w, plan, m, greetings)
	}
	return greetings
}

func printEngine(w io.Writer, plan *match.Plan, p match.Player, g usi.Greeting) {
	fmt.Fprintf(w, "engine %s   %q by %q\n", p.Name, g.Name, g.Author)
	fmt.Fprintf(w, "  command   %s\n", strings.Join(p.Command, " "))
	fmt.Fprintf(w, "  directory %s\n", p.Dir)
	if p.Limits != (match.Limits{}) {
		fmt.Fprintf(w, "  limits    %s, margin %v\n", p.Limits, p.Limits.Margin)
	}
	if p.Identity.Fixed != "" {
		fmt.Fprintf(w, "  identity  %s\n", p.Identity.Fixed)
	}
	for _, f := range p.Identity.Files {
		fmt.Fprintf(w, "  identity  %s…  %s (%s)\n", f.SHA256[:16], f.Role, filepath.Base(f.Path))
	}
	automatic, user := configs.Settings(p, plan, g.Options)
	for _, s := range automatic {
		fmt.Fprintf(w, "  sends     %s = %s (from %s)\n", s.Name, orButton(s.Value), source(p, s.Name))
	}
	for _, s := range user {
		fmt.Fprintf(w, "  sends     %s = %s\n", s.Name, orButton(s.Value))
	}
	for _, o := range g.Options {
		if !sent(append(automatic, user...), o.Name) && o.Type != usi.Button {
			fmt.Fprintf(w, "  default   %s = %s\n", o.Name, orButton(o.Default))
		}
	}
	fmt.Fprintln(w)
}

// source says why an option is sent that the user did not write.
func source(p match.Player, name string) string {
	switch {
	case usi.SameOption(name, "USI_Ponder"):
		return "pondering"
	case strings.EqualFold(name, "EnteringKingRule"), strings.EqualFold(name, "MaxMovesToDraw"), strings.EqualFold(name, "Draw_Ply"):
		return "the rules"
	}
	return "profile " + p.Profile
}

func sent(settings []usi.Setting, name string) bool {
	for _, s := range settings {
		if usi.SameOption(s.Name, name) {
			return true
		}
	}
	return false
}

func orButton(value string) string {
	if value == "" {
		return "(empty)"
	}
	return value
}

// gameLength estimates how long one game takes: from the clocks, or from a few
// searches where there is none.
func (o *opener) gameLength(ctx context.Context) (time.Duration, error) {
	var total time.Duration
	for i := range o.plan.Players[:2] {
		perGame, err := o.sideLength(ctx, i)
		if err != nil {
			return 0, err
		}
		total += perGame
	}
	return total, nil
}

// sideLength is what one side uses in a game. Engines use most of a Fischer
// clock and all of a byoyomi.
func (o *opener) sideLength(ctx context.Context, player int) (time.Duration, error) {
	l := o.plan.LimitsOf(player, 0)
	const moves = typicalPlies / 2
	switch {
	case l.Clock.Byoyomi > 0:
		return l.Clock.Main + moves*l.Clock.Byoyomi, nil
	case !l.Clock.IsZero():
		return l.Clock.Main*8/10 + moves*l.Clock.Increment, nil
	case l.MoveTime > 0:
		return moves * l.MoveTime, nil
	}
	perMove, err := o.timeSearches(ctx, player)
	return moves * perMove, err
}

// timeSearches is the mean time of a few searches under the plan's limits.
func (o *opener) timeSearches(ctx context.Context, player int) (time.Duration, error) {
	p := o.plan.Players[player]
	engine, err := o.open(ctx, p, nil)
	if err != nil {
		return 0, err
	}
	defer engine.Close() //nolint:errcheck // only timed, nothing is stored
	if err := engine.NewGame(ctx, usi.Game{}); err != nil {
		return 0, err
	}
	const searches = 3
	var total time.Duration
	for n := range searches {
		opening := o.plan.Pair(n * o.plan.Pairings()).Opening
		r, err := engine.Think(ctx, usi.Request{
			Position: usi.Position{Start: opening.USIStart(), Moves: opening.Moves},
			Go:       usi.Go{Nodes: p.Limits.Nodes, Depth: p.Limits.Depth, Infinite: p.Limits.Self},
			Deadline: p.Limits.Stall,
		})
		if err != nil {
			return 0, err
		}
		total += r.Elapsed
	}
	return total / searches, nil
}
