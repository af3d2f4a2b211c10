package calculator

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/stats"
	"gogi/stats/binomial"
)

// An IntervalQuestion asks for confidence intervals of a win rate or a score.
type IntervalQuestion struct {
	Counts      *stats.WDL `kong:"-"` // games; nil if only pairs are given
	Pentanomial string     `placeholder:"LL,LD,MID,WD,WW" help:"Numbers of pairs by result, from LL (two losses) to WW (two wins); MID is a win and a loss, or two draws. With --wins and --losses: the pairs of these games."`
	DrawMode    string     `enum:"drop,half,floor" default:"drop" help:"Treatment of draws: drop (ignore them), half (each is half a win), or floor (half of them, rounded down, are wins; only with --all or --method lfics) (default ${default})."`
	Confidence  float64    `default:"0.95" help:"Confidence level (default ${default})."`
	Method      string     `xor:"which" placeholder:"NAME" help:"Method of the interval: clopper-pearson, blaker, midp, wilson, wilson-cc, jeffreys, wald, lfics, gaffke or anytime."`
}

// The names on the command line of all methods, and of the interval that holds at any time.
const (
	MethodAll     = "all"
	MethodAnytime = "anytime"
	methodGaffke  = "gaffke"
)

// The ways to count draws.
const (
	dropDraws  = "drop"
	halfDraws  = "half"
	floorDraws = "floor"
)

// MethodNames returns the names of all methods on the command line, the exact ones first.
func MethodNames() []string { return append(BinomialNames(), methodGaffke, MethodAnytime) }

// BinomialNames returns the names of the methods that work on the wins among decisive games, except anytime.
func BinomialNames() []string {
	return lists.Map(binomial.IntervalMethods(), MethodName)
}

// MethodName returns the name of a method on the command line.
func MethodName(m binomial.IntervalMethod) string {
	switch m {
	case binomial.MethodMidP:
		return "midp"
	case binomial.MethodWilsonContinuity:
		return "wilson-cc"
	default: // the other names are equal
	}
	return strings.ReplaceAll(string(m), "_", "-")
}

// CheckMethod returns an error unless name, the value of --method, is MethodAll or one of names.
func CheckMethod(name string, names []string) error {
	if name != MethodAll && !slices.Contains(names, name) {
		return fmt.Errorf("--method %s: expected %s or one of %s", name, MethodAll, strings.Join(names, ", "))
	}
	return nil
}

// An IntervalRow has the confidence interval by one method.
type IntervalRow struct {
	Method string `json:"method"`
	Unit   string `json:"unit"` // decisive_game, game or pair.
	N      int    `json:"n"`    // number of units under the draw mode
	// wins among the n units. With the draw mode half they are points, at most 1 per pair.
	Wins       float64  `json:"wins"`
	Estimate   *float64 `json:"estimate"`
	Lo         *float64 `json:"lo"`
	Hi         *float64 `json:"hi"`
	Elo        *float64 `json:"elo"` // Elo of the estimate and of the ends. It is null if infinite.
	EloLo      *float64 `json:"elo_lo"`
	EloHi      *float64 `json:"elo_hi"`
	Confidence float64  `json:"confidence"`
	DrawMode   string   `json:"draw_mode"` // how draws count, as the flag for draws spells it
	Exact      bool     `json:"exact"`     // the coverage is never below the confidence level
	Why        string   `json:"why,omitempty"`
	EloWhy     string   `json:"elo_why,omitempty"`
	*Evidence
	*Spread
}

// An Evidence is the evidence against equal strength: an e-value and its p value, which are valid at any
// time. It is set only in the row of the anytime interval.
type Evidence struct {
	EValue *float64 `json:"e_value"`   // e-value against equal strength
	LogE   *float64 `json:"ln_e"`      // natural logarithm of the e-value
	P      *float64 `json:"anytime_p"` // p value that is valid at any time
}

// A Spread is the standard error that the calculator of the Laboratory for Fundamental Information on
// Computer Shogi prints next to its interval.
type Spread struct {
	Error    *float64 `json:"standard_error"` // standard error of the win rate, with the divisor n - 3/2
	EloError *float64 `json:"elo_error"`      // the same error converted to Elo, to first order
}

