package identity_test

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gogi/configs"
	"gogi/configs/configstest"
	"gogi/configs/identity"
	"gogi/configs/openings"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/usi"
)

// stock is a folder of files that are named by their hashes, as a worker keeps them.
type stock string

func (s stock) find(sum string) (string, error) {
	path := filepath.Join(string(s), sum)
	if _, err := os.Stat(path); err != nil {
		return "", errors.New("not in stock")
	}
	return path, nil
}

// take puts every file of a plan into the stock.
func (s stock) take(t *testing.T, p *match.Plan) {
	t.Helper()
	players := p.Engines()
	for _, c := range p.Councils() {
		players = append(players, *c)
	}
	for _, e := range players {
		for _, f := range e.Identity.Files {
			text := testutil.Must(os.ReadFile(f.Path))(t)
			s.put(t, string(text))
		}
	}
}

func (s stock) put(t *testing.T, text string) (sum string) {
	t.Helper()
	hash := sha256.Sum256([]byte(text))
	sum = hex.EncodeToString(hash[:])
	testutil.OK(t, os.WriteFile(filepath.Join(string(s), sum), []byte(text), 0o700))
	return sum
}

// worker returns the environment of another machine.
func worker(t *testing.T) identity.Env {
	t.Helper()
	dir := t.TempDir()
	return identity.Env{
		Self: "/usr/bin/gogi", BuiltinVersion: "sparring-1", WorkDir: dir, Engines: filepath.Join(dir, "engines"),
		OS: "linux", Arch: "amd64", ISAs: []string{"x86-64-v3", "x86-64-v2"},
	}
}

// few makes plans with a small opening set, which are faster to encode, decode and compare.
var few = configs.Flags{Openings: openings.BuiltinNamed}

// sent returns a plan as another machine reads it.
func sent(t *testing.T, p *match.Plan) *match.Plan {
	t.Helper()
	text := testutil.Must(match.EncodePlan(p))(t)
	return testutil.Must(match.DecodePlan(text))(t)
}

// For any paths on the machine that made the plan, engines find the same files on this machine.
func TestPlace(t *testing.T) {
	for _, test := range []struct {
		name, extra, declared string
	}{
		{"defaults", "", yaneuraou},
		{"set below the folder", `options = {EvalDir = "nets", BookFile = "user_book1.db"}`, yaneuraou},
		{"set elsewhere", `options = {EvalDir = "OUT/nets"}`, yaneuraou},
		{"set beside", `dir = "bin"
			options = {EvalDir = "../nets", USI_OwnBook = false}`, yaneuraou},
		{"a file below the folder", "dir = \"bin\"\noptions = {EvalFile = \"net.nnue\"}", fairy},
		{"a file elsewhere", `options = {EvalFile = "OUT/nets/nn.bin"}`, fairy},
		{"a file beside", "dir = \"bin\"\noptions = {evalfile = \"../nets/nn.bin\"}", fairy},
		{"the folder of the binary", `options = {EvalDir = "."}`, yaneuraou},
		{"a binary below", "dir = \".\"\ncommand = [\"bin/fairy-stockfish\"]", yaneuraou},
	} {
		env, out := configstest.Machine(t), t.TempDir()
		fill(t, env.WorkDir, map[string]string{
			"eval/nn.bin": "net", "eval/sub/eval_options.txt": "x", "nets/nn.bin": "other net", "book/standard_book.db": "book",
			"book/user_book1.db": "mine",
			"engine_options.txt": "option", "bin/net.nnue": "fairy's", "bin/engine_options.txt": "beside the binary",
		})
		fill(t, out, map[string]string{"nets/nn.bin": "a third net", "nets/deep/er.bin": "more"})
		text := strings.Replace(configstest.Two, "./dev\"", "./dev\"\n"+strings.ReplaceAll(test.extra, "OUT", out), 1)
		if strings.Contains(test.extra, "command = ") {
			text = strings.Replace(text, "cmd = \"./dev\"\n", "", 1)
		}
		text = strings.Replace(text, "\"./base\"", "\"nice -n 5 ./base\"", 1)
		p, _ := configstest.Plan(t, text, few, env)
		greetings := []usi.Greeting{greeting(t, test.declared), greeting(t, fairy)}
		p, _, err := identity.Complete(p, greetings)
		testutil.OK(t, err)
		here, there := stock(t.TempDir()), worker(t)
		here.take(t, p)
		received := sent(t, p)
		for _, folder := range []string{env.WorkDir, out} {
			testutil.OK(t, os.RemoveAll(folder))
		}
		checkPlaced(t, test.name, received, here, there, greetings)
	}
}

