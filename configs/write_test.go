package configs_test

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gogi/configs"
	"gogi/configs/configstest"
	"gogi/internal/testutil"
)

// drawFlags draws a command line of two engines.
func drawFlags(rt *rapid.T, book string) configs.Flags {
	maybe := func(name string) bool { return rapid.Bool().Draw(rt, name+"?") }
	text := func(name string, words ...string) string {
		if !maybe(name) {
			return ""
		}
		return rapid.SampledFrom(words).Draw(rt, name)
	}
	number := func(name string, low, high int) *int {
		if !maybe(name) {
			return nil
		}
		return new(rapid.IntRange(low, high).Draw(rt, name))
	}
	truth := func(name string) *bool {
		if !maybe(name) {
			return nil
		}
		return new(rapid.Bool().Draw(rt, name))
	}
	word := rapid.StringMatching(`[A-Za-z0-9 ._/#"'\\=\[\]{},ぁ駒-]{0,12}`)
	f := configs.Flags{
		Run: text("run", "lmr 7", "a\"b", "日本"), Engine: []string{"A=./dev", "B=./base --x '1 2'"},
		Games: new(2 * rapid.IntRange(1, 40).Draw(rt, "pairs")), Concurrency: text("concurrency", "1", "7", "cpus"),
		Rules: text("rules", "default", "wcsc", "denryu", "floodgate"), Ponder: text("ponder", "off", "standard", "early"),
		Slowed: text("slowed", "count", "void"), PVPlies: number("pv", 0, 40), Transcript: truth("transcript"),
		Durable:       truth("durable"),
		StartParallel: number("starts", 1, 9), SlotsPerGPU: number("gpu", 1, 4), CPUs: text("cpus", "off", "auto", "2-7,10"),
		Profile: text("profile", "yaneuraou", "none"), Restart: text("restart", "never", "pair", "game"),
		Resign: text("resign", "off", "2000x3", "1:900x2"), Draw: text("draw", "off", "10x8@40", "0x5"),
		Margin: list(text("margin", "100ms", "0s", "1.5s")), Stall: list(text("stall", "1m", "61.001s")),
	}
	if maybe("seed") {
		f.Seed = new(rapid.Uint64Range(0, 1<<62).Draw(rt, "seed"))
	}
	switch rapid.IntRange(0, 5).Draw(rt, "limits") {
	case 0:
		f.Nodes = []string{strconv.FormatUint(rapid.Uint64Range(1, 1<<40).Draw(rt, "nodes"), 10)}
	case 1:
		f.TC = []string{rapid.SampledFrom([]string{"8+0.08", "300/10", "0/1", "1.001+0"}).Draw(rt, "tc")}
	case 2:
		f.TC = []string{"black=300+2", "white=60+0"}
	case 3:
		f.Main, f.Byoyomi, f.Nodes = []string{"5m"}, list(text("byoyomi", "1s", "0s")), []string{"9"}
	case 4:
		f.Depth, f.TC = []string{"7", "A=9"}, []string{"B=8+0.1"}
	case 5:
		f.Movetime = []string{"500ms"}
	}
	switch rapid.IntRange(0, 3).Draw(rt, "openings") {
	case 1:
		f.Openings, f.OpeningPlies = book, number("plies", 1, 2)
	case 2:
		f.Handicap = "two-piece"
	}
	switch rapid.IntRange(0, 3).Draw(rt, "design") {
	case 1:
		f.Design, f.Anchor = text("kind", "round_robin", "gauntlet", "match"), text("anchor", "A")
	case 2:
		f.Design, f.Seeding, f.MatchPairs = "knockout", text("seeding", "given", "lot"), number("match pairs", 1, 3)
		f.Games, f.Tiebreaks, f.ThirdPlace = new(2*or(f.MatchPairs, 1)), number("tiebreaks", 0, 3), nil
	case 3:
		f.SPRT = text("sprt", "0,4", "-1.5,2.25", "elo1=4,alpha=0.01,elo0=0,beta=0.2,model=normalized,boundary=bounded")
	}
	for i := range rapid.IntRange(0, 4).Draw(rt, "options") {
		name := fmt.Sprint("O", i, strings.TrimSpace(strings.ReplaceAll(word.Draw(rt, "option"), "=", "")))
		whose := rapid.SampledFrom([]string{"all", "A", "B"}).Draw(rt, "whose")
		value := rapid.OneOf(word, rapid.SampledFrom([]string{"true", "01", "-5", "64", "1e3", "C:\\eval"})).Draw(rt, "value")
		f.Option = append(f.Option, whose+"."+name+"="+value)
	}
	if maybe("council") {
		f.Council = []string{"C=" + rapid.SampledFrom([]string{"majority", "adoption:reward=voters",
			"weighted:weights=2/1"}).Draw(rt, "rule") + ":A,B"}
		f.Players = []string{"C", "A"}
	}
	return f
}

