package dbcmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/cmd/gogi/cli"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/results"
)

// store returns a database with a played match (testdata of package match). change can change its first game.
func store(t *testing.T, change func(g *match.Result)) string {
	t.Helper()
	text := testutil.Must(os.ReadFile(filepath.Join("..", "..", "..", "match", "testdata", "played.json")))(t)
	var list []struct {
		Plan  json.RawMessage `json:"plan"`
		Pairs [][]byte        `json:"pairs"`
	}
	testutil.OK(t, json.Unmarshal(text, &list))
	plan := testutil.Must(match.DecodePlan(list[0].Plan))(t)
	pair := testutil.Must(match.DecodePair(list[0].Pairs[0], 1<<20))(t)
	change(&pair.Games[0])
	path := filepath.Join(t.TempDir(), "gogi.db")
	s := testutil.Must(results.Open(t.Context(), path))(t)
	run, err := s.Begin(t.Context(), plan)
	testutil.OK(t, err)
	_, err = run.Add(t.Context(), pair)
	testutil.OK(t, errors.Join(err, run.Close(), s.Close()))
	return path
}

func TestVerify(t *testing.T) {
	for _, test := range []struct {
		change func(g *match.Result)
		code   int // 0: no error
		out    string
	}{
		{func(*match.Result) {}, 0, `"same": true`},
		{func(g *match.Result) { g.Sides[0].Nodes++ }, cli.Differs, `"same": false`},
	} {
		var out bytes.Buffer
		c := VerifyCommand{Stored: cli.Stored{Database: cli.Database{DB: store(t, test.change)}}, JSON: true}
		err := c.Run(t.Context(), &cli.Env{Out: &out, Err: &out})
		exit, _ := errors.AsType[*cli.Exit](err)
		switch {
		case !strings.Contains(out.String(), test.out):
			t.Errorf("%s", out.String())
		case test.code == 0 && err != nil, test.code != 0 &&
			(exit == nil || exit.Code != test.code || !strings.Contains(exit.Error(), "1 difference in run")):
			t.Errorf("%v", err)
		}
	}
	missing := VerifyCommand{Stored: cli.Stored{Database: cli.Database{DB: filepath.Join(t.TempDir(), "none.db")}}}
	err := missing.Run(t.Context(), &cli.Env{})
	_, coded := errors.AsType[*cli.Exit](err)
	testutil.Check(t, err != nil && !coded, "%v", err)
}
