package tune

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"

	"gogi/match"
	"gogi/stats"
)

// planVersion is the version of the text of a Plan. This text is part of a run's digest. Fields therefore never
// change their names, and the JSON omits new fields if they are zero.
const planVersion = 1

// Plan is the content of match.Plan.Tune: the tune, and the matches that will validate its final values. Both
// are fixed before the first game.
type Plan struct {
	Version  int         `json:"version"`
	Settings Settings    `json:"settings"`
	Validate *Validation `json:"validate,omitempty"` // nil: no validation
	// Also are further matches that a candidate has to pass, one after the other. The claim is that it
	// passes all of them, so each may have the whole error rate (R. L. Berger, Technometrics 24 (1982)
	// 295).
	Also []Validation `json:"also,omitempty"`
	// From is the name of the tune whose final values are the start values of this tune; "": none.
	From string `json:"from,omitempty"`
}

// Validations returns the matches that validate a candidate, in the order in which they are played.
func (p *Plan) Validations() []Validation {
	if p.Validate == nil {
		return nil
	}
	return append([]Validation{*p.Validate}, p.Also...)
}

// Validation has the settings of a match that tests a candidate against the start values.
type Validation struct {
	Elo0   float64       `json:"elo0"`
	Elo1   float64       `json:"elo1"`
	Alpha  float64       `json:"alpha"` // error rate of all validations of the tune together, see Level
	Beta   float64       `json:"beta"`
	Pairs  int           `json:"pairs"` // at most
	Seed   uint64        `json:"seed"`
	Limits *match.Limits `json:"limits,omitempty"` // limits of both sides; nil: those of the tune
	// Openings is "fresh" if the validation has openings that the tune never plays, and "same" if the
	// book is too small for both.
	Openings string `json:"openings"`
}

// The choices of Validation.Openings.
const (
	FreshOpenings = "fresh"
	SameOpenings  = "same"
)

// Level returns the error rate of the j-th validation of a tune, from 1: α/2^j. The sum over all possible
// validations is α (Boole's inequality).
func (v *Validation) Level(j int) float64 {
	level := v.Alpha
	for range j {
		level /= 2
	}
	return level
}

// Text returns the plan as the text for match.Plan.Tune.
func (p *Plan) Text() (string, error) {
	p.Version = planVersion
	text, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("tune: writing the settings: %w", err)
	}
	return string(text), nil
}

// ParsePlan reads a text of Plan.Text. It returns an error for an unknown field, because the field may change
// the tune.
func ParsePlan(text string) (*Plan, error) {
	var p Plan
	d := json.NewDecoder(bytes.NewReader([]byte(text)))
	d.DisallowUnknownFields()
	err := d.Decode(&p)
	if err == nil && p.Version != planVersion {
		err = fmt.Errorf("they have version %d, this program knows %d", p.Version, planVersion)
	}
	if err == nil {
		err = p.Settings.Check()
	}
	for _, v := range p.Validations() {
		if err == nil {
			err = v.check()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("tune: the settings of a stored tune: %w", err)
	}
	return &p, nil
}

func (v *Validation) check() error {
	switch {
	case v.Openings != FreshOpenings && v.Openings != SameOpenings:
		return fmt.Errorf("validation openings %q: want %s or %s", v.Openings, FreshOpenings, SameOpenings)
	case v.Pairs < 1:
		return errors.New("a validation of no pairs")
	}
	return v.Gate(1).Check()
}

// Gate returns the sequential test of the j-th validation.
func (v *Validation) Gate(j int) stats.SPRT {
	return stats.SPRT{Elo0: v.Elo0, Elo1: v.Elo1, Alpha: v.Level(j), Beta: v.Beta, Model: stats.ModelLogistic}
}

// Options returns a point (one value for each parameter of the tune) as engine options.
func (s *Settings) Options(point []float64) []match.Option {
	list := make([]match.Option, len(point))
	for i := range point {
		list[i] = match.Option{Name: s.Params[i].Name, Value: s.Params[i].Text(point[i])}
	}
	return list
}

// Start returns the point with the start values of all parameters.
func (s *Settings) Start() []float64 {
	point := make([]float64, len(s.Params))
	for i := range s.Params {
		point[i] = s.Params[i].Start
	}
	return point
}

// Points returns the engine options of the two players of a pair: d.Plus as options of player A, and d.Minus
// as options of player B.
func (s *Settings) Points(d *Duel) [2][]match.Option {
	return [2][]match.Option{s.Options(d.Plus), s.Options(d.Minus)}
}

// CheckPoints returns an error for options that no pair of the tune can have. Each player's options must be the tune's
// parameters, in their order, with values within their bounds. It does not check that they are the values of this pair,
// because these depend on earlier results.
func (s *Settings) CheckPoints(options [2][]match.Option) error {
	for _, list := range options {
		if len(list) != len(s.Params) {
			return fmt.Errorf("tune: a point of %d parameters, the tune has %d", len(list), len(s.Params))
		}
		for i, o := range list {
			if p := &s.Params[i]; o.Name != p.Name {
				return fmt.Errorf("tune: a point has %q where the tune has %q", o.Name, p.Name)
			}
			if err := s.Params[i].takes(o.Value); err != nil {
				return fmt.Errorf("tune: a point: %w", err)
			}
		}
	}
	return nil
}

// takes returns an error if Value rejects the text. It allows a float that exceeds a bound by the rounding of Text.
func (p *Param) takes(text string) error {
	wide := *p
	if p.Kind == Float {
		rounding := 1e-5 * max(math.Abs(p.Min), math.Abs(p.Max))
		wide.Min, wide.Max = p.Min-rounding, p.Max+rounding
	}
	_, err := wide.Value(text)
	return err
}

// FirstAfter returns the first pair whose parameter values depend on the result of the given pair. It returns the
// number of all pairs if there is none.
func (s *Settings) FirstAfter(pair int) int {
	for block := s.BlockOf(pair) + 1; block < s.Blocks(); block++ {
		if s.DrawnFrom(block) > s.BlockOf(pair) {
			return block * s.Block
		}
	}
	return s.Pairs
}

// Rounded returns a point with each value rounded as gogi sends it to the engine.
func (s *Settings) Rounded(point []float64) []float64 {
	out := make([]float64, len(point))
	for i := range point {
		p := &s.Params[i]
		out[i] = point[i]
		if x, err := p.Value(p.Text(point[i])); err == nil { // else it is beyond a bound by a rounding
			out[i] = x
		}
	}
	return out
}

// Stored returns the part of the state that the store saves.
func (st *State) Stored() match.TuneState {
	return match.TuneState{Blocks: st.Blocks, Pairs: st.Pairs, Centre: append([]float64(nil), st.Theta...),
		Factor: st.Factor}
}

// Perturbation returns the distance of parameter i from the centre (its unperturbed value) in a duel. pairs is the
// number of pairs before the duel. factor is State.Factor, which multiplies all perturbations.
func (s *Settings) Perturbation(i, pairs int, factor float64) float64 {
	p := &s.Params[i]
	_, t, k := s.place(min(pairs, s.Pairs-1))
	if s.Method == Fishtest {
		return p.Spread(s.Method) * t.c(k)
	}
	return s.size(p, p.Spread(s.Method)*t.c(k)*factor)
}