func checkPlaced(t *testing.T, name string, received *match.Plan, here stock, there identity.Env,
	greetings []usi.Greeting) {
	t.Helper()
	before := sent(t, received)
	placed, err := identity.Place(received, here.find, there)
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if !reflect.DeepEqual(before, received) {
		t.Errorf("%s: Place changed the plan that it was given:\n%s", name, cmp.Diff(before, received))
	}
	testutil.Equal(t, placed.Digest(), received.Digest(), "%s: another digest: %v", name,
		match.Differences(received.Canonical(), placed.Canonical()))
	testutil.OK(t, identity.VerifyIdentity(placed, greetings), "%s", name)
	again, err := identity.Place(sent(t, placed), here.find, there)
	if want := sent(t, placed); err != nil || !reflect.DeepEqual(want, again) {
		t.Errorf("%s: placed again: %v\n%s", name, err, cmp.Diff(want, again))
	}
	elsewhere, err := identity.Place(placed, here.find, worker(t))
	testutil.Check(t, err == nil && identity.VerifyIdentity(elsewhere, greetings) == nil, "%s: placed elsewhere: %v", name,
		err)
	complete, _, err := identity.Complete(placed, greetings)
	if err != nil || complete.Digest() != placed.Digest() ||
		len(complete.Players[0].Identity.Files) != len(placed.Players[0].Identity.Files) {
		t.Errorf("%s: completed again: %v", name, err)
	}
}

// TestPlaceBooks requires that Place places the books of engines, councils and members, and a book that an option
// opens. A changed book gives another plan hash.
func TestPlaceBooks(t *testing.T) {
	env, here, there := configstest.Machine(t), stock(t.TempDir()), worker(t)
	fill(t, env.WorkDir, map[string]string{"deep/a.db": "a", "b.usi": "b", "c.ybb": "c"})
	text := strings.Replace(configstest.Two, "\"./dev\"", "\"./dev\"\nbook = \"deep/a.db\"", 1)
	text = strings.Replace(text, "games = 2", "games = 6\ndesign = \"round_robin\"", 1) + `
[[engine]]
name = "S"
cmd = "builtin"
book = "b.usi"
options = {BookFile = "` + env.WorkDir + `/c.ybb"}
[[council]]
name = "C"
members = ["S"]
rule = "majority"
book = "b.usi"
`
	p, _ := configstest.Plan(t, text, few, env)
	greetings := []usi.Greeting{greeting(t, fairy), greeting(t, fairy),
		greeting(t, "BookFile type filename default <empty>")}
	p, _, err := identity.Complete(p, greetings)
	testutil.OK(t, err)
	here.take(t, p)
	received := sent(t, p)
	checkPlaced(t, "books", received, here, there, greetings)
	placed := testutil.Must(identity.Place(received, here.find, there))(t)
	engines, council := placed.Engines(), placed.Councils()[0]
	if council.Dir != "" || engines[2].Command[0] != there.Self ||
		!strings.HasPrefix(engines[2].Options[0].Value, there.Engines) {
		t.Errorf("%+v, %+v", council, engines[2])
	}
	for name, test := range map[string]struct {
		files []match.FileHash
		want  []string // base name and text of each book
	}{
		"A": {engines[0].Identity.Files, []string{"a.db a"}},
		"S": {engines[2].Identity.Files, []string{"b.usi b", "c.ybb c"}},
		"C": {council.Identity.Files, []string{"b.usi b"}},
	} {
		var got []string
		for _, f := range test.files {
			if f.Role == match.BinaryRole {
				continue
			}
			text, err := os.ReadFile(f.Path)
			testutil.Check(t, err == nil && strings.HasPrefix(f.Path, there.Engines), "%s: %s: %v", name, f.Path, err)
			got = append(got, filepath.Base(f.Path)+" "+string(text))
		}
		testutil.Diff(t, test.want, got, "%s", name)
	}
	other := sent(t, p)
	fill(t, env.WorkDir, map[string]string{"deep/a.db": "another"})
	testutil.Fails(t, identity.VerifyIdentity(other, greetings), "book ("+env.WorkDir+"/deep/a.db) has SHA-256")
	again, _ := configstest.Plan(t, text, few, env)
	if again, _, err = identity.Complete(again, greetings); err != nil || again.Digest() == p.Digest() {
		t.Errorf("another book, the same digest: %v", err)
	}
	here = stock(t.TempDir())
	testutil.Fails(t, testutil.Err(identity.Place(received, here.find, there)), "council C: placing it: book, SHA-256")
}

