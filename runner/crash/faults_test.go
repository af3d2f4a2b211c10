package crash_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner/crash"
	"gogi/usi"
	"gogi/usi/process"
	"gogi/usi/transcript"
)

// dead is a process that has ended.
type dead struct{}

func (dead) Exit() process.Exit { return process.Exit{Status: -1, Signal: syscall.SIGSEGV} }
func (dead) Stderr() []byte     { return []byte("boom\x1b[31m\n") }
func (dead) PID() int           { return 1 }

func engine() match.Player {
	return match.Player{
		Name: "A", Command: []string{"/bin/engine", "-x"}, Dir: "/bin", Env: []string{"K=V"},
		Identity: match.Identity{Files: []match.FileHash{{Role: "binary", Path: "/bin/engine", SHA256: "ab"}}},
		Limits:   match.Limits{Nodes: 100}, Greeting: time.Second, Ready: time.Minute,
	}
}

// TestKilledWhileWriting: an incomplete crash dump of a killed process does not count, and the next session overwrites
// it.
func TestKilledWhileWriting(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "db")
	dir := crash.Dir(db, "run")
	testutil.OK(t, errors.Join(os.MkdirAll(dir, 0o700),
		os.WriteFile(filepath.Join(dir, ".A-crash-1.jsonl.part"), []byte("{"), 0o600)))
	records := crash.Begin(db, "run", "")
	path := records.NewRecorder(engine(), "", dead{}).Failed(usi.Failure{Kind: "crash"})
	testutil.OK(t, records.Close())
	entries, err := os.ReadDir(dir)
	testutil.Check(t, err == nil && len(entries) == 1 && entries[0].Name() == "A-crash-1.jsonl", "left: %v, %v", entries,
		err)
	testutil.Must(crash.Open(path))(t)
}

// TestBundle: the file has the dialogue and the known data, and can be read.
func TestBundle(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "my.db")
	records := crash.Begin(db, "my run", "")
	tap := records.NewRecorder(engine(), "C", dead{})
	at := time.Now()
	tap.Sent(at, []byte("usi\n"))
	tap.Received(at, []byte("id name \xff\x1b"))
	tap.Sent(at, []byte("setoption name Hash value 16\n"))
	tap.Game(usi.Game{Pair: 7, Leg: 1, Slot: 2})
	tap.Sent(at, []byte("isready\n"))
	tap.Sent(at.Add(-time.Second), []byte("position startpos\ngo ponder nodes 100\n"))
	tap.Sent(at.Add(-time.Second/2), []byte("ponderhit\n"))
	path := tap.Failed(usi.Failure{Kind: "crash", Note: "thinking\x07: over", Deadline: 1500 * time.Millisecond})
	testutil.OK(t, records.Close())
	testutil.Equal(t, filepath.Join(db+"-faults", "my%20run", "C.A-crash-1.jsonl"), path)
	b := testutil.Must(crash.Open(path))(t)
	if b.ElapsedMS < 500 || b.ElapsedMS > 60_000 { // from ponderhit to the failure
		t.Errorf("elapsed %v", b.ElapsedMS)
	}
	testutil.Check(t, time.Since(b.Time) <= time.Hour && b.Versions.Kernel != "" && b.Versions.Go != "",
		"%v %+v", b.Time, b.Versions)
	seven, one, two := 7, 1, 2
	want := &crash.Bundle{
		Version: 1, Run: "my run", Player: "A", Council: "C", Kind: "crash", Note: "thinking: over", Pair: &seven, Leg: &one,
		Slot:     &two,
		Position: "position startpos", Go: "go ponder nodes 100", Searching: true, DeadlineMS: 1500, Limits: "nodes 100",
		Exit: crash.Exit{Signal: 11, Text: "killed by signal 11 (segmentation fault)"}, Stderr: `boom\x1b[31m\x0a`,
		Command: []string{"/bin/engine", "-x"}, Dir: "/bin", Env: []string{"K=V"}, Identity: engine().Identity.String(),
		Files:   []crash.File{{Role: "binary", Path: "/bin/engine", SHA256: "ab"}},
		Options: []string{"setoption name Hash value 16"},
		Waits:   crash.Waits{GreetingMS: 1000, ReadyMS: 60000},
	}
	got := *b
	got.Time, got.Versions, got.ElapsedMS, got.Dialogue = time.Time{}, crash.Versions{}, 0, transcript.Excerpt{}
	testutil.Diff(t, want, &got)
	lines := b.Dialogue.Lines()
	testutil.Check(t, len(lines) == 7 && string(lines[1].Text) == "id name \xff\x1b" && !lines[1].Sent && lines[6].Sent,
		"%v", lines)
}

