package configs

import (
	"errors"
	"fmt"
	"slices"

	"gogi/match"
)

// Scalar is a value as it is written: a word, a number, true or false.
type Scalar string

// Tune says how values of an engine's options are looked for; docs/tune.md has what the
// keys mean. Defaults are those of package tuning.
type Tune struct {
	Engine   string        `toml:"engine"` // whose options; default: the only one
	Method   string        `toml:"method"` // spsa, surface or fishtest
	Params   string        `toml:"params"` // a file of parameters in any format that package tune reads
	Only     []string      `toml:"only"`   // patterns of parameters that are tuned; the others stay where they are
	Block    *int          `toml:"block"`
	Inflight *int          `toml:"inflight"`
	Spread   *float64      `toml:"spread"`
	Probes   *float64      `toml:"probes"`
	A        *float64      `toml:"A"`
	Alpha    *float64      `toml:"alpha"`
	Gamma    *float64      `toml:"gamma"`
	REnd     Scalar        `toml:"r_end"` // a number, or "auto"
	Average  *float64      `toml:"average"`
	Faults   string        `toml:"faults"` // stop or forfeit
	Stages   []string      `toml:"stages"`
	Validate TuneValidates `toml:"validate"`
}

// TuneValidates are the matches that judge what a tune has found: one table, or several.
type TuneValidates []TuneValidate

// TuneValidate is the match that judges what a tune has found.
type TuneValidate struct {
	SPRT     *match.SPRT `toml:"sprt"` // "0,3" or [0, 3]; it may set alpha and beta, too
	Alpha    *float64    `toml:"alpha"`
	Beta     *float64    `toml:"beta"`
	Games    *int        `toml:"games"`    // at most
	Limits   *Limits     `toml:"limits"`   // default: the tune's
	Openings string      `toml:"openings"` // fresh or same
	Seed     *uint64     `toml:"seed"`
}

// TuneParam is one parameter of a tune.
type TuneParam struct {
	Name   string   `toml:"name"`
	Kind   string   `toml:"kind"`  // int, float or choice
	Start  Scalar   `toml:"start"` // default: the engine's option of the file, else what the engine declares
	Min    *float64 `toml:"min"`
	Max    *float64 `toml:"max"`
	Scale  *float64 `toml:"scale"`
	Levels []string `toml:"levels"` // of a choice
}

// TuneWish is what a file says of a tune, apart from the match that is left of it.
type TuneWish struct {
	Tune
	List   []TuneParam
	Engine Engine          // as the file has it
	Limits []*match.Limits // of each validation; nil: those of the tune
}

// errTune is of a file that is a tune where a series is asked for.
var errTune = errors.New("the file has a [tune] or a [[param]]: it is played by gogi tune")

// TakeTune takes the tune out of a file, which is that of a match of the engine against
// itself then: two players, NAME+ and NAME-, that differ in nothing.
func (f *File) TakeTune() (*TuneWish, error) {
	w := &TuneWish{List: f.Params}
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
		return nil, fmt.Errorf("%s: expected one engine, or which of the %d is tuned: engine = \"NAME\" in [tune]", f.title(), len(f.Engines))
	case i < 0:
		return nil, fmt.Errorf("%s: tune.engine: there is no engine %q (%s)", f.title(), name, f.engineNames())
	case f.Gate != nil:
		return nil, fmt.Errorf("%s: gate: a tune proves nothing: expected the test in [tune.validate]", f.title())
	case f.Players != nil || f.Design != nil || len(f.Councils) > 0 || f.Swap != nil:
		return nil, fmt.Errorf("%s: a tune is a match of one engine against itself: expected no players, design, swap or councils", f.title())
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

// check returns an error if the test of a validation sets a key twice, or one that
// validations do not have.
func (v *TuneValidate) check() error {
	if v.SPRT == nil {
		return nil
	}
	if key := (&Gate{SPRT: v.SPRT, Alpha: v.Alpha, Beta: v.Beta}).twice(); key != "" {
		return fmt.Errorf("sprt sets %s, too; remove one", key)
	}
	return v.SPRT.Only("elo0", "elo1", "alpha", "beta")
}

// validationLimits are those of a validation; nil where it has none of its own.
func (f *File) validationLimits(e *Engine, own *Limits) (*match.Limits, error) {
	if own == nil {
		return nil, nil //nolint:nilnil // they are the tune's
	}
	limits, err := or(f.Limits, Limits{}).override(or(e.Limits, Limits{})).override(*own).resolve()
	if err == nil {
		err = limits.Check()
	}
	return &limits, err
}
