package metrics

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	promtest "github.com/prometheus/client_golang/prometheus/testutil"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/gate"
	"gogi/runner/events"
	"gogi/runner/series"
	"gogi/shogi/kifu"
)

var began = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

// session is a run whose events the test sends one by one.
type session struct {
	t   testing.TB
	set *Set
	run *Run
	hub *events.Hub
	seq uint64
	sub *events.Subscription
}

func (s *session) Hub() *events.Hub { return s.hub }
func (s *session) Gate() *gate.Gate { return nil }
func (s *session) Dropped() uint64  { return 3 }

// newSession begins a run of these players without a database.
func newSession(t testing.TB, run string, stored *match.Standings, players ...string) *session {
	s := &session{t: t, set: New(filepath.Join(t.TempDir(), "no.db")), hub: events.NewHub(run)}
	s.run = s.set.Run(About{Run: run, Digest: "d", Rules: "default", Design: "match", Created: began})
	s.run.Play(s)
	s.listen(100)
	finished := 0
	s.send(match.Event{Type: match.EventRun, Players: players, Slots: 2, Pairs: 10, Games: 20, Finished: &finished,
		Standings: stored})
	return s
}

// listen begins a subscription with this buffer size. drain reads its events.
func (s *session) listen(room int) { s.sub = s.hub.Subscribe(room) }

// drain reads the events that have arrived, up to the end of the subscription.
func (s *session) drain() {
	for {
		select {
		case ev, ok := <-s.sub.Events():
			if !ok {
				return
			}
			s.run.take(ev)
		default:
			return
		}
	}
}

func (s *session) send(ev match.Event) {
	s.seq++
	ev.V, ev.Run, ev.Seq, ev.Time = match.EventVersion, s.run.about.Run, s.seq, began.Add(time.Duration(s.seq)*time.Second)
	s.hub.Publish(ev)
}

func (s *session) at(kind match.EventType, pair, leg int) match.Event {
	slot := 0
	return match.Event{Type: kind, Pair: &pair, Leg: &leg, Slot: &slot}
}

func (s *session) game(pair, leg int, black, white string) {
	ev := s.at(match.EventGame, pair, leg)
	ev.Black, ev.White, ev.Start = black, white, "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
	s.send(ev)
}

// move sends the move at this ply of a game. Black makes the odd plies.
func (s *session) move(pair, leg, ply int, ms float64) {
	s.send(s.moveEvent(pair, leg, ply, ms))
}

func (s *session) moveEvent(pair, leg, ply int, ms float64) match.Event {
	ev := s.at(match.EventMove, pair, leg)
	turn := "w"
	if ply%2 == 0 {
		turn = "b"
	}
	ev.Ply, ev.TimeMS, ev.Nodes = ply, &ms, 100
	ev.Position = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL " + turn + " - 1"
	return ev
}

func (s *session) end(pair, leg int, black, white match.Effort) {
	ev := s.at(match.EventEnd, pair, leg)
	ev.Black, ev.White, ev.Outcome, ev.Termination = black.Player, white.Player, "black", "resignation"
	ev.Points, ev.Sides = &[2]float64{1, 0}, &[2]match.Effort{black, white}
	s.send(ev)
}

func (s *session) pair(pair int) { s.send(match.Event{Type: match.EventPair, Pair: &pair}) }

// gathered returns the current metric families by name.
func gathered(t testing.TB, set *Set) map[string]*dto.MetricFamily {
	t.Helper()
	list := testutil.Must(set.registry.Gather())(t)
	families := map[string]*dto.MetricFamily{}
	for _, f := range list {
		families[f.GetName()] = f
	}
	return families
}

// value returns a number, or the count of a histogram. labels alternate between names and values. Without such a metric
// it returns NaN.
func (s *session) value(name string, labels ...string) float64 {
	s.t.Helper()
	for _, m := range gathered(s.t, s.set)[name].GetMetric() {
		has := map[string]string{}
		for _, l := range m.GetLabel() {
			has[l.GetName()] = l.GetValue()
		}
		fits := true
		for i := 0; i < len(labels); i += 2 {
			fits = fits && has[labels[i]] == labels[i+1]
		}
		switch {
		case !fits:
		case m.Histogram != nil:
			return float64(m.GetHistogram().GetSampleCount())
		case m.Counter != nil:
			return m.GetCounter().GetValue()
		default:
			return m.GetGauge().GetValue()
		}
	}
	return math.NaN()
}

