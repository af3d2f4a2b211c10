package worker

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"time"

	"gogi/farm"
	"gogi/farm/files"
	"gogi/match"
)

// A Fetcher gets artefacts (files named by their SHA-256) for this machine. It looks first in the cache, then
// in mirrors, and then asks the coordinator. It accepts a file only if the SHA-256 is right.
type Fetcher struct {
	Store     *files.Store // the cache. It must evict artefacts when it is full.
	Transport farm.Transport
	Mirrors   []string     // bases of URLs; an artefact is BASE/SHA256
	Client    *http.Client // nil means the default client
	Largest   int64        // bytes of one artefact
	// Silence is the time after which the Fetcher leaves a mirror that sends nothing, and tries the next source.
	// 0 means a minute.
	Silence time.Duration
	Log     *slog.Logger

	mu   sync.Mutex
	busy map[string]*sync.Mutex // a lock for each SHA-256, so that no artefact is downloaded twice at the same time
}

// Fetch returns the path of an artefact on this machine, and downloads the artefact if necessary. The cache
// may remove the file unless the artefact is pinned.
func (f *Fetcher) Fetch(ctx context.Context, sum string) (string, error) {
	one := f.alone(sum)
	one.Lock()
	defer one.Unlock()
	path, err := f.Store.Path(sum)
	if err == nil {
		return path, nil
	}
	if !errors.Is(err, files.ErrUnknown) {
		f.Log.Warn("an artefact of the cache is fetched again", "why", err)
	}
	for _, base := range f.Mirrors {
		err := f.keep(sum, func() (io.ReadCloser, error) { return f.mirrored(ctx, base, sum) })
		if err == nil {
			return f.Store.Path(sum)
		}
		if ctx.Err() != nil || errors.Is(err, files.ErrFull) {
			return "", fmt.Errorf("artefact %s: %w", sum, err)
		}
		f.Log.Warn("a mirror was of no use", "mirror", base, "artefact", sum, "why", err)
	}
	if err := f.keep(sum, func() (io.ReadCloser, error) { return f.Transport.Artefact(ctx, sum) }); err != nil {
		return "", fmt.Errorf("artefact %s: %w", sum, err)
	}
	return f.Store.Path(sum)
}

func (f *Fetcher) alone(sum string) *sync.Mutex {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.busy == nil {
		f.busy = map[string]*sync.Mutex{}
	}
	if f.busy[sum] == nil {
		f.busy[sum] = &sync.Mutex{}
	}
	return f.busy[sum]
}

func (f *Fetcher) keep(sum string, open func() (io.ReadCloser, error)) error {
	r, err := open()
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // it was only read
	_, err = f.Store.Put(r, sum, f.Largest)
	return err
}

// defaultSilence is the default time after which a Fetcher leaves a silent mirror.
const defaultSilence = time.Minute

var errSilent = errors.New("the mirror sends nothing")

func (f *Fetcher) mirrored(ctx context.Context, base, sum string) (_ io.ReadCloser, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	silence := cmp.Or(f.Silence, defaultSilence)
	timer := time.AfterFunc(silence, func() { cancel(errSilent) })
	end := func() {
		timer.Stop()
		cancel(nil)
	}
	defer func() {
		if err != nil {
			err = cmp.Or(context.Cause(ctx), err)
			end()
		}
	}()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(base, "/")+"/"+sum, nil)
	if err != nil {
		return nil, err
	}
	client := f.Client
	if client == nil {
		client = http.DefaultClient
	}
	answer, err := client.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		_ = answer.Body.Close() // the body of an error is not used
		return nil, fmt.Errorf("the mirror answers %s", answer.Status)
	}
	return &listened{answer.Body, ctx, func() { timer.Reset(silence) }, end}, nil
}

// listened is a response body whose Read returns an error if the source sends nothing for too long.
type listened struct {
	io.ReadCloser

	ctx  context.Context //nolint:containedctx // of one response
	came func()          // restarts the timer; called when bytes arrive
	end  func()
}

func (l *listened) Read(b []byte) (int, error) {
	n, err := l.ReadCloser.Read(b)
	if n > 0 {
		l.came()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = cmp.Or(context.Cause(l.ctx), err)
	}
	return n, err
}

func (l *listened) Close() error {
	l.end()
	return l.ReadCloser.Close()
}

// Ready returns a function for Config.Ready, which prepares a plan for this machine. This function calls
// place with the plan and with a function find. place adapts the plan to this machine; it calls find with the
// SHA-256 of each file to get the path of the file. The files stay in the cache until the worker calls
// release at the end of the run.
func (f *Fetcher) Ready(place func(plan *match.Plan, find func(sum string) (string, error)) (*match.Plan,
	error)) func(context.Context, *match.Plan) (*match.Plan, func(), error) {
	return func(ctx context.Context, plan *match.Plan) (*match.Plan, func(), error) {
		var pins []func()
		release := func() {
			for _, unpin := range pins {
				unpin()
			}
		}
		ready, err := place(plan, func(sum string) (string, error) {
			pins = append(pins, f.Store.Pin(sum))
			return f.Fetch(ctx, sum)
		})
		if err != nil {
			release()
			return nil, nil, err
		}
		return ready, release, nil
	}
}
