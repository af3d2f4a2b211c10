package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"gogi/internal/testutil"
	"gogi/ui/metrics"
)

// metricsSeries has a council with a member that crashes, pondering and an SPRT, so that every metric has a value.
const metricsSeries = `
run = "told"
games = 2000
concurrency = 2
players = ["C", "a"]
ponder = "standard"
limits = {main = "300ms", increment = "10ms", margin = "5s"}
rules = {name = "default", max_plies = 30}
[[engine]]
name = "a"
cmd = "builtin"
[[engine]]
name = "f"
command = ["fakeengine"]
[[engine]]
name = "g"
command = ["fakeengine", "-script", "exit@go:5"]
[[council]]
name = "C"
rule = "majority"
members = ["f", "g", "f2"]
[[engine]]
name = "f2"
command = ["fakeengine", "-moves", "first"]
[gate]
sprt = "0,100"
`

// A started is a gogi process that runs in a folder until the test ends it.
type started struct {
	t   *testing.T
	cmd *exec.Cmd
	url string
	out bytes.Buffer
}

// begin starts gogi, and waits for the line with the address of its pages.
func begin(t *testing.T, dir string, args ...string) *started {
	t.Helper()
	p := &started{t: t, cmd: exec.CommandContext(t.Context(), "gogi", args...)}
	p.cmd.Dir = dir
	read, write, err := os.Pipe()
	testutil.OK(t, err)
	p.cmd.Stdout, p.cmd.Stderr = write, write
	err = p.cmd.Start()
	_ = write.Close() // the process has its own copy
	testutil.OK(t, err)
	lines := bufio.NewScanner(read)
	address := regexp.MustCompile(`http://127\.0\.0\.1:\d+/`)
	for p.url == "" && lines.Scan() {
		fmt.Fprintln(&p.out, lines.Text())
		p.url = address.FindString(lines.Text())
	}
	if p.url == "" {
		t.Fatalf("it serves nothing:\n%s", &p.out)
	}
	go func() { // so that gogi never waits for a reader
		defer read.Close()
		_, _ = io.Copy(io.Discard, read)
	}()
	return p
}

// end interrupts gogi repeatedly until it ends, as a user in a hurry does.
func (p *started) end() {
	p.t.Helper()
	ended := make(chan error, 1) // one value, from the goroutine
	go func() { ended <- p.cmd.Wait() }()
	for tick := time.NewTicker(200 * time.Millisecond); ; {
		_ = p.cmd.Process.Signal(os.Interrupt)
		select {
		case <-ended:
			tick.Stop()
			return
		case <-tick.C:
		}
	}
}

// scrape requests the metrics in a format.
func (p *started) scrape(accept string) string {
	p.t.Helper()
	r := testutil.Must(http.NewRequestWithContext(p.t.Context(), http.MethodGet, p.url+"metrics", nil))(p.t)
	r.Header.Set("Accept", accept)
	resp := testutil.Must(http.DefaultClient.Do(r))(p.t)
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	testutil.Require(p.t, err == nil && resp.StatusCode == http.StatusOK, "%s: %s, %v", resp.Status, text, err)
	return string(text)
}

func readMetrics(t *testing.T, text string) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return testutil.Must(parser.TextToMetricFamilies(strings.NewReader(text)))(t)
}

// missing returns the families that are not exported yet.
func missing(told map[string]*dto.MetricFamily) (names []string) {
	for _, f := range metrics.Families() {
		if told[f.Name] == nil {
			names = append(names, f.Name)
		}
	}
	return names
}