func (s *session) want(want float64, name string, labels ...string) {
	s.t.Helper()
	testutil.Equal(s.t, s.value(name, labels...), want, "%s %v", name, labels)
}

// TestMovesAreSettledByTheEnd requires that moves count when they arrive. The end of a game counts the missing moves.
func TestMovesAreSettledByTheEnd(t *testing.T) {
	s := newSession(t, "r", nil, "A", "B")
	s.game(0, 0, "A", "B")
	s.move(0, 0, 1, 1000)
	s.move(0, 0, 2, 500)
	slowed := s.moveEvent(0, 0, 3, 250)
	slowed.Marked, slowed.OverrunMS = true, 40
	s.send(slowed)
	s.drain()
	s.want(2, movesTotal, "player", "A")
	s.want(200, nodesTotal, "player", "A")
	s.want(1.25, thinkingTotal, "player", "A")
	s.want(1, movesTotal, "player", "B")
	s.want(2, moveSeconds, "player", "A")
	s.want(2, moveOverrun, "player", "A")
	s.want(1, markedTotal)
	s.end(0, 0, match.Effort{Player: "A", Moves: 5, Nodes: 500, TimeMS: 2000},
		match.Effort{Player: "B", Moves: 2, Nodes: 150, TimeMS: 700})
	s.drain()
	s.want(5, movesTotal, "player", "A")
	s.want(500, nodesTotal, "player", "A")
	s.want(2, thinkingTotal, "player", "A")
	s.want(2, moveSeconds, "player", "A") // the times of the three missing moves are unknown
	s.want(2, movesTotal, "player", "B")
	s.want(0.7, thinkingTotal, "player", "B")
	s.want(2, moveSeconds, "player", "B") // one is missing: its time is the rest
	s.want(1, markedTotal)
	s.want(3, droppedTotal, "reader", "recorder")
}

// TestLostOnTime requires that an answer that is not a move counts among the overruns.
func TestLostOnTime(t *testing.T) {
	s := newSession(t, "r", nil, "A", "B")
	s.game(0, 0, "A", "B")
	s.move(0, 0, 1, 1000)
	ev := s.at(match.EventEnd, 0, 0)
	ev.Black, ev.White, ev.Outcome, ev.Termination, ev.Marked = "A", "B", "black", "time_forfeit", true
	ev.Sides = &[2]match.Effort{{Player: "A", Moves: 1, TimeMS: 1000},
		{Player: "B", Moves: 1, TimeMS: 9000, WorstOverrunMS: 8000}}
	s.send(ev)
	s.drain()
	s.want(1, moveOverrun, "player", "A")
	s.want(1, moveOverrun, "player", "B")
	s.want(1, movesTotal, "player", "B")
	s.want(1, markedTotal) // the game is marked, but none of its moves
}

// TestCutListenerCountsNothingTwice requires the same final numbers if a listener misses the ends or the beginnings of
// games.
func TestCutListenerCountsNothingTwice(t *testing.T) {
	a, b := match.Effort{Player: "A", Moves: 3, Nodes: 300, TimeMS: 30},
		match.Effort{Player: "B", Moves: 2, Nodes: 200, TimeMS: 20}
	play := func(s *session, cut func(step int)) {
		s.game(0, 0, "A", "B")
		for ply := range 4 {
			s.move(0, 0, ply+1, 10)
			cut(ply)
		}
		s.end(0, 0, a, b)
		cut(4)
		s.game(0, 1, "B", "A")
		cut(5)
		for ply := range 4 {
			s.move(0, 1, ply+1, 10)
			cut(6 + ply)
		}
		s.end(0, 1, match.Effort{Player: "B", Moves: 2, Nodes: 200, TimeMS: 20},
			match.Effort{Player: "A", Moves: 2, Nodes: 200, TimeMS: 20})
		cut(10)
		s.pair(0)
		s.drain()
	}
	const steps = 11
	for from := range steps {
		for to := from + 1; to <= steps; to++ {
			s := newSession(t, "r", nil, "A", "B")
			s.drain()
			play(s, func(step int) {
				switch step {
				case from:
					s.drain()
					s.sub.Close()
				case to:
					s.listen(100)
				}
			})
			if to == steps {
				s.listen(100)
			}
			s.drain()
			for player, want := range map[string][3]float64{"A": {5, 500, 0.05}, "B": {4, 400, 0.04}} {
				got := [3]float64{s.value(movesTotal, "player", player), s.value(nodesTotal, "player", player),
					s.value(thinkingTotal, "player", player)}
				if math.Abs(got[2]-want[2]) < 1e-9 {
					got[2] = want[2]
				}
				testutil.Check(t, got == want, "cut from %d to %d: %s has %v, want %v", from, to, player, got, want)
			}
			s.want(1, gamesTotal, "black", "A", "outcome", "black", "termination", "resignation")
			testutil.Check(t, s.value(droppedTotal, "reader", "metrics") >= 1, "cut from %d to %d: nothing was missed", from, to)
		}
	}
}

