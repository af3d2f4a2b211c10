package web

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/report/review"
	"gogi/results"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// TestBoards: the page of the openings has the first player's score by family and by opening, in the order that the
// reader chooses, and says how many rows were looked at. Families are in the reader's notation of moves.
func TestBoards(t *testing.T) {
	t.Parallel()
	s := shownRuns(t, "run")
	page := get(t, s, "/r/run/openings").Body.String()
	for _, want := range []string{"score of &lt;script", `?opening=b&#43;%26&#43;c"`, `<ul class="openinglist">`,
		"families were looked at", "openings were looked at", "W–D–L of &lt;script",
		`href="/r/run/openings?sort=score&amp;page=1"`, ".svg?ply=", `data-k="surprise">`, `data-k="games">`} {
		testutil.Contains(t, page, want)
	}
	testutil.Check(t, strings.Count(page, "<li><a href=") <= boardsOnAPage, "too many boards")
	testutil.Equal(t, get(t, s, "/r/run/openings?sort=odd").Code, http.StatusBadRequest, "an odd order")
	testutil.Equal(t, get(t, s, "/r/run/openings?sort=games&page=99").Code, http.StatusOK, "a page after the last one")
	in := voice{}
	testutil.Equal(t, in.family("7g7f 3c3d"), "☗P7g-7f ☖P3c-3d")
	in.moves = usiText
	testutil.Equal(t, in.family("7g7f"), "☗7g7f")
	in.moves = kif
	testutil.Equal(t, in.family("7g7f 3c3d"), "☗７六歩(77) ☖３四歩(33)")
	testutil.Equal(t, in.family("two-piece"), "two-piece")
}

// TestNotation: ?moves= chooses the notation on every page, and a cookie remembers it.
func TestNotation(t *testing.T) {
	t.Parallel()
	s := shownRuns(t, "run")
	chosen := get(t, s, "/r/run/g/5.0?ply=2&moves=ja")
	testutil.Contains(t, chosen.Body.String(), "☖３四歩(33)")
	cookie := chosen.Result().Cookies()
	testutil.Require(t, len(cookie) == 1 && cookie[0].Name == notationCookie && cookie[0].Value == "ja", "cookies %v",
		cookie)
	testutil.Contains(t, get(t, s, "/r/run/g/5.0?ply=2", func(r *http.Request) { r.AddCookie(cookie[0]) }).Body.String(),
		"☖３四歩(33)")
	testutil.Contains(t, get(t, s, "/r/run/g/5.0?ply=2&moves=usi").Body.String(), "☖3c3d")
	testutil.Contains(t, get(t, s, "/r/run/g/5.0?ply=2").Body.String(), "☖P3c-3d")
	testutil.Check(t, len(get(t, s, "/r/run/g/5.0?moves=odd").Result().Cookies()) == 0, "an odd notation is remembered")
}

// TestReviewedGame: the page of a game has the marks of its review, the variations in place of the move that is shown,
// and links to the nearest marked moves. A review of another game does not appear.
func TestReviewedGame(t *testing.T) {
	t.Parallel()
	s := shownRuns(t, "run")
	testutil.Contains(t, get(t, s, "/r/run/g/5.0").Body.String(), "<code>gogi review run 5.0 --engine CMD</code>")
	record := testutil.Must(s.config.Store.Record(t.Context(),
		testutil.Must(s.config.Store.FindRun(t.Context(), "run"))(t).ID, 5, 0))(t)
	r := &review.Review{Version: 1, Engine: "judge", Limit: "nodes 7", Lines: 1, Scale: review.DefaultScale,
		Marks: review.Marks{5, 10, 20}, Moves: []review.Move{}}
	for i := range record.Moves {
		m := review.Move{Ply: i + 1, Side: "black", Move: record.Moves[i].Move, Before: 50, After: 50,
			Lines: []review.Line{{Value: review.Value{CP: 33}, PV: []shogi.Move{record.Moves[i].Move}}}}
		if i%2 == 1 {
			m.Side = "white"
		}
		if i == 1 || i == 3 {
			m.Mark, m.Loss, m.After = review.Blunder, 30, 20
		}
		r.Moves = append(r.Moves, m)
	}
	path := review.Path(s.config.Store.Path(), "run", 5, 0)
	testutil.OK(t, r.Save(path))
	page := get(t, s, "/r/run/g/5.0?ply=2").Body.String()
	for _, want := range []string{"Review by judge, nodes 7 for each position", "?? blunder</strong>",
		"50% → 20% for the player who moved", "Black&#39;s win probability: 80%", "<strong>−33</strong>", "marked move 4 ▶",
		`title="blunder, −30%"`} {
		testutil.Contains(t, page, want)
	}
	testutil.Contains(t, get(t, s, "/r/run/g/5.0?ply=3").Body.String(), "◀ marked move 2")
	r.Moves[0].Move = r.Moves[1].Move
	testutil.OK(t, r.Save(path))
	testutil.Check(t, !strings.Contains(get(t, s, "/r/run/g/5.0").Body.String(), "Review by"),
		"the review of another game is shown")
}

