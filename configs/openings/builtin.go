package openings

import (
	"bytes"
	"compress/gzip"
	_ "embed" // the built-in openings
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gogi/configs/advice"
	"gogi/match"
	"gogi/shogi"
)

// gogi has opening sets with these names. docs/formats.md describes how each set was made.
const (
	BuiltinOpenings = "builtin"       // 12 to 16 moves; the default
	BuiltinShort    = "builtin-short" // two moves
	BuiltinFew      = "builtin-1000"  // a part of BuiltinOpenings; the default on a farm, whose plans must be short
	BuiltinNamed    = "builtin-64"    // common openings, selected by hand; the default of earlier versions
)

var (
	//go:embed openings/long.sfen.gz
	builtinLong []byte
	//go:embed openings/short.sfen.gz
	builtinShort []byte
	//go:embed openings/builtin.sfen
	builtinNamed []byte
)

func builtinText(name string) []byte {
	switch name {
	case BuiltinOpenings:
		return unpackedLong()
	case BuiltinFew:
		return someLines(unpackedLong(), 1000)
	case BuiltinShort:
		return unpacked(builtinShort)
	case BuiltinNamed:
		return builtinNamed
	}
	return nil
}

// unpackedLong returns the text of the set BuiltinOpenings.
var unpackedLong = sync.OnceValue(func() []byte { return unpacked(builtinLong) })

// unpacked returns the text of a compressed, embedded opening set. It panics if the embedded data are
// damaged.
func unpacked(packed []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		panic(fmt.Sprintf("openingfiles: built-in openings: %v", err))
	}
	var text bytes.Buffer
	size := binary.LittleEndian.Uint32(packed[len(packed)-4:]) // the last field of a gzip file
	text.Grow(int(size) + bytes.MinRead)
	if _, err := text.ReadFrom(r); err != nil {
		panic(fmt.Sprintf("openingfiles: built-in openings: %v", err))
	}
	return text.Bytes()
}

// someLines returns count lines of a text, evenly spaced over the text.
func someLines(text []byte, count int) []byte {
	lines := bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	var some []byte
	for i := range count {
		some = append(some, lines[i*len(lines)/count]...)
	}
	return some
}

// IsBuiltin reports whether a name is "builtin", or begins with "builtin-" and is not a path. It does not
// check whether the set exists; Builtin does.
func IsBuiltin(name string) bool {
	return name == BuiltinOpenings || strings.HasPrefix(name, BuiltinOpenings+"-") && !strings.ContainsAny(name, `./\`)
}

// Builtin returns the openings of a built-in set, in the form of [Read]. It returns at most plies moves of
// each opening, or all if plies is 0. It returns an error for an unknown name.
func Builtin(name string, plies int, rules match.Rules) ([]match.Opening, []advice.Warning, error) {
	text := builtinText(name)
	if text == nil {
		return nil, nil,
			fmt.Errorf("openings %s: there is no built-in set of this name; use %s, %s, %s or %s, or ./%s for a file",
				name, BuiltinOpenings, BuiltinFew, BuiltinShort, BuiltinNamed, name)
	}
	if name != BuiltinNamed && plies == 0 && (rules.MaxPlies == 0 || rules.MaxPlies > longestBuiltin) {
		openings, err := checkedLines(text)
		return openings, nil, err
	}
	asked := set{name, plies, rules}
	if known, ok := readSets.Load(asked); ok {
		return slices.Clone(known.([]match.Opening)), nil, nil
	}
	openings, warnings, err := parseOpenings(name, []openingText{{name, text}}, plies, rules)
	if err == nil && warnings == nil {
		readSets.Store(asked, slices.Clone(openings))
	}
	return openings, warnings, err
}

// longestBuiltin is the largest number of moves of an opening in a built-in set.
const longestBuiltin = 16

// checkedLines returns the openings of a text whose lines are all "startpos moves …". It does not check the
// moves, because TestBuiltinSets does this. In a match this check would use more CPU time than everything
// else before the first game.
func checkedLines(text []byte) ([]match.Opening, error) {
	openings := make([]match.Opening, 0, bytes.Count(text, []byte("\n")))
	moves := make([]shogi.Move, 0, bytes.Count(text, []byte(" "))) // of all openings, instead of ten thousand slices
	for line := range strings.Lines(string(text)) {
		first := len(moves)
		for word := range strings.FieldsSeq(strings.TrimPrefix(line, "startpos moves ")) {
			m, err := shogi.ParseMove(word)
			if err != nil {
				return nil, err
			}
			moves = append(moves, m)
		}
		openings = append(openings, match.Opening{ID: strconv.Itoa(len(openings) + 1), Start: "startpos",
			Moves: slices.Clip(moves[first:])})
	}
	return openings, nil
}

type set struct {
	name  string
	plies int
	rules match.Rules
}

// readSets caches the openings of each set that was read without a warning. Without the cache, checking ten
// thousand lines takes a tenth of a second of CPU time.
var readSets sync.Map
