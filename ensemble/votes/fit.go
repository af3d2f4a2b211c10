package votes

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/ensemble/voting"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/stats/regress"
)

// Fit is the result of gogi votes fit: for each member, a conversion of its centipawns to winning
// probabilities. It comes from a logistic regression of the results of games on the scores of the member's
// votes.
type Fit struct {
	Head
	Games    int           `json:"games"` // number of games with a result
	Councils []*councilFit `json:"councils"`
}

// councilFit is the part of a Fit about one council.
type councilFit struct {
	Council string       `json:"council"`
	Members []*memberFit `json:"members"`
	All     *memberFit   `json:"all"` // one scale for all members, if they are one engine (vary in the match file)
}

// memberFit is a member's scale. The numbers are null if the games do not determine them; Why has the reason.
type memberFit struct {
	Name    string   `json:"name"`
	Games   int      `json:"games"`    // number of games with a score of the member
	Scores  int      `json:"scores"`   // number of scores that were used, one per decision
	LeftOut int      `json:"left_out"` // number of mates and bounds, which are not scores in centipawns
	Slope   *float64 `json:"slope"`    // change of the log odds per centipawn
	// standard error, with each game as one cluster, because the scores of one game share one result
	SlopeSE     *float64  `json:"slope_se"`
	Intercept   *float64  `json:"intercept"`
	InterceptSE *float64  `json:"intercept_se"` // standard error of the intercept
	Why         string    `json:"why,omitempty"`
	Warnings    []caution `json:"warnings"`

	scores, results []float64
	games           []int
}

// caution is a reason to doubt a fitted scale.
type caution string

// The cautions, in the spelling of the JSON output.
const (
	fewGames  caution = "few_games"       // fewer than leastGames: the standard errors are too small
	uncertain caution = "uncertain_slope" // less than two standard errors above 0
	backwards caution = "backwards_slope" // not above 0, so there is no usable scale
)

// leastGames is the least number of games for standard errors by game. A usual rule of thumb for sandwich
// estimates is 30 to 50 clusters.
const leastGames = 50

// said returns a text that explains the caution.
func (c caution) said() i18n.Message {
	switch c {
	case fewGames:
		return i18n.Of("fewer than %d games: the standard errors are too small", leastGames)
	case uncertain:
		return i18n.Of("the slope does not differ from 0: play more games")
	case backwards:
		return i18n.Of("the slope is not above 0: no scale for a council")
	}
	return i18n.Verbatim(string(c))
}

// NewFit returns a Fit without games.
func NewFit() *Fit { return &Fit{Head: Head{Version: 1}, Councils: []*councilFit{}} }

// Add adds the scores of a game to the fit. It ignores a game without a result. It limits each score to the
// range that the council used in the vote: the member's recorded clamp, or voting.DefaultClamp if no clamp is
// recorded. The error is always nil.
func (f *Fit) Add(g *Game) error {
	counted := false
	for i := range g.Votes {
		v := &g.Votes[i]
		if math.IsNaN(v.score) {
			continue
		}
		counted = true
		c := f.council(v)
		for _, vote := range v.played() {
			for j := range vote.Ballots {
				b := &vote.Ballots[j]
				if b.Member < len(c.Members) {
					c.Members[b.Member].add(b, clampOf(vote, b.Member), v.score, f.Games)
					c.All.add(b, clampOf(vote, b.Member), v.score, f.Games)
				}
			}
		}
	}
	if counted {
		f.Games++
	}
	return nil
}

// council returns the part of the fit about a council, and adds a part for a new council. A council with
// other members counts as a new council.
func (f *Fit) council(v *Votes) *councilFit {
	names := v.records[0].Members
	for _, c := range f.Councils {
		if c.Council == v.Council && slices.EqualFunc(c.Members, names, func(m *memberFit, name string) bool {
			return m.Name == name
		}) {
			return c
		}
	}
	c := &councilFit{Council: v.Council, All: &memberFit{Name: "all members", Warnings: []caution{}}}
	for _, name := range names {
		c.Members = append(c.Members, &memberFit{Name: name, Warnings: []caution{}})
	}
	f.Councils = append(f.Councils, c)
	return c
}

// clampOf returns the recorded clamp of a member, or voting.DefaultClamp if no clamp is recorded.
func clampOf(vote *voting.Record, member int) float64 {
	if member < len(vote.Clamps) && vote.Clamps[member] > 0 {
		return vote.Clamps[member]
	}
	return voting.DefaultClamp
}