// TestTagsOnThePage: the list of runs shows tags and filters by them, and follows a run that got another name.
func TestTagsOnThePage(t *testing.T) {
	t.Parallel()
	s := shownRuns(t, "one", "two")
	store := s.config.Store
	testutil.Check(t, !strings.Contains(get(t, s, "/").Body.String(), `name="tag"`), "a filter without tags")
	info := testutil.Must(store.FindRun(t.Context(), "one"))(t)
	testutil.Must(results.Tag(t.Context(), store, info, []string{"lmr"}, nil))(t)
	testutil.Slices(t, runsOn(get(t, s, "/?tag=lmr")), []string{"one"})
	testutil.Contains(t, get(t, s, "/").Body.String(), `<a class="chip" href="/?tag=lmr">lmr</a>`)
	testutil.OK(t, results.Rename(t.Context(), store, info, "uno"))
	testutil.Slices(t, runsOn(get(t, s, "/")), []string{"two", "uno"})
	testutil.Must(results.Delete(t.Context(), store, testutil.Must(store.FindRun(t.Context(), "two"))(t)))(t)
	testutil.Slices(t, runsOn(get(t, s, "/")), []string{"uno"})
}

// TestOrderedReview: only a holder of the token has the button and may start a review, only of a stored game, and only
// with the engine of the server. The page shows the progress, then the review or the error. One review is in progress
// at a time, and the end of the server stops it.
func TestOrderedReview(t *testing.T) {
	t.Parallel()
	s := shownRuns(t, "run")
	holder := withToken
	var last *httptest.ResponseRecorder
	post := func(path string, change ...func(*http.Request)) int {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1"+path, http.NoBody)
		for _, c := range change {
			c(r)
		}
		last = httptest.NewRecorder()
		s.http.Handler.ServeHTTP(last, r)
		return last.Code
	}
	const order = "/r/run/g/5.0/review"
	testutil.Equal(t, post(order, holder), http.StatusBadRequest, "a server without an engine")
	testutil.Contains(t, last.Body.String(),
		"This server has no engine for reviews. Start it with gogi serve --review-engine CMD --token-file FILE.")
	steps, calls := make(chan error), 0
	s.config.Analyst = &Analyst{Engine: "judge",
		Review: func(ctx context.Context, record *kifu.Record, done func(positions, of int)) (*review.Review, error) {
			calls++
			done(3, len(record.Moves))
			select {
			case err := <-steps:
				return &review.Review{Version: 1, Engine: "judge", Limit: "nodes 7", Scale: review.DefaultScale,
					Marks: review.Marks{5, 10, 20}, Moves: []review.Move{}}, err
			case <-ctx.Done():
				return nil, context.Cause(ctx)
			}
		}}
	page := func(change ...func(*http.Request)) string { return get(t, s, "/r/run/g/5.0", change...).Body.String() }
	testutil.Contains(t, page(), "<code>gogi review run 5.0 --engine CMD</code>",
		"a reader without the token has the command")
	testutil.Contains(t, page(holder), "Review this game with judge")
	testutil.Equal(t, post(order), http.StatusUnauthorized, "an order without the token")
	testutil.Equal(t, post(order, holder, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }),
		http.StatusForbidden, "an order from another site")
	testutil.Equal(t, post("/r/run/g/999.0/review", holder), http.StatusNotFound, "a game that is not stored")
	testutil.Equal(t, post(order, holder), http.StatusSeeOther, "an order")
	testutil.Equal(t, post("/r/run/g/6.0/review", holder), http.StatusSeeOther, "a second order")
	testutil.Contains(t, get(t, s, "/r/run/g/6.0", holder).Body.String(), "gogi reviews game 5.0 of run")
	steps <- errors.New("the engine gave no score")
	finished := func() bool { now, _ := s.reviews.state(); return now == nil }
	testutil.Eventually(t, "the end of the review", finished)
	testutil.Contains(t, page(holder), "The review failed: the engine gave no score")
	testutil.Check(t, !strings.Contains(page(), "gave no score"), "a reader without the token sees the error")
	testutil.Equal(t, post(order, holder), http.StatusSeeOther, "a new order")
	steps <- nil
	testutil.Eventually(t, "the end of the review", finished)
	testutil.Contains(t, page(), "Review by judge, nodes 7")
	testutil.Contains(t, page(holder), "Review again with judge")
	testutil.Equal(t, post(order, holder), http.StatusSeeOther, "a third order")
	s.reviews.end()
	_, failed := s.reviews.state()
	testutil.Check(t, failed != nil && errors.Is(failed.Err, context.Canceled), "%+v", failed)
	testutil.Equal(t, post(order, holder), http.StatusSeeOther, "an order after the end")
	testutil.Equal(t, calls, 3, "reviews")
}