// TestAnsweredSearch: if a search was answered, its elapsed time ends at the answer.
func TestAnsweredSearch(t *testing.T) {
	t.Parallel()
	records := crash.Begin(filepath.Join(t.TempDir(), "db"), "r", "")
	tap := records.NewRecorder(engine(), "", dead{})
	at := time.Now()
	tap.Sent(at.Add(-time.Hour), []byte("position startpos\ngo\n"))
	tap.Received(at.Add(-time.Hour+time.Second), []byte("  bestmove 5a5b"))
	path := tap.Failed(usi.Failure{Kind: "illegal_move", Blamed: true})
	testutil.OK(t, records.Close())
	b, err := crash.Open(path)
	testutil.Check(t, err == nil && !b.Searching && b.ElapsedMS == 1000 && b.Pair == nil, "%+v, %v", b, err)
}

// bundles returns the files of all crash dumps in a folder.
func bundles(t *testing.T, dir string) []string {
	t.Helper()
	return testutil.Must(filepath.Glob(filepath.Join(dir, "*"+crash.Suffix)))(t)
}

// TestLimits: the first crash dumps of each player and kind are kept, over all sessions.
func TestLimits(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "db")
	dir := crash.Dir(db, "run")
	for session, want := range []int{crash.KeptPerKind, crash.KeptPerKind + 1} {
		records := crash.Begin(db, "run", "")
		tap := records.NewRecorder(engine(), "", dead{})
		for i := range 3 * crash.KeptPerKind {
			path := tap.Failed(usi.Failure{Kind: "crash"})
			testutil.Check(t, (path != "") == (session == 0 && i < crash.KeptPerKind), "session %d, failure %d: %q", session, i,
				path)
		}
		testutil.Check(t, session != 1 || tap.Failed(usi.Failure{Kind: "hang"}) != "", "another kind is not kept")
		testutil.OK(t, records.Close())
		n := len(bundles(t, dir))
		testutil.Check(t, n == want, "session %d: %d bundles, want %d", session, n, want)
	}
	records := crash.Begin(db, "run", "")
	for i := range 2 * crash.KeptPerRun {
		p := engine()
		p.Name = fmt.Sprint(i)
		records.NewRecorder(p, "", dead{}).Failed(usi.Failure{Kind: "crash"})
	}
	testutil.OK(t, records.Close())
	testutil.Equal(t, len(bundles(t, dir)), crash.KeptPerRun, "bundles of many players")
	names, err := os.ReadDir(dir)
	testutil.Check(t, err == nil && len(names) == crash.KeptPerRun, "%d files, %v: something was left behind", len(names),
		err)
	testutil.Equal(t, records.NewRecorder(engine(), "", dead{}).Failed(usi.Failure{Kind: "late"}), "",
		"kept after the end")
}

// TestNoRoom: a failed write is reported once, and the games continue.
func TestNoRoom(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "db")
	if err := os.WriteFile(db+"-faults", nil, 0o600); err != nil { // a file instead of the folder
		t.Fatal(err)
	}
	records := crash.Begin(db, "run", "")
	var told []crash.Problem
	records.Keeper.Listen(func(p crash.Problem) { told = append(told, p) }) // by one goroutine, before Close returns
	tap := records.NewRecorder(engine(), "", dead{})
	for range 3 {
		tap.Failed(usi.Failure{Kind: "crash"})
	}
	if err := records.Close(); err == nil || len(told) != 1 || told[0].Err == nil {
		t.Errorf("%v, told %v", err, told)
	}
}