// add adds the score of one ballot, limited to ±clamp. result is the score of the council in the game. game is the
// number of the game. add ignores ballots that came too late and ballots from a book. A mate or a bound only
// increases LeftOut.
func (m *memberFit) add(b *voting.BallotRecord, clamp, result float64, game int) {
	if b.Kind != voting.KindMove && b.Kind != voting.KindResign || b.Source == voting.SourceBook {
		return
	}
	if b.CP == nil || b.Bound != "" {
		if b.CP != nil || b.Mate != "" {
			m.LeftOut++
		}
		return
	}
	if len(m.games) == 0 || m.games[len(m.games)-1] != game {
		m.Games++
	}
	m.scores = append(m.scores, max(-clamp, min(clamp, float64(*b.CP))))
	m.results, m.games = append(m.results, result), append(m.games, game)
}

// Finish calculates the conversions. Call it after all games were added.
func (f *Fit) Finish() {
	for _, c := range f.Councils {
		for _, m := range c.Members {
			m.finish()
		}
		c.All.finish()
	}
}

func (m *memberFit) finish() {
	m.Scores = len(m.scores)
	fit, err := regress.Logistic(m.scores, m.results, m.games)
	if err != nil {
		m.Why = err.Error()
		return
	}
	m.Slope, m.SlopeSE = &fit.Slope, &fit.SlopeSE
	m.Intercept, m.InterceptSE = &fit.Intercept, &fit.InterceptSE
	if m.Games < leastGames {
		m.Warnings = append(m.Warnings, fewGames)
	}
	switch {
	case fit.Slope <= 0:
		m.Warnings = append(m.Warnings, backwards)
	case fit.Slope < 2*fit.SlopeSE:
		m.Warnings = append(m.Warnings, uncertain)
	}
}

// Print writes the fit as tables, followed by the scales in the format of a match file.
func (f *Fit) Print(w io.Writer, in i18n.Language) {
	for _, c := range f.Councils {
		printHeading(w, i18n.Say(in, "%s · %s with a result", format.Name(c.Council), games(f.Games)))
		c.print(w, in)
	}
}

func (c *councilFit) print(w io.Writer, in i18n.Language) {
	t := format.Table(i18n.Heads(in, "member", "games", "scores", "slope a centipawn", "± standard error", "intercept",
		"± standard error", "73% at")...)
	t.SetColumnConfigs(format.RightAligned(2, 8))
	for _, m := range slices.Concat(c.Members, []*memberFit{c.All}) {
		row := table.Row{c.name(m, in), format.Count(m.Games), format.Count(m.Scores), "–", "–", "–", "–", "–"}
		if m.Slope != nil {
			copy(row[3:], []any{decimals(*m.Slope), decimals(*m.SlopeSE), decimals(*m.Intercept), decimals(*m.InterceptSE)})
		}
		if m.Slope != nil && *m.Slope > 0 {
			row[7] = fmt.Sprintf("%.0f cp", 1/(*m.Slope))
		}
		t.AppendRow(row)
	}
	format.Render(w, t)
	for _, m := range slices.Concat(c.Members, []*memberFit{c.All}) {
		m.printRemarks(w, c.name(m, in), in)
	}
	fmt.Fprintf(w, "%s\n\n", i18n.Say(in,
		"The default is slope = %s, 73%% at 600 cp. Errors are over games; mates and bounds are left out.",
		decimals(voting.DefaultSlope)))
	for _, m := range c.Members {
		if scale := m.toml(); scale != "" {
			fmt.Fprintf(w, "[[engine]]\nname = %s\n%s\n\n", strconv.Quote(m.Name), scale)
		}
	}
	if scale := c.All.toml(); scale != "" && len(c.Members) > 1 {
		fmt.Fprintf(w, "# %s\n%s\n\n", i18n.Say(in, "share of one [[engine]] that vary multiplies to all of these members"),
			scale)
	}
}

// name returns a member's name for a table, or the text for all members.
func (c *councilFit) name(m *memberFit, in i18n.Language) string {
	if m == c.All {
		return i18n.Say(in, "all members")
	}
	return format.Name(m.Name)
}

func (m *memberFit) printRemarks(w io.Writer, name string, in i18n.Language) {
	if m.Why != "" {
		fmt.Fprintln(w, i18n.Say(in, "%s: no scale: %s", name, m.Why))
	}
	for _, c := range m.Warnings {
		fmt.Fprintln(w, i18n.Say(in, "%s: %s", name, c.said()))
	}
}

// toml returns the scale as keys of an [[engine]] in a match file. It returns "" if there is no scale.
func (m *memberFit) toml() string {
	if m.Slope == nil || *m.Slope <= 0 {
		return ""
	}
	return fmt.Sprintf("scale = {slope = %s, intercept = %s}", decimals(*m.Slope), decimals(*m.Intercept))
}

// decimals returns a number in a form that TOML can read. The number has at least five decimals, and at least
// three significant digits.
func decimals(x float64) string {
	digits := 5
	for a := math.Abs(x); a > 0 && a < 0.001 && digits < 12; digits++ {
		a *= 10
	}
	return strconv.FormatFloat(x, 'f', digits, 64)
}
