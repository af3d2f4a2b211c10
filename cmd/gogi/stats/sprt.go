package statscmd

import (
	"gogi/cmd/gogi/cli"
	"gogi/report/calculator"
)

// SPRTCommand prints the state of a sequential test at some counts.
type SPRTCommand struct {
	Pentanomial string  `xor:"counts" required:"" placeholder:"LL,LD,MID,WD,WW" help:"Numbers of pairs by result; MID is a win and a loss, or two draws."`
	Trinomial   string  `xor:"counts" required:"" placeholder:"W,D,L" help:"Numbers of independent games by result."`
	Elo0        eloFlag `name:"elo0" default:"0" placeholder:"E" help:"Elo difference under H0 (default ${default})."`
	Elo1        eloFlag `name:"elo1" default:"2" placeholder:"E" help:"Elo difference under H1 (default ${default})."`
	Model       string  `enum:"logistic,normalized,bayeselo" default:"logistic" help:"Elo model: logistic, normalized or bayeselo (default ${default})."`
	Alpha       float64 `default:"0.05" help:"Probability to accept H1 under H0 (default ${default})."`
	Beta        float64 `default:"0.05" help:"Probability to accept H0 under H1 (default ${default})."`
	Boundary    string  `enum:"ratio,bounded,wald" default:"ratio" help:"Stopping boundary: ratio (as gogi gate), bounded or wald (as fishtest) (default ${default})."`
	Confidence  float64 `default:"0.95" help:"Confidence level of the Elo interval (default ${default})."`
	JSON        bool    `name:"json" help:"Print one JSON object."`
}

// Run prints the ratio, the bounds and what may be concluded.
func (c *SPRTCommand) Run(env *cli.Env) error {
	answer, err := calculator.SPRTQuestion{
		Pentanomial: c.Pentanomial, Trinomial: c.Trinomial, Confidence: c.Confidence,
		Design: calculator.Design{Elo0: float64(c.Elo0), Elo1: float64(c.Elo1), Alpha: c.Alpha, Beta: c.Beta, Model: c.Model, Boundary: c.Boundary},
	}.Answer()
	return answered(env, c.JSON, answer, err)
}
