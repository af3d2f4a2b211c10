// Package machine prepares the plans of a farm on a worker's machine: it gets the files that the engines
// read, puts them in folders, and opens the players. [Open] returns a [Machine].
package machine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"gogi/configs/identity"
	"gogi/farm"
	"gogi/farm/files"
	"gogi/farm/worker"
	"gogi/farm/worker/builder"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/players"
	"gogi/runner"
	"gogi/runner/crash"
	"gogi/usi"
	"gogi/usi/process"
)

// A Config is the configuration of a Machine.
type Config struct {
	Dir       string // absolute path of the folder for artefacts, engines and crash dumps
	CacheMax  int64  // maximum size of the artefacts in bytes; 0 means 20 GB
	Mirrors   []string
	Transport farm.Transport
	Guard     *process.Guard
	Slots     int
	Sandbox   *builder.Sandbox // for builds of engines from git commits; nil: the machine builds none
	Log       *slog.Logger
}

// defaultCache is the default size of the cache in bytes (Config.CacheMax).
const defaultCache = 20 << 30

// A Machine prepares plans for games on this machine. Its methods are safe for concurrent use.
type Machine struct {
	config  Config
	here    identity.Env
	store   *files.Store
	fetcher *worker.Fetcher
	builder *builder.Builder

	mu      sync.Mutex
	openers map[*match.Plan]*players.Opener // openers of the plans that are ready
	benches map[string][]farm.Bench         // of the engines built for a plan, by the digest of the plan
}

// Open returns a Machine. It creates the folders in Config.Dir and opens the cache of artefacts.
func Open(c Config) (*Machine, error) {
	c.CacheMax = cmp.Or(c.CacheMax, defaultCache)
	m := &Machine{config: c, openers: map[*match.Plan]*players.Opener{}, benches: map[string][]farm.Bench{}}
	var err error
	if m.here, err = players.Surroundings(); err != nil {
		return nil, err
	}
	m.here.Engines, m.here.WorkDir = filepath.Join(c.Dir, "engines"), filepath.Join(c.Dir, "work")
	if err := os.MkdirAll(m.here.WorkDir, 0o700); err != nil {
		return nil, fmt.Errorf("worker: %w", err)
	}
	if m.store, err = files.Open(filepath.Join(c.Dir, "artefacts"), c.CacheMax, true); err != nil {
		return nil, err
	}
	m.fetcher = &worker.Fetcher{Store: m.store, Transport: c.Transport, Mirrors: c.Mirrors, Largest: c.CacheMax,
		Log: c.Log}
	m.builder = &builder.Builder{
		Store: m.store, Dir: filepath.Join(c.Dir, "builds"), ISAs: m.here.ISAs, Jobs: c.Slots, Log: c.Log,
		Sandbox: cmp.Or(c.Sandbox, &builder.Sandbox{Why: "this program builds no engines"}),
	}
	return m, nil
}

// Artefacts returns the SHA-256 hashes of at most farm.MaxArtefacts artefacts on this machine, the most
// recently used first.
func (m *Machine) Artefacts() []string { return m.store.Recent(farm.MaxArtefacts) }

// Ready implements worker.Config.Ready. It gets the files of the plan and starts each engine once for the
// handshake. It returns an error if an engine differs from the engine in the plan.
func (m *Machine) Ready(ctx context.Context, plan *match.Plan) (*match.Plan, func(), error) {
	ready, release, err := m.fetcher.Ready(func(p *match.Plan, find func(string) (string, error)) (*match.Plan, error) {
		p, err := m.built(ctx, p, find)
		if err != nil {
			return nil, err
		}
		return identity.Place(p, find, m.here)
	})(ctx, plan)
	if err != nil {
		return nil, nil, err
	}
	o := &players.Opener{Plan: ready, Guard: m.config.Guard,
		Records: crash.Begin(filepath.Join(m.config.Dir, "worker"), ready.Run, "")}
	o.Warn = func(w i18n.Message) { m.config.Log.Warn(w.String(), "run", plan.Run) }
	if err := m.examine(ctx, o); err != nil {
		release()
		return nil, nil, errors.Join(err, o.Records.Close())
	}
	m.mu.Lock()
	m.openers[ready] = o
	m.mu.Unlock()
	return ready, release, nil
}

// built returns the plan with this machine's builds of the engines that have a source. find protects each program
// from eviction.
func (m *Machine) built(ctx context.Context, plan *match.Plan, find func(string) (string, error)) (*match.Plan, error) {
	var failed error
	var benches []farm.Bench
	out := plan.WithEngines(func(_ int, p *match.Player) {
		if failed != nil || p.Identity.Source == nil {
			return
		}
		made, err := m.builder.Build(ctx, *p.Identity.Source)
		if err == nil {
			_, err = find(made.SHA256)
		}
		if err != nil {
			failed = fmt.Errorf("engine %s: %w", p.Name, err)
		}
		p.Identity = p.Identity.WithVariant(match.Variant{SHA256: made.SHA256}, "")
		benches = append(benches, farm.Bench{Engine: p.Name, Message: made.Message})
	})
	if failed == nil && len(benches) > 0 {
		m.mu.Lock()
		m.benches[plan.Digest()] = benches
		m.mu.Unlock()
	}
	return out, failed
}

// Benches implements worker.Config.Benches.
func (m *Machine) Benches(plan *match.Plan) []farm.Bench {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.benches[plan.Digest()]
}

// examine performs the handshake with each engine. It returns an error if an engine does not match the plan
// or does not fit this machine.
func (m *Machine) examine(ctx context.Context, o *players.Opener) error {
	greetings, err := o.GreetAll(ctx)
	if err != nil {
		return err
	}
	if err := identity.VerifyIdentity(o.Plan, greetings); err != nil {
		return err
	}
	return m.fits(o.Plan, greetings)
}

// fits logs a warning for each setting that is slow on this machine, and returns an error for a setting that is
// impossible here.
func (m *Machine) fits(plan *match.Plan, greetings []usi.Greeting) error {
	here := *plan
	here.Concurrency = m.config.Slots
	warnings, fatal := players.CapacityFor(&here, greetings).Problems()
	for _, w := range warnings {
		m.config.Log.Warn(w.String(), "run", plan.Run)
	}
	return fatal
}

// OpenFor implements runner.Config.OpenFor for plans that Ready has returned.
func (m *Machine) OpenFor(plan *match.Plan) runner.Opener {
	m.mu.Lock()
	defer m.mu.Unlock()
	if o := m.openers[plan]; o != nil {
		return o.Open
	}
	return func(context.Context, match.Player, []int) (runner.Player, error) {
		return nil, fmt.Errorf("run %s was not made ready here", plan.Run)
	}
}

// Close writes the crash dumps of all plans. The caller must have ended all pairs.
func (m *Machine) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var errs []error
	for _, o := range m.openers {
		errs = append(errs, o.Records.Close())
	}
	return errors.Join(errs...)
}
