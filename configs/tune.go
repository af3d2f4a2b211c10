package configs

import (
	"errors"
	"fmt"
	"slices"

	"gogi/match"
)

// Scalar is the text of a TOML value that is a string, a number, true or false.
type Scalar string

// Tune is the table [tune]. The comments of its fields are the table of keys in
// docs/configuration.md; package tune has the defaults.
type Tune struct {
	Engine string `toml:"engine"` // The engine to tune. Default: the only engine of the file.
	Method string `toml:"method"` // `"spsa"` or `"fishtest"`. Default: `"spsa"`.
	Params string `toml:"params"` // A parameter file: `.params`, `.tune`, or lines of fishtest or OpenBench.
	// Patterns of the names to tune; all other parameters keep their start values. Default: all.
	Only  []string `toml:"only"`
	Block *int     `toml:"block"` // Number of pairs in one iteration. Default: 16, at most 1/20 of all pairs.
	// Number of pairs that may start before the oldest is used. Fixed at the first start. Default: 3 × concurrency.
	Inflight *int `toml:"inflight"`
	// Elo that a perturbed point should lose against the current values; 0 switches this control off. Default: 15.
	Spread *float64 `toml:"spread"`
	Probes *float64 `toml:"probes"` // Share of the pairs that measure this loss. Default: 0.1.
	// Stability constant of the schedule, as a share of the iterations. Default: 0.1.
	A     *float64 `toml:"A"`
	Alpha *float64 `toml:"alpha"` // Exponent of the step size. Default: 0.602.
	Gamma *float64 `toml:"gamma"` // Exponent of the perturbation. Default: 0.101.
	// Step size at the end, or `"auto"`. Default: calculated from the number of games.
	REnd    Scalar   `toml:"r_end"`
	Average *float64 `toml:"average"` // Last part of the trajectory whose mean is the result. Default: 0.5.
	// `"stop"` ends a tune in which too many points fail; `"forfeit"` counts a failure as a loss. Default: `"stop"`.
	Faults string `toml:"faults"`
	// Patterns of parameters that are tuned one after the other; the games are divided. Default: all at the same time.
	Stages []string `toml:"stages"`
	// The match that tests the result; see below. Several `[[tune.validate]]` must all pass.
	Validate TuneValidates `toml:"validate"`
}

// TuneValidates are the matches that test the result of a tune: one table, or several.
type TuneValidates []TuneValidate

// TuneValidate is the table [tune.validate]: a match of the result against the start. Its comments are in
// docs/configuration.md.
type TuneValidate struct {
	// The Elo bounds of the SPRT, `"0,3"` or `[0, 3]`. The long form may also set `alpha` and `beta`.
	SPRT   *match.SPRT `toml:"sprt"`
	Alpha  *float64    `toml:"alpha"`  // Probability of a false pass. Default: 0.05.
	Beta   *float64    `toml:"beta"`   // Probability of a false fail. Default: 0.05.
	Games  *int        `toml:"games"`  // Maximum number of games.
	Limits *Limits     `toml:"limits"` // Search limits. Default: those of the tune.
	// `"fresh"`: openings that the tune did not use; `"same"`: those of the tune. Default: `"fresh"`.
	Openings string  `toml:"openings"`
	Seed     *uint64 `toml:"seed"` // Seed of the match. Default: another one than that of the tune.
}

// TuneParam is one [[param]] of a tune. Its comments are in docs/configuration.md.
type TuneParam struct {
	Name string `toml:"name"` // The engine option.
	Kind string `toml:"kind"` // `"int"`, `"float"` or `"choice"`. Default: from the type of the option.
	// First value. Default: the option of the engine in the file, otherwise the engine's own default.
	Start  Scalar   `toml:"start"`
	Min    *float64 `toml:"min"`    // Lowest value. Default: the engine's. A string option needs `min` and `max`.
	Max    *float64 `toml:"max"`    // Highest value. Default: the engine's.
	Scale  *float64 `toml:"scale"`  // Your guess of the distance to the best value. Default: an eighth of the range.
	Levels []string `toml:"levels"` // The values of a choice.
}

// TuneSettings has the settings of a tune, which TakeTune returns. The rest of the file has the settings of
// the games.
type TuneSettings struct {
	Tune
	List   []TuneParam
	Engine Engine          // the engine to tune, as in the file
	Limits []*match.Limits // limits of each validation; nil: the limits of the tune
}

var errTune = errors.New("the file has a [tune] or a [[param]]: it is played by gogi tune")

// TakeTune removes the tables [tune] and [[param]] from the file and returns their settings. The rest of the
// file becomes a match of the engine against itself, with two equal players, NAME+ and NAME-.
func (f *File) TakeTune() (*TuneSettings, error) {
	w := &TuneSettings{List: f.Params}
	if f.Tune != nil {
		w.Tune = *f.Tune
	}
	f.Tune, f.Params = nil, nil
	name := w.Tune.Engine
	if name == "" && len(f.Engines) == 1 {
		name = f.Engines[0].Name
	}
	i := slices.IndexFunc(f.Engines, func(e Engine) bool { return e.Name == name })
	switch {
	case i < 0 && name == "":
		return nil, fmt.Errorf("%s: expected one engine, or which of the %d is tuned: engine = \"NAME\" in [tune]", f.title(),
			len(f.Engines))
	case i < 0:
		return nil, fmt.Errorf("%s: tune.engine: there is no engine %q (%s)", f.title(), name, f.engineNames())
	case f.Gate != nil:
		return nil, fmt.Errorf("%s: gate: a tune proves nothing: expected the test in [tune.validate]", f.title())
	case f.Players != nil || f.Design != nil || len(f.Councils) > 0 || f.Swap != nil:
		return nil,
			fmt.Errorf("%s: a tune is a match of one engine against itself: expected no players, design, swap or councils",
				f.title())
	}
	w.Engine = f.Engines[i]
	for i := range w.Validate {
		v := &w.Validate[i]
		if err := v.check(); err != nil {
			return nil, fmt.Errorf("%s: tune.validate: %w", f.title(), err)
		}
		limits, err := f.validationLimits(&w.Engine, v.Limits)
		if err != nil {
			return nil, fmt.Errorf("%s: tune.validate.limits: %w", f.title(), err)
		}
		w.Limits = append(w.Limits, limits)
	}
	plus, minus := w.Engine, w.Engine
	plus.Name, minus.Name = name+"+", name+"-"
	f.Engines = []Engine{plus, minus}
	return w, nil
}

// check returns an error if the SPRT of a validation sets a key twice, or sets a key that is not valid in a
// validation.
func (v *TuneValidate) check() error {
	if v.SPRT == nil {
		return nil
	}
	if key := (&Gate{SPRT: v.SPRT, Alpha: v.Alpha, Beta: v.Beta}).twice(); key != "" {
		return fmt.Errorf("sprt sets %s, too; remove one", key)
	}
	return v.SPRT.Only("elo0", "elo1", "alpha", "beta")
}

// validationLimits returns the limits of a validation, or nil if it has no limits of its own.
func (f *File) validationLimits(e *Engine, own *Limits) (*match.Limits, error) {
	if own == nil {
		return nil, nil // the limits of the tune apply
	}
	limits, err := or(f.Limits, Limits{}).override(or(e.Limits, Limits{})).override(*own).resolve()
	if err == nil {
		err = limits.Check()
	}
	return &limits, err
}