// Place also handles the built-in engine and members of councils. It rejects another version of the built-in engine.
func TestPlaceBuiltinAndMembers(t *testing.T) {
	env := configstest.Machine(t)
	p, _ := configstest.Plan(t, configstest.Two, few, env)
	dev := p.Players[0]
	p.Players[1] = match.Player{Name: "C", Limits: dev.Limits,
		Council: &match.Council{Rule: "majority", Members: []match.Player{
			dev, {Name: "S", Builtin: true, Command: []string{"/opt/gogi", "sparring"}, Dir: "/x", Limits: dev.Limits,
				Identity: match.Identity{Fixed: "sparring-1"}},
		}}}
	here, there := stock(t.TempDir()), worker(t)
	here.take(t, p)
	placed := testutil.Must(identity.Place(sent(t, p), here.find, there))(t)
	engines := placed.Engines()
	if got := engines[2]; got.Command[0] != there.Self || got.Command[1] != "sparring" || got.Dir != there.WorkDir {
		t.Errorf("%v in %s", got.Command, got.Dir)
	}
	testutil.Check(t, engines[0].Command[0] == engines[1].Command[0] &&
		strings.HasPrefix(engines[0].Command[0], there.Engines),
		"%v, %v", engines[0].Command, engines[1].Command)
	there.BuiltinVersion = "sparring-2"
	if _, err := identity.Place(p, here.find, there); err == nil ||
		!strings.Contains(err.Error(),
			`engine S: placing it: it is "sparring-1", and the built-in engine here "sparring-2"`) {
		t.Error(err)
	}
}

