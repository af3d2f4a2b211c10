package web

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/results"
	"gogi/stats"
)

// runsOn returns the runs of a page of the list, in its order.
func runsOn(w *httptest.ResponseRecorder) (names []string) {
	for _, m := range regexp.MustCompile(`<th scope="row"><a href="/r/[^"]*">([^<]*)</a>`).FindAllStringSubmatch(w.Body.String(), -1) {
		names = append(names, m[1])
	}
	return names
}

// TestRunsList requires that the list has each run's result, with runs in play first. Users can search and filter it,
// and turn its pages.
func TestRunsList(t *testing.T) {
	t.Parallel()
	s := shownRuns(t, "over", "live")
	s.config.Live = playing(newStage("live", 1))
	storeEnded(t, s.config.Store, "gated", stats.SPRT{Elo1: 400, Alpha: 0.4, Beta: 0.4, Model: stats.ModelLogistic}, "")
	page := get(t, s, "/")
	testutil.Slices(t, runsOn(page), []string{"live", "gated", "over"})
	for _, want := range []string{`badge pass">passed<`, `badge running">playing<`, `aria-label="LLR `, "[0, 0, 0, 0, 20]",
		"100.0%", "Elo, 95% interval"} {
		testutil.Contains(t, page.Body.String(), want, "the list")
	}
	for query, want := range map[string][]string{
		"?state=passed": {"gated"}, "?state=running": {"live"}, "?state=finished&q=OVE": {"over"},
		"?q=old": {"live", "gated", "over"}, "?state=failed": nil, "?q=nothing": nil,
	} {
		testutil.Slices(t, runsOn(get(t, s, "/"+query)), want, "%s", query)
	}
	testutil.Equal(t, get(t, s, "/?state=odd").Code, http.StatusBadRequest, "an odd state")
	for i := range runsOnAPage {
		run := testutil.Must(s.config.Store.Begin(t.Context(), planFor(fmt.Sprint("many-", i), 1)))(t)
		testutil.OK(t, run.Close())
	}
	first, second := get(t, s, "/?q=many"), get(t, s, "/?page=2")
	testutil.Equal(t, len(runsOn(first)), runsOnAPage, "runs on a page")
	testutil.Slices(t, runsOn(second), []string{"many-0", "gated", "over"})
	testutil.Contains(t, get(t, s, "/").Body.String(), `href="/?page=2"`, "the next page")
	testutil.Check(t, second.Header().Get("Refresh") == "", "a page that is complete loads again")
	storeRun(t, s.config.Store, "over", 131)
	testutil.Contains(t, get(t, s, "/?q=over").Body.String(), `262<span class="dim"> / 262</span>`,
		"a run that has changed")
}

// TestRunsThatAreBeingRead requires that a list that cannot wait reports this and reloads itself. The later list has
// the results.
func TestRunsThatAreBeingRead(t *testing.T) {
	t.Parallel()
	s := shownRuns(t, "plain", "other")
	s.listTime = time.Nanosecond
	page := get(t, s, "/")
	testutil.Equal(t, page.Header().Get("Refresh"), "2", "the header")
	testutil.Slices(t, runsOn(page), []string{"other", "plain"})
	testutil.Contains(t, page.Body.String(), "the results of 2 are being read", "the list")
	s.listTime = time.Minute
	if page = get(t, s, "/"); page.Header().Get("Refresh") != "" || strings.Contains(page.Body.String(), `badge unread`) ||
		!strings.Contains(page.Body.String(), `finished</strong>`) {
		t.Errorf("it is not complete: %s", page.Body)
	}
}

// TestNowOfARun requires that pages can request the current parts of a run: the line with its result, and its course.
func TestNowOfARun(t *testing.T) {
	t.Parallel()
	s := shownRuns(t, "plain")
	text := get(t, s, "/r/plain/now").Body.String()
	for _, want := range []string{`<div data-fresh="line"><p class="glance">`,
		`<div data-fresh="course"><figure class="plot"`, "[0, ", "faults</span> "} {
		testutil.Contains(t, text, want, "the parts")
	}
	checkInert(t, "now", text)
}

