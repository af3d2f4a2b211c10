package text

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gogi/internal/foreign"
	"gogi/internal/format"
	"gogi/match"
	"gogi/report"
	"gogi/stats"
)

// blockWidth is where a line of the block is cut: what a pull request shows
// without a scroll bar.
const blockWidth = 100

// Block writes the report as a block of fixed-width text for a pull request.
func Block(w io.Writer, rep *report.Report, about report.About) error {
	r := view{rep}
	lines := []string{r.blockTitle()}
	for i := range r.Players {
		lines = append(lines, blockPlayer(&r.Players[i], &about.Engines[i], len(r.Players) > 2))
	}
	lines = append(lines, r.blockFigures()...)
	for _, said := range r.Looks.Remarks {
		remark := said.String()
		lines = append(lines, "looks   "+remark)
	}
	lines = append(lines, planLine(about), r.blockRemarks())
	lines = append(lines, blockFiles(about.Engines)...)
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

func (r view) blockTitle() string {
	state := "finished"
	if !r.Finished {
		state = fmt.Sprintf("UNFINISHED, %s of %s pairs", format.Count(r.Pairs), format.Count(r.Planned))
	}
	if slowed := r.Slowed().String(); slowed != "" {
		state += ", " + slowed
	}
	return fmt.Sprintf("gogi %s: %s, %s", r.Run, format.NumberOf(r.Games, "game"), state)
}

// blockPlayer is one player: what it is, and with many players how it did.
func blockPlayer(p *report.Player, e *report.Engine, many bool) string {
	words := []string{p.Name, blockIdentity(e, p.Identity), p.Limits}
	for _, o := range e.Options {
		words = append(words, o.Name+"="+o.Value)
	}
	if many {
		words = append([]string{p.Name, fmt.Sprintf("W %d D %d L %d", p.Wins, p.Draws, p.Losses)}, words[1:]...)
	}
	return "player  " + strings.Join(words, " | ")
}

// blockIdentity is what a player is: of a program, the first digits of what sha256sum
// prints for it, which blockFiles has whole.
func blockIdentity(e *report.Engine, otherwise string) string {
	for _, f := range e.Files {
		if f.Role == match.BinaryRole {
			return fmt.Sprintf("binary %.12s", f.SHA256)
		}
	}
	return otherwise
}

// blockFiles lists what the players read, as sha256sum prints it and takes it with -c.
func blockFiles(engines []report.Engine) (lines []string) {
	for i := range engines {
		if e := &engines[i]; len(e.Files) > 0 {
			lines = append(lines, "files   of "+e.Name+", by sha256sum")
			for _, f := range e.Files {
				lines = append(lines, f.SHA256+"  "+fileName(f))
			}
		}
	}
	return lines
}

// fileName is a file's own name, or its role where its path is not known.
func fileName(f match.FileHash) string {
	if f.Path == "" {
		return f.Role
	}
	return filepath.Base(f.Path)
}

// blockFigures are the numbers of A against B.
func (r view) blockFigures() []string {
	if r.Tournament != nil {
		return append([]string{"result  " + r.Verdict().Claim}, outline(r.Tournament)...)
	}
	c, ok := r.Pairing()
	if !ok {
		return []string{fmt.Sprintf("result  no pair of %s against %s is finished", r.A, r.B)}
	}
	p := r.Pentanomial
	lines := []string{
		fmt.Sprintf("result  %s against %s: %s", r.A, r.B, r.Verdict().Short),
		fmt.Sprintf("games   W %d  D %d  L %d", c.Wins, c.Draws, c.Losses),
	}
	if p.Pairs() > 0 {
		lines = append(lines, fmt.Sprintf("pairs   LL %d  LD %d  WL %d  DD %d  WD %d  WW %d", p.LL, p.LD, p.WL, p.DD, p.WD, p.WW))
	}
	lines = append(lines, "units   "+report.DependenceWords(r.Dependence))
	if r.Finished && r.Looks.FixedLength {
		return append(lines, r.blockFixed(c)...)
	}
	return append(lines, r.blockAnytime(c)...)
}

// blockFixed are the figures for a length that was fixed beforehand.
func (r view) blockFixed(c report.Cross) []string {
	k, n := c.Decisive()
	return []string{
		"score   " + Interval(*r.Interval("score")),
		fmt.Sprintf("Elo     %s  %s", Elo(r.Elo), r.blockTest()),
		fmt.Sprintf("wins    %d of %d decisive  %s", k, n, Interval(*r.Interval("win_rate_decisive"))),
		"Black   " + advantageShort(r.BlackAdvantage),
	}
}

// blockAnytime are those that hold before the end, or where a test stopped the run.
func (r view) blockAnytime(c report.Cross) []string {
	list := []string{"score   " + format.Percent(c.Score)}
	for _, i := range r.Intervals {
		if i.Method == "anytime" {
			list = []string{"score   " + Interval(i)}
		}
	}
	if g := r.Gate; g != nil {
		state := g.Verdict
		if g.Decision == stats.Continue {
			state = "undecided"
		}
		list = append(list, fmt.Sprintf("gate    %s: %s, ratio %s of [%.2f, %.2f]", g.Design, state, format.Decimal(g.LLR, 2), g.Lower, g.Upper))
		if g.Elo.Estimate != nil {
			list = append(list, "Elo     "+StoppedElo(g.Elo))
		}
	} else {
		list = append(list, "p       not before the planned end")
	}
	return list
}

func advantageShort(b report.Advantage) string {
	k, n := b.Decisive()
	if n == 0 {
		return "unknown: " + b.Why.String()
	}
	share := fmt.Sprintf("%d of %d decisive  %s", k, n, format.Percent(float64(k)/float64(n)))
	if b.Lo == nil {
		return share
	}
	return fmt.Sprintf("%s   [%s, %s]  games as independent", share, format.Percent(*b.Lo), format.Percent(*b.Hi))
}

// eloShort is a rating difference and its ends; a missing one is infinite.
func eloShort(e report.Elo) string {
	sign := -1 // of an infinite estimate: the end that is infinite too
	if e.Hi == nil {
		sign = 1
	}
	return fmt.Sprintf("%s   [%s, %s]", format.Elo(e.Estimate, sign), format.Elo(e.Lo, -1), format.Elo(e.Hi, 1))
}

func (r view) blockTest() string {
	test, _ := r.Deciding()
	if test == nil {
		return ""
	}
	return fmt.Sprintf("p = %s (two-sided, %s)", format.PValue(*test.P), report.TestWords(*test))
}

// planLine is what else decides the games.
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
	return fmt.Sprintf("checks  duplicates %d | slowed pairs %d | faults %s", r.Duplicates, slowed, faults)
}
