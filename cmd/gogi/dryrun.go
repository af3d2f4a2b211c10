package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/configs/advice"
	"gogi/configs/identity"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/match"
	"gogi/match/gate"
	"gogi/match/tournament"
	"gogi/players"
	"gogi/report"
	"gogi/usi"
)

func dryRun(ctx context.Context, env *cli.Env, o *players.Opener, greetings []usi.Greeting,
	warnings []advice.Warning) error {
	plan, d := o.Plan, dryText{env}
	if err := d.head(plan); err != nil {
		return err
	}
	left := greetings
	for i, p := range plan.Players {
		left = d.player(plan, p, plan.LimitsText(i), left)
	}
	if !plan.Mate.IsZero() {
		d.solver(plan, left[0])
	}
	c := players.CapacityFor(plan, greetings)
	d.capacity(c)
	d.line("", i18n.Verbatim("cpus"), o.Bound.Summary())
	for _, slot := range o.Bound.Slots() {
		fmt.Fprintf(d.Out, "  %s\n", slot.In(d.Language))
	}
	length, searched, err := o.GameLength(ctx)
	if err != nil {
		return err
	}
	unkept, err := limitWarnings(plan, searched)
	if err != nil {
		return err
	}
	total := length * time.Duration(plan.Games()) / time.Duration(plan.Concurrency)
	all := i18n.Verbatim(format.Duration(total))
	if tournament.Uncertain(plan.Design.Kind) {
		all = i18n.Of("up to %s", all)
	}
	d.line("", i18n.Of("duration"),
		i18n.Of("about %s a game of %d plies, %s for all", format.Duration(length), players.TypicalPlies, all))
	if !plan.Gate.IsZero() {
		fmt.Fprint(d.Out, "\n", d.label(i18n.Of("gate")))
		if err := expectation(d.Out, d.Language, plan, length); err != nil {
			return err
		}
	}
	more, fatal := c.Problems()
	for _, w := range slices.Concat(warnings, more, unkept) {
		fmt.Fprintln(d.Out, i18n.Say(d.Language, "warning: %s", w))
	}
	return fatal
}

// limitWarnings returns a warning for each limit that a player did not keep in the searches that gogi has timed.
func limitWarnings(plan *match.Plan, searched [2]players.Searched) (list []advice.Warning, err error) {
	canonical, err := match.ParseCanonical(plan.Canonical())
	if err != nil {
		return nil, err
	}
	for i, s := range searched {
		by := match.Alone
		if plan.Players[i].Council != nil {
			by = match.MayBeLess
		}
		for _, u := range canonical.UseLimits(i).Uses(s.Side, by) {
			if w := report.UseWords(plan.Players[i].Name, u); !w.IsZero() {
				list = append(list, advice.Warning{Text: w})
			}
		}
		for _, w := range report.MemberWords(report.MemberUses(canonical.MemberLimits(i), s.Votes, nil)) {
			list = append(list, advice.Warning{Text: w})
		}
	}
	return list, nil
}

type dryText struct{ *cli.Env }

func (d dryText) label(what i18n.Message) string {
	return format.Pad(what.In(d.Language), dryLabelWidth)
}

const dryLabelWidth = 10

func (d dryText) line(blanks string, label, what i18n.Message) {
	fmt.Fprintf(d.Out, "%s%s%s\n", blanks, d.label(label), what.In(d.Language))
}

func (d dryText) head(plan *match.Plan) error {
	fmt.Fprintln(d.Out, i18n.Say(d.Language, "run %s   digest %s", plan.Run, plan.Digest()[:16]))
	played := i18n.Of("%s in %s (%s), %d at a time, seed %d", i18n.Number{N: plan.Games(), Noun: "game"},
		i18n.Number{N: plan.Pairs, Noun: "pair"}, plan.Design.Kind, plan.Concurrency, plan.Seed)
	if tournament.Uncertain(plan.Design.Kind) {
		played = i18n.Of("up to %s", played)
	}
	lines := []i18n.Message{played}
	if plan.Design.Kind.ByResults() {
		outlook, err := tournament.Outlook(tournament.Of(plan))
		if err != nil {
			return err
		}
		lines = append(lines, outlook...)
	}
	lines = append(lines,
		rulesOf(plan.Rules),
		i18n.Of("%s, pondering %s", i18n.Number{N: len(plan.Openings), Noun: "opening"}, plan.Ponder),
		i18n.Of("sample: %s", gate.Outlook(plan)))
	for _, line := range lines {
		fmt.Fprintf(d.Out, "  %s\n", line.In(d.Language))
	}
	fmt.Fprintln(d.Out)
	return nil
}

func rulesOf(r match.Rules) i18n.Message {
	if r.MaxPlies == 0 {
		return i18n.Of("rules %s: %s, no limit of plies", r.Name, r.Declaration)
	}
	return i18n.Of("rules %s: %s, %d plies", r.Name, r.Declaration, r.MaxPlies)
}

func (d dryText) capacity(c players.Capacity) {
	d.line("", i18n.Of("memory"), i18n.Of("hash tables %s MiB of %s MiB", format.Count(int(c.HashMiB)),
		format.Count(int(c.MemoryMiB))))
	if len(c.Undeclared) > 0 {
		d.line("", i18n.Verbatim(""), i18n.Of("not known: %s (no hash option)", strings.Join(c.Undeclared, ", ")))
	}
	d.line("", i18n.Of("threads"), i18n.Of("%d thinking at a time on %s", c.Threads, i18n.Number{N: c.CPUs, Noun: "CPU"}))
}