// TestVariationOnTheBoard requires that a move of a variation links to the position after it, marked as not played. A
// position that the game does not have is an error with a link to the game.
func TestVariationOnTheBoard(t *testing.T) {
	t.Parallel()
	s := shownRuns(t, "plain")
	at := get(t, s, "/r/plain/g/0.0?ply=2").Body.String()
	testutil.Contains(t, at, `href="/r/plain/g/0.0?ply=2&amp;pv=1"`, "the variation")
	sfen := regexp.MustCompile(`data-part="sfen">([^<]*)<`)
	shown := get(t, s, "/r/plain/g/0.0?ply=2&pv=1").Body.String()
	testutil.Equal(t, sfen.FindStringSubmatch(shown)[1], sfen.FindStringSubmatch(at)[1],
		"the variation of this game begins with its move")
	testutil.Contains(t, shown, "move 1 of the variation", "the caption")
	for _, query := range []string{"ply=99", "ply=2&pv=9", "ply=2&pv=x"} {
		w := get(t, s, "/r/plain/g/0.0?"+query)
		testutil.Equal(t, w.Code, http.StatusBadRequest, "%s", query)
		testutil.Contains(t, w.Body.String(), `href="/r/plain/g/0.0"`, "%s", query)
	}
}

// TestScoreGraphHasEveryScore requires that all scores and mates are inside the graph, and that larger ones are higher.
func TestScoreGraphHasEveryScore(t *testing.T) {
	t.Parallel()
	var moves []moveLine
	for i, score := range []int{0, 100, 1000, 3000, 3001, 9000, 31_999, 999_990} {
		moves = append(moves, moveLine{Ply: i + 1, Side: "black", score: new(score)},
			moveLine{Ply: i + 1, Side: "white", score: new(-score)})
	}
	g := voice{}.newScoreGraph(moves, 1)
	var heights []float64
	for point := range strings.FieldsSeq(g.Black) {
		var x, y float64
		testutil.Must(fmt.Sscanf(point, "%f,%f", &x, &y))(t)
		heights = append(heights, y)
	}
	if !slices.IsSortedFunc(heights, func(a, b float64) int { return int(10*b - 10*a) }) ||
		len(slices.Compact(slices.Clone(heights))) != len(heights) || heights[len(heights)-1] < g.Top {
		t.Errorf("heights %v from %v", heights, g.Top)
	}
}

// TestProgressOfVersions requires the versions in the order of their runs, without the opponent that they share.
func TestProgressOfVersions(t *testing.T) {
	t.Parallel()
	f := rated{Rows: make([]ratedRow, 3)}
	for i, name := range []string{"new", "ref", "old"} {
		f.Rows[i].Name, f.Rows[i].Rating = name, new(float64(-100*i))
	}
	runs := [][]string{{"old", "ref"}, {"new", "ref"}}
	f.progress(runs)
	testutil.Check(t, len(f.Progress) == 2 && f.Progress[0].Name == "old" && f.Progress[1].Name == "new" &&
		*f.Progress[1].Since == 200,
		"%+v", f.Progress)
	f.Progress = nil
	if f.progress([][]string{runs[0], runs[0]}); f.Progress != nil {
		t.Errorf("the same players in each run: %+v", f.Progress)
	}
}

// TestOfferedRuns requires that a page with thousands of runs lists the chosen ones and the latest matches of the
// others.
func TestOfferedRuns(t *testing.T) {
	var names []results.RunName
	for id := range int64(1000) {
		names = append(names, results.RunName{ID: 1000 - id, Name: fmt.Sprintf("run%d", 1000-id),
			Players: []string{"New", "old"}})
	}
	for query, want := range map[string]struct{ listed, more int }{
		"": {201, 799}, "run99": {12, 0}, "NEW": {201, 799}, "nothing": {1, 0}, " run7 ": {1 + 1 + 10 + 100, 0},
	} {
		c := chooser{Chosen: []string{"run5"}, Query: url.Values{"q": {query}}}
		c.offer(names)
		testutil.Check(t, len(c.Runs) == want.listed && c.More == want.more && c.Runs[0] == "run5",
			"%q: %d runs and %d more, first %q; want %+v", query, len(c.Runs), c.More, c.Runs[0], want)
	}
}
