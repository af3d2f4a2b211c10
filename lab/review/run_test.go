package review

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"gogi/internal/testutil"
)

// oracle values a position by its number of moves. It fails if fail returns an error.
type oracle struct {
	asked *atomic.Int64
	fail  func(g *Game, ply int) error
	begun string
}

func (o *oracle) Begin(_ context.Context, g *Game) error {
	o.begun = g.ID
	return nil
}

func (o *oracle) Ask(_ context.Context, g *Game, ply int) (Reading, error) {
	if o.begun != g.ID {
		return Reading{}, errors.New("it was not told of the game")
	}
	o.asked.Add(1)
	if o.fail != nil {
		if err := o.fail(g, ply); err != nil {
			return Reading{}, err
		}
	}
	return Reading{Best: "a", Value: float64(100*ply + len(g.Event))}, nil
}

func (o *oracle) Close() error { return nil }

func games(n int) (list []*Game) {
	for i := range n {
		g := &Game{Event: fmt.Sprintf("game %d", i), Start: "startpos", Sides: "BWB", Moves: []string{"a", "b", "c"},
			Given: 1}
		g.Identify()
		list = append(list, g)
	}
	return list
}

func settings() Settings { return Settings{Engine: "oracle", Limit: "nodes 1", Unit: Centipawns} }

// reviewed writes a review of games to a file. It returns the result, the error and the number of requested positions.
func reviewed(t *testing.T, ctx context.Context, path string, list []*Game, fail func(*Game, int) error) (Done, error,
	int64) {
	t.Helper()
	log := testutil.Must(OpenLog(path, settings()))(t)
	asked := &atomic.Int64{}
	var last Progress
	v := &Review{
		Games: list, Processes: 2, Log: log, Progress: func(p Progress) { last = p },
		Open: func(context.Context) (Engine, error) { return &oracle{asked: asked, fail: fail}, nil },
	}
	done, err := v.Run(ctx)
	testutil.Check(t, err != nil || last.Positions == last.OfPositions && last.Games == last.OfGames, "it ended at %+v",
		last)
	testutil.OK(t, log.Close())
	return done, err, asked.Load()
}

func contents(t *testing.T, path string) (ids map[string]int, readings int) {
	t.Helper()
	ids = map[string]int{}
	testutil.Must(Read(path, func(r *Reviewed) error {
		ids[r.Game.ID]++
		for i, x := range r.Readings {
			if x != nil {
				readings++
				testutil.Check(t, x.Value == float64(100*i+len(r.Game.Event)) && i >= r.Game.Given,
					"%s: reading %d is %+v", r.Game.Event, i, x)
			}
		}
		return nil
	}))(t)
	return ids, readings
}

// TestResume: a resumed review reads the missing games and reads no game twice, even if a killed process left half a
// line.
func TestResume(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "review.jsonl")
	list := games(10)
	done, err, asked := reviewed(t, t.Context(), path, append(list[:6:6], list[2]), nil)
	testutil.Require(t, err == nil && done.Read == 6 && done.Duplicate == 1 && asked == 18,
		"%+v, %v, %d positions", done, err, asked)
	whole, err := os.ReadFile(path)
	testutil.OK(t, err)
	for _, cut := range []int{1, 10, len(whole) / 3} { // within the last line, or several lines
		testutil.OK(t, os.WriteFile(path, whole[:len(whole)-cut], 0o600))
		before, _ := contents(t, path)
		done, err, asked = reviewed(t, t.Context(), path, list, nil)
		testutil.Check(t, err == nil && done.Had == len(before) && done.Read == 10-len(before) && asked == int64(3*done.Read),
			"cut by %d: %+v, %v, %d positions", cut, done, err, asked)
		ids, readings := contents(t, path)
		testutil.Check(t, len(ids) == 10 && readings == 30, "cut by %d: %v, %d readings", cut, ids, readings)
	}
	// A resumed review removes half a line even if it has no game to read.
	full, err := os.ReadFile(path)
	testutil.OK(t, err)
	testutil.OK(t, os.WriteFile(path, append(full[:len(full):len(full)], `{"game":{"id":`...), 0o600))
	if done, err, _ = reviewed(t, t.Context(), path, list, nil); err != nil || done.Had != 10 {
		t.Errorf("%+v, %v", done, err)
	}
	if again, err := os.ReadFile(path); err != nil || string(again) != string(full) {
		t.Errorf("%d bytes, expected %d, %v", len(again), len(full), err)
	}
	// If the file ends within the settings, the review starts from the beginning.
	testutil.OK(t, os.WriteFile(path, whole[:20], 0o600))
	if done, err, _ = reviewed(t, t.Context(), path, list, nil); err != nil || done.Read != 10 {
		t.Errorf("%+v, %v", done, err)
	}
}

