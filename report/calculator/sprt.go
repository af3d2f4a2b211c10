package calculator

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/stats"
)

// An SPRTQuestion asks for the state of a sequential test after games with given counts. Pentanomial has the
// form "LL,LD,MID,WD,WW" and counts colour-swapped pairs; MID is a win and a loss, or two draws. Trinomial
// has the form "W,D,L" and counts independent games.
type SPRTQuestion struct {
	Pentanomial string  `xor:"counts" required:"" placeholder:"LL,LD,MID,WD,WW" help:"Numbers of pairs by result, from LL (two losses) to WW (two wins); MID is a win and a loss, or two draws. Give --pentanomial or --trinomial."`
	Trinomial   string  `xor:"counts" required:"" placeholder:"W,D,L" help:"Numbers of independent games by result; give --pentanomial or --trinomial."`
	Design      Design  `embed:""`
	Confidence  float64 `default:"0.95" help:"Confidence level of the Elo interval (default ${default})."`
}

// A Design holds the flags that define a sequential test.
type Design struct {
	SPRT     *match.SPRT `name:"sprt" type:"sprt" placeholder:"0,4" help:"Hypotheses of the SPRT in Elo, as for gogi match --sprt; its other keys replace the flags below."`
	Elo0     float64     `name:"elo0" type:"elo" default:"0" placeholder:"E" help:"Elo difference under H0 (default ${default})."`
	Elo1     float64     `name:"elo1" type:"elo" default:"2" placeholder:"E" help:"Elo difference under H1 (default ${default})."`
	Alpha    float64     `default:"0.05" help:"Probability to accept H1 under H0 (default ${default})."`
	Beta     float64     `default:"0.05" help:"Probability to accept H0 under H1 (default ${default})."`
	Model    string      `enum:"logistic,normalized,bayeselo" default:"logistic" help:"Elo model: logistic, normalized or bayeselo (default ${default})."`
	Boundary string      `enum:"ratio,bounded,wald" default:"ratio" help:"Stopping boundary: ratio (as gogi gate), bounded or wald (as fishtest) (default ${default})."`
}

// test returns the sequential test that the flags define.
func (d Design) test() (stats.SPRT, error) {
	s := stats.SPRT{
		Elo0: d.Elo0, Elo1: d.Elo1, Alpha: d.Alpha, Beta: d.Beta, Model: stats.EloModel(d.Model),
		Boundary: stats.BoundaryOf(d.Boundary),
	}
	if d.SPRT != nil {
		if d.Elo0 != 0 || d.Elo1 != 2 { // not the defaults of the flags
			return s, errors.New("--sprt: not together with --elo0 or --elo1, which have the same meaning; leave them out")
		}
		s = d.SPRT.Complete(s)
	}
	return s, checkTest(s)
}

// BoundaryNames returns the names of the stopping boundaries of an SPRT. The boundaries that matches support
// come first, beginning with the default. Wald's boundary, which only the calculator supports, is last.
func BoundaryNames() []string {
	return []string{stats.BoundaryRatio.String(), stats.BoundaryBounded.String(), stats.BoundaryWald.String()}
}

// checkTest returns an error if the test of a question is impossible.
func checkTest(s stats.SPRT) error {
	if name := s.Boundary.String(); !slices.Contains(BoundaryNames(), name) {
		return fmt.Errorf("--boundary %s: expected one of %s", name, strings.Join(BoundaryNames(), ", "))
	}
	if err := s.Check(); err != nil {
		return fmt.Errorf("impossible test: %w", err)
	}
	return nil
}

// An SPRTRow is the state of one sequential test: its log likelihood ratio, its bounds, its decision and the
// Elo estimate.
type SPRTRow struct {
	Model      string         `json:"model"`
	Boundary   string         `json:"boundary"` // one of [BoundaryNames].
	Unit       string         `json:"unit"`     // pair or game.
	N          int            `json:"n"`        // number of units
	LLR        *float64       `json:"llr"`
	Lower      float64        `json:"lower"`
	Upper      float64        `json:"upper"`
	Decision   stats.Decision `json:"decision"` // pass, fail or continue. It is "" if there is no ratio.
	Elo        *float64       `json:"elo"`      // logistic Elo for every model, median-unbiased
	EloLo      *float64       `json:"elo_lo"`
	EloHi      *float64       `json:"elo_hi"`
	Confidence float64        `json:"confidence"`
	Why        string         `json:"why,omitempty"`
	EloWhy     string         `json:"elo_why,omitempty"`
	test       stats.SPRT
}

// An SPRTs is the answer to an [SPRTQuestion]: the states of sequential tests.
type SPRTs struct {
	Version int       `json:"version"`
	SPRTs   []SPRTRow `json:"sprts"`
}

