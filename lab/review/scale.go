package review

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"gogi/stats/regress"
)

// Scale converts an engine's values to win rates by the logistic function. A value of 0 is a win rate of 50%.
// A value equal to Width is a win rate of 73.1%, which is 1/(1 + 1/e).
type Scale struct {
	Name  string  `json:"name" toml:"name"`
	Unit  string  `json:"unit" toml:"unit"`   // Centipawns
	Width float64 `json:"width" toml:"width"` // width of the scale, in the unit of the evaluations
}

// Customary returns the scale that most shogi programs use for centipawns, with a width of 600. It is for reviews
// without a fitted scale. Source: Ponanza's constant, which YaneuraOu, dlshogi's tools and ShogiHome (as its default)
// use for their win rates.
func Customary() Scale { return Scale{Name: "customary 600", Unit: Centipawns, Width: 600} }

// Rate converts an evaluation to the win rate of the side to move, in percent. If that side mates, the rate
// is 100; if it is mated, the rate is 0.
func (s Scale) Rate(r Reading) float64 {
	switch {
	case r.Mate > 0:
		return 100
	case r.Mate < 0:
		return 0
	}
	return 100 / (1 + math.Exp(-r.Value/s.Width))
}

func (s Scale) check() error {
	switch {
	case !(s.Width > 0) || math.IsInf(s.Width, 0):
		return fmt.Errorf("scale %q: a width of %v: expected a number above 0", s.Name, s.Width)
	case s.Unit != Centipawns:
		return fmt.Errorf("scale %q: unit %q: expected %s", s.Name, s.Unit, Centipawns)
	}
	return nil
}

type scaleFile struct {
	Scale Scale `toml:"scale"`
}

// FindScale returns the scale that text names. "" is the customary scale. A number is a width. Any other text is
// the name of a file from "gogi-lab review calibrate".
func FindScale(text string) (s Scale, err error) {
	width, number := strconv.ParseFloat(text, 64)
	switch {
	case text == "":
		return Customary(), nil
	case number == nil:
		s = Scale{Name: "width " + text, Unit: Centipawns, Width: width}
	default:
		var f scaleFile
		if _, err := toml.DecodeFile(text, &f); err != nil {
			return s, fmt.Errorf("scale %s: %w", text, err)
		}
		s = f.Scale
	}
	return s, s.check()
}

// Calibration is a scale that was fitted to the results of games, with data on the quality of the fit.
type Calibration struct {
	Scale Scale `json:"scale"` // the fitted scale
	// lower end of the width's 95% interval, from the standard error of the slope (1/width)
	Lo        float64 `json:"lo"`
	Hi        float64 `json:"hi"` // upper end; 0: none, because the slope does not differ significantly from 0
	Games     int     `json:"games"`
	Positions int     `json:"positions"` // number of positions
	Mates     int     `json:"mates"`     // positions left out because they are mates, which have no value
	Unsettled int     `json:"unsettled"` // games without a known result
	Bins      []Bin   `json:"bins"`      // expected and real results by range
}

// Bin compares expected with real results, for the positions whose expected win rate is in one range. Each
// position is seen from the better side's view.
type Bin struct {
	From      float64 `json:"from"`      // lower end of the range, in percent; the range is 5 wide
	Expected  float64 `json:"expected"`  // mean expected win rate, in percent
	Scored    float64 `json:"scored"`    // real score, in percent
	Positions int     `json:"positions"` // number of positions
	Games     int     `json:"games"`
}

// Calibrator collects positions with the results of their games, and fits a scale to them.
type Calibrator struct {
	values, results []float64
	games           []int
	c               Calibration
}

// Add adds all evaluated positions of a game.
func (k *Calibrator) Add(r *Reviewed) {
	points := map[string]float64{Black: 1, White: 0, Draw: 0.5}
	black, settled := points[r.Game.Winner]
	if !settled {
		k.c.Unsettled++
		return
	}
	counted := false
	for ply := range r.Game.Moves {
		reading := r.Readings[ply]
		switch {
		case reading == nil:
			continue
		case reading.Mate != 0:
			k.c.Mates++
			continue
		}
		counted = true
		points := black
		if r.Game.side(ply) == 1 {
			points = 1 - black
		}
		// Each position is added once from each side's view, so that a value of 0 is a win rate of 50%. The
		// slope is then the slope of a regression without an intercept. Standard errors are calculated by
		// game, so no game counts twice.
		k.values = append(k.values, reading.Value, -reading.Value)
		k.results = append(k.results, points, 1-points)
		k.games = append(k.games, k.c.Games, k.c.Games)
	}
	if counted {
		k.c.Games++
	}
}

// normal95 is the two-sided 95% point of the normal distribution.
const normal95 = 1.959964

// Fit fits the scale by logistic regression of the results on the values. name is the name of the new scale.
// Fit returns an error if the games do not determine a scale.
func (k *Calibrator) Fit(name string) (*Calibration, error) {
	fit, err := regress.Logistic(k.values, k.results, k.games)
	if err != nil {
		return nil, fmt.Errorf("fitting a scale to %d games: %w", k.c.Games, err)
	}
	if fit.Slope <= 0 {
		return nil, errors.New("who has the better value does not win more often: these games tell no scale")
	}
	c := k.c
	c.Positions = len(k.values) / 2
	c.Scale = Scale{Name: name, Unit: Centipawns, Width: 1 / fit.Slope}
	c.Lo = 1 / (fit.Slope + normal95*fit.SlopeSE)
	if low := fit.Slope - normal95*fit.SlopeSE; low > 0 {
		c.Hi = 1 / low
	}
	c.Bins = k.bins(c.Scale)
	return &c, nil
}

// bins compares the scale's expectation with the real scores, for win rates from 50% up.
func (k *Calibrator) bins(s Scale) []Bin {
	const width, count = 5, 10
	bins := make([]Bin, count)
	last := make([]int, count)
	for i := range bins {
		bins[i].From, last[i] = 50+width*float64(i), -1
	}
	for i, v := range k.values {
		if v < 0 || v == 0 && i%2 == 1 {
			continue // only the better side's view counts
		}
		rate := s.Rate(Reading{Value: v})
		n := min(int((rate-50)/width), count-1)
		b := &bins[n]
		b.Positions++
		b.Expected += rate
		b.Scored += 100 * k.results[i]
		if last[n] != k.games[i] {
			last[n] = k.games[i]
			b.Games++
		}
	}
	for i := range bins {
		if n := float64(bins[i].Positions); n > 0 {
			bins[i].Expected /= n
			bins[i].Scored /= n
		}
	}
	return bins
}

// Save writes the scale to a file that FindScale reads.
func (c *Calibration) Save(path string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# Fitted by gogi-lab review calibrate to %d positions of %d games: the win rate of the side to\n"+
		"# move is 1/(1 + exp(-value/width)); the width's 95%% interval is %s.\n\n", c.Positions, c.Games, c.interval())
	if err := toml.NewEncoder(&b).Encode(scaleFile{c.Scale}); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o644) // the file is not secret
}

func (c *Calibration) interval() string {
	if c.Hi == 0 {
		return fmt.Sprintf("from %.4g, without an upper end", c.Lo)
	}
	return fmt.Sprintf("%.4g to %.4g", c.Lo, c.Hi)
}
