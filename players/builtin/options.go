package builtin

import (
	"fmt"
	"strconv"
	"time"

	"gogi/shogi"
	"gogi/usi"
)

// The built-in engine has these USI options.
const (
	optionPonder   = "USI_Ponder"
	optionHash     = "USI_Hash"
	optionMultiPV  = "MultiPV"
	optionRule     = "EnteringKingRule"
	optionOverhead = "MoveOverhead"
	optionSeed     = "Seed"
	optionNoise    = "EvalNoise"
	optionModel    = "NoiseModel"
	optionBook     = "BookFile"
	optionMate     = "MateNodes"
)

// These are the values of the option NoiseModel.
const (
	noiseByTable = "tables"
	noiseByKing  = "king_square"
)

type settings struct {
	hash      int // megabytes
	lines     int // MultiPV
	rule      shogi.DeclarationRule
	overhead  time.Duration
	seed      int
	noise     int    // standard deviation in centipawns
	model     string // which tables get the noise
	book      string // path of a file; "": no book
	mateNodes int    // limit of a mate search; 0: no limit
	tunable   bool   // the weights are options
	weights   knobValues
}

func defaults() settings {
	return settings{hash: 16, lines: 1, rule: shogi.CSARule27, overhead: 30 * time.Millisecond, model: noiseByTable}
}

// Options returns the declarations of the options:
//
//   - USI_Hash: megabytes of the hash table, which Ready allocates.
//   - MultiPV: number of best moves with an exact score and a line.
//   - EnteringKingRule: a name of [shogi.DeclarationRule].
//   - MoveOverhead: milliseconds of a time limit that stay unused, at most a quarter of it.
//   - EvalNoise: standard deviation, in centipawns, of the noise on each entry of the evaluation's tables.
//   - NoiseModel: the tables with noise. "tables" adds noise to the evaluation's tables for material, hands and
//     squares. The move of one piece then changes the noise of a position by 1.4 times EvalNoise. "king_square" adds
//     noise for each combination of a king's square, a piece and the piece's square. The move of a piece then changes
//     the noise by 2 times EvalNoise, and the move of a king by about 9 times EvalNoise.
//   - Seed: seed of EvalNoise; if not 0, also of a tie-break between nearly equal moves.
//   - BookFile: a book that the engine asks before every search; Ready reads it. Its name determines the format,
//     see package book. Seed and the number of the move choose its moves, and the engine sends "info string book".
//   - MateNodes: limit of positions for "go mate"; 0: no limit. With a limit and enough time, the
//     answers do not depend on the speed of the machine.
//   - USI_Ponder: declared for GUIs; it changes nothing.
func (e *Engine) Options() []usi.Option {
	d := defaults()
	list := []usi.Option{
		{Name: optionPonder, Type: usi.Check, Default: "false"},
		spin(optionHash, d.hash, 1, 4096),
		spin(optionMultiPV, d.lines, 1, 100),
		{Name: optionRule, Type: usi.Combo, Default: d.rule.String(), Vars: RuleNames()},
		spin(optionOverhead, int(d.overhead.Milliseconds()), 0, 10_000),
		spin(optionSeed, d.seed, 0, 1<<31-1),
		spin(optionNoise, d.noise, 0, 1000),
		{Name: optionModel, Type: usi.Combo, Default: d.model, Vars: []string{noiseByTable, noiseByKing}},
		{Name: optionBook, Type: usi.Filename},
		spin(optionMate, d.mateNodes, 0, 1<<31-1),
	}
	if e.settings.tunable {
		list = append(list, weightOptions()...)
	}
	return list
}

func spin(name string, value int, low, high int64) usi.Option {
	return usi.Option{Name: name, Type: usi.Spin, Default: strconv.Itoa(value), Min: low, Max: high}
}

// RuleNames returns the names of all declaration rules.
func RuleNames() []string {
	var names []string
	for r := shogi.NoEnteringKing; r <= shogi.TryRule; r++ {
		names = append(names, r.String())
	}
	return names
}

// SetOption changes one option; the next Ready or Think uses the new value. An unknown name or a value
// outside the declared range is an error and changes nothing.
func (e *Engine) SetOption(s usi.Setting) error {
	resolved, err := usi.Resolve(e.Options(), []usi.Setting{s})
	if err != nil {
		return fmt.Errorf("sparring: %w", err)
	}
	name, value := resolved[0].Name, resolved[0].Value
	switch name {
	case optionRule:
		e.settings.rule, err = shogi.ParseDeclarationRule(value)
		return err
	case optionModel:
		e.settings.model = value
		return nil
	case optionBook:
		e.settings.book = value
		return nil
	}
	n, err := strconv.Atoi(value)
	switch name {
	case optionPonder:
		return nil
	case optionHash:
		e.settings.hash = n
	case optionMultiPV:
		e.settings.lines = n
	case optionMate:
		e.settings.mateNodes = n
	case optionOverhead:
		e.settings.overhead = time.Duration(n) * time.Millisecond
	case optionSeed:
		e.settings.seed = n
	case optionNoise:
		e.settings.noise = n
	default: // Resolve accepts no other names
		e.settings.weights.set(name, n)
	}
	return err
}
