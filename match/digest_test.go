package match_test

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// fullPlan returns storedPlan with scaling.
func fullPlan(t *testing.T) *match.Plan {
	t.Helper()
	p := storedPlan(t)
	p.Scaling = match.Scaling{Engine: "sha256:1", NPS: 1e6, Least: 0.25, Most: 4}
	return p
}

// noPartOfTheDigest lists the fields that do not change the results of games. A new field that is not listed must
// change the digest.
func noPartOfTheDigest() []string {
	players := []string{"Players.Builtin", "Players.Dir", "Players.Greeting", "Players.Ready", "Players.WarmUp",
		"Players.Device", "Players.Quit", "Players.Identity.Files.Path"}
	for _, path := range slices.Clone(players) {
		players = append(players, strings.Replace(path, "Players.", "Players.Council.Members.", 1))
	}
	return append(players,
		"Run", "Pairs", "Concurrency", "StartParallel", "SlotsPerGPU", "CPUs", "CoresPerSlot", "PVPlies", "Rules.Name",
		"Gate.Elo0", "Gate.Elo1", "Gate.Alpha", "Gate.Beta", "Gate.Model", "Gate.Boundary", "Players.Council.Shadows",
	)
}

// planWithCouncil returns fullPlan with a third player, which is a council of the others.
func planWithCouncil(t *testing.T) *match.Plan {
	t.Helper()
	p := storedCouncil(t)
	p.Scaling = fullPlan(t).Scaling
	p.Players[2].Council.Ponder = match.Spread{On: true}
	p.Players[2].Council.Examine = match.Examine{Share: 1, Moves: 2, Extra: 0.6}
	p.Players[2].Identity = match.Identity{
		Files:    []match.FileHash{{Role: "EvalDir/nn.bin", Path: "/nets/nn.bin", SHA256: "11"}},
		Variants: []match.Variant{{OS: "linux", Arch: "amd64", ISA: "x86-64-v3", SHA256: "22", Size: 1}},
	}
	return p
}

// TestDigestCoversEachField changes every field of a plan alone. The digest must change, except for the fields in
// noPartOfTheDigest.
func TestDigestCoversEachField(t *testing.T) {
	digestCovers(t, match.DesignMatch, func(path string) bool { return !strings.HasPrefix(path, "Design.Selfplay.") })
	digestCovers(t, match.DesignSelfplay, func(path string) bool { return strings.HasPrefix(path, "Design.Selfplay.") })
}

// digestCovers changes each field for which asked returns true, in a plan with this design.
func digestCovers(t *testing.T, kind match.DesignKind, asked func(path string) bool) {
	t.Helper()
	of := func() *match.Plan {
		p := planWithCouncil(t)
		if p.Design.Kind = kind; kind == match.DesignSelfplay {
			p.Design.Selfplay = match.Selfplay{Temperature: 60, Noise: 0.1, NodeJitter: 0.1, Audit: 0.1}
		}
		return p
	}
	base := of()
	before, digest := base.Canonical(), base.Digest()
	seen := map[string]bool{}
	for i := 0; ; i++ {
		p := of()
		n := i
		path := changeLeaf(reflect.ValueOf(p).Elem(), "", &n)
		if path == "" {
			break
		}
		seen[path] = true
		if !asked(path) {
			continue
		}
		changed, wanted := p.Digest() != digest, !slices.Contains(noPartOfTheDigest(), path)
		if path == "Players.Command" || path == "Players.Council.Members.Command" {
			continue // TestDigestKnowsContentsNotPaths covers the path of the program
		}
		lines := match.Differences(before, p.Canonical())
		testutil.Check(t, changed == wanted && wanted == (len(lines) > 0),
			"%s: digest changed %t, wanted %t; differences %q", path, changed, wanted, lines)
	}
	for _, path := range append(noPartOfTheDigest(), "Players.Options.Value", "Openings.Moves", "Rules.RepetitionPoints",
		"ColourClocks.Byoyomi", "Seed", "Design.Swap") {
		testutil.Check(t, seen[path], "no field %s was changed", path)
	}
}

// changeLeaf changes the nth number, text or bool in v and returns the path of its field. It returns "" if v has fewer.
func changeLeaf(v reflect.Value, path string, n *int) string {
	kind := v.Kind()
	if kind == reflect.Pointer && v.IsNil() {
		return ""
	}
	if kind == reflect.Pointer {
		return changeLeaf(v.Elem(), path, n)
	}
	if kind == reflect.Struct {
		for i := range v.NumField() {
			name := strings.TrimPrefix(path+"."+v.Type().Field(i).Name, ".")
			if found := changeLeaf(v.Field(i), name, n); found != "" {
				return found
			}
		}
		return ""
	}
	if kind == reflect.Slice || kind == reflect.Array {
		for i := range v.Len() {
			if found := changeLeaf(v.Index(i), path, n); found != "" {
				return found
			}
		}
		return ""
	}
	if *n--; *n >= 0 {
		return ""
	}
	change(v)
	return path
}

