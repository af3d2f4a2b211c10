package board_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"

	"gogi/farm"
	"gogi/farm/board"
	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/results"
	"gogi/results/farmstate"
)

func status(context.Context) farm.Status {
	return farm.Status{
		At: time.Unix(1_000_000, 0), Boot: 7,
		Tests: []farm.TestStatus{{
			Run: "d1", Name: "<script>lmr", Owner: "red", State: farm.Running, Pairs: 40, Stored: 10, Prefix: 8, Held: 3,
			Window: 64, Reach: 16,
			LeaseCounts:  farm.LeaseCounts{Granted: 15, Expired: 4, Adopted: 5},
			ResultCounts: farm.ResultCounts{Added: 9, Duplicates: 2, Refused: 1},
		}, {
			Run: "d2", Name: "<script>lmr", State: farm.Stopped, Verdict: "pass", Provisional: "3 of <b>4 audits",
			Voided: "9 pairs of w1 \x1b[0mvoided", Refusals: []string{"w2: <script>exit status 1"},
			Benches: []farm.BenchCheck{{Engine: "<script>dev", Commit: "0123456789abcdef", Nodes: 12, Message: 13, Worker: "w1",
				Owner: "<b>mal"}, {Engine: "base", Nodes: 7, Message: 7, Worker: "w2", Owner: "red", Trusted: true}},
		}},
		Workers: []farm.WorkerStatus{{Name: "w1", Trust: "verified", Quarantine: "it \x1b[31mlied",
			Seen: time.Unix(999_990, 0), Slots: 4}},
		Judge:  farm.JudgeStatus{Fill: 0.25, Messages: 12, Again: 3},
		Unread: []farm.Unread{{Run: "d3", Why: "version <b>1000"}},
	}
}

// fakeFarm is a farm with a fixed status.
type fakeFarm struct{ status board.Status }

func (f fakeFarm) StatusFor(ctx context.Context, _ string) farm.Status { return f.status(ctx) }
func (fakeFarm) Do(context.Context, string, string, any) (any, error) {
	return nil, errors.New("nobody is logged in")
}
func (fakeFarm) SignUp(context.Context, farm.SignUp) error { return nil }

func shown(t *testing.T, status board.Status, path string) string {
	t.Helper()
	return shownIn(t, i18n.English, status, path)
}

func shownIn(t *testing.T, in i18n.Language, status board.Status, path string) string {
	t.Helper()
	state := testutil.Must(farmstate.Open(t.Context(), filepath.Join(t.TempDir(), "state.db")))(t)
	t.Cleanup(func() { _ = state.Close() })
	w, request := httptest.NewRecorder(), httptest.NewRequest("GET", path, nil)
	request.Header.Set("Accept", "text/html")
	board.New(board.Config{
		Farm: fakeFarm{status}, State: state, Played: func(context.Context) ([]results.Played, error) { return nil, nil },
	}).ServeHTTP(w, request.WithContext(i18n.With(t.Context(), in)))
	return w.Body.String()
}

// TestThePage requires that the page shows everything, and that texts of other people have no effect in it.
func TestThePage(t *testing.T) {
	body := shown(t, status, "/farm")
	for _, want := range []string{"boot 7", "25% full", "&lt;script&gt;lmr", "10 / 40 (25%)", "quarantined: it",
		"verified", `href="/farm/t/d1"`, "d3: not played: version &lt;b&gt;1000",
		`pass (provisional) <a href="#advice-d2">why</a>`,
		"The verdict is provisional: 3 of &lt;b&gt;4 audits 9 pairs of w1 ",
		" Not played by w2: &lt;script&gt;exit status 1"} {
		testutil.Check(t, strings.Contains(body, want), "the page lacks %q:\n%s", want, body)
	}
	testutil.Contains(t, shown(t, status, "/farm/t/d2"),
		"The commit message of &lt;script&gt;dev has bench 13, and its builds have 12 nodes (read by machine w1 of &lt;b&gt;mal, which the farm does not trust). Check that 0123456789 is the commit that you mean.")
	for _, path := range []string{"/farm", "/farm/t/d1", "/farm/t/d2", "/farm/m/w1"} {
		if page := shown(t, status, path); strings.Contains(page, "<script>") || strings.Contains(page,
			"\x1b") || !strings.Contains(page, "</html>") {
			t.Errorf("%s: hostile text got through, or the page is not whole:\n%s", path, page)
		}
	}
	if empty := shown(t, func(context.Context) farm.Status { return farm.Status{} },
		"/farm"); !strings.Contains(empty, "No test was submitted") {
		t.Error(empty)
	}
}