// or returns *value, or none if value is nil.
func or(value *int, none int) int {
	if value == nil {
		return none
	}
	return *value
}

// TestTextRoundTrip requires that a file written from any flags gives the plan of the flags, or an error if the flags
// do.
func TestTextRoundTrip(t *testing.T) {
	env := configstest.Machine(t)

	book := write(t, "book.sfen", "startpos moves 7g7f 3c3d\nstartpos moves 2g2f 8c8d\n")
	made := 0
	rapid.Check(t, func(rt *rapid.T) {
		flags := drawFlags(rt, book)
		f := &configs.File{}
		testutil.OK(rt, f.Apply(flags))
		want, _, refused := f.Plan("", env)
		text := testutil.Must(f.Text())(rt)
		again, err := configs.Parse(text, "default.toml")
		if err != nil {
			rt.Fatalf("%v\n%s", err, text)
		}
		got, _, err := again.Plan(env.WorkDir, env)
		testutil.Equal(rt, (err != nil), (refused != nil), "flags %v, the file %v %s", refused, err, text)
		if err != nil {
			return
		}
		made++
		if !reflect.DeepEqual(want, got) || want.Digest() != got.Digest() {
			rt.Fatalf("-flags +file\n%s\n%s", cmp.Diff(want, got), text)
		}
	})
	testutil.Check(t, made >= 20, "only %d plans were compared", made)
}

// Text also writes the keys that only files have. Ready-made matches and the starter file keep their plans.
func TestTextOfFiles(t *testing.T) {
	env := configstest.Machine(t)
	texts := map[string]string{"full": full, "starter": string(configs.Template())}
	for _, name := range []string{"default", "fsf-gpsusi-nodes", "handicap", "byoyomi-1s"} {
		f, _, err := configs.Find(name)
		testutil.OK(t, err)
		text := testutil.Must(f.Text())(t)
		texts[name] = string(text)
	}
	for name, text := range texts {
		f, err := configs.Parse([]byte(text), name+".toml")
		testutil.OK(t, err, name)
		first, _, refused := f.Plan("", env)
		written, err := f.Text()
		testutil.OK(t, err, name)
		again, err := configs.Parse(written, name+".toml")
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, written)
		}
		second, _, err := again.Plan("", env)
		testutil.Equal(t, err != nil, refused != nil, "%s: %v, %v", name, refused, err)
		testutil.Diff(t, first, second, name)
	}
}

func TestTextIsUTF8(t *testing.T) {
	f := &configs.File{}
	testutil.OK(t, f.Apply(configs.Flags{Engine: []string{"A=./a"}, Option: []string{"A.EvalDir=\x8b\xee"}}))
	text, err := f.Text()
	testutil.Check(t, err != nil, "%s", text)
}

// A key with a comment in the starter file has it once. Text does not write keys that the flags do not set.
func TestTextShape(t *testing.T) {
	f := &configs.File{}
	testutil.OK(t, f.Apply(configs.Flags{Engine: []string{"A=./a", "B=./b"}, TC: []string{"8+0.08"},
		Option: []string{"all.Threads=1"}, Games: new(20)}))
	testutil.Diff(t, `# A match between shogi engines; gogi init FILE without flags writes a file with every key.

games = 20                 # maximum number; even, because each opening is played twice

[limits]
tc = "8+0.08"

[[engine]]
name = "A"
cmd = "./a"                # builtin: the engine of gogi; your engine: "./engine --flag", relative to this file
options = {Threads = 1}

[[engine]]
name = "B"
cmd = "./b"
options = {Threads = 1}
`, string(testutil.Must(f.Text())(t)))
}

// list returns the values of a flag that is given once, or not at all.
func list(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}