// TestFollowComesAgain requires that follow takes the events that its buffer cannot hold from a state.
func TestFollowComesAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSession(t, "r", nil, "A", "B")
		s.sub.Close()
		const pairs = buffer / 2
		for pair := range pairs {
			s.game(pair, 0, "A", "B")
			s.end(pair, 0, match.Effort{Player: "A", Moves: 1, TimeMS: 1}, match.Effort{Player: "B", Moves: 1, TimeMS: 1})
		}
		slow := s.hub.Subscribe(buffer)
		for pair := range pairs {
			s.game(pairs+pair, 0, "A", "B")
			s.end(pairs+pair, 0, match.Effort{Player: "A", Moves: 1, TimeMS: 1}, match.Effort{Player: "B", Moves: 1, TimeMS: 1})
			s.pair(pairs + pair)
		}
		testutil.Require(t, errors.Is(slow.Err(), events.ErrSlow), "the subscription was not cut")
		ended := make(chan struct{})
		go func() { defer close(ended); s.run.follow(s.hub, slow) }()
		synctest.Wait()
		s.want(2*pairs, movesTotal, "player", "A")
		s.hub.Close()
		<-ended
	})
}

// TestResumed requires that the counts of games begin with the stored games, and all other counts with 0.
func TestResumed(t *testing.T) {
	rows := []match.Row{
		{Pair: 4, Black: "A", White: "B", Outcome: match.BlackWins, Termination: match.Checkmate, Points: [2]float64{1, 0},
			Plies: 90, Ended: began},
		{Pair: 4, Leg: 1, Black: "B", White: "A", Outcome: match.Draw, Termination: match.Repetition,
			Points: [2]float64{.5, .5}, Plies: 110, Ended: began.Add(-time.Hour)},
	}
	var stored match.Standings
	stored.AddRows(rows)
	s := newSession(t, "r", &stored, "A", "B")
	s.run.Resume(rows)
	s.drain()
	s.want(1, gamesTotal, "black", "A", "termination", "checkmate")
	s.want(1, gamesTotal, "black", "B", "outcome", "draw")
	s.want(1, pairsTotal, "player", "A", "opponent", "B", "points", "1.5")
	s.want(2, gamePlies)
	s.want(seconds(began), lastPair)
	s.want(10, pairsPlanned)
	for _, m := range gathered(t, s.set)[gamePlies].GetMetric() {
		testutil.Check(t, m.GetHistogram().CreatedTimestamp == nil,
			"the lengths of stored games say that they began with this process")
	}
	if m := gathered(t, s.set)[movesTotal]; m != nil {
		t.Errorf("moves of earlier sessions: %v", m)
	}
	s.pair(5)
	s.drain()
	s.want(seconds(began.Add(2*time.Second)), lastPair)
}

// TestStates tests each of the five states of a run.
func TestStates(t *testing.T) {
	s := newSession(t, "r", nil, "A", "B")
	only := func(want string) {
		t.Helper()
		for _, state := range runStates() {
			value := 0.0
			if state == want {
				value = 1
			}
			s.want(value, runState, "state", state)
		}
	}
	only("starting")
	s.game(0, 0, "A", "B")
	only("playing")
	s.want(1, slotsGauge, "state", "playing")
	s.want(1, slotsGauge, "state", "idle")
	for phase, want := range map[match.RunPhase]string{match.RunPaused: "paused", match.RunDraining: "draining",
		match.RunStopping: "draining", match.RunPlaying: "playing"} {
		s.send(match.Event{Type: match.EventControl, Phase: phase, Slots: 2, Pairs: 10, Games: 20})
		only(want)
	}
	s.send(match.Event{Type: match.EventDone})
	only("done")
}

