package transcript_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/usi/transcript"
)

// TestEscape requires that any bytes survive a round trip, and that the escaped text is one safe line.
func TestEscape(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SliceOf(rapid.Byte()).Draw(t, "text")
		escaped := transcript.Escape(nil, text)
		for _, r := range string(escaped) {
			testutil.Require(t, r == ' ' || unicode.IsGraphic(r) && !unicode.IsSpace(r), "%q has %U", escaped, r)
		}
		back, err := transcript.Unescape(string(escaped))
		testutil.Require(t, err == nil && bytes.Equal(back, text), "%q, %v", back, err)
	})
	for text, want := range map[string]string{
		"bestmove 7g7f":         "bestmove 7g7f",
		"\x1b[31m":              `\x1b[31m`,
		"歩\u202e \\ \xff\ufffd": `歩\xe2\x80\xae \\ \xff` + "\ufffd",
		"a\tb\r":                `a\x09b\x0d`,
	} {
		testutil.Equal(t, string(transcript.Escape(nil, []byte(text))), want, "%q", text)
	}
	for _, bad := range []string{`\`, `\x1`, `\xzz`, `a\n`, `\x+1`} {
		testutil.Fails(t, testutil.Err(transcript.Unescape(bad)), "", "%s", bad)
	}
}

func TestFileName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"A": "A", "": "%", "../x": "%2E.%2Fx", "a/b c": "a%2Fb%20c", ".": "%2E",
		"総当り-1": "総当り-1", "リーグ戦": "リーグ戦", "Ｂ": "%EF%BC%A2", "é": "%C3%A9", "e\u0301": "e%CC%81", "か\u3099": "か%E3%82%99",
		"a\xff": "a%FF", "\ufffd": "%EF%BF%BD",
		"a\u202eb": "a%E2%80%AEb", "a\nb": "a%0Ab", "aux": "%61ux", "NUL.db": "%4EUL.db", "console": "console", "a.": "a%2E",
		"a%41": "a%2541", "\u1100\u1161": "%E1%84%80%E1%85%A1",
	} {
		testutil.Equal(t, transcript.FileName(name), want, "%q", name)
	}
	seen := map[string]bool{}
	for _, end := range []string{"", "a", "b", "総", "総当り"} {
		got := transcript.FileName(strings.Repeat("長", 40) + end)
		testutil.Check(t, !seen[got] && len(got) <= 80 && utf8.ValidString(got), "%q: %d bytes", got, len(got))
		seen[got] = true
	}
}

// TestLogWhole requires that a short dialogue has all its lines. A received line is cut after 4096 bytes.
func TestLogWhole(t *testing.T) {
	t.Parallel()
	log, at := transcript.NewLog(), time.Now()
	long := bytes.Repeat([]byte("x"), 5000)
	log.Sent(at, []byte("position startpos\ngo\n"))
	log.Received(at.Add(time.Millisecond), []byte("bestmove 7g7f"))
	log.Received(at.Add(time.Millisecond), long)
	log.Sent(at.Add(2*time.Millisecond), append(bytes.Clone(long), '\n'))
	e := log.Excerpt()
	var got []string
	for _, l := range e.Lines() {
		got = append(got, fmt.Sprintf("%v %v %d %d %.13s", l.At.Sub(at).Round(time.Microsecond), l.Sent, len(l.Text), l.Cut,
			l.Text))
	}
	want := "0s true 17 0 position star; 0s true 2 0 go; 1ms false 13 0 bestmove 7g7f; 1ms false 4096 904 xxxxxxxxxxxxx; 2ms true 5000 0 xxxxxxxxxxxxx"
	s := strings.Join(got, "; ")
	testutil.Check(t, s == want && e.Lost == 0, "%s\nwant %s", s, want)
}

// TestLogOfMany requires that a log has its first and its latest lines, within the limits. It has one gap, which it
// reports.
func TestLogOfMany(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ size, lines int }{
		"short lines are bounded by number": {10, 100_000},
		"long lines by their bytes":         {4000, 5_000},
	} {
		log := transcript.NewLog()
		pad := strings.Repeat(".", c.size)
		for i := range c.lines {
			log.Received(time.Now(), fmt.Appendf(nil, "%d %s", i, pad))
		}
		e := log.Excerpt()
		size := 0
		for i, l := range e.Head {
			testutil.Require(t, bytes.HasPrefix(l.Text, fmt.Appendf(nil, "%d ", i)), "%s: head %d: %.10s", name, i, l.Text)
		}
		for i, l := range e.Tail {
			testutil.Require(t, bytes.HasPrefix(l.Text, fmt.Appendf(nil, "%d ", c.lines-len(e.Tail)+i)),
				"%s: tail %d: %.10s", name, i, l.Text)
			size += len(l.Text)
		}
		testutil.Check(t, len(e.Head) != 0 && len(e.Head)+e.Lost+len(e.Tail) == c.lines,
			"%s: %d + %d lost + %d of %d", name, len(e.Head), e.Lost, len(e.Tail), c.lines)
		if len(e.Tail) > transcript.KeptLines || size > transcript.KeptBytes || len(e.Tail) < transcript.KeptLines &&
			size < transcript.KeptBytes*9/10 {
			t.Errorf("%s: %d lines, %d bytes", name, len(e.Tail), size)
		}
	}
}

// TestLogCostsNothing requires that a full log copies a line and allocates nothing.
func TestLogCostsNothing(t *testing.T) {
	log, at := transcript.NewLog(), time.Now()
	line := []byte("info depth 20 seldepth 31 score cp 123 nodes 12345678 nps 1000000 pv 7g7f 3c3d 2g2f 8c8d")
	sent := []byte("position startpos moves 7g7f\ngo btime 1000 wtime 1000\n")
	say := func() {
		log.Received(at, line)
		log.Sent(at, sent)
	}
	for range 40_000 {
		say()
	}
	testutil.Equal(t, testing.AllocsPerRun(10_000, say), 0, "allocations")
}

func BenchmarkHeard(b *testing.B) {
	log, at := transcript.NewLog(), time.Now()
	line := []byte("info depth 20 seldepth 31 score cp 123 nodes 12345678 nps 1000000 pv 7g7f 3c3d 2g2f 8c8d")
	b.ReportAllocs()
	for b.Loop() {
		log.Received(at, line)
	}
}

func TestTranscripts(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	transcripts := transcript.NewTranscripts(dir, func(err error) { t.Error(err) })
	at := time.Date(2026, 1, 2, 3, 4, 5, 678901000, time.UTC)
	game := transcript.Game{Pair: 3, Leg: 1}
	transcripts.Add(game, transcript.AppendLine(nil, "my engine", transcript.Line{At: at, Sent: true, Text: []byte("go")}),
		1)
	transcripts.Add(game, transcript.AppendLine(nil, "B",
		transcript.Line{At: at, Text: []byte("bestmove \x1b[31m"), Cut: 7}), 1)
	testutil.OK(t, transcripts.Close())
	got, err := os.ReadFile(filepath.Join(dir, "000003.1.txt"))
	want := `2026-01-02T03:04:05.678901Z my\x20engine > go` + "\n" +
		`2026-01-02T03:04:05.678901Z B < bestmove \x1b[31m\+7` + "\n"
	testutil.Check(t, err == nil && string(got) == want, "%s, %v", got, err)
}

// TestTranscriptsThatCannotBeWritten requires one report, and the number of all lines as lost.
func TestTranscriptsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	testutil.OK(t, os.WriteFile(file, nil, 0o600))
	told := make(chan error, 10)
	transcripts := transcript.NewTranscripts(filepath.Join(file, "no folder"), func(err error) { told <- err })
	big := bytes.Repeat([]byte("line\n"), 60_000)
	transcripts.Add(transcript.Game{}, big, 60_000)
	<-told // a large transcript is written at once
	transcripts.Add(transcript.Game{}, []byte("one\ntwo\n"), 2)
	err := transcripts.Close()
	testutil.Check(t, err != nil && strings.Contains(err.Error(), "60002 lines were lost") && len(told) == 0,
		"%v; told %d times more", err, len(told))
}
