package statscmd

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/alecthomas/kong"

	"gogi/cmd/gogi/cli"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
)

// answered prints what a question of a verb has come to, as text or as JSON.
func answered[A interface {
	Print(w io.Writer, in i18n.Language)
}](env *cli.Env, asJSON bool, answer A, err error) error {
	switch {
	case err != nil:
		return err
	case asJSON:
		return format.JSON(env.Out, answer)
	}
	answer.Print(env.Out, env.Language)
	return nil
}

// mostElo is where scores are too near to 0 and 1 to tell them from these.
const mostElo = 1000

// parseElo reads a difference that is finite.
func parseElo(word string) (float64, error) {
	v, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
	if err != nil || !(math.Abs(v) <= mostElo) {
		return 0, fmt.Errorf("%q: expected an Elo difference from -%d to %d", word, mostElo, mostElo)
	}
	return v, nil
}

// eloFlag is an Elo difference. It takes the next word even if that begins with
// a minus, which kong would take for a flag.
type eloFlag float64

// Decode reads the flag's value.
func (e *eloFlag) Decode(ctx *kong.DecodeContext) error {
	v, err := parseElo(ctx.Scan.Pop().String())
	*e = eloFlag(v)
	return err
}

// signedFlag is a number that may begin with a minus, too.
type signedFlag float64

// Decode reads the flag's value.
func (s *signedFlag) Decode(ctx *kong.DecodeContext) error {
	word := ctx.Scan.Pop().String()
	v, err := strconv.ParseFloat(word, 64)
	if err != nil {
		return fmt.Errorf("%q: expected a number", word)
	}
	*s = signedFlag(v)
	return nil
}

// sprtFlag is a sequential test as [match.SPRT] reads it. Its text may begin with a minus,
// too.
type sprtFlag struct{ match.SPRT }

// Decode reads the flag's value.
func (s *sprtFlag) Decode(ctx *kong.DecodeContext) error {
	return s.UnmarshalText([]byte(ctx.Scan.Pop().String()))
}
