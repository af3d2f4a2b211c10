package dbcmd

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"gogi/cmd/gogi/cli"
	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/resultstest"
)

// TestPack: gogi db optimize makes the missing segments of a file once, and counts them. If it cannot pack a file, it
// does not change the file and prints the reason.
func TestPack(t *testing.T) {
	var pairs []int
	for id := range 300 {
		pairs = append(pairs, id)
	}
	path := resultstest.Filled(t, "old.db", pairs, func(p *match.Plan) { p.Pairs = 512 })
	resultstest.Exec(t, path, "DELETE FROM segments")
	run := func(ctx context.Context, c OptimizeCommand, in i18n.Language) (string, error) {
		t.Helper()
		var out strings.Builder
		err := c.Run(ctx, &cli.Env{Out: &out, Err: &strings.Builder{}, Language: in})
		return out.String(), err
	}
	testutil.Fails(t, testutil.Err(run(t.Context(), OptimizeCommand{DB: path + "x"}, i18n.English)),
		"not found. Run `gogi match` first", "no file")
	testutil.Fails(t, testutil.Err(os.Stat(path+"x")), "", "a file was made")

	interrupted, cancel := context.WithCancelCause(t.Context())
	cancel(cli.ErrInterrupted)
	if out, err := run(interrupted, OptimizeCommand{DB: path}, i18n.English); cli.Code(err, cli.Failed) !=
		cli.Interrupted || out != "" || !strings.Contains(err.Error(), "run the same command to resume") {
		t.Errorf("interrupted: %q, %v", out, err)
	}

	held, err := results.Open(t.Context(), path)
	matchtest.Closing(t, held, err)
	plan := matchtest.Plan("r")
	plan.Pairs = 512
	playing := resultstest.Begin(t, held, plan)
	if out, err := run(t.Context(), OptimizeCommand{DB: path}, i18n.English); !errors.Is(err, results.ErrRunLocked) ||
		out != "" || !strings.Contains(err.Error(), "being played by another process") {
		t.Errorf("while it is played: %q, %v", out, err)
	}
	if err := playing.Close(); err != nil { // Close packs the last games of the run
		t.Fatal(err)
	}
	testutil.OK(t, held.Close())
	resultstest.Exec(t, path, "DELETE FROM segments")

	info := testutil.Must(os.Stat(path))(t)
	out, err := run(t.Context(), OptimizeCommand{DB: path, JSON: true}, i18n.English)
	var got struct {
		Runs []struct {
			Name                   string
			Segments, Pairs, Games int
		}
		Before int64 `json:"bytes_before"`
		After  int64 `json:"bytes_after"`
	}
	if err = errors.Join(err, json.Unmarshal([]byte(out), &got)); err != nil || len(got.Runs) != 1 {
		t.Fatalf("%s: %v", out, err)
	}
	if r := got.Runs[0]; r.Name != "r" || r.Segments != 1 || r.Pairs != 300 || r.Games != 600 ||
		got.Before != info.Size() || got.After < got.Before {
		t.Errorf("%+v, the file had %d bytes", got, info.Size())
	}
	if out, err := run(t.Context(), OptimizeCommand{DB: path}, i18n.Japanese); err != nil ||
		!strings.HasPrefix(out, "まとめるものはありません") {
		t.Errorf("again: %q, %v", out, err)
	}
	resultstest.Exec(t, path, "DELETE FROM segments")
	if out, err := run(t.Context(), OptimizeCommand{DB: path}, i18n.English); err != nil ||
		!strings.Contains(out, "packed 600 games of 300 pairs in 1 segment in ") {
		t.Errorf("%q, %v", out, err)
	}

	resultstest.Exec(t, path, "PRAGMA user_version = 99")
	testutil.Fails(t, testutil.Err(run(t.Context(), OptimizeCommand{DB: path}, i18n.English)), "newer", "of a newer gogi")
}