// TestFaultsAreBounded requires that all unknown players are counted together, and so are all unknown kinds. Every
// fault that can lose a game begins at 0.
func TestFaultsAreBounded(t *testing.T) {
	s := newSession(t, "r", nil, "A", "C")
	for i := range 50 {
		s.send(match.Event{Type: match.EventFault, Engine: fmt.Sprint("forged", i), Kind: fmt.Sprint("odd", i)})
	}
	s.send(match.Event{Type: match.EventFault, Engine: "C/m", Kind: "crash"})
	s.send(match.Event{Type: match.EventFault, Engine: "A", Kind: "close"})
	s.game(0, 0, "forged", "forged too")
	s.move(0, 0, 1, 1)
	s.drain()
	s.want(50, faultsTotal, "player", "other", "kind", "other")
	s.want(1, faultsTotal, "player", "C/m", "kind", "crash")
	s.want(1, faultsTotal, "player", "A", "kind", "close")
	s.want(0, faultsTotal, "player", "A", "kind", "crash")
	s.want(1, movesTotal, "player", "other")
	n := len(gathered(t, s.set)[faultsTotal].GetMetric())
	testutil.Check(t, n == 2*4+3, "%d kinds of faults", n)
}

// get requests the metrics in a format.
func get(t testing.TB, set *Set, accept string) string {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/metrics", nil)
	r.Header.Set("Accept", accept)
	set.Handler().ServeHTTP(w, r)
	testutil.Require(t, w.Code == http.StatusOK, "%d: %s", w.Code, w.Body)
	return w.Body.String()
}

// parse reads the text format.
func parse(t testing.TB, text io.Reader) map[string]*dto.MetricFamily {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	return testutil.Must(parser.TextToMetricFamilies(text))(t)
}

// TestHostileNames requires for any name of a player that the exposition can be parsed in every format and has the
// name.
func TestHostileNames(t *testing.T) {
	names := []string{"a\"} 1\ngogi_forged_total 7\n# ", `back\slash`, "\x00\u202e将棋", "<script>", ""}
	for _, name := range names {
		s := newSession(t, name, nil, name, "B")
		s.run.Started(name, time.Second, nil)
		s.game(0, 0, name, "B")
		s.move(0, 0, 1, 1)
		s.drain()
		s.want(1, movesTotal, "run", name, "player", name)
		families := parse(t, strings.NewReader(get(t, s.set, "text/plain")))
		_, forged := families["gogi_forged_total"]
		testutil.Check(t, !forged, "%q forges a family", name)
		found := false
		for _, m := range families[movesTotal].GetMetric() {
			found = found || m.GetLabel()[0].GetValue() == name
		}
		if !found {
			t.Errorf("%q is not read back: %v", name, families[movesTotal])
		}
		om := get(t, s.set, "application/openmetrics-text;version=1.0.0")
		testutil.Check(t, strings.HasSuffix(om, "\n# EOF\n") && !strings.Contains(om, "\ngogi_forged") &&
			!strings.Contains(om, "_created"),
			"%q in OpenMetrics: %s", name, om)
		parse(t, strings.NewReader(om))
	}
	s := newSession(t, "r\xff", nil, "A\xff", "B")
	s.game(0, 0, "A\xff", "B")
	s.move(0, 0, 1, 1)
	s.drain()
	s.want(1, movesTotal, "run", "r\uFFFD", "player", "A\uFFFD")
}

// TestLint requires that the names and help texts follow the rules of Prometheus.
func TestLint(t *testing.T) {
	s := newSession(t, "r", nil, "A", "B")
	s.set.Clients(func() int { return 2 })
	s.run.Resume([]match.Row{{Plies: 1, Ended: began}})
	s.run.Started("A", time.Second, nil)
	s.run.Started("A", time.Second, errors.New("no"))
	s.game(0, 0, "A", "B")
	s.move(0, 0, 1, 1)
	s.drain()
	s.want(1, startsTotal, "player", "A", "result", "failed")
	s.want(1, startsTotal, "player", "A", "result", "ready")
	s.want(1, startSeconds, "player", "A")
	s.want(2, webClients)
	problems, err := promtest.GatherAndLint(s.set.registry)
	testutil.Check(t, err == nil && len(problems) == 0, "%v; %v", problems, err)
}