// An Intervals is the answer to an [IntervalQuestion]: one row for each method.
type Intervals struct {
	Version   int           `json:"version"`
	Intervals []IntervalRow `json:"intervals"`

	drawn bool // there are drawn games
}

// Answer calculates the intervals that the question asks for.
func (q IntervalQuestion) Answer() (*Intervals, error) {
	pairs, err := q.check()
	if err != nil {
		return nil, fail.Usage(err)
	}
	out := &Intervals{Version: Version, drawn: q.Counts != nil && q.Counts.Draws > 0}
	if q.Counts != nil {
		for _, m := range binomial.IntervalMethods() {
			if q.asks(MethodName(m), m == binomial.MethodClopperPearson && q.DrawMode != halfDraws) {
				out.Intervals = append(out.Intervals, q.interval(m))
			}
		}
	}
	scores := q.scores(pairs)
	if q.Method == methodGaffke || q.asks(methodGaffke, true) && scores.Unit != "decisive_game" {
		out.Intervals = append(out.Intervals, q.gaffke(scores))
	}
	if q.asks(MethodAnytime, true) {
		out.Intervals = append(out.Intervals, q.anytime(scores))
	}
	return out, nil
}

// asks reports whether the question includes a method. If the question names no method, usual decides: it is true for
// the methods that gogi prints by default.
func (q IntervalQuestion) asks(method string, usual bool) bool {
	return q.Method == method || q.Method == MethodAll || q.Method == "" && usual
}

// check checks the question and returns its pairs. It returns nil if the question has no pairs.
func (q IntervalQuestion) check() (*stats.Pentanomial, error) {
	err := CheckShare("confidence", q.Confidence)
	if q.Method != "" {
		err = errors.Join(err, CheckMethod(q.Method, MethodNames()))
	}
	if q.Counts != nil {
		err = errors.Join(err, checkWDL(*q.Counts))
	}
	switch {
	case err != nil:
		return nil, err
	case q.Counts == nil && q.Pentanomial == "":
		return nil, errors.New("expected --wins W and --losses L, or --pentanomial LL,LD,MID,WD,WW")
	case q.Counts == nil && slices.Contains(BinomialNames(), q.Method):
		return nil, fmt.Errorf("--method %s: it takes games; expected --wins W and --losses L", q.Method)
	case q.DrawMode == floorDraws && q.Method == "":
		return nil, errors.New("--draw-mode floor: only lfics takes it; add --all or --method lfics")
	case q.Pentanomial == "":
		return nil, nil
	}
	pairs, err := parsePentanomial(q.Pentanomial)
	if err == nil && q.Counts != nil {
		err = agree(*q.Counts, pairs)
	}
	return &pairs, err
}

// agree returns an error if the games and the pairs contradict each other. Both must describe the same games.
func agree(games stats.WDL, pairs stats.Pentanomial) error {
	points := float64(games.Wins) + float64(games.Draws)/2
	if s := pairs.PairScores(); games.Games() != 2*s.N() || math.Abs(points-2*s.Mean()*float64(s.N())) > 0.1 {
		return fmt.Errorf("--pentanomial: %d pairs with %g points are not the %d games with %g points of --wins, --draws and --losses; expected all games of the pairs",
			s.N(), 2*s.Mean()*float64(s.N()), games.Games(), points)
	}
	return nil
}

// scores returns the scores of the pairs. Without pairs it returns the scores of the games under the draw
// mode. With the draw mode floor it returns no scores, because that mode counts half of the draws as wins.
func (q IntervalQuestion) scores(pairs *stats.Pentanomial) stats.Scores {
	switch {
	case pairs != nil:
		return pairs.PairScores()
	case q.DrawMode == halfDraws:
		return q.Counts.GameScores()
	case q.DrawMode == floorDraws:
		return stats.Scores{Unit: "game"}
	}
	return q.Counts.DecisiveScores()
}

func (q IntervalQuestion) rule() binomial.DrawRule {
	switch q.DrawMode {
	case halfDraws:
		return binomial.DrawsHalf
	case floorDraws:
		return binomial.DrawsFloored
	}
	return binomial.DrawsDropped
}