// change gives a number, a text or a bool another value.
func change(v reflect.Value) {
	switch {
	case v.CanInt():
		v.SetInt(v.Int() + 1)
	case v.CanUint():
		v.SetUint(v.Uint() + 1)
	case v.CanFloat():
		v.SetFloat(v.Float() / 2)
	case v.Kind() == reflect.Bool:
		v.SetBool(!v.Bool())
	default:
		v.SetString(v.String() + "x") // panics for other kinds
	}
}

func TestDigestOfWhatReflectionDoesNotChange(t *testing.T) {
	for _, test := range []struct {
		name    string
		change  func(*match.Plan)
		changes bool
	}{
		{"nothing", func(*match.Plan) {}, false},
		{"the path of the program", func(p *match.Plan) { p.Players[0].Command[0] = "/elsewhere/a" }, false},
		{"an argument", func(p *match.Plan) { p.Players[0].Command[1] = "--other" }, true},
		{"one more argument", func(p *match.Plan) { p.Players[0].Command = append(p.Players[0].Command, "x") }, true},
		{"one more option", func(p *match.Plan) {
			p.Players[1].Options = append(p.Players[1].Options, match.Option{Name: "USI_OwnBook", Value: "false"})
		}, true},
		{"the order of the options", func(p *match.Plan) { slices.Reverse(p.Players[0].Options) }, true},
		{"the order of the players", func(p *match.Plan) { slices.Reverse(p.Players) }, true},
		{"the order of the openings", func(p *match.Plan) { slices.Reverse(p.Openings) }, true},
		{"an opening less", func(p *match.Plan) { p.Openings = p.Openings[:1] }, true},
		{"a move more", func(p *match.Plan) { p.Openings[0].Moves = matchtest.Moves("7g7f 3c3d") }, true},
		{"no clock by colour", func(p *match.Plan) { p.ColourClocks[shogi.White] = nil }, true},
		{"another file", func(p *match.Plan) {
			p.Players[0].Identity.Files = append(p.Players[0].Identity.Files,
				match.FileHash{Role: "EvalDir/nn.bin", SHA256: "11"})
		}, true},
		{"another binary of the same version", func(p *match.Plan) {
			p.Players[0].Identity.Files = append([]match.FileHash{{Role: "binary", SHA256: "22"}},
				p.Players[0].Identity.Files...)
		}, true},
		{"no adjudication", func(p *match.Plan) { p.Adjudication = match.Adjudication{} }, true},
	} {
		p := fullPlan(t)
		test.change(p)
		testutil.Equal(t, p.Digest() != fullPlan(t).Digest(), test.changes, "%s: digest changed", test.name)
	}
}

// TestDigestOfEmptyLists: an empty list and a missing list give the same digest.
func TestDigestOfEmptyLists(t *testing.T) {
	empty := match.Plan{Players: []match.Player{{Name: "A", Command: []string{"/a"}, Env: []string{},
		Options: []match.Option{}}}}
	none := match.Plan{Players: []match.Player{{Name: "A", Command: []string{"/b"}}}}
	testutil.Equal(t, empty.Digest(), none.Digest(), "%s %s", empty.Canonical(), none.Canonical())
}

