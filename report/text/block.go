package text

import (
	"fmt"
	"io"
	"strings"

	"gogi/internal/foreign"
	"gogi/internal/format"
	"gogi/match"
	"gogi/report"
)

// blockWidth is where a line of the block is cut: what a pull request shows
// without a scroll bar.
const blockWidth = 100

// Block writes the report as a block of fixed-width text for a pull request.
func Block(w io.Writer, rep *report.Report, about report.About) error {
	r := view{rep}
	lines := []string{r.blockTitle(about.Retargeted())}
	for i := range r.Players {
		lines = append(lines, blockPlayer(&r.Players[i], about.Engines[i].Options, len(r.Players) > 2))
	}
	lines = append(lines, r.blockFigures()...)
	lines = append(lines, planLine(about), r.blockRemarks())
	_, err := io.WriteString(w, fence(lines))
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

func (r view) blockTitle(retargeted int) string {
	state := "finished"
	if retargeted > 0 {
		state += ", target changed " + format.NumberOf(retargeted, "time")
	}
	if !r.Finished {
		state = fmt.Sprintf("UNFINISHED, %s of %s pairs", format.Count(r.Pairs), format.Count(r.Planned))
	}
	return fmt.Sprintf("gogi %s: %s, %s", r.Run, format.NumberOf(r.Games, "game"), state)
}

// blockPlayer is one player: what it is, and with many players how it did.
func blockPlayer(p *report.Player, options []match.Option, many bool) string {
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
func (r view) blockFigures() []string {
	c, ok := r.Pairing()
	if !ok {
		return []string{fmt.Sprintf("result  no pair of %s against %s is finished", r.A, r.B)}
	}
	p := r.Pentanomial
	lines := []string{fmt.Sprintf("result  %s against %s: %s", r.A, r.B, r.Verdict().Short)}
	lines = append(lines, fmt.Sprintf("games   W %d  D %d  L %d  score %s", c.Wins, c.Draws, c.Losses, intervalShort(*r.Interval("score"))))
	if p.Pairs() > 0 {
		lines = append(lines, fmt.Sprintf("pairs   LL %d  LD %d  WL %d  DD %d  WD %d  WW %d", p.LL, p.LD, p.WL, p.DD, p.WD, p.WW))
	}
	k, n := c.Decisive()
	lines = append(lines,
		fmt.Sprintf("wins    %d of %d decisive  %s", k, n, intervalShort(*r.Interval("win_rate_decisive"))),
		fmt.Sprintf("Elo     %s  %s", eloShort(r.Elo), r.blockTest()),
		"Black   "+advantageShort(r.BlackAdvantage))
	return lines
}

func advantageShort(b report.Advantage) string {
	k, n := b.Decisive()
	if b.Lo == nil {
		return "unknown: " + b.Why
	}
	return fmt.Sprintf("%d of %d decisive  %s [%s, %s]", k, n, format.Percent(float64(k)/float64(n)), format.Percent(*b.Lo), format.Percent(*b.Hi))
}

func intervalShort(i report.Interval) string {
	switch {
	case i.Estimate == nil:
		return "unknown: " + i.Why
	case i.Lo == nil:
		return format.Percent(*i.Estimate) + " (no interval)"
	}
	kind := "exact"
	if i.Approximate {
		kind = "approximate"
	}
	return fmt.Sprintf("%s [%s, %s] %s %s", format.Percent(*i.Estimate), format.Percent(*i.Lo), format.Percent(*i.Hi), format.PercentShort(i.Level), kind)
}

func eloShort(e report.Elo) string {
	if e.Estimate == nil && e.Lo == nil && e.Hi == nil {
		return "unknown"
	}
	sign := -1 // of an infinite estimate: the end that is infinite too
	if e.Hi == nil {
		sign = 1
	}
	return fmt.Sprintf("%s [%s, %s]", format.Elo(e.Estimate, sign), format.Elo(e.Lo, -1), format.Elo(e.Hi, 1))
}

func (r view) blockTest() string {
	test, _ := r.Deciding()
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
	return fmt.Sprintf("p = %s (two-sided, exact over %s)", format.PValue(*test.P), unit)
}

// line is what else decides the games.
func planLine(a report.About) string {
	p := a.Plan
	swap := "colours swapped"
	if !p.Swap {
		swap = "colours not swapped"
	}
	return fmt.Sprintf("plan    %.12s | rules %s | %s openings (%.8s) | seed %d | %s",
		a.Digest, a.Rules, format.Count(p.Openings.Count), p.Openings.SHA256, p.Seed, swap)
}

func (r view) blockRemarks() string {
	repeats := ""
	if d := r.Distinct; r.Finished && d != nil && d.P != nil && d.Pairs > 0 {
		repeats = fmt.Sprintf(" (p = %s over the %d pairs without)", format.PValue(*d.P), d.Pairs)
	}
	slowed := 0
	if r.Unmarked != nil {
		slowed = r.Unmarked.Marked
	}
	var list []string
	for _, f := range r.Faults {
		list = append(list, fmt.Sprintf("%s %s ×%d", f.Player, format.Words(f.Kind), f.Count))
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