// TestFailures: a review skips and reports a game that fails twice. A single failure may be chance.
func TestFailures(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "review.jsonl")
	list := games(10)
	var once atomic.Bool
	done, err, _ := reviewed(t, t.Context(), path, list, func(g *Game, ply int) error {
		if g == list[4] && ply == 2 || g == list[7] && ply == 3 && !once.Swap(true) {
			return errors.New("it crashed")
		}
		return nil
	})
	if err != nil || done.Read != 9 || len(done.Failed) != 1 || done.Failed[0].Game != list[4] ||
		!strings.Contains(done.Failed[0].Err.Error(), "after 2 moves: it crashed") {
		t.Fatalf("%+v, %v", done, err)
	}
	ids, readings := contents(t, path)
	testutil.Check(t, len(ids) == 9 && readings == 27 && ids[list[4].ID] == 0, "%v, %d readings", ids, readings)
	// A review returns an error if the engine can read no game.
	path = filepath.Join(t.TempDir(), "review.jsonl")
	done, err, _ = reviewed(t, t.Context(), path, list, func(*Game, int) error { return errors.New("it crashed") })
	testutil.Check(t, err != nil && strings.Contains(err.Error(), "in a row could not be read") && done.Read == 0,
		"%+v, %v", done, err)
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "review.jsonl")
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("enough")
	list := games(50)
	_, err, _ := reviewed(t, ctx, path, list, func(g *Game, _ int) error {
		if g == list[20] {
			cancel(stop)
			return context.Cause(ctx)
		}
		return nil
	})
	testutil.Check(t, errors.Is(err, stop), "%v", err)
	ids, _ := contents(t, path)
	testutil.Check(t, len(ids) != 0 && len(ids) <= 45, "%d games are in the file", len(ids))
}

func TestLog(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "review.jsonl")
	log := testutil.Must(OpenLog(path, settings()))(t)
	testutil.Fails(t, testutil.Err(OpenLog(path, settings())), "another process")
	testutil.Fails(t, log.Add(&Reviewed{Game: games(1)[0]}), "", "a game without readings was written")
	testutil.OK(t, log.Close())
	other := settings()
	other.Limit = "nodes 2"
	testutil.Fails(t, testutil.Err(OpenLog(path, other)), `limit "nodes 1" there, "nodes 2" here`)
	for text, want := range map[string]string{
		"": "the file is empty", "{}\n": "no review of this version", "V2.2\n": "no review of this version",
		`{"gogi_review":1,"unit":"points"}` +
			"\n": `unit "points"`,
		`{"gogi_review":1,"unit":"centipawns"}` +
			"\n{}\n": ":2: a line without a game",
		`{"gogi_review":1,"unit":"centipawns"}` + "\n" + `{"game":{"id":"1","sides":"BW","moves":["a"]}}` +
			"\n": "1 moves by 2 sides",
		`{"gogi_review":1,"unit":"centipawns"}` + "\n" + `{"game":{"id":"1","sides":"B","moves":["a"]},"readings":[null]}` +
			"\n": "1 readings of 1 moves",
		`{"gogi_review":1,"unit":"centipawns"}` + "\n" +
			`{"game":{"id":"1","sides":"X","moves":["a"]},"readings":[null,null]}` + "\n": "expected B or W",
		`{"gogi_review":1,"unit":"centipawns"}` + "\n" + `{"game":{"id":"1","sides":"BWW","moves":["a","b","c"]}}` +
			"\n": "of move 3: expected B or W, and each after the other",
	} {
		testutil.OK(t, os.WriteFile(path, []byte(text), 0o600))
		testutil.Fails(t, testutil.Err(Read(path, func(*Reviewed) error { return nil })), want, "%q", text)
	}
}

// FuzzScan: for any file a reader returns data or an error, and the data can be measured.
func FuzzScan(f *testing.F) {
	f.Add([]byte(`{"gogi_review":1,"unit":"centipawns"}` + "\n" +
		`{"game":{"id":"1","sides":"B","moves":["a"]},"readings":[{"best":"a","value":3},null]}` + "\n"))
	f.Add([]byte(`{"gogi_review":1,"unit":"centipawns"}` + "\n" +
		`{"game":{"id":"1","sides":"BW","moves":["a","b"],"given":1},"readings":[null,{"mate":1},{"value":1e300}]}` +
		"\nhalf"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var whole int64
		_, err := scan("fuzz", strings.NewReader(string(data)), func(r *Reviewed) error {
			r.Measure(DefaultRules(Customary()))
			(&Calibrator{}).Add(r)
			return nil
		}, &whole)
		testutil.Require(t, whole <= int64(len(data)) && (err != nil || whole != 0), "%v %v", whole, err)
	})
}

// watched is an oracle that records the call of Close.
type watched struct {
	oracle
	closed bool
}

func (w *watched) Close() error { w.closed = true; return nil }

// TestAnEngineThatDoesNotStart: if Open fails, the review returns its error. If Open returns a nil pointer with the
// error, the review does not close it.
func TestAnEngineThatDoesNotStart(t *testing.T) {
	log := testutil.Must(OpenLog(filepath.Join(t.TempDir(), "review.jsonl"), settings()))(t)
	defer log.Close() // nothing is written
	missing := errors.New("no such engine")
	v := &Review{
		Games: games(1), Processes: 1, Log: log, Progress: func(Progress) {},
		Open: func(context.Context) (Engine, error) { var none *watched; return none, missing },
	}
	_, err := v.Run(t.Context())
	testutil.Check(t, errors.Is(err, missing), "%v", err)
}