func (q IntervalQuestion) interval(m binomial.IntervalMethod) IntervalRow {
	row := IntervalRow{Method: MethodName(m), Unit: "decisive_game", Confidence: q.Confidence, DrawMode: q.DrawMode,
		Exact: m.Exact()}
	counted, err := q.Counts.Counted(q.rule())
	if err != nil {
		row.Why = whyNot(err)
		return row
	}
	if counted.Draws != binomial.DrawsDropped {
		row.Unit = "game"
	}
	row.N, row.Wins = counted.N, counted.Points
	ends, err := counted.Interval(m, q.Confidence)
	row.set(counted.Score(), ends, err)
	if row.Why != "" && counted.Draws == binomial.DrawsFloored && m != binomial.MethodLFICS {
		row.Why = "does not hold where draws were made wins" // without the name, which is printed next to it
	}
	if m == binomial.MethodLFICS {
		row.setSpread(counted)
	}
	return row
}

// set sets a row's estimate and the ends of its interval, and the same values in Elo. After an error it sets
// the reason.
func (i *IntervalRow) set(estimate float64, ends binomial.Interval, err error) {
	i.Estimate, i.Elo = format.Finite(estimate), format.Finite(binomial.Elo(estimate))
	i.Lo, i.Hi, i.Why = known(ends.Lo, err), known(ends.Hi, err), whyNot(err)
	i.EloLo, i.EloHi = known(binomial.Elo(ends.Lo), err), known(binomial.Elo(ends.Hi), err)
	if i.Elo == nil || err == nil && (i.EloLo == nil || i.EloHi == nil) {
		i.EloWhy = "a score of 0 or 1 has no finite Elo"
	}
}

// setSpread adds the standard error of the Laboratory's calculator, if it is defined for these counts.
func (i *IntervalRow) setSpread(c binomial.Counted) {
	if c.Draws == binomial.DrawsHalf {
		return // half points are not wins
	}
	s, err := binomial.StandardError(int(c.Points), c.N)
	if err != nil {
		return // every defined interval has wins of both players
	}
	inElo, err := binomial.EloError(c.Score(), s)
	i.Spread = &Spread{&s, known(inElo, err)}
}

// ofScores returns the row of a method for scores. The caller sets the interval.
func (q IntervalQuestion) ofScores(method string, s stats.Scores) IntervalRow {
	row := IntervalRow{Method: method, Unit: s.Unit, N: s.N(), Wins: s.Mean() * float64(s.N()), Confidence: q.Confidence,
		DrawMode: q.DrawMode}
	if s.Unit == "pair" {
		row.DrawMode = halfDraws
	}
	return row
}

// floored is the reason why --draw-mode floor has no interval of scores: it counts half of the draws as wins.
const floored = "draws made wins are no scores of single games: use --draw-mode half"

func (q IntervalQuestion) gaffke(s stats.Scores) IntervalRow {
	row := q.ofScores(methodGaffke, s)
	if row.DrawMode == floorDraws {
		row.Why = floored
		return row
	}
	ends, err := s.Interval(q.Confidence)
	row.set(s.Mean(), ends, err)
	return row
}

func (q IntervalQuestion) anytime(s stats.Scores) IntervalRow {
	row := q.ofScores(MethodAnytime, s)
	row.Exact, row.Evidence = true, &Evidence{}
	if row.DrawMode == floorDraws {
		row.Why = floored
		return row
	}
	ends, err := s.AnytimeInterval(q.Confidence)
	row.set(s.Mean(), ends, err)
	evidence, err := s.EValue(0.5)
	row.Evidence = &Evidence{known(math.Exp(evidence.LogE), err), known(evidence.LogE, err), known(evidence.P, err)}
	if row.EValue == nil && err == nil {
		row.Why = "the e-value is larger than a number can be: ln_e is its logarithm"
	}
	return row
}