// TestMembers: the failure of a council's member is reported, but not the blame for the council.
func TestMembers(t *testing.T) {
	t.Parallel()
	records := crash.Begin(filepath.Join(t.TempDir(), "db"), "run", "")
	var told []crash.MemberFault
	records.Member = func(m crash.MemberFault) { told = append(told, m) }
	tap := records.NewRecorder(engine(), "C", dead{})
	tap.Game(usi.Game{Pair: 4})
	path := tap.Failed(usi.Failure{Kind: "crash", Note: "n"})
	tap.Failed(usi.Failure{Kind: "time_forfeit", Blamed: true})
	records.NewRecorder(engine(), "", dead{}).Failed(usi.Failure{Kind: "crash"})
	testutil.OK(t, records.Close())
	want := []crash.MemberFault{{Council: "C", Member: "A", Kind: "crash", Note: "n", Bundle: path,
		Game: usi.Game{Pair: 4}}}
	testutil.Diff(t, want, told)
}

// TestTranscriptOfAGame: the dialogue before the first game is in that game's transcript.
func TestTranscriptOfAGame(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	records := crash.Begin(filepath.Join(dir, "db"), "run", filepath.Join(dir, "t"))
	tap := records.NewRecorder(engine(), "", dead{})
	tap.Sent(time.Now(), []byte("usi\n"))
	tap.Received(time.Now(), []byte("usiok"))
	tap.Game(usi.Game{Pair: usi.NoPair})
	tap.Sent(time.Now(), []byte("isready\n"))
	tap.Game(usi.Game{Pair: 0, Leg: 0})
	tap.Sent(time.Now(), []byte("position startpos\ngo\n"))
	tap.Game(usi.Game{Pair: 0, Leg: 1})
	tap.Sent(time.Now(), []byte("isready\n"))
	testutil.OK(t, records.Close())
	for name, want := range map[string][]string{
		"000000.0.txt": {"A > usi", "A < usiok", "A > isready", "A > position startpos", "A > go"},
		"000000.1.txt": {"A > isready"},
	} {
		text, err := os.ReadFile(filepath.Join(dir, "t", name))
		var got []string
		for line := range strings.Lines(string(text)) {
			_, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
			got = append(got, rest)
		}
		testutil.Check(t, err == nil && slices.Equal(got, want), "%s: %q, %v", name, got, err)
	}
}

// TestBadFiles: a file that is no crash dump is rejected with the number of the bad line.
func TestBadFiles(t *testing.T) {
	t.Parallel()
	head := `{"gogi_bundle":1}` + "\n"
	for text, want := range map[string]string{
		"":                                "it is empty",
		"hello\n":                         "line 1:",
		`{"gogi_bundle":2}`:               "this program reads 1 to 1",
		`{}`:                              "gogi_bundle is 0",
		head + "{}\n":                     `line 2: expected either "to" or "from"`,
		head + `{"to":"a","from":"b"}`:    "line 2: expected either",
		head + `{"to":"a\\"}`:             "line 2: ",
		head + `{"to":"a"}` + "\n" + "[]": "line 3:",
		head + strings.Repeat("x", 5<<20): "too long",
		head + strings.Repeat("{\"to\":\"\"}\n", 100_001): "at most",
	} {
		b, err := crash.Read(strings.NewReader(text))
		testutil.Fails(t, err, want, "%.40q: %v", text, b)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"gogi_bundle":1}` + "\n" + `{"at":"2026-01-02T03:04:05Z","to":"go"}` + "\n" + `{"lost":3}` + "\n" +
		`{"from":"\\x1b","cut":1}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		b, err := crash.Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		var out bytes.Buffer
		if err := b.Write(&out); err != nil {
			t.Skip() // a time that JSON cannot write
		}
		again, err := crash.Read(&out)
		testutil.Check(t, err == nil && len(again.Dialogue.Lines()) == len(b.Dialogue.Lines()) &&
			again.Dialogue.Lost == b.Dialogue.Lost, "%v", err)
	})
}
