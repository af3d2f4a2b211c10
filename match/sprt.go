package match

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gogi/stats"
)

// SPRT has the settings of a sequential test as a user writes them. The text is two rating differences, such as "0,4",
// or keys in any order, such as "elo0=0,elo1=4,alpha=0.05,beta=0.05,model=normalized,boundary=ratio". Flags, settings
// files and package report/calculator use this type. Keys other than elo0 and elo1 may be absent.
type SPRT struct {
	stats.SPRT

	Set []string // the keys other than elo0 and elo1 that the text sets, in the order of the long form
}

// sprtKeys are the keys of the long form, in the order in which they are written.
var sprtKeys = []string{"elo0", "elo1", "alpha", "beta", "model", "boundary"}

// UnmarshalText reads both forms of the text that SPRT describes.
func (s *SPRT) UnmarshalText(text []byte) error {
	words := strings.Split(string(text), ",")
	if len(words) == 2 && !strings.Contains(string(text), "=") {
		words[0], words[1] = "elo0="+words[0], "elo1="+words[1]
	}
	var read SPRT
	var seen []string
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch {
		case !ok:
			return fmt.Errorf("%q: expected two rating differences such as 0,4, or keys such as elo0=0,elo1=4,alpha=0.05,beta=0.05,model=normalized", text)
		case slices.Contains(seen, key):
			return fmt.Errorf("%q: %s is set twice; remove one", text, key)
		}
		if err := read.set(key, value); err != nil {
			return fmt.Errorf("%q: %w", text, err)
		}
		seen = append(seen, key)
	}
	for _, key := range sprtKeys[:2] {
		if !slices.Contains(seen, key) {
			return fmt.Errorf("%q: %s is missing; expected elo0 and elo1, such as elo0=0,elo1=4", text, key)
		}
	}
	if !(read.Elo0 < read.Elo1) {
		return fmt.Errorf("%q: expected two rating differences, the lower one first, such as 0,4", text)
	}
	read.Set = slices.DeleteFunc(slices.Clone(sprtKeys[2:]), func(key string) bool { return !slices.Contains(seen, key) })
	*s = read
	return nil
}

func (s *SPRT) set(key, value string) error {
	switch key {
	case "elo0":
		return number(key, value, &s.Elo0, -mostElo, mostElo)
	case "elo1":
		return number(key, value, &s.Elo1, -mostElo, mostElo)
	case "alpha":
		return number(key, value, &s.Alpha, math.SmallestNonzeroFloat64, mostError)
	case "beta":
		return number(key, value, &s.Beta, math.SmallestNonzeroFloat64, mostError)
	case "model":
		s.Model = stats.EloModel(value)
		return word(key, value, string(stats.ModelLogistic), string(stats.ModelNormalized))
	case "boundary":
		s.Boundary = stats.BoundaryOf(value)
		return word(key, value, stats.BoundaryRatio.String(), stats.BoundaryBounded.String())
	}
	return fmt.Errorf("unknown key %q; expected %s", key, strings.Join(sprtKeys, ", "))
}

// mostElo is the largest absolute value of elo0 and elo1.
const mostElo = 1000

var mostError = math.Nextafter(0.5, 0)

func number(key, value string, into *float64, least, most float64) error {
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || !(least <= v && v <= most) {
		expected := "between 0 and 0.5"
		if most == mostElo {
			expected = "from -1000 to 1000"
		}
		return fmt.Errorf("%s %q: expected a number %s", key, value, expected)
	}
	*into = v
	return nil
}

func word(key, value string, choices ...string) error {
	if !slices.Contains(choices, value) {
		return fmt.Errorf("%s %q: expected one of %s", key, value, strings.Join(choices, ", "))
	}
	return nil
}

// String returns the shortest text that UnmarshalText reads as s.
func (s SPRT) String() string {
	if len(s.Set) == 0 {
		return decimal(s.Elo0) + "," + decimal(s.Elo1)
	}
	words := []string{"elo0=" + decimal(s.Elo0), "elo1=" + decimal(s.Elo1)}
	values := map[string]string{"alpha": decimal(s.Alpha), "beta": decimal(s.Beta), "model": string(s.Model),
		"boundary": s.Boundary.String()}
	for _, key := range s.Set {
		words = append(words, key+"="+values[key])
	}
	return strings.Join(words, ",")
}

func decimal(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Complete returns the test. It takes the value of defaults for each key that s does not set.
func (s SPRT) Complete(defaults stats.SPRT) stats.SPRT {
	out := defaults
	out.Elo0, out.Elo1 = s.Elo0, s.Elo1
	for _, key := range s.Set {
		switch key {
		case "alpha":
			out.Alpha = s.Alpha
		case "beta":
			out.Beta = s.Beta
		case "model":
			out.Model = s.Model
		case "boundary":
			out.Boundary = s.Boundary
		}
	}
	return out
}

// Only returns an error if s sets a key that is neither elo0 nor elo1 and is not in keys.
func (s SPRT) Only(keys ...string) error {
	for _, key := range s.Set {
		if !slices.Contains(keys, key) {
			return fmt.Errorf("sprt: %s cannot be set here; expected %s", key, strings.Join(keys, ", "))
		}
	}
	return nil
}