// player prints a player with its limits. greetings has the greetings of all engines that are not printed yet,
// beginning with those of this player. player returns the greetings that are left for the next players.
func (d dryText) player(plan *match.Plan, p match.Player, limits string, greetings []usi.Greeting) []usi.Greeting {
	if p.Council == nil {
		d.engine(plan, p, limits, greetings[0])
		return greetings[1:]
	}
	d.council(p, limits)
	for _, m := range p.Council.Members {
		greetings = d.player(plan, m, m.Limits.String(), greetings) // a member has no clocks by colour
	}
	return greetings
}

func (d dryText) solver(plan *match.Plan, g usi.Greeting) {
	m := plan.Mate
	when := i18n.Of("after a claimed mate")
	switch {
	case m.Every == 1:
		when = i18n.Of("after a claimed mate, and at every move of each side")
	case m.Every > 1:
		when = i18n.Of("after a claimed mate, and at every %d moves of each side", m.Every)
	}
	d.line("", i18n.Of("mates"), i18n.Of("asked %s, for %s at most; a proof looks into %s positions at most; by:", when,
		format.Span(m.Time), format.Count(m.Nodes)))
	d.engine(plan, *m.Solver, "", g)
}

func (d dryText) engine(plan *match.Plan, p match.Player, limits string, g usi.Greeting) {
	const in = "  "
	fmt.Fprintln(d.Out, i18n.Say(d.Language, "engine %s   %q by %q", p.Name, g.Name, g.Author))
	d.line(in, i18n.Of("command"), i18n.Verbatim(strings.Join(p.Command, " ")))
	d.line(in, i18n.Of("directory"), i18n.Verbatim(p.Dir))
	if p.Limits != (match.Limits{}) {
		d.line(in, i18n.Of("limits"), i18n.Of("%s, margin %s", limits, p.Limits.Margin))
	}
	if p.Identity.Fixed != "" {
		d.line(in, i18n.Of("identity"), i18n.Verbatim(p.Identity.Fixed))
	}
	for _, f := range p.Identity.Files {
		d.line(in, i18n.Of("identity"), fileOf(f))
	}
	automatic, user := identity.Settings(p, plan, g.Options)
	for _, s := range automatic {
		d.line(in, i18n.Of("sends"), i18n.Of("%s = %s (from %s)", s.Name, orButton(s.Value), source(p, s.Name)))
	}
	for _, s := range user {
		d.line(in, i18n.Of("sends"), i18n.Of("%s = %s", s.Name, orButton(s.Value)))
	}
	for _, o := range g.Options {
		if !sent(append(automatic, user...), o.Name) && o.Type != usi.Button {
			d.line(in, i18n.Of("default"), i18n.Of("%s = %s", o.Name, orButton(o.Default)))
		}
	}
	fmt.Fprintln(d.Out)
}

func fileOf(f match.FileHash) i18n.Message {
	return i18n.Verbatim(fmt.Sprintf("%s…  %s (%s)", f.SHA256[:16], f.Role, filepath.Base(f.Path)))
}

// source names the setting because of which gogi sends an option that the user did not set: pondering, the rules or
// a profile.
func source(p match.Player, name string) i18n.Message {
	switch {
	case usi.SameOption(name, "USI_Ponder"):
		return i18n.Of("pondering")
	case strings.EqualFold(name, "EnteringKingRule"), strings.EqualFold(name, "MaxMovesToDraw"),
		strings.EqualFold(name, "Draw_Ply"):
		return i18n.Of("the rules")
	}
	return i18n.Of("profile %s", p.Profile)
}

func sent(settings []usi.Setting, name string) bool {
	return slices.ContainsFunc(settings, func(s usi.Setting) bool { return usi.SameOption(s.Name, name) })
}

func orButton(value string) i18n.Message {
	if value == "" {
		return i18n.Of("(empty)")
	}
	return i18n.Verbatim(value)
}

// council prints the settings of a council and the names of its members. The method player prints the settings of
// each member.
func (d dryText) council(p match.Player, limits string) {
	c := p.Council
	names := lists.Map(c.Members, func(m match.Player) string { return m.Name })
	fmt.Fprintln(d.Out, i18n.Say(d.Language, "council %s   %s: %s", p.Name, c.Rule, strings.Join(names, ", ")))
	budget := i18n.Of("%s, margin %s for each member", limits, p.Limits.Margin)
	if c.Split {
		budget = i18n.Of("%s, margin %s, shared by the members", limits, p.Limits.Margin)
	}
	d.line("  ", i18n.Of("limits"), budget)
	d.line("  ", i18n.Of("stops"), i18n.Verbatim(fmt.Sprint(c.Stop)))
	for _, f := range p.Identity.Files {
		d.line("  ", i18n.Of("identity"), fileOf(f))
	}
	if len(c.Shadows) > 0 {
		d.line("  ", i18n.Of("shadows"), i18n.Verbatim(strings.Join(c.Shadows, "; ")))
	}
	fmt.Fprintln(d.Out)
}
