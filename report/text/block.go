package text

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/match"
	"gogi/report"
	"gogi/results"
	"gogi/stats"
)

// blockWidth is the length of the longest line of the block. A pull request shows this width without a scroll
// bar.
const blockWidth = 100

// Block writes the report as a block of fixed-width text for a pull request, in a language.
func Block(w io.Writer, rep *report.Report, about report.About, in i18n.Language) error {
	r := view{rep, in}
	lines := []string{r.blockTitle()}
	for i := range r.Players {
		lines = append(lines, r.blockPlayer(&r.Players[i], &about.Engines[i], len(r.Players) > 2))
	}
	lines = append(lines, r.blockFigures()...)
	for _, remark := range r.Looks.Remarks {
		lines = append(lines, r.block("looks", remark))
	}
	lines = append(lines, r.planLine(about), r.blockRemarks())
	for i := range r.Players {
		if said := FromBook(&r.Players[i]); !said.IsZero() {
			lines = append(lines, r.block("book", said))
		}
	}
	lines = append(lines, r.blockFiles(about.Engines)...)
	_, err := io.WriteString(w, fence(lines))
	return err
}

// blockLabel is the width of a line's name in the block.
const blockLabel = 7

// block returns a line of the block. name is the line's name in English.
func (r view) block(name string, said i18n.Message) string {
	return format.Pad(r.say(name), blockLabel) + " " + said.In(r.in)
}

// fence returns lines between Markdown code fences. The fences are so long that no line can close them. It
// also removes control characters that could affect a terminal.
func fence(lines []string) string {
	for i, line := range lines {
		lines[i] = strings.TrimRight(sanitize.Printable(line, blockWidth), " ")
	}
	text := strings.Join(lines, "\n")
	mark := "```"
	for strings.Contains(text, mark) {
		mark += "`"
	}
	return mark + "\n" + text + "\n" + mark + "\n"
}

func (r view) blockTitle() string {
	state := i18n.Of("finished")
	if !r.Finished {
		state = i18n.Of("UNFINISHED, %s of %s pairs", format.Count(r.Pairs), format.Count(r.Planned))
	}
	if slowed := r.Slowed(); !slowed.IsZero() {
		state = i18n.Of("%s, %s", state, slowed)
	}
	return r.say("gogi %s: %s, %s", r.Run, i18n.Number{N: r.Games, Noun: "game"}, state)
}

// blockPlayer returns the line of one player: its identity, and with many players its results.
func (r view) blockPlayer(p *report.Player, e *results.Engine, many bool) string {
	words := []string{p.Name, r.blockIdentity(e, p.Identity), p.Limits}
	for _, o := range e.Options {
		words = append(words, o.Name+"="+o.Value)
	}
	if many {
		words = append([]string{p.Name, r.say("W %d D %d L %d", p.Wins, p.Draws, p.Losses)}, words[1:]...)
	}
	return r.block("player", i18n.Verbatim(strings.Join(words, " | ")))
}

// blockIdentity returns a player's identity. For a program this is the start of its SHA-256. blockFiles lists
// the whole hash.
func (r view) blockIdentity(e *results.Engine, otherwise string) string {
	for _, f := range e.Identity.Files {
		if f.Role == match.BinaryRole {
			return r.say("binary %.12s", f.SHA256)
		}
	}
	return otherwise
}

// blockFiles lists the files of the players in the format of sha256sum, for use with -c.
func (r view) blockFiles(engines []results.Engine) (lines []string) {
	for i := range engines {
		if e := &engines[i]; len(e.Identity.Files) > 0 {
			lines = append(lines, r.block("files", i18n.Of("of %s, by sha256sum", e.Name)))
			for _, f := range e.Identity.Files {
				lines = append(lines, f.SHA256+"  "+fileName(f))
			}
		}
	}
	return lines
}

// fileName returns a file's base name, or its role if its path is unknown.
func fileName(f match.FileHash) string {
	if f.Path == "" {
		return f.Role
	}
	return filepath.Base(f.Path)
}

// blockFigures returns the lines with the figures of A against B.
func (r view) blockFigures() []string {
	if r.Tournament != nil {
		return append([]string{r.block("result", r.Verdict().Claim)}, r.outline()...)
	}
	if r.Ranking != nil {
		return r.blockRanking()
	}
	c, ok := r.Pairing()
	if !ok {
		return []string{r.block("result", i18n.Of("no pair of %s against %s is finished", r.A, r.B))}
	}
	lines := []string{
		r.block("result", i18n.Of("%s against %s: %s", r.A, r.B, r.Verdict().Short)),
		r.block("games", i18n.Of("W %d  D %d  L %d", c.Wins, c.Draws, c.Losses)),
	}
	if p := r.Pentanomial; p.Pairs() > 0 {
		lines = append(lines, r.block("pairs", i18n.Verbatim(penta(p, "  "))))
	}
	lines = append(lines, r.block("units", report.DependenceWords(r.Dependence)))
	if r.Finished && r.Looks.FixedLength {
		return append(lines, r.blockFixed(c)...)
	}
	return append(lines, r.blockAnytime(c)...)
}