func TestPlaceVariants(t *testing.T) {
	env, here := configstest.Machine(t), stock(t.TempDir())
	p, _ := configstest.Plan(t, configstest.Two, few, env)
	here.take(t, p)
	variant := func(system, arch, isa string) match.Variant {
		text := "built for " + system + arch + isa
		return match.Variant{OS: system, Arch: arch, ISA: isa, SHA256: here.put(t, text), Size: int64(len(text))}
	}
	p.Players[0].Identity = match.Identity{Variants: []match.Variant{
		variant("linux", "amd64", ""), variant("linux", "amd64", "x86-64-v4"), variant("linux", "amd64", "x86-64-v2"),
		variant("linux", "arm64", "armv8.2"), variant("darwin", "amd64", "x86-64-v3"),
	}}
	for _, test := range []struct {
		system, arch string
		isas         []string
		want         string // the variant, or the text of the error
	}{
		{"linux", "amd64", []string{"x86-64-v3", "x86-64-v2"}, "linux amd64 x86-64-v2"},
		{"linux", "amd64", []string{"x86-64-v4", "x86-64-v3", "x86-64-v2"}, "linux amd64 x86-64-v4"},
		{"linux", "amd64", nil, "linux amd64"},
		{"linux", "arm64", []string{"armv8.2"}, "linux arm64 armv8.2"},
		{"linux", "arm64", nil, "this machine is linux arm64"},
		{"darwin", "amd64", []string{"x86-64-v2"}, "it was built for linux amd64; linux amd64 x86-64-v4;"},
	} {
		there := worker(t)
		there.OS, there.Arch, there.ISAs = test.system, test.arch, test.isas
		placed, err := identity.Place(sent(t, p), here.find, there)
		if err != nil {
			testutil.Contains(t, err.Error(), test.want, "%v: %v", test, err)
			continue
		}
		text, err := os.ReadFile(placed.Players[0].Command[0])
		if want := "built for " + strings.ReplaceAll(test.want, " ", ""); err != nil || string(text) != want ||
			placed.Digest() != p.Digest() {
			t.Errorf("%v: %s, %v", test, text, err)
		}
		greetings := []usi.Greeting{greeting(t, fairy), greeting(t, fairy)}
		testutil.OK(t, identity.VerifyIdentity(placed, greetings))
		for i, f := range placed.Players[0].Identity.Files { // replace the binary with a file that is no variant
			if f.Role == match.BinaryRole {
				other := filepath.Join(t.TempDir(), "other")
				fill(t, filepath.Dir(other), map[string]string{"other": "another"})
				swapped := *placed
				swapped.Players = append([]match.Player(nil), placed.Players...)
				swapped.Players[0].Command = []string{other}
				swapped.Players[0].Identity.Files = append([]match.FileHash(nil), placed.Players[0].Identity.Files...)
				swapped.Players[0].Identity.Files[i].SHA256 = here.put(t, "another")
				testutil.OK(t, os.Chmod(other, 0o700))
				testutil.Fails(t, identity.VerifyIdentity(&swapped, greetings), "is none of its variants")
			}
		}
		there.ISAs = nil // the machine needs another variant
		if again, err := identity.Place(sent(t, placed), here.find, there); err == nil && again.Digest() != p.Digest() {
			t.Error("placed again, the digest is another")
		}
	}
}

// TestPlaceRefuses requires an error for each change that makes an engine's plan impossible to place.
func TestPlaceRefuses(t *testing.T) {
	env, here := configstest.Machine(t), stock(t.TempDir())
	fill(t, env.WorkDir, map[string]string{"eval/nn.bin": "net", "engine_options.txt": "option"})
	base, _ := configstest.Plan(t, configstest.Two, few, env)
	base, _, err := identity.Complete(base, []usi.Greeting{greeting(t, yaneuraou), greeting(t, fairy)})
	testutil.OK(t, err)
	here.take(t, base)
	sum := here.put(t, "net")
	add := func(role, path string) func(p *match.Player) {
		return func(p *match.Player) {
			p.Identity.Files = append(p.Identity.Files, match.FileHash{Role: role, Path: path, SHA256: sum})
		}
	}
	for want, spoil := range map[string]func(p *match.Player){
		"it has no command": func(p *match.Player) { p.Command = nil },
		"runs behind ssh": func(p *match.Player) {
			p.Command = []string{"/usr/bin/ssh", "gpu1", "engine"}
		},
		`identity "v1" was given by hand`:    func(p *match.Player) { p.Identity.Fixed = "v1" },
		"its binary has no SHA-256":          func(p *match.Player) { p.Identity.Files = p.Identity.Files[1:] },
		"not in stock":                       func(p *match.Player) { p.Identity.Files[1].SHA256 = strings.Repeat("0", 64) },
		"expected option EvalFile to be set": add("option EvalFile", "/nets/nn.bin"),
		"expected option NetDir to be set":   add("NetDir/nn.bin", "/nets/nn.bin"),
		"NetDir/nn.bin: /nets/x is not whe":  add("NetDir/nn.bin", "/nets/x"),
		"no such argument":                   add("argument 1", "/nets/x"),
		"how the engine finds it":            add("tomorrow", "/nets/x"),
		"binary's engine_options.txt: this":  add("binary's engine_options.txt", "/nets/engine_options.txt"),
		"there are two files":                add("option EvalFile", filepath.Join(env.WorkDir, "dev")),
		"cannot be laid out":                 add("option ../../../../x", "/nets/x"),
		`"BOOK" does not name`: func(p *match.Player) {
			p.Options = append(p.Options, match.Option{Name: "BookFile", Value: "BOOK"})
			add("option BookFile", "/books/BOOK")(p)
		},
	} {
		p := sent(t, base)
		spoil(&p.Players[0])
		there := worker(t)
		if _, err := identity.Place(p, here.find, there); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "engine A: placing it") {
			t.Errorf("%s: %v", want, err)
		}
		escaped, _ := filepath.Glob(filepath.Join(there.WorkDir, "x*"))
		testutil.Check(t, len(escaped) == 0, "%s: made %q", want, escaped)
	}
	testutil.Fails(t, testutil.Err(identity.Place(base, here.find, identity.Env{Engines: "here"})),
		"expected an absolute path")
	testutil.OK(t, os.Chmod(filepath.Join(string(here), base.Players[0].Identity.Files[0].SHA256), 0o600))
	testutil.Fails(t, testutil.Err(identity.Place(base, here.find, worker(t))), "not executable")
}