func TestDifferences(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(*match.Plan)
		want   []string
	}{
		{"nothing", func(*match.Plan) {}, nil},
		{"an option", func(p *match.Plan) { p.Players[0].Options[0].Value = "2" },
			[]string{"players.A.options.Threads: 1 before, 2 now"}},
		{"an option comes", func(p *match.Plan) {
			p.Players[1].Options = append(p.Players[1].Options, match.Option{Name: "BookFile", Value: "no_book"})
		}, []string{"players.B.options.BookFile: absent before, no_book now"}},
		{"an option without value comes", func(p *match.Plan) {
			p.Players[1].Options = append(p.Players[1].Options, match.Option{Name: "Clear"})
		}, []string{`players.B.options.Clear: absent before, "" now`}},
		{"an option goes", func(p *match.Plan) { p.Players[0].Options = p.Players[0].Options[:1] },
			[]string{"players.A.options.Hash: 16 before, absent now"}},
		{"options change places", func(p *match.Plan) { slices.Reverse(p.Players[0].Options) },
			[]string{"players.A.options (order): Threads, Hash before, Hash, Threads now"}},
		{"options change places and values", func(p *match.Plan) {
			p.Players[0].Options = []match.Option{{Name: "Hash", Value: "32"}, {Name: "Threads", Value: "1"}}
		}, []string{"players.A.options (order): Threads, Hash before, Hash, Threads now",
			"players.A.options.Hash: 16 before, 32 now"}},
		{"players change places", func(p *match.Plan) { slices.Reverse(p.Players) },
			[]string{"players (order): A, B before, B, A now"}},
		{"limits", func(p *match.Plan) { p.Players[1].Limits.Nodes = 2000 },
			[]string{"players.B.limits: nodes 1000 before, nodes 2000 now"}},
		{"margin", func(p *match.Plan) { p.Players[1].Limits.Margin = second },
			[]string{"players.B.margin: 100ms before, 1s now"}},
		{"an argument", func(p *match.Plan) { p.Players[0].Command[1] = "--other" },
			[]string{"players.A.arguments.0: --flag before, --other now"}},
		{"the binary", func(p *match.Plan) { p.Players[0].Identity.Files[0].SHA256 = "ff" },
			[]string{"players.A.identity.binary: 00A before, ff now"}},
		{"rules", func(p *match.Plan) { p.Rules = match.RulesProfiles()["denryu"] }, []string{
			"rules.declare_at_limit: false before, true now", "rules.mate_at_limit_draws: false before, true now",
			"rules.max_plies: 320 before, 512 now", "rules.repetition_points.0: 0.5 before, 0.4 now",
			"rules.repetition_points.1: 0.5 before, 0.6 now",
		}},
		{"a great seed", func(p *match.Plan) { p.Seed = 1<<64 - 1 }, []string{"seed: 1 before, 18446744073709551615 now"}},
		{"the design", func(p *match.Plan) { p.Design.Kind = match.DesignGauntlet },
			[]string{"design: match before, gauntlet now"}},
		{"a colour's clock", func(p *match.Plan) { p.ColourClocks[0] = nil },
			[]string{"clocks.black: 300+2 before, absent now"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := fullPlan(t)
			test.change(p)
			if got := testutil.Texts(match.Differences(fullPlan(t).Canonical(), p.Canonical())); !slices.Equal(got, test.want) {
				t.Errorf("got\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(test.want, "\n  "))
			}
		})
	}
	if got, want := testutil.Texts(match.Differences([]byte("{"), []byte(`{"seed":1}`))),
		[]string{"plan: { before, absent now", "seed: absent before, 1 now"}; !slices.Equal(got, want) {
		t.Errorf("a text that is no JSON: %q", got)
	}
}

// TestDifferenceParts: the parts of a difference are fields, so no caller has to parse its text.
func TestDifferenceParts(t *testing.T) {
	now := fullPlan(t)
	now.Players[0].Name = "A.identity"
	now.Players[0].Identity.Files[0].SHA256 = ""
	now.Seed = 2
	one, two, hash, empty, order := "1", "2", "00A", "", "a, b"
	before := fullPlan(t)
	before.Players[0].Name = "A.identity"
	want := []match.Difference{
		{Path: []string{"players", "A.identity", "identity", "binary"}, Before: &hash, Now: &empty},
		{Path: []string{"seed"}, Before: &one, Now: &two},
	}
	testutil.Diff(t, want, match.Differences(before.Canonical(), now.Canonical()))
	back := "b, a"
	want = []match.Difference{{Path: []string{"x"}, Order: true, Before: &order, Now: &back},
		{Path: []string{"y"}, Now: &empty}}
	got := match.Differences([]byte(`{"x":[{"name":"a"},{"name":"b"}]}`),
		[]byte(`{"x":[{"name":"b"},{"name":"a"}],"y":""}`))
	testutil.Diff(t, want, got)
	got[1].Note = "/a/b"
	testutil.Equal(t, got[1].String(), `y: absent before, "" now (/a/b)`)
}

