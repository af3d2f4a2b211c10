package main

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match/control"
	"gogi/results"
	"gogi/runner/events"
	"gogi/ui/web"
)

// TestJSONOfCommands: the JSON of real commands on a small database, and of its pages, is as docs/json.md describes it:
// no unknown key, no other type, and each key that is not optional.
func TestJSONOfCommands(t *testing.T) {
	t.Parallel()
	d, s := newDocumentation(t), &folder{dir: t.TempDir()}
	testutil.OK(t, os.WriteFile(filepath.Join(s.dir, "c.toml"), []byte(jsonCouncil), 0o600))
	testutil.OK(t, os.WriteFile(filepath.Join(s.dir, "t.csv"), []byte("g,x,y\na,1,1.5\na,2,2.5\nb,3,2\nb,4,4.5\nb,5,5\n"),
		0o600))
	testutil.OK(t, os.WriteFile(filepath.Join(s.dir, "orders.csv"),
		[]byte("game,player,rank\n1,A,1\n1,B,2\n1,C,3\n2,B,1\n2,A,2\n2,C,3\n3,C,1\n3,A,2\n3,B,3\n"), 0o600))
	for _, c := range []struct{ title, command string }{
		{"event",
			"match --json --run r --engine a=fakeengine --engine b=fakeengine -q --nodes 10 --max-plies 40 --games 40 --openings builtin --sprt 0,300"},
		{"event",
			"match --json --run other --engine a=fakeengine --engine b=fakeengine -q --nodes 10 --max-plies 30 --games 4"},
		{"event",
			"match --json --run newer --engine a=fakeengine --engine b=fakeengine -q --nodes 10 --max-plies 40 --games 4"},
		{"event", "match c.toml --json -q"},
		{"event",
			"match --json --run rr --design round_robin --engine a=fakeengine --engine b=fakeengine --engine c=fakeengine -q --nodes 10 --max-plies 30 --games 6"},
		{"report", "report other --json"}, {"report", "report rr --json"}, {"report", "report r --json"},
		{"openings of a report", "report other --openings --json"},
		{"games", "games other --json"}, {"runs", "runs --json"}, {"SPRT decision", "gate r --json"},
		{"comparison", "compare r newer --json"}, {"breakdown", "compare --breakdown other --json"},
		{"ratings", "rate rr --json"}, {"ratings and steps", "gogi-lab rate rr --iterates 2 --json"},
		{"intervals", "stats interval --wins 60 --losses 40 --all --json"},
		{"tests", "stats test --wins 60 --losses 40 --json"},
		{"SPRT states", "stats sprt --pentanomial 5,10,20,15,10 --elo0 0 --elo1 5 --json"},
		{"plans", "stats plan --elo 10 --sprt 0,10 --game-length 1m --json"},
		{"Elo differences", "stats elo --score 0.6 --json"},
		{"forecasts", "stats forecast --wins 6 --losses 4 --games 20 --json"},
		{"coverage", "gogi-lab stats lab coverage --n 10 --p 0.5 --json"},
		{"adjusted p values", "gogi-lab stats lab adjust --p 0.01,0.2 --json"},
		{"homogeneity", "gogi-lab stats lab homogeneity --counts 10,5,3 --counts 8,6,4 --json"},
		{"rank sums", "gogi-lab stats lab ranksum t.csv --values x --by g --json"},
		{"errors of predictions", "gogi-lab stats lab rmse t.csv --predicted x --actual y --json"},
		{"ratings by orders", "gogi-lab stats lab orders orders.csv --samples 20 --json"},
		{"information criteria", "gogi-lab stats lab aic m=-100,3 n=-90,5 --games 50 --json"},
		{"regressions", "gogi-lab stats lab regress t.csv --y y --x x --json"},
		{"file check", "check c.toml --json"}, {"engine check", "check --quick --json -- fakeengine"},
		{"votes", "votes council --json"}, {"votes of a game", "votes council --game 0.0 --json"},
		{"repeated votes", "votes replay council --json"}, {"score scales", "votes fit council --json"},
		{"export", "export other --format jsonl --to g.jsonl --json"},
		{"import", "import g.jsonl --run imported --db i.db --json"},
		{"database check", "db check --json"}, {"verification", "db verify other --json"}, {"packing", "db optimize --json"},
		{"repair", "db repair --to d.db --json"}, {"merge", "db merge --to m.db gogi.db i.db --json"},
		{"voided pairs", "db void other --pairs 1 --why test --by me --json"}, {"version", "version --json"},
	} {
		words := strings.Fields(programOf(c.command))
		out, errs, code := s.run(t, words[0], words[1:]...)
		if out == "" {
			t.Errorf("%s: code %d, no JSON: %s", c.command, code, errs)
		} else if err := d.checkJSON(c.title, out); err != nil {
			t.Errorf("%s: %v", c.command, err)
		}
	}
	records := string(testutil.Must(os.ReadFile(filepath.Join(s.dir, "g.jsonl")))(t))
	testutil.OK(t, d.checkJSON("game record", records))
	dump, errs, _ := s.gogi(t, "db", "dump", "council")
	testutil.Require(t, dump != "", "%s", errs)
	for line := range strings.Lines(dump) {
		kind, _, _ := strings.Cut(strings.TrimPrefix(line, `{"type":"`), `"`)
		testutil.OK(t, d.checkJSON("dump: "+kind, line))
	}
	s.pages(t, d)
}

// pages checks the JSON of the pages of the folder's database.
func (f *folder) pages(t *testing.T, d *documentation) {
	t.Helper()
	store := testutil.Must(results.OpenExisting(t.Context(), filepath.Join(f.dir, "gogi.db")))(t)
	defer store.Close()
	server := testutil.Must(web.Listen(t.Context(),
		web.Config{Addr: "127.0.0.1:0", Store: store, Live: noRuns{},
			Log: slog.New(slog.NewTextHandler(t.Output(), nil))}))(t)
	ctx, end := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- server.Serve(ctx) }()
	defer func() { end(); testutil.OK(t, <-served) }()
	for title, path := range map[string]string{
		"runs": "/api/v1/runs", "report": "/api/v1/runs/other", "games": "/api/v1/runs/other/games",
		"game": "/r/council/g/0.0.json",
	} {
		r := testutil.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(server.URL(), "/")+path,
			nil))(t)
		answer := testutil.Must(http.DefaultClient.Do(r))(t)
		body := testutil.Must(io.ReadAll(answer.Body))(t)
		testutil.OK(t, answer.Body.Close())
		testutil.Require(t, answer.StatusCode == http.StatusOK, "%s: %s %s", path, answer.Status, body)
		testutil.OK(t, d.checkJSON(title, string(body)))
	}
}

// noRuns is a web.Live without runs in play.
type noRuns struct{}

func (noRuns) Runs() []string                                         { return nil }
func (noRuns) Hub(string) *events.Hub                                 { return nil }
func (noRuns) Control(context.Context, string, control.Command) error { return nil }

const jsonCouncil = `run = "council"
games = 2
seed = 3
players = ["C", "single"]
limits = {nodes = 20}
rules = {max_plies = 40}
[[engine]]
name = "b"
cmd = "builtin"
options = {EvalNoise = 40}
[[engine]]
name = "single"
cmd = "builtin"
[[council]]
name = "C"
rule = "adoption"
members = ["b"]
vary = {Seed = [1, 2, 3]}
shadow = ["optimistic"]
`