// blockRanking returns the lines for more than two players, ordered by points, with their ratings.
func (r view) blockRanking() []string {
	lines := []string{r.block("result", r.Verdict().Claim)}
	for _, p := range r.Ranking.Players {
		lines = append(lines, r.block("player", i18n.Verbatim(fmt.Sprintf("%d. %s | %s/%d | Elo %s %s",
			p.Place, p.Player, format.Points(p.Points), p.Games, RankedElo(p), RankedBounds(p)))))
	}
	return lines
}

// blockFixed returns the lines with the figures for a number of games that was fixed beforehand.
func (r view) blockFixed(c report.Cross) []string {
	k, n := c.Decisive()
	return []string{
		r.block("score", Interval(*r.Interval("score"))),
		r.block("Elo", i18n.Of("%s  %s", Elo(r.Elo), r.blockTest())),
		r.block("wins", i18n.Of("%d of %d decisive  %s", k, n, Interval(*r.Interval("win_rate_decisive")))),
		r.block("Black", advantageShort(r.BlackAdvantage)),
	}
}

// blockAnytime returns the lines with the figures that are valid before the end of a run, or if a test
// stopped the run.
func (r view) blockAnytime(c report.Cross) []string {
	list := []string{r.block("score", i18n.Verbatim(format.Percent(c.Score)))}
	for _, i := range r.Intervals {
		if i.Method == "anytime" {
			list = []string{r.block("score", Interval(i))}
		}
	}
	g := r.Gate
	if g == nil {
		return append(list, r.block("p", i18n.Of("not before the planned end")))
	}
	state := Decided(stats.Decision(g.Verdict))
	if g.Decision == stats.Continue {
		state = Decided(g.Decision)
	}
	list = append(list, r.block("gate", i18n.Of("%s: %s, ratio %s of [%.2f, %.2f]", g.Design, state, format.Decimal(g.LLR, 2), g.Lower, g.Upper)))
	if g.Elo.Estimate != nil {
		list = append(list, r.block("Elo", StoppedElo(g.Elo)))
	}
	return list
}

func advantageShort(b report.Advantage) i18n.Message {
	k, n := b.Decisive()
	if n == 0 {
		return unknown(b.Why)
	}
	share := i18n.Of("%d of %d decisive  %s", k, n, format.Percent(float64(k)/float64(n)))
	if b.Lo == nil {
		return share
	}
	return i18n.Of("%s   [%s, %s]  games as independent", share, format.Percent(*b.Lo), format.Percent(*b.Hi))
}

// eloShort returns the text of a rating difference and the ends of its interval. A missing end is printed as
// infinite.
func eloShort(e report.Elo) string {
	sign := -1 // sign of an infinite estimate: the same as of the infinite end
	if e.Hi == nil {
		sign = 1
	}
	return format.Elo(e.Estimate, sign) + "   " + e.EloText()
}

func (r view) blockTest() i18n.Message {
	test, _ := r.Deciding()
	if test == nil {
		return i18n.Verbatim("")
	}
	return i18n.Of("p = %s (two-sided, %s)", format.PValue(*test.P), report.TestWords(*test))
}

// planLine returns a line with the other settings of the plan on which the games depend.
func (r view) planLine(a report.About) string {
	p := a.Plan
	swap := i18n.Of("colours swapped")
	if !p.Swap {
		swap = i18n.Of("colours not swapped")
	}
	return r.block("plan", i18n.Of("%.12s | rules %s | %s openings (%.8s) | seed %d | %s",
		a.Digest, a.Rules, format.Count(p.Openings.Count), p.Openings.SHA256, p.Seed, swap))
}

func (r view) blockRemarks() string {
	slowed := 0
	if r.Unmarked != nil {
		slowed = r.Unmarked.Marked
	}
	var list i18n.Row
	for _, f := range r.Faults {
		list = append(list, i18n.Of("%s %s ×%d", f.Player, Ending(f.Kind), f.Count))
	}
	for i := range r.Players {
		if p := &r.Players[i]; p.Incomplete > 0 {
			list = append(list, i18n.Of("%s votes without a member ×%d", p.Name, p.Incomplete))
		}
	}
	if len(list) == 0 {
		list = i18n.Row{i18n.Of("none")}
	}
	return r.block("checks", i18n.Of("duplicates %d | slowed pairs %d | faults %s", r.Duplicates, slowed, list))
}
