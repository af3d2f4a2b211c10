package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"gogi/internal/foreign"
	"gogi/match"
	"gogi/results"
)

// blockWidth is where a line of the block is cut: what a pull request shows
// without a scroll bar.
const blockWidth = 100

// printBlock writes the report as a block of fixed-width text for a pull request.
func printBlock(ctx context.Context, w io.Writer, store *results.Store, info *results.RunInfo) error {
	r, err := makeReport(ctx, store, info.Name)
	if err != nil {
		return err
	}
	plan, err := match.ParseCanonical(info.Plan)
	if err != nil {
		return fmt.Errorf("the plan of run %s: %w", info.Name, err)
	}
	settings, err := store.Settings(ctx, info.ID)
	if err != nil {
		return err
	}
	lines := []string{r.blockTitle(retargeted(settings))}
	for i := range r.Players {
		lines = append(lines, blockPlayer(&r.Players[i], info.Engines[i].Options, len(r.Players) > 2))
	}
	lines = append(lines, r.blockFigures()...)
	lines = append(lines, planLine(plan, info), r.blockRemarks())
	_, err = io.WriteString(w, fence(lines))
	return err
}

// fence puts lines between fences that none of them can close, and makes them
// safe for a terminal.
func fence(lines []string) string {
	for i, line := range lines {
		lines[i] = strings.TrimRight(foreign.Printable(line, blockWidth), " ")
	}
	text := strings.Join(lines, "\n")
	mark := "```"
	for strings.Contains(text, mark) {
		mark += "`"
	}
	return mark + "\n" + text + "\n" + mark + "\n"
}

func (r *report) blockTitle(retargeted int) string {
	state := "finished"
	if retargeted > 0 {
		state += ", target changed " + numberOf(retargeted, "time")
	}
	if !r.Finished {
		state = fmt.Sprintf("UNFINISHED, %s of %s pairs", count(r.Pairs), count(r.Planned))
	}
	return fmt.Sprintf("gogi %s: %s, %s", r.Run, numberOf(r.Games, "game"), state)
}

// blockPlayer is one player: what it is, and with many players how it did.
func blockPlayer(p *playerReport, options []match.Option, many bool) string {
	words := []string{p.Name, p.Identity, p.Limits}
	for _, o := range options {
		words = append(words, o.Name+"="+o.Value)
	}
	if many {
		words = append([]string{p.Name, fmt.Sprintf("W %d D %d L %d", p.Wins, p.Draws, p.Losses)}, words[1:]...)
	}
	return "player  " + strings.Join(words, " | ")
}

// blockFigures are the numbers of A against B.
func (r *report) blockFigures() []string {
	c, ok := r.pairing()
	if !ok {
		return []string{fmt.Sprintf("result  no pair of %s against %s is finished", r.A, r.B)}
	}
	p := r.Pentanomial
	lines := []string{fmt.Sprintf("result  %s against %s: %s", r.A, r.B, r.verdict().Short)}
	lines = append(lines, fmt.Sprintf("games   W %d  D %d  L %d  score %s", c.Wins, c.Draws, c.Losses, r.interval("score").short()))
	if p.Pairs() > 0 {
		lines = append(lines, fmt.Sprintf("pairs   LL %d  LD %d  WL %d  DD %d  WD %d  WW %d", p.LL, p.LD, p.WL, p.DD, p.WD, p.WW))
	}
	k, n := c.Decisive()
	lines = append(lines,
		fmt.Sprintf("wins    %d of %d decisive  %s", k, n, r.interval("win_rate_decisive").short()),
		fmt.Sprintf("Elo     %s  %s", r.Elo.short(), r.blockTest()),
		"Black   "+r.BlackAdvantage.short())
	return lines
}

func (b advantageReport) short() string {
	k, n := b.Decisive()
	if b.Lo == nil {
		return "unknown: " + b.Why
	}
	return fmt.Sprintf("%d of %d decisive  %s [%s, %s]", k, n, percent(float64(k)/float64(n)), percent(*b.Lo), percent(*b.Hi))
}

func (i intervalReport) short() string {
	switch {
	case i.Estimate == nil:
		return "unknown: " + i.Why
	case i.Lo == nil:
		return percent(*i.Estimate) + " (no interval)"
	}
	kind := "exact"
	if i.Approximate {
		kind = "approximate"
	}
	return fmt.Sprintf("%s [%s, %s] %s %s", percent(*i.Estimate), percent(*i.Lo), percent(*i.Hi), percentShort(i.Level), kind)
}

func (e eloReport) short() string {
	if e.Estimate == nil && e.Lo == nil && e.Hi == nil {
		return "unknown"
	}
	sign := -1 // of an infinite estimate: the end that is infinite too
	if e.Hi == nil {
		sign = 1
	}
	return fmt.Sprintf("%s [%s, %s]", elo(e.Estimate, sign), elo(e.Lo, -1), elo(e.Hi, 1))
}

func (r *report) blockTest() string {
	test, _ := r.deciding()
	switch {
	case test == nil:
		return ""
	case !r.Finished:
		return "p: not before the planned end"
	}
	unit := "pairs"
	if test.Method == "binomial_exact" {
		unit = "decisive games"
	}
	return fmt.Sprintf("p = %s (two-sided, exact over %s)", pValue(*test.P), unit)
}

// planLine is what else decides the games.
func planLine(p *match.CanonicalPlan, info *results.RunInfo) string {
	swap := "colours swapped"
	if !p.Swap {
		swap = "colours not swapped"
	}
	return fmt.Sprintf("plan    %.12s | rules %s | %s openings (%.8s) | seed %d | %s",
		info.Digest, info.Rules, count(p.Openings.Count), p.Openings.SHA256, p.Seed, swap)
}

func (r *report) blockRemarks() string {
	repeats := ""
	if d := r.Distinct; r.Finished && d != nil && d.P != nil && d.Pairs > 0 {
		repeats = fmt.Sprintf(" (p = %s over the %d pairs without)", pValue(*d.P), d.Pairs)
	}
	slowed := 0
	if r.Unmarked != nil {
		slowed = r.Unmarked.Marked
	}
	var list []string
	for _, f := range r.Faults {
		list = append(list, fmt.Sprintf("%s %s ×%d", f.Player, words(f.Kind), f.Count))
	}
	for i := range r.Players {
		if p := &r.Players[i]; p.Incomplete > 0 {
			list = append(list, fmt.Sprintf("%s votes without a member ×%d", p.Name, p.Incomplete))
		}
	}
	faults := "none"
	if len(list) > 0 {
		faults = strings.Join(list, ", ")
	}
	return fmt.Sprintf("checks  duplicates %d%s | slowed pairs %d | faults %s", r.Duplicates, repeats, slowed, faults)
}
