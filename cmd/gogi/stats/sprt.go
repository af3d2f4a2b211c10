package statscmd

import (
	"gogi/cmd/gogi/cli"
	"gogi/report/calculator"
)

// SPRTCommand prints the state of a sequential test at some counts.
type SPRTCommand struct {
	Pentanomial string  `xor:"counts" required:"" placeholder:"LL,LD,MID,WD,WW" help:"Colour-swapped pairs by their two results; MID is a win and a loss, or two draws."`
	Trinomial   string  `xor:"counts" required:"" placeholder:"W,D,L" help:"Independent games."`
	Elo0        eloFlag `name:"elo0" default:"0" placeholder:"E" help:"The difference under H0."`
	Elo1        eloFlag `name:"elo1" default:"2" placeholder:"E" help:"The difference under H1."`
	Model       string  `enum:"logistic,normalized,bayeselo" default:"logistic" help:"The scale of both: logistic, normalized or bayeselo."`
	Alpha       float64 `default:"0.05" help:"The probability to pass under H0."`
	Beta        float64 `default:"0.05" help:"The probability to fail under H1."`
	Boundary    string  `enum:"ratio,bounded,wald" default:"ratio" help:"Where it stops: ratio (as gogi gate does), bounded (a gate's other one), wald (as fishtest does)."`
	Confidence  float64 `default:"0.95" help:"Of the interval of the Elo difference."`
	JSON        bool    `name:"json" help:"One JSON object."`
}

// Run prints the ratio, the bounds and what may be concluded.
func (c *SPRTCommand) Run(env *cli.Env) error {
	answer, err := calculator.SPRTQuestion{
		Pentanomial: c.Pentanomial, Trinomial: c.Trinomial, Confidence: c.Confidence,
		Design: calculator.Design{Elo0: float64(c.Elo0), Elo1: float64(c.Elo1), Alpha: c.Alpha, Beta: c.Beta, Model: c.Model, Boundary: c.Boundary},
	}.Answer()
	return answered(env, c.JSON, answer, err)
}
