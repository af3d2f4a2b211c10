package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"gogi/configs"
	"gogi/gate"
	"gogi/internal/format"
	"gogi/match"
	"gogi/players"
	"gogi/tournament"
	"gogi/usi"
)

// dryRun prints what would be played, and plays nothing.
func dryRun(ctx context.Context, w io.Writer, o *players.Opener, greetings []usi.Greeting, warnings []configs.Warning) error {
	plan := o.Plan
	fmt.Fprintf(w, "run %s   digest %s\n", plan.Run, plan.Digest()[:16])
	upTo := ""
	if tournament.Uncertain(plan.Design.Kind) {
		upTo = "up to "
	}
	fmt.Fprintf(w, "  "+upTo+"%s games in %s pairs (%s), %d at a time, seed %d\n", format.Count(plan.Games()), format.Count(plan.Pairs), plan.Design.Kind, plan.Concurrency, plan.Seed)
	if err := printDesign(w, plan); err != nil {
		return err
	}
	fmt.Fprintf(w, "  rules %s: %s, %d plies\n", plan.Rules.Name, plan.Rules.Declaration, plan.Rules.MaxPlies)
	fmt.Fprintf(w, "  %s openings, pondering %s\n", format.Count(len(plan.Openings)), plan.Ponder)
	fmt.Fprintf(w, "  evidence: %s\n\n", gate.Outlook(plan))
	left := greetings
	for i, p := range plan.Players {
		left = printPlayer(w, plan, p, plan.LimitsText(i), left)
	}
	if !plan.Mate.IsZero() {
		printSolver(w, plan, left[0])
	}
	c := players.CapacityFor(plan, greetings)
	fmt.Fprintf(w, "memory    hash tables %s MiB of %s MiB\n", format.Count(int(c.HashMiB)), format.Count(int(c.MemoryMiB)))
	if len(c.Undeclared) > 0 {
		fmt.Fprintf(w, "          not known: %s (no hash option)\n", strings.Join(c.Undeclared, ", "))
	}
	fmt.Fprintf(w, "threads   %d thinking at a time on %d CPUs\n", c.Threads, c.CPUs)
	o.Bound.Print(w)
	length, err := o.GameLength(ctx)
	if err != nil {
		return err
	}
	total := length * time.Duration(plan.Games()) / time.Duration(plan.Concurrency)
	fmt.Fprintf(w, "duration  about %s a game of %d plies, %s%s for all\n", format.Duration(length), players.TypicalPlies, upTo, format.Duration(total))
	if !plan.Gate.IsZero() {
		fmt.Fprint(w, "\ngate      ")
		if err := expectation(w, plan, length); err != nil {
			return err
		}
	}
	more, fatal := c.Problems()
	for _, warning := range append(warnings, more...) {
		fmt.Fprintln(w, "warning:", warning)
	}
	return fatal
}

// printDesign prints what a design that pairs by results begins with.
func printDesign(w io.Writer, plan *match.Plan) error {
	if !plan.Design.Kind.ByResults() {
		return nil
	}
	lines, err := tournament.Outlook(tournament.Of(plan))
	for _, line := range lines {
		fmt.Fprintf(w, "  %s\n", line)
	}
	return err
}

// printPlayer prints a player with its limits, and returns the greetings that are not its.
func printPlayer(w io.Writer, plan *match.Plan, p match.Player, limits string, greetings []usi.Greeting) []usi.Greeting {
	if p.Council == nil {
		printEngine(w, plan, p, limits, greetings[0])
		return greetings[1:]
	}
	printCouncil(w, p, limits)
	for _, m := range p.Council.Members {
		greetings = printPlayer(w, plan, m, m.Limits.String(), greetings) // its own: clocks by colour are the council's
	}
	return greetings
}

func everyMove(n int) string {
	if n == 1 {
		return "every move"
	}
	return fmt.Sprintf("every %d moves", n)
}

// printSolver prints who is asked for mates.
func printSolver(w io.Writer, plan *match.Plan, g usi.Greeting) {
	m := plan.Mate
	when := "after a claimed mate"
	if m.Every > 0 {
		when += fmt.Sprintf(", and at %s of each side", everyMove(m.Every))
	}
	fmt.Fprintf(w, "mates     asked for %s, %s at most; proofs look into %s positions at most; by:\n", when, format.Span(m.Time), format.Count(m.Nodes))
	printEngine(w, plan, *m.Solver, "", g)
}

func printEngine(w io.Writer, plan *match.Plan, p match.Player, limits string, g usi.Greeting) {
	fmt.Fprintf(w, "engine %s   %q by %q\n", p.Name, g.Name, g.Author)
	fmt.Fprintf(w, "  command   %s\n", strings.Join(p.Command, " "))
	fmt.Fprintf(w, "  directory %s\n", p.Dir)
	if p.Limits != (match.Limits{}) {
		fmt.Fprintf(w, "  limits    %s, margin %v\n", limits, p.Limits.Margin)
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

// printCouncil prints the head of a council; its members follow.
func printCouncil(w io.Writer, p match.Player, limits string) {
	c := p.Council
	var names []string
	for _, m := range c.Members {
		names = append(names, m.Name)
	}
	fmt.Fprintf(w, "council %s   %s: %s\n", p.Name, c.Rule, strings.Join(names, ", "))
	fmt.Fprintf(w, "  limits    %s, margin %v%s\n", limits, p.Limits.Margin, budgetNote(c))
	fmt.Fprintf(w, "  stops     %s\n", c.Stop)
	for _, f := range p.Identity.Files {
		fmt.Fprintf(w, "  identity  %s…  %s (%s)\n", f.SHA256[:16], f.Role, filepath.Base(f.Path))
	}
	if len(c.Shadows) > 0 {
		fmt.Fprintf(w, "  shadows   %s\n", strings.Join(c.Shadows, "; "))
	}
	fmt.Fprintln(w)
}

func budgetNote(c *match.Council) string {
	if c.Split {
		return ", shared by the members"
	}
	return " for each member"
}
