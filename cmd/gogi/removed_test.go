package main

import (
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"

	"gogi/cmd/gogi/cli"
	"gogi/internal/testutil"
)

// TestRemovedThingsStayReadable reads a database of gogi at commit d6dc77df, which still had match --reuse, match
// --exit bisect and the tuning method surface. The SHA-256 sums are those of the dumps that this earlier gogi printed.
func TestRemovedThingsStayReadable(t *testing.T) {
	t.Parallel()
	s := &folder{dir: t.TempDir()}
	file := testutil.Must(os.Open("testdata/removed.db.gz"))(t)
	defer file.Close()
	db := testutil.Must(io.ReadAll(testutil.Must(gzip.NewReader(file))(t)))(t)
	testutil.OK(t, os.WriteFile(filepath.Join(s.dir, "gogi.db"), db, 0o600))
	for run, want := range map[string]string{
		"one": "868aa582aee1613884aab324a790ea2a3af3a906b769f84efdb2014145c98f8a",
		// its pairs are copies of those of one
		"two":                 "bd219b3576295a5199fc3a0e85b6624de9ec88321cde496ab0a3a14fc858905a",
		"engine-65b86299f6da": "51cd7704cd75873b0145ea57a7f7b30144778d5ed4b8779e42c920895ca0a5af", // a step of a bisection
		// a tune by the method surface
		"bent": "7456633fa67ca716f02566bf0e9376f8bb9da782778b87a7517be079efc3f410",
	} {
		dump, errs, code := s.gogi(t, "db", "dump", run, "--stable")
		testutil.Check(t, code == cli.Done && fmt.Sprintf("%x", sha256.Sum256([]byte(dump))) == want,
			"%s: code %d, another dump: %s%s", run, code, errs, dump)
		report := []string{"report", run, "-v"}
		if run == "bent" {
			report = []string{"tune", "report", run}
		}
		for _, words := range [][]string{report, {"games", run}, {"db", "verify", run}} {
			out, errs, code := s.gogi(t, words...)
			testutil.Check(t, code == cli.Done && out != "", "gogi %q: code %d: %s", words, code, errs)
		}
	}
	out, _, _ := s.gogi(t, "report", "two", "-v")
	testutil.Contains(t, out, "2 pairs taken from earlier runs")
	out, _, _ = s.gogi(t, "rate", "one", "two", "--model", "bt", "--draws", "half", "--json")
	testutil.Contains(t, out, `"copies": 2`, "a copied pair is an observation")
	out, errs, code := s.gogi(t, "match", "-q", "--run", "two", "--engine", "A=builtin", "--engine", "B=builtin",
		"--nodes", "A=6", "--nodes", "B=5", "--games", "6", "--openings", "builtin-64", "--max-plies", "30")
	testutil.Check(t, code == cli.Done, "a run with copied pairs is not resumed: code %d: %s", code, errs)
	testutil.Contains(t, out, "6 games (3 pairs)")
	for _, words := range [][]string{{"tune", "export", "bent"}, {"tune", "report", "bent", "--at", "3"},
		{"tune", "report", "bent", "--json"}} {
		out, errs, code = s.gogi(t, words...)
		testutil.Check(t, code == cli.Done && out != "", "gogi %q: code %d: %s", words, code, errs)
	}
	for _, words := range [][]string{{"tune", "verify", "bent"},
		{"tune", "-q", "--engine", "dev=builtin", "--param", "EvalNoise", "--nodes", "5", "--games", "40", "--method",
			"surface"}} {
		_, errs, code = s.gogi(t, words...)
		testutil.Check(t, code != cli.Done, "gogi %q: code %d", words, code)
		testutil.Contains(t, errs, "method surface: gogi has this method no longer", "%q", words)
	}
	_, errs, code = s.gogi(t, "db", "check")
	testutil.Check(t, code == cli.Done, "code %d: %s", code, errs)
}
