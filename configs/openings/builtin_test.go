package openings_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"gogi/configs/openings"
	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
)

// TestBuiltinSets requires the sets that docs/formats.md describes: legal openings from the initial position, of these
// lengths. No two lead to one position (Builtin would warn), and none is the beginning of another.
func TestBuiltinSets(t *testing.T) {
	t.Parallel()
	total := 0
	for name, lengths := range map[string][]int{
		openings.BuiltinOpenings: {12, 14, 16},
		openings.BuiltinShort:    {2},
	} {
		openings, warnings, err := openings.Builtin(name, 0, match.RulesProfiles()[match.DefaultRules])
		testutil.Require(t, err == nil && len(warnings) == 0, "%v %v %v", name, warnings, err)
		total += len(openings)
		var lines []string
		met := map[int]int{}
		for _, o := range openings {
			met[len(o.Moves)]++
			lines = append(lines, o.String()+" ")
			testutil.Check(t, slices.Contains(lengths, len(o.Moves)) && o.Start == "startpos", "%s: %s", name, o)
			testutil.Check(t, cap(o.Moves) == len(o.Moves), "%s: an appended move would change the next opening", name)
		}
		testutil.Equal(t, len(met), len(lengths), "%s: numbers of lines by length: %v, expected lengths %v", name, met,
			lengths)
		slices.Sort(lines) // now a beginning precedes the openings that it begins
		for i := range lines[1:] {
			testutil.Check(t, !strings.HasPrefix(lines[i+1], lines[i]), "%s: %sis the beginning of %s", name, lines[i],
				lines[i+1])
		}
	}
	testutil.Check(t, total >= 10_000, "%d openings, expected 10,000", total)
}

// TestBuiltinFew requires that the large set contains every opening of the small set. The first and last openings of
// both sets nearly agree, because the small set is spread over all of the large one.
func TestBuiltinFew(t *testing.T) {
	t.Parallel()
	read := func(name string) []string {
		openings, warnings, err := openings.Builtin(name, 0, match.Rules{})
		testutil.Require(t, err == nil && len(warnings) == 0, "%v %v", warnings, err)
		return lists.Map(openings, match.Opening.String)
	}
	all, few := read(openings.BuiltinOpenings), read(openings.BuiltinFew)
	if len(few) != 1000 || !slices.Contains(all[:20], few[0]) || !slices.Contains(all[len(all)-20:], few[999]) {
		t.Errorf("%d lines, from %q to %q", len(few), few[0], few[len(few)-1])
	}
	for _, line := range few {
		testutil.Require(t, slices.Contains(all, line), "%q is not in the large set", line)
	}
}

// Every rules profile and declaration rule accepts every opening of the sets, so Builtin need not check them. A limit
// of plies that no opening reaches makes Builtin check, and changes nothing.
func TestBuiltinSetsNeedNoCheck(t *testing.T) {
	t.Parallel()
	for _, name := range []string{openings.BuiltinOpenings, openings.BuiltinFew, openings.BuiltinShort} {
		want, _, err := openings.Builtin(name, 0, match.Rules{})
		testutil.OK(t, err)
		for _, declaration := range []shogi.DeclarationRule{shogi.NoEnteringKing, shogi.CSARule24, shogi.CSARule27,
			shogi.TryRule} {
			got, warnings, err := openings.Builtin(name, 100,
				match.Rules{Declaration: declaration, MaxPlies: 17, DeclareAtLimit: true})
			testutil.Check(t, err == nil && len(warnings) == 0 && reflect.DeepEqual(got, want),
				"%s, %v: checked openings differ: %v %v", name, declaration, warnings, err)
		}
	}
	if list, _, err := openings.Builtin(openings.BuiltinOpenings, 0, match.Rules{MaxPlies: 16}); err == nil {
		t.Errorf("%d openings, of which some end at the limit of 16 plies", len(list))
	}
}

func TestNoSuchBuiltin(t *testing.T) {
	t.Parallel()
	testutil.Check(t, !openings.IsBuiltin("./builtin-x") && !openings.IsBuiltin("builtin-x.sfen") &&
		!openings.IsBuiltin("builtins"),
		"a file was taken for a built-in set")
	_, _, err := openings.Builtin("builtin-x", 0, match.Rules{})
	if !openings.IsBuiltin("builtin-x") || err == nil ||
		!strings.Contains(err.Error(), "use builtin, builtin-1000, builtin-short or builtin-64, or ./builtin-x") {
		t.Error(err)
	}
}

func BenchmarkBuiltin(b *testing.B) {
	for b.Loop() {
		if _, _, err := openings.Builtin(openings.BuiltinOpenings, 0, match.RulesProfiles()[match.DefaultRules]); err != nil {
			b.Fatal(err)
		}
	}
}