// TestPedantic requires that every exported metric is described and has exactly the labels of its family.
func TestPedantic(t *testing.T) {
	s := newSession(t, "r", nil, "A", "B")
	s.run.Resume([]match.Row{{Plies: 1, Ended: began}})
	s.run.Started("A", time.Second, nil)
	s.game(0, 0, "A", "B")
	s.move(0, 0, 1, 1)
	s.drain()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(s.set)
	list := testutil.Must(registry.Gather())(t)
	for _, f := range list {
		want := slices.Sorted(slices.Values(family(f.GetName()).Labels))
		for _, m := range f.GetMetric() {
			got := lists.Map(m.GetLabel(), (*dto.LabelPair).GetName)
			if !slices.Equal(got, want) {
				t.Errorf("%s has labels %v, want %v", f.GetName(), got, want)
			}
			if h := m.GetHistogram(); h != nil && (len(h.GetBucket()) == 0 || h.Schema == nil) {
				t.Errorf("%s is not both classic and native", f.GetName())
			}
		}
	}
}

// TestDocumentation requires that docs/events.md has the table of the code.
func TestDocumentation(t *testing.T) {
	page := testutil.Must(os.ReadFile("../../docs/events.md"))(t)
	var got, want []string
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "| `gogi_") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	for _, f := range Families() {
		want = append(want, fmt.Sprintf("| `%s` | %s | %s | %s |", f.Name, f.Type, strings.Join(f.Labels, ", "), f.Help))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestFile requires that KeepFile writes the file at once, every quarter of a minute and at the end, and leaves no
// partial file.
func TestFile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSession(t, "r", nil, "A", "B")
		path := filepath.Join(t.TempDir(), "gogi.prom")
		planned := func() float64 {
			text := testutil.Must(os.ReadFile(path))(t)
			return parse(t, bytes.NewReader(text))[pairsPlanned].GetMetric()[0].GetGauge().GetValue()
		}
		tell := func(pairs int) {
			s.send(match.Event{Type: match.EventControl, Phase: match.RunPlaying, Slots: 2, Pairs: pairs, Games: 2 * pairs})
		}
		stop, err := s.set.KeepFile(path)
		if err != nil || planned() != 10 {
			t.Fatalf("%v, %v", err, planned())
		}
		tell(20)
		time.Sleep(fileEvery - time.Millisecond)
		testutil.Check(t, planned() == 10, "it is written too early")
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		testutil.Check(t, planned() == 20, "it is not written every quarter of a minute")
		tell(30)
		if err := stop(); err != nil || planned() != 30 {
			t.Errorf("the end is not written: %v, %v", err, planned())
		}
		if files, err := os.ReadDir(filepath.Dir(path)); err != nil || len(files) != 1 {
			t.Errorf("left behind: %v, %v", files, err)
		}
		testutil.Fails(t, testutil.Err(s.set.KeepFile(filepath.Join(path, "impossible"))), "",
			"a file that cannot be written is no error")
	})
}

// TestNobodyIsTold requires that the methods of a nil run do nothing.
func TestNobodyIsTold(t *testing.T) {
	var r *Run
	r.Resume(nil)
	r.Play(nil)
	r.Attend(nil)
	r.Follow(nil)
	r.Started("A", 0, nil)
	testutil.Check(t, r.Set() == nil && r.Store(nil) == nil, "a nil run is in the way")
}

// aMove returns a session and a move event that it has counted once.
func aMove(t testing.TB) (*session, *match.Event) {
	s := newSession(t, "r", nil, "A", "B")
	s.game(0, 0, "A", "B")
	s.drain()
	ev := s.moveEvent(0, 0, 1, 12.5)
	s.run.take(&ev)
	return s, &ev
}

// TestMoveMakesNothing requires that counting a move does not allocate.
func TestMoveMakesNothing(t *testing.T) {
	s, ev := aMove(t)
	if n := testing.AllocsPerRun(1000, func() { s.run.take(ev) }); n != 0 {
		t.Errorf("a move makes %v allocations", n)
	}
}

func BenchmarkMove(b *testing.B) {
	s, ev := aMove(b)
	b.ReportAllocs()
	for b.Loop() {
		s.run.take(ev)
	}
}

