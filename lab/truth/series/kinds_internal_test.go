package series

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// A printed is what the program in place of gogi prints for a command, by the command's first two words.
type printed map[string]struct {
	code int
	out  string
}

// claimed runs a series of the condition with a program that prints these answers, and returns the claims by their
// figures.
func claimed(t *testing.T, c Condition, answers printed) map[string][]bool {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the program in place of gogi is a shell script")
	}
	dir := t.TempDir()
	script := "#!/bin/sh\ncase \"$1 $2\" in\n"
	for words, a := range answers {
		file := filepath.Join(dir, strings.ReplaceAll(words, " ", "-")+".out")
		testutil.OK(t, os.WriteFile(file, []byte(a.out), 0o600))
		pattern := strconv.Quote(words)
		if !strings.Contains(words, " ") {
			pattern += "*"
		}
		script += fmt.Sprintf("%s) cat %s; exit %d;;\n", pattern, file, a.code)
	}
	program := filepath.Join(dir, "gogi")
	testutil.OK(t, os.WriteFile(program, []byte(script+"esac\necho \"no answer for $1 $2\" >&2\nexit 99\n"), 0o700))
	k := kinds[c.Kind]
	b := &bench{Condition: c, law: k.law(c), gogi: program, engine: "engine", dir: dir, seed: 1}
	testutil.OK(t, b.prepare())
	testutil.OK(t, k.play(t.Context(), b))
	claims := map[string][]bool{}
	for _, claim := range b.claims {
		claims[claim.Figure] = append(claims[claim.Figure], claim.Held)
	}
	return claims
}

// check requires the claims of some figures; a figure that is named with nothing must have none.
func check(t *testing.T, claims map[string][]bool, want map[string][]bool) {
	t.Helper()
	for figure, held := range want {
		testutil.Equal(t, fmt.Sprint(claims[figure]), fmt.Sprint(held), figure)
	}
}

const twoPairs = `{"type":"end","pair":0,"black":"a","points":[1,0]}
{"type":"end","pair":0,"black":"b","points":[0,1]}
{"type":"end","pair":1,"black":"a","points":[1,0]}
{"type":"end","pair":1,"black":"b","points":[0,1]}
`

// TestWaldClaims: a pass is an error at elo0 only, and a fail at elo1 only. The interval is that of the stop.
func TestWaldClaims(t *testing.T) {
	for _, test := range []struct {
		elo      float64
		decision string
		want     map[string][]bool
	}{
		{0, "pass", map[string][]bool{"SPRT by Wald: false pass": {true}, "SPRT by Wald: false fail": nil,
			"SPRT by Wald: Elo interval after the stop": {false}}},
		{0, "fail", map[string][]bool{"SPRT by Wald: false pass": {false}}},
		{50, "fail", map[string][]bool{"SPRT by Wald: false fail": {true}, "SPRT by Wald: false pass": nil,
			"SPRT by Wald: Elo interval after the stop": {true}}},
		{50, "continue", map[string][]bool{"SPRT by Wald: false fail": {false},
			"SPRT by Wald: Elo interval after the stop": nil}},
	} {
		check(t, claimed(t, Condition{Kind: "wald", Pairs: 2, Elo: test.elo, SPRT: "elo0=0,elo1=50"}, printed{
			"match":      {0, twoPairs},
			"stats sprt": {0, fmt.Sprintf(`{"sprts":[{"decision":%q,"elo_lo":40,"elo_hi":60}]}`, test.decision)},
		}), test.want)
	}
}

// TestTunedClaims: the gain of a final value is that of the law, and a start that stays needs no validation. Level 5
// loses 400·(2/7)² Elo, and level 3 400·(4/7)²: the difference is 98.
func TestTunedClaims(t *testing.T) {
	report := func(value string) string {
		return `{"candidates":[{"Run":"t-validation-1","Point":[{"name":"Level","value":"` + value + `"}]}],` +
			`"summary":{"params":[{"name":"Level","p":0.01,"moved":-3}]}}`
	}
	gate := func(lo int) string { return fmt.Sprintf(`{"verdict":"pass","gate":{"elo":{"lo":%d,"hi":99}}}`, lo) }
	for _, test := range []struct {
		value string
		code  int
		lo    int
		want  map[string][]bool
	}{
		{"5", 0, 97, map[string][]bool{"tune: Elo interval of the validation": {true},
			"tune: the validation passes a useless candidate": nil, "tune: p ≤ 0.05 for the wrong direction": {true}}},
		{"5", 0, 99, map[string][]bool{"tune: Elo interval of the validation": {false}}},
		{"5", 10, 97, map[string][]bool{"tune: its exit code is that of the validation": {false}}},
		{"0", 0, 97, map[string][]bool{"tune: the validation passes a useless candidate": {true}}},
		{"3", 11, 97, map[string][]bool{"tune: the start is no new version": {true},
			"tune: Elo interval of the validation": nil}},
		{"3", 0, 97, map[string][]bool{"tune: the start is no new version": {false}}},
	} {
		check(t, claimed(t, Condition{Kind: "tuned", Pairs: 2, Elo: 400}, printed{
			"tune run": {test.code, ""}, "tune report": {0, report(test.value)}, "gate": {test.code, gate(test.lo)},
		}), test.want)
	}
}

