package farmcmd

import (
	"log/slog"
	"maps"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gogi/farm"
	"gogi/farm/worker"
	"gogi/internal/testutil"
)

func TestShare(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]float64{"1%": 0.01, "0.01": 0.01, "100%": 1, "1": 1, "0.5%": 0.005} {
		if got, err := shareOf(text); err != nil || math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "%", "0", "-1%", "101%", "2", "NaN", "one"} {
		if got, err := shareOf(text); err == nil || !strings.Contains(err.Error(), "--replay "+text) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

func TestLabels(t *testing.T) {
	t.Parallel()
	got, err := labels([]string{"gpu=a100", "room=2=b"})
	testutil.Check(t, err == nil && maps.Equal(got, map[string]string{"gpu": "a100", "room": "2=b"}), "%v, %v", got, err)
	for _, word := range []string{"", "gpu", "=x", "gpu="} {
		testutil.Fails(t, testutil.Err(labels([]string{word})), "", "%q is a label", word)
	}
}

func TestSlots(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"cpus": runtime.NumCPU(), "1": 1, "10000": 10_000} {
		got, err := (&WorkCommand{Concurrency: text}).slots()
		testutil.Check(t, got == want && err == nil, "%s: %d, %v", text, got, err)
	}
	for _, text := range []string{"", "0", "-1", "10001", "many"} {
		testutil.Fails(t, testutil.Err((&WorkCommand{Concurrency: text}).slots()),
			"expected a number from 1 to 10000, or cpus", "%s", text)
	}
}

func TestPolicyFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	read := func(text string) error {
		file := filepath.Join(dir, "policy.toml")
		testutil.OK(t, os.WriteFile(file, []byte(text), 0o600))
		_, err := readPolicy(file)
		return err
	}
	for _, good := range []string{`allow = ["any-approved"]`,
		`allow = ["owner:ann", "hash:` + strings.Repeat("0", 64) + `"]`} {
		testutil.OK(t, read(good), "%s", good)
	}
	for text, want := range map[string]string{
		``: "expected allow", `allow = []`: "expected allow", `deny = ["x"]`: "expected allow",
		`allow = ["owner:"]`: "allows nothing", `allow = [`: "policy.toml",
		"allow = [\"any-approved\"]\nother = 1": "nothing else",
	} {
		testutil.Fails(t, read(text), want, "%q", text)
	}
}

// TestAGateInAList tests the SPRT column in the list of tests.
func TestAGateInAList(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]farm.TestStatus{
		"–": {}, "LLR -1.25": {Verdict: "continue", LLR: -1.25}, "pass": {Verdict: "pass", LLR: 3},
	} {
		testutil.Equal(t, s.Gate(), want, "%+v", s)
	}
}

// TestMeasuresAgain: a worker measures its machine again only with --nps-file, and only if --bench-engine is the engine
// of this file.
func TestMeasuresAgain(t *testing.T) {
	t.Parallel()
	p := testutil.Must((&BenchCommand{Engine: "builtin", Nodes: benchNodes}).player())(t)
	for _, c := range []struct {
		file, reference string
		want            bool
	}{{"nps.txt", p.Identity.String(), true}, {"", p.Identity.String(), false}, {"nps.txt", "another", false}} {
		w := &WorkCommand{NPSFile: c.file, BenchEngine: "builtin"}
		testutil.Equal(t, w.measures(worker.Config{Hello: farm.Hello{Reference: c.reference},
			Log: slog.New(slog.DiscardHandler)}), c.want, "%+v", c)
	}
	file := filepath.Join(t.TempDir(), "nps.txt")
	testutil.OK(t, (&BenchCommand{Out: file}).write(&Benched{NPS: 1234.4, Identity: "an engine 1"}))
	nps, engine, err := readNPS("--nps-file", file)
	testutil.Check(t, nps == 1234 && engine == "an engine 1" && err == nil, "it is read as %v %q, %v", nps, engine, err)
}