// TestCutWhileAnotherGameGoesOn requires that games that end during the cut do not get the counts of a game in play.
// Each game that ended with a delayed move counts at least one such move.
func TestCutWhileAnotherGameGoesOn(t *testing.T) {
	s := newSession(t, "r", nil, "A", "B")
	one := 1
	elsewhere := func(ev match.Event) match.Event { ev.Slot = &one; return ev }
	game := elsewhere(s.at(match.EventGame, 1, 0))
	game.Black, game.White = "A", "B"
	s.send(game)
	s.send(elsewhere(s.moveEvent(1, 0, 1, 10)))
	s.game(0, 0, "A", "B")
	slowed := s.moveEvent(0, 0, 1, 10)
	slowed.Marked = true
	s.send(slowed)
	s.drain()
	s.sub.Close()
	end := s.at(match.EventEnd, 0, 0)
	end.Black, end.White, end.Outcome, end.Termination, end.Marked = "A", "B", "black", "resignation", true
	end.Sides = &[2]match.Effort{{Player: "A", Moves: 3, TimeMS: 30}, {Player: "B", Moves: 3, TimeMS: 30}}
	s.send(end)
	s.game(0, 1, "B", "A")
	end.Leg, end.Black, end.White = &one, "B", "A"
	end.Sides = &[2]match.Effort{{Player: "B", Moves: 2, TimeMS: 20}, {Player: "A", Moves: 2, TimeMS: 20}}
	s.send(end)
	s.listen(100)
	s.drain()
	s.want(3+2+1, movesTotal, "player", "A")
	s.want(3+2, movesTotal, "player", "B")
	s.want(2, markedTotal) // one was reported, and the second game has at least one
	last := s.moveEvent(1, 0, 3, 10)
	s.send(elsewhere(last))
	s.drain()
	s.want(3+2+2, movesTotal, "player", "A")
}

// TestMarkedOnce requires that a game with a reported delayed move is not counted again as a marked game.
func TestMarkedOnce(t *testing.T) {
	s := newSession(t, "r", nil, "A", "B")
	s.game(0, 0, "A", "B")
	slowed := s.moveEvent(0, 0, 1, 10)
	slowed.Marked = true
	s.send(slowed)
	end := s.at(match.EventEnd, 0, 0)
	end.Black, end.White, end.Outcome, end.Marked = "A", "B", "black", true
	s.send(end)
	s.drain()
	s.want(1, markedTotal)
}

// shelf is a store that already has some pairs.
type shelf struct {
	series.TuneStore

	has  map[int]bool
	fail error
}

func (s *shelf) Add(_ context.Context, p match.PairResult) (bool, error) {
	added := s.fail == nil && !s.has[p.Pair.ID]
	s.has[p.Pair.ID] = true
	return added, s.fail
}

// TestStore requires that a pair counts once, even if it is delivered again. Its votes come from the moves and from the
// end.
func TestStore(t *testing.T) {
	s := newSession(t, "r", nil, "C", "B")
	vote := func(played string) []byte {
		return fmt.Appendf(nil, `{"v":2,"type":"vote","council":"C","members":["x","y","z"],"played":%q,"ballots":[
			{"m":0,"kind":"move","mv":"7g7f"},{"m":1,"kind":"resign"},{"m":2,"kind":"dead"}]}`, played)
	}
	pair := match.PairResult{Pair: match.Pair{ID: 7}, Games: []match.Result{{Record: kifu.Record{
		Moves: []kifu.Move{{Opening: true}, {Detail: vote("7g7f")}, {Detail: []byte("{")}}, Final: vote("resign"),
	}}, {}}}
	inner := &shelf{has: map[int]bool{}}
	store := s.run.Store(inner)
	for i, want := range []bool{true, false} {
		if added, err := store.Add(t.Context(), pair); added != want || err != nil {
			t.Errorf("delivery %d: %v, %v", i, added, err)
		}
	}
	inner.fail = errors.New("disk")
	testutil.Is(t, testutil.Err(store.Add(t.Context(), pair)), inner.fail)
	s.want(2, putSeconds) // a failed Add has no time
	s.want(2, gamePlies)
	s.want(1, votesTotal, "member", "x", "result", "agreed")
	s.want(1, votesTotal, "member", "x", "result", "overruled")
	s.want(1, votesTotal, "member", "y", "result", "agreed")
	s.want(2, votesTotal, "council", "C", "member", "z", "result", "absent")
}
