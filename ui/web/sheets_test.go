package web

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/report"
)

// TestSheetsAreMadeOnce requires that simultaneous requests get the same report. A later request gets it too, until
// another pair is stored and the old report was shown for its time.
func TestSheetsAreMadeOnce(t *testing.T) {
	s := shownRuns(t, "plain", "other")
	info := testutil.Must(s.config.Store.FindRun(t.Context(), "other"))(t)
	made := make([]*sheet, 20)
	var wait sync.WaitGroup
	for i := range made {
		wait.Go(func() {
			var err error
			if made[i], err = s.sheets.of(t.Context(), s, info); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	for _, m := range made {
		testutil.Require(t, m != nil && m == made[0], "one run has several reports")
	}
	storeRun(t, s.config.Store, "other", 2)
	later := func() *sheet {
		m := testutil.Must(s.sheets.of(t.Context(), s, info))(t)
		return m
	}
	made[0].made, made[0].took = time.Now(), time.Hour
	testutil.Equal(t, later(), made[0], "a report that took long is made anew at once")
	made[0].took = 0
	if m := later(); m == made[0] || m.report.Pairs != 2 {
		t.Errorf("the new pair is not seen: %d pairs", m.report.Pairs)
	}
}

// TestSheetsAtTheEnd requires a new report after the end of a session if the old one is out of date. It does not matter
// how long the old one took.
func TestSheetsAtTheEnd(t *testing.T) {
	play := newStage("other", 1)
	s := shownRuns(t, "plain", "other")
	s.config.Live = playing(play)
	pairs := func() int {
		t.Helper()
		info := testutil.Must(s.config.Store.FindRun(t.Context(), "other"))(t)
		made := testutil.Must(s.sheets.of(t.Context(), s, info))(t)
		made.took = time.Hour
		return made.report.Pairs
	}
	before := pairs()
	storeRun(t, s.config.Store, "other", 2)
	while := pairs()
	play.done()
	after := pairs()
	storeRun(t, s.config.Store, "other", 3) // stored by a process that does not notify the server
	if later := pairs(); before != 1 || while != 1 || after != 2 || later != 2 {
		t.Errorf("%d pairs, %d while the run is played, %d at its end, %d later", before, while, after, later)
	}
}

// TestSheetsAreBounded requires that the number of stored reports is limited, and that the report used last stays.
func TestSheetsAreBounded(t *testing.T) {
	var c sheets
	for id := range int64(3 * keptSheets) {
		c.keep(id, &sheet{})
		testutil.Require(t, c.find(0, c.kept[0].stamp, false) != nil, "the report that is looked at all the time is gone")
	}
	testutil.Equal(t, len(c.kept), keptSheets, "reports are kept")
}

// TestChangesWithoutPaths requires that the shown log of changes contains no paths.
func TestChangesWithoutPaths(t *testing.T) {
	one, two, x, y := "1", "2", "/home/x", "/home/y"
	at := time.Date(2026, 1, 2, 3, 4, 0, 0, time.UTC)
	r := report.Report{Looks: report.OptionalStopping{Changes: []report.Change{
		{At: at, Difference: match.Difference{Path: []string{"pairs"}, Before: &one, Now: &two}},
		{At: at, Difference: match.Difference{Path: []string{"players", "a", "dir"}, Before: &x, Now: &y}},
		{At: at, Difference: match.Difference{Path: []string{"players", "/a"}, Now: &one, Note: "from /etc"}},
	}}}
	var got []string
	for _, c := range discreet(&r).Looks.Changes {
		got = append(got, c.String(), c.Message().In(japanese))
	}
	want := []string{
		"2026-01-02 03:04 UTC – pairs: 1 before, 2 now", "2026-01-02 03:04 UTC – pairs：1 から 2 へ変更",
		"2026-01-02 03:04 UTC – players.a.dir: … before, … now", "2026-01-02 03:04 UTC – players.a.dir：… から … へ変更",
		"2026-01-02 03:04 UTC – …: … before, … now", "2026-01-02 03:04 UTC – …：… から … へ変更",
	}
	testutil.Slices(t, got, want)
	testutil.Contains(t, r.Looks.Changes[1].String(), x, "the report itself was changed")
}

// TestDiscreetVoids requires that pages hide a reason for voiding that names a path, and the remark that quotes it.
func TestDiscreetVoids(t *testing.T) {
	t.Parallel()
	r := report.Report{Voided: []report.Voiding{{Why: "/mnt/secret was full", Pairs: []int{1}},
		{Why: "slow", Pairs: []int{2}}}}
	for i := range r.Voided {
		r.Looks.Remarks = append(r.Looks.Remarks, r.Voided[i].Remarks()...)
	}
	got := discreet(&r)
	if got.Voided[0].Why != "…" || got.Voided[1].Why != "slow" ||
		!slices.Equal(i18n.Each(english, got.Looks.Remarks), []string{"1 pair voided: …", "1 pair voided: slow"}) {
		t.Errorf("%+v, %q", got.Voided, got.Looks.Remarks)
	}
	testutil.Check(t, r.Voided[0].Why != "…" && r.Looks.Remarks[0].String() != got.Looks.Remarks[0].String(),
		"the report itself was changed")
}

// TestSelfplayPages requires that the pages of self-play show its games and no strength. A request for strength gets
// the reason.
func TestSelfplayPages(t *testing.T) {
	s := shownRuns(t, "other")
	store := s.config.Store
	plan := planFor("sp", 3)
	plan.Players = plan.Players[1:]
	plan.Design = match.Design{Kind: match.DesignSelfplay, Selfplay: match.Selfplay{Games: 2}}
	run := testutil.Must(store.Begin(t.Context(), plan))(t)
	for id := range 2 {
		testutil.Must(run.Add(t.Context(), matchtest.Games(plan.Pair(id), gameOf)))(t)
	}
	testutil.OK(t, run.Close())
	for path, want := range map[string]string{
		"/":                     "/r/sp",
		"/r/sp":                 "2 of 3 blocks are stored, each of 2 games",
		"/r/sp/games":           "4 games",
		"/r/sp/g/1.1":           "Game 1.1",
		"/r/sp/live":            "No process plays this run now",
		"/engines?run=sp":       "id of o",
		"/api/v1/runs/sp/games": `"leg": 1`,
	} {
		if got := get(t, s, path); got.Code != http.StatusOK || !strings.Contains(got.Body.String(), want) {
			t.Errorf("%s: %d, expected %q in\n%s", path, got.Code, want, got.Body)
		}
	}
	for _, path := range []string{"/r/sp/time", "/r/sp/faults", "/api/v1/runs/sp"} {
		if got := get(t, s, path); got.Code != http.StatusBadRequest ||
			!strings.Contains(got.Body.String(), "self-play of one player") {
			t.Errorf("%s: %d\n%s", path, got.Code, got.Body)
		}
	}
	for _, gone := range []string{"/r/sp/openings", "/r/sp/time"} {
		if got := get(t, s, "/r/sp"); strings.Contains(got.Body.String(), `href="`+gone) {
			t.Errorf("the page links to %s", gone)
		}
	}
}