// TestChoiceClaims: the intervals of all levels count together. The levels differ by 60 Elo.
func TestChoiceClaims(t *testing.T) {
	for lo, held := range map[int]bool{119: true, 121: false} {
		check(t, claimed(t, Condition{Kind: "choice", Pairs: 2, Elo: 60, Players: 3}, printed{
			"tune run": {11, ""},
			"tune report": {0,
				fmt.Sprintf(`{"summary":{"params":[{"levels":[{"name":"v02","lo":59,"hi":61},{"name":"v03","lo":%d,"hi":130}]}]}}`,
					lo)},
		}), map[string][]bool{"tune: intervals of all levels of a choice": {held}})
	}
}

// TestCouncilClaims: the council is as strong as two of its members, and stronger than the third one by the law.
func TestCouncilClaims(t *testing.T) {
	contest := func(member string, lo, hi int, p float64) string {
		return fmt.Sprintf(`{"run":"r","member":%q,"elo":{"lo":%d,"hi":%d},"p":%v}`, member, lo, hi, p)
	}
	for share, same := range map[string]bool{"1": true, "0.99": false} {
		claims := claimed(t, Condition{Kind: "council", Pairs: 2, Elo: 150}, printed{
			"council suggest": {0, "{}\n" + `{"best":"C","contests":[` + contest("a1", -1, 1, 0.04) + "," +
				contest("a2", 1, 2, 0.5) + "," + contest("b1", 149, 151, 0.01) + "]}\n"},
			"votes": {0, `{"councils":[{"agreements":[{"a":"a1","b":"a2","share":` + share +
				`},{"a":"a1","b":"b1","share":0.3}]}]}`},
		})
		check(t, claims, map[string][]bool{
			"council suggest: Elo interval":                                       {true, false, true},
			"council suggest: p ≤ 0.05, council no stronger":                      {true, false},
			"council suggest: a council that is no stronger than its best member": {true},
			"votes: equal members agree in all decisions":                         {same, same, same},
		})
	}
}

// TestForecastClaims: the second match decides whether a forecast was right.
func TestForecastClaims(t *testing.T) {
	claims := claimed(t, Condition{Kind: "forecast", Pairs: 5}, printed{
		"match": {0, ""}, "report record": {0, `{"players":[{"wins":6,"draws":2,"losses":2}]}`},
		"report next":    {0, `{"players":[{"wins":2,"draws":2,"losses":6}]}`},
		"stats forecast": {0, `{"forecasts":[{"win":0.7,"draw":0.1,"loss":0.2,"lo":0,"hi":1}]}`},
	})
	check(t, claims, map[string][]bool{
		"stats forecast: win": {false}, "stats forecast: draw": {false}, "stats forecast: loss": {true},
		"stats forecast: interval of the probability to win": {true},
	})
}

// TestFarmClaims: an invented pair in a final verdict is an error, an honest worker in quarantine is one, and the
// decision is that of gogi gate.
func TestFarmClaims(t *testing.T) {
	worker := func(name, quarantine string) string {
		return fmt.Sprintf(`{"name":%q,"quarantine":%q}`, name, quarantine)
	}
	for _, test := range []struct {
		different, honest, liar string
		invented                bool
		void                    []bool
	}{
		{"", "", "audit", false, []bool{true}},
		{`{"worker":"liar"}`, "", "", true, nil},
		{`{"worker":"liar"}`, "audit", "audit", true, []bool{false}},
	} {
		code := map[bool]int{true: 12}[test.invented]
		answers := printed{
			"farm show":  {0, `{"state":"ended","verdict":"pass"}`},
			"farm audit": {code, `{"played":9,"different":[` + test.different + `]}`},
			"farm worker": {0, "[" + worker("honest1", test.honest) + "," + worker("honest2", "") + "," +
				worker("liar", test.liar) + "]"},
			"gate": {0, `{"verdict":"pass","gate":{"elo":{"lo":-1,"hi":1,"estimate":0.5}}}`},
		}
		for _, words := range []string{"key", "serve", "list", "work", "submit", "approve"} {
			answers["farm "+words] = struct {
				code int
				out  string
			}{}
		}
		check(t, claimed(t, Condition{Kind: "farm", Pairs: 2, SPRT: "elo0=0,elo1=80"}, answers), map[string][]bool{
			"farm: a final verdict has an invented pair":         {test.invented},
			"farm: an honest worker is in quarantine":            {test.honest != "", false},
			"farm: the pairs of a worker in quarantine are void": test.void,
			"farm: all workers are in the list":                  {true},
			"farm: the verdict of farm show is that of gate":     {true},
			"farm, SPRT: false pass":                             {true},
			"farm, SPRT: Elo interval after the stop":            {true},
		})
	}
}
