package worker_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/files"
	"gogi/farm/worker"
	"gogi/internal/testutil"
	"gogi/match"
)

// library is a coordinator that has artefacts and counts the requests.
type library struct {
	farm.Transport
	mu    sync.Mutex
	texts map[string]string
	asked int
	err   error
}

func (l *library) Artefact(_ context.Context, sum string) (io.ReadCloser, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked++
	if l.err != nil {
		return nil, l.err
	}
	return io.NopCloser(strings.NewReader(l.texts[sum])), nil
}

func hashOf(text string) string {
	s := sha256.Sum256([]byte(text))
	return hex.EncodeToString(s[:])
}

// mirror serves one text under every name, and counts requests.
func mirror(t *testing.T, status int, text string) (base string, asked func() int) {
	t.Helper()
	n := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if n++; !strings.HasSuffix(r.URL.Path, hashOf("engine")) {
			t.Errorf("asked for %s", r.URL.Path)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/", func() int { return n }
}

func fetcher(t *testing.T, room int64, l *library, mirrors ...string) *worker.Fetcher {
	t.Helper()
	store := testutil.Must(files.Open(t.TempDir(), room, true))(t)
	return &worker.Fetcher{Store: store, Transport: l, Mirrors: mirrors, Largest: 100, Log: slog.New(slog.DiscardHandler)}
}

// TestMirrorsAreTriedFirstAndNotBelieved: a worker asks mirrors first, and verifies their files. It asks the
// coordinator last.
func TestMirrorsAreTriedFirstAndNotBelieved(t *testing.T) {
	good, askedGood := mirror(t, http.StatusOK, "engine")
	forged, askedForged := mirror(t, http.StatusOK, "virus!")
	endless, _ := mirror(t, http.StatusOK, strings.Repeat("engine", 100))
	missing, askedMissing := mirror(t, http.StatusNotFound, "engine")
	for name, test := range map[string]struct {
		mirrors     []string
		coordinator int
	}{
		"none":              {nil, 1},
		"a good one":        {[]string{good}, 0},
		"bad ones, a good":  {[]string{missing, forged, endless, good}, 0},
		"only bad ones":     {[]string{missing, forged, endless}, 1},
		"one that is gone":  {[]string{"http://127.0.0.1:1"}, 1},
		"one that is wrong": {[]string{"nowhere"}, 1},
	} {
		l := &library{texts: map[string]string{hashOf("engine"): "engine"}}
		f := fetcher(t, 1000, l, test.mirrors...)
		for range 2 { // the second fetch finds it in the store
			path, err := f.Fetch(t.Context(), hashOf("engine"))
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if text, err := os.ReadFile(path); err != nil || string(text) != "engine" {
				t.Errorf("%s: %q, %v", name, text, err)
			}
		}
		testutil.Check(t, l.asked == test.coordinator, "%s: the coordinator was asked %d times", name, l.asked)
	}
	if askedGood() != 2 || askedForged() != 2 || askedMissing() != 2 {
		t.Errorf("asked %d, %d, %d times", askedGood(), askedForged(), askedMissing())
	}
}

// TestAMirrorThatFallsSilentIsGivenUp: if a mirror sends nothing, before or within its answer, the worker asks the
// coordinator.
func TestAMirrorThatFallsSilentIsGivenUp(t *testing.T) {
	for _, said := range []string{"", "eng"} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if said != "" {
				w.Header().Set("Content-Length", "6")
				_, _ = io.WriteString(w, said)
				_ = http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
		}))
		t.Cleanup(s.Close)
		l := &library{texts: map[string]string{hashOf("engine"): "engine"}}
		f := fetcher(t, 1000, l, s.URL)
		f.Silence = 50 * time.Millisecond
		var told strings.Builder
		f.Log = slog.New(slog.NewTextHandler(&told, nil))
		if _, err := f.Fetch(t.Context(), hashOf("engine")); err != nil || l.asked != 1 ||
			!strings.Contains(told.String(), "the mirror sends nothing") {
			t.Errorf("after %q: %v, the coordinator was asked %d times; %s", said, err, l.asked, told.String())
		}
	}
}

// TestWhatCannotBeFetched: the error distinguishes another hash, a full store and a missing connection.
func TestWhatCannotBeFetched(t *testing.T) {
	for name, test := range map[string]struct {
		room int64
		text string
		err  error
		want error
	}{
		"another hash": {1000, "virus!", nil, files.ErrHash},
		"no room":      {3, "engine", nil, files.ErrFull},
		"nobody there": {1000, "", farm.ErrAway, farm.ErrAway},
	} {
		f := fetcher(t, test.room, &library{texts: map[string]string{hashOf("engine"): test.text}, err: test.err})
		ready := f.Ready(func(p *match.Plan, find func(string) (string, error)) (*match.Plan, error) {
			_, err := find(hashOf("engine"))
			return p, err
		})
		if _, _, err := ready(t.Context(), plan("a", 1)); !errors.Is(err, test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestWhatARunNeedsStays: the store keeps the files of a run until the run releases them.
func TestWhatARunNeedsStays(t *testing.T) {
	l := &library{texts: map[string]string{hashOf("engine"): "engine", hashOf("others"): "others"}}
	f := fetcher(t, 8, l)
	ready := f.Ready(func(p *match.Plan, find func(string) (string, error)) (*match.Plan, error) {
		_, err := find(hashOf("engine"))
		return p, err
	})
	_, release, err := ready(t.Context(), plan("a", 1))
	testutil.OK(t, err)
	testutil.Is(t, testutil.Err(f.Fetch(t.Context(), hashOf("others"))), files.ErrFull, "beside what is needed")
	release()
	if _, err := f.Fetch(t.Context(), hashOf("others")); err != nil || f.Store.Has(hashOf("engine")) {
		t.Errorf("after the release: %v", err)
	}
}