// TestMetricsOfARun: a run exports every family of metrics. The dashboard and the alerts use no other families. The
// metrics file and gogi serve have the numbers of games of the database.
func TestMetricsOfARun(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testutil.OK(t, os.WriteFile(filepath.Join(dir, "series.toml"), []byte(metricsSeries), 0o600))
	run := begin(t, dir, "match", "series.toml", "--http", "127.0.0.1:0", "--metrics-file", "gogi.prom", "--pprof",
		"--public-host", "gogi.test")
	var told map[string]*dto.MetricFamily
	deadline, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	for tick := time.NewTicker(50 * time.Millisecond); told == nil || len(missing(told)) > 0; <-tick.C {
		told = readMetrics(t, run.scrape("text/plain"))
		if deadline.Err() != nil {
			t.Fatalf("never told: %v", missing(told))
		}
	}
	om := run.scrape("application/openmetrics-text;version=1.0.0")
	if !strings.HasSuffix(om, "\n# EOF\n") {
		t.Errorf("OpenMetrics ends %q", om[max(0, len(om)-20):])
	}
	readMetrics(t, om)
	for name, f := range told {
		testutil.Check(t, strings.HasPrefix(name, "gogi_") && f.GetHelp() != "", "%s is told", name)
	}
	asked(t, told)
	for _, c := range []struct {
		host, path string
		want       int
	}{{"gogi.test", "debug/pprof/", http.StatusOK}, {"other.test", "", http.StatusMisdirectedRequest}} {
		r := testutil.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, run.url+c.path, nil))(t)
		r.Host = c.host
		resp := testutil.Must(http.DefaultClient.Do(r))(t)
		if resp.Body.Close(); resp.StatusCode != c.want {
			t.Errorf("%s of host %s: %s, want %d", c.path, c.host, resp.Status, c.want)
		}
	}
	run.end()
	text := testutil.Must(os.ReadFile(filepath.Join(dir, "gogi.prom")))(t)
	file := readMetrics(t, string(text))
	want, pairs := counted(t, dir)
	if got := sum(file["gogi_games_total"]); got != want || want == 0 {
		t.Errorf("the file ends with %v games, the database has %v", got, want)
	}
	if got := file["gogi_game_plies"].GetMetric()[0].GetHistogram().GetSampleCount(); got != uint64(want) {
		t.Errorf("the lengths of %d games, the database has %v", got, want)
	}
	if got := sum(file["gogi_run_pairs_stored"]); got != pairs {
		t.Errorf("the file ends with %v pairs, the database has %v", got, pairs)
	}
	server := begin(t, dir, "serve", "--http", "127.0.0.1:0")
	defer server.end()
	later := readMetrics(t, server.scrape("text/plain"))
	if got := sum(later["gogi_games_total"]); got != want {
		t.Errorf("gogi serve has %v games, the database %v", got, want)
	}
	for _, m := range later["gogi_run_state"].GetMetric() {
		state := m.GetLabel()[1].GetValue()
		testutil.Check(t, (m.GetGauge().GetValue() == 1) == (state == "done"), "a run that nobody plays: %v", m)
	}
}

// sum adds up the numbers of a family.
func sum(f *dto.MetricFamily) (total float64) {
	for _, m := range f.GetMetric() {
		total += m.GetCounter().GetValue() + m.GetGauge().GetValue()
	}
	return total
}

// counted returns the numbers of stored games and pairs, from gogi games.
func counted(t *testing.T, dir string) (games, pairs float64) {
	t.Helper()
	n := float64(len((&folder{dir: dir}).gameRows(t)))
	return n, n / 2
}

// asked checks that the dashboard and the alerts use only exported families and labels. For a histogram they use the
// name with _bucket.
func asked(t *testing.T, told map[string]*dto.MetricFamily) {
	t.Helper()
	var dashboard struct {
		Panels []struct{ Targets []struct{ Expr string } }
	}
	text, err := os.ReadFile("../../docs/grafana-gogi.json")
	if err == nil {
		err = json.Unmarshal(text, &dashboard)
	}
	testutil.OK(t, err)
	var exprs []string
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			exprs = append(exprs, target.Expr)
		}
	}
	testutil.Check(t, len(exprs) >= 12, "%d expressions in the dashboard", len(exprs))
	rules := testutil.Must(os.ReadFile("../../docs/alerts.yml"))(t)
	own, _, _ := strings.Cut(string(rules), "- name: gogi-farm") // farm/board tests the rest
	exprs = append(exprs, own, string(text))
	for _, name := range regexp.MustCompile(`\bgogi_\w+`).FindAllString(strings.Join(exprs, "\n"), -1) {
		f := told[name]
		if whole := strings.TrimSuffix(name, "_bucket"); whole != name {
			f = told[whole]
			if f != nil && f.GetType() != dto.MetricType_HISTOGRAM {
				f = nil
			}
		}
		testutil.Check(t, f != nil, "%s is asked for, and not told", name)
	}
	labels := regexp.MustCompile(`\b(gogi_\w+)\{(\w+)`)
	for _, found := range labels.FindAllStringSubmatch(strings.Join(exprs, "\n"), -1) {
		name := strings.TrimSuffix(found[1], "_bucket")
		has := slices.ContainsFunc(metrics.Families(), func(f metrics.Family) bool {
			return f.Name == name && slices.Contains(f.Labels, found[2])
		})
		if !has {
			t.Errorf("%s is asked for by %s, which it has not", found[1], found[2])
		}
	}
}
