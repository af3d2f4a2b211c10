package web

import (
	"net/http"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
)

// The pages of self-play show its games and no strength; what asks for one is told why.
func TestSelfplayPages(t *testing.T) {
	s := shownRuns(t, "other")
	store := s.config.Store
	plan := planFor("sp", 3)
	plan.Players = plan.Players[1:]
	plan.Design = match.Design{Kind: match.DesignSelfplay, Selfplay: match.Selfplay{Games: 2}}
	run := testutil.Must(store.Begin(t.Context(), plan))(t)
	for id := range 2 {
		pair := match.PairResult{Pair: plan.Pair(id)}
		for leg := range 2 {
			pair.Games = append(pair.Games, gameOf(pair.Pair.Game(leg)))
		}
		testutil.Must(run.Add(t.Context(), pair))(t)
	}
	testutil.OK(t, run.Close())
	for path, want := range map[string]string{
		"/":                     "/r/sp",
		"/r/sp":                 "2 of 3 blocks are stored, each of 2 games",
		"/r/sp/games":           "4 games",
		"/r/sp/g/1.1":           "Game 1.1",
		"/r/sp/live":            "Nobody plays this run now",
		"/engines?run=sp":       "id of o",
		"/api/v1/runs/sp/games": `"leg": 1`,
	} {
		if got := get(t, s, path); got.Code != http.StatusOK || !strings.Contains(got.Body.String(), want) {
			t.Errorf("%s: %d, expected %q in\n%s", path, got.Code, want, got.Body)
		}
	}
	for _, path := range []string{"/r/sp/time", "/r/sp/faults", "/api/v1/runs/sp"} {
		if got := get(t, s, path); got.Code != http.StatusBadRequest || !strings.Contains(got.Body.String(), "self-play of one player") {
			t.Errorf("%s: %d\n%s", path, got.Code, got.Body)
		}
	}
	for _, gone := range []string{"/r/sp/openings", "/r/sp/time"} {
		if got := get(t, s, "/r/sp"); strings.Contains(got.Body.String(), `href="`+gone) {
			t.Errorf("the page links to %s", gone)
		}
	}
}