// TestPlaceMends requires that Place repairs a changed link and leaves no temporary files.
func TestPlaceMends(t *testing.T) {
	env, here, there := configstest.Machine(t), stock(t.TempDir()), worker(t)
	p, _ := configstest.Plan(t, configstest.Two, few, env)
	here.take(t, p)
	placed := testutil.Must(identity.Place(p, here.find, there))(t)
	binary := placed.Players[0].Command[0]
	testutil.OK(t, os.Remove(binary))
	testutil.OK(t, os.Symlink("/nowhere", binary))
	testutil.Must(identity.Place(p, here.find, there))(t)
	text, err := os.ReadFile(binary)
	testutil.Check(t, err == nil && string(text) == "dev", "%s, %v", text, err)
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(binary), ".placing-*"))
	testutil.Check(t, len(left) == 0, "%q is left", left)
}

// VerifyIdentity reports every change since the plan was made.
func TestVerifyIdentitySays(t *testing.T) {
	env := configstest.Machine(t)
	fill(t, env.WorkDir, map[string]string{"eval/nn.bin": "net", "eval/old.bin": "old"})
	p, _ := configstest.Plan(t, configstest.Two, few, env)
	greetings := []usi.Greeting{greeting(t, yaneuraou), greeting(t, fairy)}
	p, _, err := identity.Complete(p, greetings)
	testutil.OK(t, err)
	testutil.OK(t, identity.VerifyIdentity(p, greetings))
	testutil.Fails(t, identity.VerifyIdentity(p, greetings[:1]), "1 greetings for 2 engines")
	fill(t, env.WorkDir, map[string]string{"eval/nn.bin": "another net", "engine_options.txt": "option",
		"base": "rebuilt"})
	testutil.OK(t, os.Remove(filepath.Join(env.WorkDir, "eval", "old.bin")))
	p.Players[1].Options = []match.Option{{Name: "Tomorrow", Value: "1"}}
	err = identity.VerifyIdentity(p, greetings)
	testutil.Require(t, err != nil, "nothing was noticed")
	for _, want := range []string{
		"engine A is not the plan's", "EvalDir/old.bin is not here",
		"EvalDir/nn.bin (" + env.WorkDir + "/eval/nn.bin) has SHA-256",
		"it reads engine_options.txt", "engine B is not the plan's: binary", "Tomorrow",
	} {
		testutil.Check(t, strings.Contains(err.Error(), want), "no %s in %v", want, err)
	}
}
