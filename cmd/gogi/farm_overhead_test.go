//go:build unix

package main

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/results"
)

// BenchmarkFarmWorker plays one series by gogi match and by a worker of a farm on the same
// machine, in turn, and compares how long the games took from the first one's start to the
// last one's end, coordinator included.
func BenchmarkFarmWorker(b *testing.B) {
	rounds := 5
	if testing.Short() {
		rounds = 1
	}
	for b.Loop() {
		var ratios []float64
		for range rounds {
			alone := span(b, func(db string) { gogiRuns(b, "match", "-q", "--games", farmGames(), "--concurrency", "2", "--db", db) })
			worker := span(b, func(db string) { demo(b, db) })
			ratios = append(ratios, worker.Seconds()/alone.Seconds())
		}
		slices.Sort(ratios)
		b.ReportMetric(ratios[len(ratios)/2], "wall-ratio")
		b.ReportMetric(ratios[0], "least-ratio")
		b.ReportMetric(ratios[len(ratios)-1], "most-ratio")
		b.ReportMetric(0, "ns/op")
	}
}

// farmGames is how many games are played each time.
func farmGames() string {
	if testing.Short() {
		return "20"
	}
	return "200"
}

// gogiRuns runs this program.
func gogiRuns(b *testing.B, args ...string) {
	b.Helper()
	if out, err := exec.Command("gogi", args...).CombinedOutput(); err != nil {
		b.Fatalf("gogi %v: %v\n%s", args, err, out)
	}
}

// demo plays the series on a farm of one worker.
func demo(b *testing.B, db string) {
	b.Helper()
	serve := exec.Command("gogi", "farm", "serve", "--demo", "--games", farmGames(), "--db", db)
	said := testutil.Must(serve.StderrPipe())(b)
	testutil.OK(b, serve.Start())
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if args, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "gogi "); ok {
			gogiRuns(b, append(strings.Fields(args), "--concurrency", "2", "-q", "--cache", filepath.Dir(db))...)
		}
	}
	testutil.OK(b, serve.Wait())
}

// span is from the first start to the last end of the games that play stores.
func span(b *testing.B, play func(db string)) time.Duration {
	b.Helper()
	db := filepath.Join(b.TempDir(), "games.db")
	play(db)
	store, err := results.Open(b.Context(), db)
	testutil.OK(b, err)
	defer store.Close()
	info, err := store.DefaultRun(b.Context(), "default")
	testutil.OK(b, err)
	var first, last time.Time
	n := 0
	err = store.Games(b.Context(), info.ID, func(r match.Row) error {
		if n == 0 || r.Started.Before(first) {
			first = r.Started
		}
		if r.Ended.After(last) {
			last = r.Ended
		}
		n++
		return nil
	})
	if err != nil || strconv.Itoa(n) != farmGames() {
		b.Fatalf("%d games, %v", n, err)
	}
	return last.Sub(first)
}