// Answer calculates the log likelihood ratio of the test, its bounds and its decision.
func (q SPRTQuestion) Answer() (*SPRTs, error) {
	test, err := q.Design.test()
	if err := errors.Join(err, CheckShare("confidence", q.Confidence)); err != nil {
		return nil, fail.Usage(err)
	}
	outcomes, row, err := q.counts()
	if err != nil {
		return nil, fail.Usage(err)
	}
	row.Model, row.Boundary, row.Confidence, row.test = string(test.Model), test.Boundary.String(), q.Confidence, test
	row.Lower, row.Upper = test.Bounds()
	if row.Unit == "pair" && test.Model == stats.ModelBayesElo {
		row.Why = "BayesElo needs the draw rate, which a pentanomial does not have; use --trinomial"
		row.EloWhy = row.Why
	} else {
		row.judge(outcomes)
	}
	return &SPRTs{Version, []SPRTRow{row}}, nil
}

func (q SPRTQuestion) counts() (stats.Outcomes, SPRTRow, error) {
	if q.Trinomial != "" {
		w, err := ParseWDL("trinomial", q.Trinomial)
		return w, SPRTRow{Unit: "game", N: w.Games()}, err
	}
	p, err := parsePentanomial(q.Pentanomial)
	if err != nil {
		return nil, SPRTRow{}, err
	}
	return p, SPRTRow{Unit: "pair", N: p.Pairs()}, nil
}

func (s *SPRTRow) judge(o stats.Outcomes) {
	judgement, err := s.test.Judge(o)
	if err == nil { // the bounds in force; bounded ones move
		s.Lower, s.Upper = judgement.Lower, judgement.Upper
	}
	s.LLR, s.Decision, s.Why = known(judgement.LLR, err), judgement.Decision, whyNot(err)
	if s.N == 0 {
		s.EloWhy = "no games to judge by"
		return
	}
	if !stats.Vary(o) { // the ratio adds a little to empty cells, which is no variance of the games
		s.EloWhy = "all have the same score: their variance is not known yet"
		return
	}
	estimate, err := s.test.Elo(o, s.Confidence)
	s.Elo, s.EloWhy = known(estimate.Elo, err), whyNot(err)
	s.EloLo, s.EloHi = known(estimate.Interval.Lo, err), known(estimate.Interval.Hi, err)
	if err == nil && (s.Elo == nil || s.EloLo == nil || s.EloHi == nil) {
		s.EloWhy = "a missing value is beyond 1000 Elo, the end of the scale"
	}
}

// Print writes the states as tables.
func (s *SPRTs) Print(w io.Writer, in i18n.Language) {
	for i := range s.SPRTs {
		s.SPRTs[i].print(w, in)
	}
}

func (s *SPRTRow) print(w io.Writer, in i18n.Language) {
	after := i18n.Number{N: s.N, Noun: "pair"}
	if s.Unit == "game" {
		after = i18n.Number{N: s.N, Noun: "game"}
	}
	fmt.Fprintln(w, i18n.Say(in, "Sequential test of %g against %g %s (%s), alpha %g, beta %g, after %s",
		s.test.Elo0, s.test.Elo1, s.test.Model.Unit(), s.Model, s.test.Alpha, s.test.Beta, after))
	t := format.Table(i18n.Heads(in, "log likelihood ratio", "fails at", "passes at", "decision", "Elo", "from", "to")...)
	decision := cmp.Or(i18n.Say(in, string(s.Decision)), "–")
	t.AppendRow(table.Row{
		Cell(s.LLR, "%.4f"), fmt.Sprintf("%.4f", s.Lower), fmt.Sprintf("%.4f", s.Upper), decision,
		Cell(s.Elo, "%+.2f"), Cell(s.EloLo, "%+.2f"), Cell(s.EloHi, "%+.2f"),
	})
	format.Render(w, t)
	fmt.Fprintln(w, i18n.Say(in, "Bounds: %s.", boundaryWords(s.Boundary)))
	fmt.Fprintln(w, i18n.Say(in, "Elo is median-unbiased (logistic, %s); the raw score of a stopped test is biased.",
		format.PercentShort(s.Confidence)))
	if s.Why != "" {
		fmt.Fprintln(w, i18n.Say(in, "no ratio: %s", i18n.Of(s.Why)))
	}
	if s.EloWhy != "" && s.EloWhy != s.Why {
		fmt.Fprintln(w, i18n.Say(in, "Elo: %s", i18n.Of(s.EloWhy)))
	}
}

func boundaryWords(name string) i18n.Message {
	switch name {
	case stats.BoundaryRatio.String():
		return i18n.Of("ratio, those of gogi gate")
	case stats.BoundaryBounded.String():
		return i18n.Of("bounded: they converge as games come in; a gate uses them with boundary = \"bounded\"")
	}
	return i18n.Of("Wald's, as fishtest uses them; gogi gate does not (--boundary ratio)")
}
