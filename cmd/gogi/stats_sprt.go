package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
	"gogi/internal/usage"
	"gogi/stats"
)

// statsSPRTCommand prints the state of a sequential test at some counts.
type statsSPRTCommand struct {
	Pentanomial string  `xor:"counts" required:"" placeholder:"LL,LD,MID,WD,WW" help:"Colour-swapped pairs by their two results; MID is a win and a loss, or two draws."`
	Trinomial   string  `xor:"counts" required:"" placeholder:"W,D,L" help:"Independent games."`
	Elo0        eloFlag `name:"elo0" default:"0" placeholder:"E" help:"The difference under H0."`
	Elo1        eloFlag `name:"elo1" default:"2" placeholder:"E" help:"The difference under H1."`
	Model       string  `enum:"logistic,normalized,bayeselo" default:"logistic" help:"The scale of both: logistic, normalized or bayeselo."`
	Alpha       float64 `default:"0.05" help:"The probability to pass under H0."`
	Beta        float64 `default:"0.05" help:"The probability to fail under H1."`
	Confidence  float64 `default:"0.95" help:"Of the interval of the Elo difference."`
	JSON        bool    `name:"json" help:"One JSON object."`
}

// statsSPRT is a row of "gogi stats sprt --json".
type statsSPRT struct {
	Model      string         `json:"model"`
	Unit       string         `json:"unit"` // pair, game
	N          int            `json:"n"`    // units
	LLR        *float64       `json:"llr"`
	Lower      float64        `json:"lower"`
	Upper      float64        `json:"upper"`
	Decision   stats.Decision `json:"decision"` // pass, fail, continue; "" without a ratio
	Elo        *float64       `json:"elo"`      // logistic whatever the model, median-unbiased
	EloLo      *float64       `json:"elo_lo"`
	EloHi      *float64       `json:"elo_hi"`
	Confidence float64        `json:"confidence"`
	Why        string         `json:"why,omitempty"`
	EloWhy     string         `json:"elo_why,omitempty"`
	design     stats.SPRT
}

type statsSPRTs struct {
	Version int         `json:"version"`
	SPRTs   []statsSPRT `json:"sprts"`
}

// Run prints the ratio, the bounds and what may be concluded.
func (c *statsSPRTCommand) Run(env *environment) error {
	design := stats.SPRT{Elo0: float64(c.Elo0), Elo1: float64(c.Elo1), Alpha: c.Alpha, Beta: c.Beta, Model: stats.EloModel(c.Model)}
	if err := errors.Join(checkDesign(design), checkShare("confidence", c.Confidence)); err != nil {
		return usage.Wrap(err)
	}
	outcomes, row, err := c.counts()
	if err != nil {
		return usage.Wrap(err)
	}
	row.Model, row.Confidence, row.design = c.Model, c.Confidence, design
	row.Lower, row.Upper = design.Bounds()
	if row.Unit == "pair" && design.Model == stats.ModelBayesElo {
		row.Why = "BayesElo needs the draw rate, which the five cells of a pentanomial do not tell: use --trinomial"
		row.EloWhy = row.Why
	} else {
		row.judge(outcomes)
	}
	out := &statsSPRTs{Version: 1, SPRTs: []statsSPRT{row}}
	if c.JSON {
		return format.JSON(env.out, out)
	}
	row.print(env.out)
	return nil
}

func (c *statsSPRTCommand) counts() (stats.Outcomes, statsSPRT, error) {
	if c.Trinomial != "" {
		n, err := parseCounts("trinomial", c.Trinomial, "W", "D", "L")
		if err != nil {
			return nil, statsSPRT{}, err
		}
		w := stats.WDL{Wins: n[0], Draws: n[1], Losses: n[2]}
		return w, statsSPRT{Unit: "game", N: w.Games()}, nil
	}
	n, err := parseCounts("pentanomial", c.Pentanomial, "LL", "LD", "MID", "WD", "WW")
	if err != nil {
		return nil, statsSPRT{}, err
	}
	p := stats.Pentanomial{LL: n[0], LD: n[1], WL: n[2], WD: n[3], WW: n[4]}
	return p, statsSPRT{Unit: "pair", N: p.Pairs()}, nil
}

func (s *statsSPRT) judge(o stats.Outcomes) {
	judgement, err := s.design.Judge(o)
	s.LLR, s.Decision, s.Why = knownFloat(judgement.LLR, err), judgement.Decision, whyNot(err)
	estimate, err := s.design.Elo(o, s.Confidence)
	s.Elo, s.EloWhy = knownFloat(estimate.Elo, err), whyNot(err)
	s.EloLo, s.EloHi = knownFloat(estimate.Interval.Lo, err), knownFloat(estimate.Interval.Hi, err)
	if err == nil && (s.Elo == nil || s.EloLo == nil || s.EloHi == nil) {
		s.EloWhy = "what is null lies beyond 1000 Elo, where the scale ends"
	}
}

func (s *statsSPRT) print(w io.Writer) {
	fmt.Fprintf(w, "Sequential test of %g against %g Elo (%s), alpha %g, beta %g, after %s\n",
		s.design.Elo0, s.design.Elo1, s.Model, s.design.Alpha, s.design.Beta, format.NumberOf(s.N, s.Unit))
	t := format.Table("log likelihood ratio", "fails at", "passes at", "decision", "Elo", "from", "to")
	decision := string(s.Decision)
	if decision == "" {
		decision = "–"
	}
	t.AppendRow(table.Row{
		cell(s.LLR, "%.4f"), fmt.Sprintf("%.4f", s.Lower), fmt.Sprintf("%.4f", s.Upper), decision,
		cell(s.Elo, "%+.2f"), cell(s.EloLo, "%+.2f"), cell(s.EloHi, "%+.2f"),
	})
	format.Render(w, t)
	fmt.Fprintf(w, "Elo is median-unbiased (logistic, %s); the raw score of a stopped test is biased.\n", format.PercentShort(s.Confidence))
	if s.Why != "" {
		fmt.Fprintf(w, "no ratio: %s\n", s.Why)
	}
	if s.EloWhy != "" && s.EloWhy != s.Why {
		fmt.Fprintf(w, "Elo: %s\n", s.EloWhy)
	}
}
