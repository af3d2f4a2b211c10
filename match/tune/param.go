package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Kind is the kind of a parameter's values.
type Kind string

// The kinds of parameters.
const (
	Int    Kind = "int"
	Float  Kind = "float"
	Choice Kind = "choice" // one of a few words, so it has no gradient
)

// These constants are the largest number of levels (values) of a choice parameter, of choice parameters in a tune,
// and of all parameters in a tune. No realistic number of games could distinguish more.
const (
	MaxLevels  = 6
	MaxChoices = 4
	MaxParams  = 1000
)

// Param is one parameter of a tune: an engine option with its start value and range.
type Param struct {
	Name string `json:"name"` // name of the engine's option
	Kind Kind   `json:"kind"`
	// Start, Min and Max are numbers of the option. For a choice Start is the index of its level, Min is
	// 0 and Max the last index.
	Start float64 `json:"start"`
	Min   float64 `json:"min"` // least value
	Max   float64 `json:"max"` // largest value
	// Scale is the user's guess of the distance from the start to the best value; 0: an eighth of the
	// range. CEnd and REnd come from imported files and have the same meaning as in fishtest. CEnd is the
	// perturbation at the end of the tune. REnd is the gain at the end, divided by the square of CEnd.
	Scale  float64  `json:"scale,omitempty"`
	CEnd   float64  `json:"c_end,omitempty"`  // perturbation at the end of the schedule
	REnd   float64  `json:"r_end,omitempty"`  // gain at the end of the schedule
	Levels []string `json:"levels,omitempty"` // for a choice
	// Unused keeps the parameter at its start (.params: [[NOT USED]]).
	Unused  bool   `json:"unused,omitempty"`
	Comment string `json:"comment,omitempty"`
}

// scaleOfCEnd is the perturbation at the end of the schedule divided by Scale. In simulations, the default method
// gained the most Elo with this value.
const scaleOfCEnd = 0.4

// leastCEnd returns the least perturbation at which the two points of a duel differ: half a step of an
// int, or the last of a float's six digits.
func (p *Param) leastCEnd() float64 {
	if p.Kind == Int {
		return 0.5
	}
	return 1e-6 * (p.Max - p.Min)
}

// Spread returns the perturbation of the parameter at the end of the tune. It is scaleOfCEnd (0.4) times Scale. If
// Scale is 0, Spread uses 5 times CEnd instead of Scale, or an eighth of the range if CEnd is also 0. In fishtest,
// c_end is usually a twentieth of the range. With the method "fishtest", Spread returns CEnd unchanged if it is
// set.
func (p *Param) Spread(method string) float64 {
	c := p.Scale * scaleOfCEnd
	switch {
	case p.CEnd > 0 && method == Fishtest:
		return p.CEnd // unchanged
	case p.Scale == 0 && p.CEnd > 0:
		c = 5 * p.CEnd * scaleOfCEnd
	case p.Scale == 0:
		c = (p.Max - p.Min) / 8 * scaleOfCEnd
	}
	return min(max(c, p.leastCEnd()), (p.Max-p.Min)/2)
}

// MaxValue is the largest magnitude of a value or bound. Above it a float64 does not represent all
// integers and their halves.
const MaxValue = 1e15

// Check returns an error if a parameter is invalid.
func (p *Param) Check() error {
	wrong := func(what string, args ...any) error {
		return fmt.Errorf("parameter %s: "+what, append([]any{strconv.Quote(p.Name)}, args...)...)
	}
	for _, x := range []float64{p.Start, p.Min, p.Max, p.Scale, p.CEnd, p.REnd} {
		if math.IsNaN(x) || math.Abs(x) > MaxValue {
			return wrong("%v is no number that an option can take", x)
		}
	}
	switch {
	case p.Name == "" || strings.ContainsAny(p.Name, "\r\n"):
		return wrong("a parameter is named as the engine's option")
	case p.Scale < 0 || p.CEnd < 0 || p.REnd < 0:
		return wrong("scale, c_end and r_end are not negative")
	case p.Kind == Choice:
		return p.checkLevels(wrong)
	case p.Kind != Int && p.Kind != Float:
		return wrong("kind %q: want int, float or choice", p.Kind)
	case p.Min >= p.Max:
		return wrong("min %v is not below max %v", p.Min, p.Max)
	case p.Start < p.Min || p.Start > p.Max:
		return wrong("start %v is outside %v … %v", p.Start, p.Min, p.Max)
	case p.Kind == Int && (p.Min != math.Floor(p.Min) || p.Max != math.Floor(p.Max)):
		return wrong("the bounds %v … %v of an int are integers", p.Min, p.Max)
	}
	return nil
}

func (p *Param) checkLevels(wrong func(string, ...any) error) error {
	sorted := slices.Sorted(slices.Values(p.Levels))
	switch {
	case len(p.Levels) < 2 || len(p.Levels) > MaxLevels:
		return wrong("%d levels: want 2 to %d", len(p.Levels), MaxLevels)
	case len(slices.Compact(sorted)) < len(p.Levels):
		return wrong("a level is named twice")
	case p.Start != math.Floor(p.Start) || p.Start < 0 || int(p.Start) >= len(p.Levels):
		return wrong("start is none of its levels")
	}
	return nil
}

// CheckParams returns an error if a parameter is invalid, or if the parameters do not fit together.
func CheckParams(params []Param) error {
	used, choices, names := 0, 0, map[string]bool{}
	for i := range params {
		p := &params[i]
		if err := p.Check(); err != nil {
			return err
		}
		// Names of options are compared as engines do, most of which ignore case.
		if key := strings.ToLower(p.Name); names[key] {
			return fmt.Errorf("parameter %q is there twice", p.Name)
		} else {
			names[key] = true
		}
		if !p.Unused {
			used++
			if p.Kind == Choice {
				choices++
			}
		}
	}
	switch {
	case used == 0:
		return fmt.Errorf("no parameter to tune")
	case used > MaxParams:
		return fmt.Errorf("%d parameters: at most %d", used, MaxParams)
	case choices > MaxChoices:
		return fmt.Errorf("%d choices: at most %d", choices, MaxChoices)
	}
	return nil
}

// Text returns a value in the form sent to the engine: the level of a choice, an int without a fraction,
// a float of at most six digits.
func (p *Param) Text(x float64) string {
	switch p.Kind { //nolint:exhaustive // Float is below
	case Choice:
		return p.Levels[min(max(int(x), 0), len(p.Levels)-1)]
	case Int:
		return strconv.FormatFloat(math.Round(x), 'f', 0, 64)
	}
	six, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64) // parsing cannot fail
	return strconv.FormatFloat(six, 'f', -1, 64)
}

// Value returns the number whose Text is text.
func (p *Param) Value(text string) (float64, error) {
	if p.Kind == Choice {
		if i := slices.Index(p.Levels, text); i >= 0 {
			return float64(i), nil
		}
		return 0, fmt.Errorf("parameter %q: %q is none of %s", p.Name, text, strings.Join(p.Levels, ", "))
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(x) || cmp.Compare(x, p.Min) < 0 || cmp.Compare(x, p.Max) > 0 {
		return 0, fmt.Errorf("parameter %q: %q is no value of %v … %v", p.Name, text, p.Min, p.Max)
	}
	return x, nil
}