// TestReviewOfARenamedRun: a review belongs to its run. If the run gets another name during the review, the page under
// the new name has the review. If the run is deleted, gogi stores no review, and a new run with the old name has none.
func TestReviewOfARenamedRun(t *testing.T) {
	t.Parallel()
	s := shownRuns(t, "run", "gone")
	store, db := s.config.Store, s.config.Store.Path()
	proceed := make(chan bool)
	s.config.Analyst = &Analyst{Engine: "judge",
		Review: func(context.Context, *kifu.Record, func(positions, of int)) (*review.Review, error) {
			<-proceed
			return &review.Review{Version: 1, Engine: "judge", Limit: "nodes 7", Scale: review.DefaultScale,
				Marks: review.Marks{5, 10, 20}, Moves: []review.Move{}}, nil
		}}
	ordered := func(run string, during func(*results.RunInfo)) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "http://127.0.0.1/r/"+run+"/g/0.0/review",
			http.NoBody)
		withToken(r)
		w := httptest.NewRecorder()
		s.http.Handler.ServeHTTP(w, r)
		testutil.Require(t, w.Code == http.StatusSeeOther, "the order: %d %s", w.Code, w.Body)
		during(testutil.Must(store.FindRun(t.Context(), run))(t))
		proceed <- true
		testutil.Eventually(t, "the end of the review", func() bool { now, _ := s.reviews.state(); return now == nil })
	}
	ordered("run", func(info *results.RunInfo) {
		testutil.OK(t, results.Rename(t.Context(), store, info, "renamed"))
		testutil.Contains(t, get(t, s, "/r/renamed/g/0.0", withToken).Body.String(), "The review is in progress")
	})
	testutil.Contains(t, get(t, s, "/r/renamed/g/0.0").Body.String(), "Review by judge, nodes 7")
	ordered("gone", func(info *results.RunInfo) { testutil.Must(results.Delete(t.Context(), store, info))(t) })
	_, failed := s.reviews.state()
	testutil.Check(t, failed != nil, "the review of a deleted run has no error")
	testutil.Fails(t, failed.Err, "run gone was deleted during the review, so gogi does not store the review of game 0.0")
	for _, old := range []string{"run", "gone"} {
		if _, err := os.Stat(review.Dir(db, old)); err == nil {
			t.Errorf("run %s has a folder of reviews", old)
		}
	}
}
