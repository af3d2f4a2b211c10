package builtin

import (
	"fmt"
	"strconv"
	"time"

	"gogi/shogi"
	"gogi/usi"
)

// The names of the options.
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

// The values of NoiseModel.
const (
	noiseByTable = "tables"
	noiseByKing  = "king_square"
)

// settings are the values of the options.
type settings struct {
	hash      int // megabytes
	lines     int // of MultiPV
	rule      shogi.DeclarationRule
	overhead  time.Duration
	seed      int
	noise     int    // standard deviation in centipawns
	model     string // what the noise is added to
	book      string // a file; "": none
	mateNodes int    // of a mate search; 0: no limit
	tunable   bool   // the weights are options
	weights   knobValues
}

func defaults() settings {
	return settings{hash: 16, lines: 1, rule: shogi.CSARule27, overhead: 30 * time.Millisecond, model: noiseByTable}
}

// Options lists what can be set:
//
//   - USI_Hash: megabytes of the hash table, allocated by Ready.
//   - MultiPV: how many of the best moves get an exact score and a line.
//   - EnteringKingRule: one of the names of [shogi.DeclarationRule].
//   - MoveOverhead: milliseconds of a time limit that are left unused, at most
//     a quarter of it.
//   - EvalNoise: standard deviation, in centipawns, of what is added to each
//     entry of the evaluation's tables.
//   - NoiseModel: which tables those are. "tables" are the evaluation's own, for
//     material, hands and squares: with one piece on another square a position
//     changes by 1.4 times EvalNoise. "king_square" are tables of noise alone, for
//     every square of either king × piece × square: it changes by 2 times
//     EvalNoise, and with a king on another square by about 9 times.
//   - Seed: of EvalNoise, and when not 0 of a tie-break between near-equal moves.
//   - BookFile: a book that is asked before every search, in a format of package book
//     that its name tells; read by Ready. Moves are drawn from it by Seed and the number
//     of the move, and say so ("info string book").
//   - MateNodes: how many positions "go mate" looks into; 0: no limit. With one its answers
//     do not depend on the speed of the machine, where there is time enough.
//   - USI_Ponder: declared for GUIs; it changes nothing.
func (e *Engine) Options() []usi.Option {
	d := defaults()
	list := []usi.Option{
		{Name: optionPonder, Type: usi.Check, Default: "false"},
		spin(optionHash, d.hash, 1, 4096),
		spin(optionMultiPV, d.lines, 1, 100),
		{Name: optionRule, Type: usi.Combo, Default: d.rule.String(), Vars: ruleNames()},
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

func ruleNames() []string {
	var names []string
	for r := shogi.NoEnteringKing; r <= shogi.TryRule; r++ {
		names = append(names, r.String())
	}
	return names
}

// SetOption changes one option from the next Ready or Think on. An unknown name
// or a value outside of the declared range is an error and changes nothing.
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
	default: // Resolve knows no others
		e.settings.weights.set(name, n)
	}
	return err
}