// TestJapanese requires that the Japanese pages have no English words except names and reasons that other people wrote.
// A link leads to the English page.
func TestJapanese(t *testing.T) {
	english := regexp.MustCompile(`<(?:h[12]|th|dt|button|label|p)\b[^>]*>[^<]*[a-z]{4}[^<]*`)
	testutil.Contains(t, shownIn(t, i18n.Japanese, status, "/farm/t/d2"), `<p class="claim">合格（暫定）`)
	testutil.Contains(t, shownIn(t, i18n.Japanese, status, "/farm/t/d2"),
		"<p>&lt;script&gt;devのコミットメッセージのベンチは13ですが、ビルドは12ノードです（読んだのは&lt;b&gt;malのマシンw1。ファームはこのマシンを信頼していない）。0123456789が意図したコミットか確かめてください。</p>")
	for _, path := range []string{"/farm", "/farm/t/d1", "/farm/t/d2", "/farm/m/w1", "/farm/log", "/farm/join",
		"/farm/login", "/farm/nowhere"} {
		page := shownIn(t, i18n.Japanese, status, path)
		testutil.Check(t, strings.Contains(page, `<html lang="ja">`) && strings.Contains(page, path+"?lang=en") &&
			strings.Contains(page, "</html>"), "%s: %s", path, page)
		for _, text := range english.FindAllString(page, -1) {
			testutil.Check(t, strings.ContainsAny(text, "のをはれ") || strings.Contains(text, "&lt;") ||
				strings.Contains(text, "quarantined") || strings.Contains(text, "w1 voided"), "%s: %s", path, text)
		}
	}
}

// TestMetrics requires that the metrics are well-formed, also for two tests with one name, and have the values of the
// status.
func TestMetrics(t *testing.T) {
	w := httptest.NewRecorder()
	board.Metrics(status).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	body := w.Body.String()
	for _, want := range []string{
		`gogi_farm_pairs_total{result="added",run="d1"} 9`, `gogi_farm_pairs_total{result="duplicate",run="d1"} 2`,
		`gogi_farm_leases_total{event="adopted",run="d1"} 5`,
		`gogi_farm_leases{run="d1"} 3`, `gogi_farm_prefix_pairs{run="d1"} 8`, `gogi_farm_window_used{run="d1"} 0.25`,
		`gogi_farm_beat_age_seconds{worker="w1"} 10`,
		`gogi_farm_worker_quarantined{worker="w1"} 1`, `gogi_farm_worker_here{worker="w1"} 0`, "gogi_farm_stream_fill 0.25",
		"gogi_farm_redelivered_total 3", "gogi_farm_boot 7",
		`name="<script>lmr",owner="",run="d2",state="stopped"} 1`,
	} {
		testutil.Check(t, strings.Contains(body, want+"\n"), "the metrics lack %s", want)
	}
	problems, err := promlint.New(strings.NewReader(body)).Lint()
	testutil.Check(t, err == nil && len(problems) == 0, "%v, %+v", err, problems)
	rules := testutil.Must(os.ReadFile("../../docs/alerts.yml"))(t)
	names := regexp.MustCompile(`\bgogi_farm_\w+`).FindAllString(string(rules), -1)
	for _, name := range names {
		testutil.Check(t, strings.Contains(body, name), "alerts.yml asks for %s", name)
	}
	testutil.Check(t, len(names) >= 5, "alerts.yml has only %v of the farm", names)
	if t.Failed() {
		t.Log(body)
	}
}
