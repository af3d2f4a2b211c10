//go:build unix

package web

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/results"
)

// spent returns the CPU time of this process.
func spent(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	testutil.OK(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkLive measures the cost of showing 100 games with 10 moves a second each to clients. Every other client never
// reads. The cost of hub, server and readers is in percent of a core. One iteration is one second.
func BenchmarkLive(b *testing.B) {
	for _, clients := range []int{0, 1, 10, maxStreams} {
		b.Run(fmt.Sprint(clients, " clients"), func(b *testing.B) { benchmarkLive(b, clients) })
	}
}

func benchmarkLive(b *testing.B, clients int) {
	const games, rate = 100, 10
	var events []match.Event
	s := newStage("run", games)
	s.sent = func(e match.Event) { events = append(events, e) }
	for i := range games * (rate*b.N + 1) {
		s.step(i%games, i, 120)
	}
	store := testutil.Must(results.Open(b.Context(), filepath.Join(b.TempDir(), "games.db")))(b)
	defer store.Close() // the store is empty
	server := testutil.Must(Listen(b.Context(), Config{Addr: "127.0.0.1:0", Store: store, Live: playing(s)}))(b)
	go func() { _ = server.Serve(b.Context()) }()
	for i := range clients {
		resp := testutil.Must(http.Get(server.URL() + "api/v1/live?run=run"))(b)
		defer resp.Body.Close() // the body was only read
		if i%2 == 0 {
			go func() { _, _ = io.Copy(io.Discard, resp.Body) }()
		}
	}
	before := spent(b)
	ticks := time.NewTicker(time.Second / rate / 10)
	defer ticks.Stop()
	b.ResetTimer()
	for part := len(events) / (10 * rate * b.N); len(events) > 0; {
		<-ticks.C
		n := min(part, len(events))
		for _, e := range events[:n] {
			s.hub.Publish(e)
		}
		events = events[n:]
	}
	b.StopTimer()
	b.ReportMetric(100*float64(spent(b)-before)/float64(b.Elapsed()), "%core")
}

// BenchmarkRuns measures the time for a page of the list of many runs, the first time and later.
func BenchmarkRuns(b *testing.B) {
	store := testutil.Must(results.Open(b.Context(), filepath.Join(b.TempDir(), "games.db")))(b)
	defer store.Close() // the store was only read
	for i := range 120 {
		run := testutil.Must(store.Begin(b.Context(), planFor(fmt.Sprint("run-", i), 1)))(b)
		testutil.OK(b, run.Close())
	}
	s := testutil.Must(newServer(Config{Addr: "127.0.0.1:0", Store: store, Live: nobodyPlays{}}))(b)
	for _, path := range []string{"/", "/?page=3", "/?q=7", "/?state=finished"} {
		b.Run(path, func(b *testing.B) {
			for b.Loop() {
				answered(b, s, path)
			}
		})
	}
}

func answered(b *testing.B, s *Server, path string) {
	b.Helper()
	w := httptest.NewRecorder()
	s.http.Handler.ServeHTTP(w, httptest.NewRequestWithContext(b.Context(), http.MethodGet, "http://127.0.0.1"+path, nil))
	testutil.Equal(b, w.Code, http.StatusOK, "%s", path)
}
