// Package statscmd implements the commands that calculate from typed counts: flags and exit codes. [Command] is the
// group stats. Package report/calculator does the calculation and prints its text.
package statscmd

import (
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"gogi/match"
	"gogi/report/calculator"
)

// Command groups the commands that calculate from typed counts. docs/statistics.md explains their numbers.
type Command struct {
	Interval IntervalCommand                                      `cmd:"" help:"Calculate confidence intervals of a win rate"`
	Test     Question[calculator.TestQuestion, *calculator.Tests] `cmd:"" help:"Test whether one player is stronger"`
	SPRT     Question[calculator.SPRTQuestion,
		*calculator.SPRTs] `cmd:"" name:"sprt" help:"Calculate the SPRT state from counts"`
	Plan PlanCommand `cmd:"" help:"Calculate how many games detect an Elo difference"`
	Elo  Question[calculator.EloQuestion,
		*calculator.Elos] `cmd:"" help:"Convert between score, Elo and normalised Elo"`
	Forecast ForecastCommand `cmd:"" help:"Predict the result of a match from past results"`
}

// Mappers returns the parsers of the flag types elo, signed and sprt. The values of these types may begin
// with a minus, which kong would otherwise treat as a flag.
func Mappers() []kong.Option {
	return []kong.Option{
		kong.NamedMapper("elo", mapper(parseElo)), kong.NamedMapper("signed", mapper(parseSigned)),
		kong.NamedMapper("sprt", mapper(parseSPRT)),
	}
}

// mapper returns a parser for flags of type V and *V.
func mapper[V any](parse func(string) (V, error)) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		v, err := parse(ctx.Scan.Pop().String())
		if target.Kind() == reflect.Pointer {
			target.Set(reflect.ValueOf(&v))
		} else {
			target.Set(reflect.ValueOf(v))
		}
		return err
	}
}

// mostElo is the largest Elo difference. Beyond it, scores are too close to 0 and 1.
const mostElo = 1000

func parseElo(word string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
	if err != nil || !(math.Abs(v) <= mostElo) {
		return 0, fmt.Errorf("%q: expected an Elo difference from -%d to %d", word, mostElo, mostElo)
	}
	return v, nil
}

func parseSigned(word string) (float64, error) {
	v, err := strconv.ParseFloat(word, 64)
	if err != nil {
		return 0, fmt.Errorf("%q: expected a number", word)
	}
	return v, nil
}

func parseSPRT(word string) (s match.SPRT, err error) {
	err = s.UnmarshalText([]byte(word))
	return s, err
}
