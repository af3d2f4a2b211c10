package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner/events"
	"gogi/shogi/kifu/text"
)

// TestLive: after each event the file has whole lines and the moves so far; at the end it
// is a complete game; a game that is given up, and one whose pair is void, has none.
func TestLive(t *testing.T) {
	for _, name := range []string{"csa", "kif"} {
		f := testutil.Must(text.Find(text.Text(), name))(t)
		l := &live{dir: t.TempDir(), format: f, warn: func(err error) { t.Error(err) }, games: map[place]*growing{}}
		for leg := range 2 {
			tell(l, 7, leg, match.Event{Type: match.EventGame, Black: "A", White: "B", Start: "startpos", Moves: "7g7f"})
			tell(l, 7, leg, match.Event{Type: match.EventMove, Thought: match.Thought{Ply: 2, Move: "3c3d", TimeMS: new(1500.0), Score: new(30), PV: "3c3d 8h2b+"}})
		}
		files := liveFiles(t, l.dir)
		if len(files) != 2 {
			t.Fatalf("%d files", len(files))
		}
		before := read(t, files[0])
		if !strings.HasSuffix(before, "\n") || strings.Contains(before, "%") || strings.Contains(before, "中断") {
			t.Errorf("a game in play:\n%s", before)
		}
		tell(l, 7, 0, match.Event{Type: match.EventMove, Thought: match.Thought{Ply: 3, Move: "2g2f", TimeMS: new(10.0)}})
		if after := read(t, files[0]); !strings.HasPrefix(after, before) || len(after) <= len(before) {
			t.Errorf("after a move:\n%s", after)
		}
		tell(l, 7, 0, match.Event{Type: match.EventEnd, Outcome: "black", Termination: "resignation", Note: "why"})
		list, err := testutil.ReadAll(f.Read(text.NewInput(files[0], strings.NewReader(read(t, files[0])))).Next)
		if err != nil || len(list) != 1 {
			t.Fatal(len(list), err)
		}
		got := list[0]
		if got.USI() != "startpos moves 7g7f 3c3d 2g2f" || got.Result != "resignation" || got.Winner != "black" || got.Note != "why" || got.Event != "run/7.0" || got.Moves[1].Time != time.Second || got.Moves[1].Score != 30 {
			t.Errorf("%+v", got)
		}
		tell(l, 7, 1, match.Event{Type: match.EventCut})
		if files := liveFiles(t, l.dir); len(files) != 1 {
			t.Errorf("a game that was given up: %v", files)
		}
		tell(l, 7, 0, match.Event{Type: match.EventFault, Kind: match.KindUnplayed})
		if files := liveFiles(t, l.dir); len(files) != 0 {
			t.Errorf("a pair that does not count: %v", files)
		}
	}
}

func tell(l *live, pair, leg int, ev match.Event) {
	ev.Run, ev.Pair, ev.Leg, ev.Time = "run", &pair, &leg, time.Date(2026, 1, 2, 3, 4, 5, 0, time.Local)
	l.see(ev)
}

func liveFiles(t *testing.T, dir string) []string {
	t.Helper()
	return testutil.Must(filepath.Glob(filepath.Join(dir, "*")))(t)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text := testutil.Must(os.ReadFile(path))(t)
	return string(text)
}

// TestLiveEnds: who follows a hub ends with it.
func TestLiveEnds(t *testing.T) {
	hub := events.NewHub("run")
	done := make(chan struct{})
	l := &live{dir: t.TempDir(), format: text.Text()[0], warn: func(err error) { t.Error(err) }}
	go func() {
		defer close(done)
		l.follow(hub)
	}()
	hub.Close()
	<-done
}