// TestIdentityString: "sha256:" is followed by digits of the program's own SHA-256, and "id:" by digits of the hash
// over all files. The texts in plans of scaled clocks never change.
func TestIdentityString(t *testing.T) {
	program := fmt.Sprintf("%x", sha256.Sum256([]byte("a program")))
	binary := match.FileHash{Role: "binary", Path: "/a", SHA256: program}
	net := match.FileHash{Role: "EvalDir/nn.bin", Path: "/nn", SHA256: "11"}
	both := fmt.Sprintf("%x", sha256.Sum256([]byte("binary\t"+program+"\nEvalDir/nn.bin\t11\n")))[:16]
	alone := fmt.Sprintf("%x", sha256.Sum256([]byte("binary\t"+program+"\n")))[:16]
	built := match.Identity{Files: []match.FileHash{binary},
		Source: &match.Source{Repository: "https://x/y", Commit: strings.Repeat("a", 40)}}
	for name, c := range map[string]struct {
		identity                  match.Identity
		text, sum, id, references string
	}{
		"none":    {match.Identity{}, "unknown", "", "", "unknown"},
		"by hand": {match.Identity{Fixed: "v1", Files: []match.FileHash{binary, net}}, "v1", "", "", "v1"},
		"a program": {match.Identity{Files: []match.FileHash{binary}}, "sha256:" + program[:16], program, alone,
			"sha256:" + alone},
		"a network, too": {match.Identity{Files: []match.FileHash{binary, net}}, "sha256:" + program[:16] + " id:" + both,
			program, both, "sha256:" + both},
		"no program": {match.Identity{Files: []match.FileHash{net}},
			"id:" + match.Identity{Files: []match.FileHash{net}}.ID(), "", match.Identity{Files: []match.FileHash{net}}.ID(),
			"sha256:" + match.Identity{Files: []match.FileHash{net}}.ID()},
		"built elsewhere": {built, "id:" + built.ID(), "", built.ID(), "sha256:" + built.ID()},
	} {
		testutil.Equal(t, c.identity.String(), c.text, "the text of %s", name)
		testutil.Equal(t, c.identity.SHA256(), c.sum, "the program of %s", name)
		testutil.Equal(t, c.identity.ID(), c.id, "the id of %s", name)
		testutil.Equal(t, c.identity.Reference(), c.references, "the reference of %s", name)
	}
}

// TestDigestKnowsContentsNotPaths: the digest omits a path if the identity has the contents of the file. It includes a
// path whose contents are unknown.
func TestDigestKnowsContentsNotPaths(t *testing.T) {
	plan := func(dir string, files ...match.FileHash) *match.Plan {
		return &match.Plan{Players: []match.Player{{
			Name: "A", Command: []string{"/x/sh", dir + "/run.sh"}, Options: []match.Option{{Name: "evaldir", Value: dir}},
			Identity: match.Identity{Files: files},
		}}}
	}
	known := []match.FileHash{{Role: "argument 1", SHA256: "11"}, {Role: "EvalDir/nn.bin", SHA256: "22"}}
	testutil.Equal(t, plan("/a", known...).Digest(), plan("/b", known...).Digest(),
		"a moved folder with equal contents changed the digest")
	testutil.Check(t, plan("/a").Digest() != plan("/b").Digest(), "a path with unknown contents did not change the digest")
}

// TestHashes: these hashes must never change, because databases store them. A hash is the first 8 bytes of the SHA-256
// of the start, a zero byte, and each move's 16 bits, low byte first.
func TestHashes(t *testing.T) {
	m := matchtest.Moves("7g7f")[0]
	sum := sha256.Sum256(append([]byte("startpos\x00"), byte(m), byte(m>>8)))
	testutil.Equal(t, matchtest.Opening("startpos", "7g7f").Hash(), binary.LittleEndian.Uint64(sum[:]),
		"an opening has the hash")
	p := shogi.StartPos()
	sum = sha256.Sum256(append([]byte(p.SFEN()+"\x00"), byte(m), byte(m>>8)))
	for _, start := range []string{"startpos", p.SFEN()} {
		r := match.Result{Record: kifu.Record{Start: start, Moves: []kifu.Move{{Move: m}}}}
		if got, err := r.MovesHash(); err != nil || got != binary.LittleEndian.Uint64(sum[:]) {
			t.Errorf("a game from %q has the hash %x (%v)", start, got, err)
		}
	}
	testutil.Fails(t, testutil.Err((&match.Result{Record: kifu.Record{Start: "nowhere"}}).MovesHash()), "",
		"a game from nowhere has a hash")
}

// TestOpeningHash: the hash of an opening depends on its moves, but not on its name.
func TestOpeningHash(t *testing.T) {
	o := matchtest.Opening("startpos", "7g7f")
	named, shorter := o, o
	named.ID, shorter.Moves = "another", nil
	if o.Hash() != named.Hash() || o.Hash() == shorter.Hash() {
		t.Errorf("%x, by another name %x, without its move %x", o.Hash(), named.Hash(), shorter.Hash())
	}
}