// Print writes a table of the intervals, and the reasons for missing ones.
func (s *Intervals) Print(w io.Writer, in i18n.Language) {
	t := format.Table(slices.Concat(i18n.Heads(in, "method", "wins", "of", "estimate", "from", "to"),
		i18n.Heads(in, s.eloHead()), i18n.Heads(in, "from", "to", "holds"))...)
	t.SetColumnConfigs(format.RightAligned(2, 9))
	modes := map[string][]string{} // methods by draw mode
	rows := 0
	for _, i := range s.Intervals {
		if i.Lo == nil {
			continue
		}
		rows++
		t.AppendRow(table.Row{
			i.Method, strconv.FormatFloat(i.Wins, 'f', -1, 64), i18n.Number{N: i.N, Noun: format.Words(i.Unit)}.In(in),
			Cell(i.Estimate, "%.4f"), Cell(i.Lo, "%.4f"), Cell(i.Hi, "%.4f"),
			eloCell(i.Estimate), eloCell(i.Lo), eloCell(i.Hi), holds(i.Method).In(in),
		})
		modes[i.DrawMode] = append(modes[i.DrawMode], i.Method)
	}
	if rows > 0 {
		format.Render(w, t)
	}
	for _, mode := range slices.Sorted(maps.Keys(modes)) {
		words := i18n.Say(in, "%s confidence, draws: %s", format.PercentShort(s.Intervals[0].Confidence), drawModeWords(mode))
		if len(modes) > 1 {
			words = strings.Join(modes[mode], ", ") + ": " + words
		}
		fmt.Fprintln(w, words)
	}
	s.printGaps(w, in)
	for _, i := range s.Intervals {
		if e := i.Evidence; e != nil && e.LogE != nil {
			fmt.Fprintln(w, i18n.Say(in, "evidence against even chances: e-value %s, p = %s, valid at any time", eValueWords(e),
				format.PValue(*e.P)))
		}
		if s := i.Spread; s != nil {
			fmt.Fprintln(w,
				i18n.Say(in, "S = %s, the standard error of the win rate with the divisor n - 3/2; in Elo ± %s, to first order",
					Cell(s.Error, "%.5f"), Cell(s.EloError, "%.1f")))
		}
	}
}

// eloHead returns the heading of the Elo. It is not the Elo of the score in rows that leave draws out.
func (s *Intervals) eloHead() string {
	if s.drawn && slices.ContainsFunc(s.Intervals, func(i IntervalRow) bool {
		return i.Lo != nil && i.DrawMode != halfDraws
	}) {
		return i18n.Phrase("Elo of the estimate")
	}
	return "Elo"
}

func eloCell(score *float64) string {
	switch elo := binomial.Elo(*score); {
	case math.IsInf(elo, 1):
		return "+∞"
	case math.IsInf(elo, -1):
		return "-∞"
	default:
		return fmt.Sprintf("%+.1f", elo)
	}
}

// holds returns text about how well a method keeps its confidence level. docs/statistics.md explains it.
func holds(method string) i18n.Message {
	switch method {
	case "clopper-pearson", "blaker":
		return i18n.Of("exactly")
	case "wilson-cc":
		return i18n.Of("mostly")
	case "wald":
		return i18n.Of("not kept")
	case "lfics":
		return i18n.Of("no confidence interval")
	case methodGaffke:
		return i18n.Of("in all cases tried")
	case MethodAnytime:
		return i18n.Of("at any time")
	}
	return i18n.Of("on average")
}

// printGaps writes the reasons for missing ends of intervals. Methods with the same reason share one line.
func (s *Intervals) printGaps(w io.Writer, in i18n.Language) {
	methods := map[string][]string{}
	for _, i := range s.Intervals {
		methods[i.Why] = append(methods[i.Why], i.Method)
	}
	for _, why := range slices.Sorted(maps.Keys(methods)) {
		if why != "" {
			fmt.Fprintln(w, i18n.Say(in, "%s: %s", strings.Join(methods[why], ", "), i18n.Of(why)))
		}
	}
}

func eValueWords(e *Evidence) string {
	if e.EValue == nil {
		return fmt.Sprintf("10^%.0f", *e.LogE/math.Ln10)
	}
	return fmt.Sprintf("%.3g", *e.EValue)
}

func drawModeWords(mode string) i18n.Message {
	switch mode {
	case "half":
		return i18n.Of("half a win each")
	case "floor":
		return i18n.Of("half of them, rounded down, are wins")
	}
	return i18n.Of("dropped")
}
