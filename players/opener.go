// Package players opens the players of a plan: processes of engines, here or behind ssh, and councils. An
// [Opener] is a runner.Opener. [Bind] assigns CPUs to slots. [CapacityFor] estimates the memory and threads
// that the engines use. [AskIdentities] gets the hashes of remote programs.
package players

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"gogi/configs/identity"
	"gogi/ensemble"
	"gogi/ensemble/voting"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/match"
	"gogi/players/builtin"
	"gogi/runner"
	"gogi/runner/crash"
	"gogi/usi"
	"gogi/usi/process"
	"gogi/usi/ssh"
)

// ErrStart is the error of a program that did not start. Other errors wrap it.
var ErrStart = errors.New("it cannot be started")

// An Opener starts the players of a plan. Its methods are safe for concurrent use as long as no goroutine
// changes the fields.
type Opener struct {
	Plan  *match.Plan
	Guard *process.Guard // kills the engines if gogi is killed; nil: no guard
	Bound *Binding       // the CPUs of the slots; nil: any CPUs
	// Records store the logs of the dialogues with engines; nil: no logs.
	Records *crash.Records
	// Waiting, if not nil, is called at most once a minute when a start waits for a free file descriptor.
	Waiting func(why i18n.Message)
	// Warn, if not nil, is called once for each engine whose process did not end in time after quit; see
	// match.Player.Quit. It may be called from several goroutines.
	Warn func(i18n.Message)

	books  books
	stamps stamps
	waits  waits
	cuts   sync.Map // names of the engines for which Warn was called
}

// Surroundings returns the facts about this program and this machine that package configs needs to make a
// plan.
func Surroundings() (identity.Env, error) {
	self, err := os.Executable()
	if err != nil {
		return identity.Env{}, fmt.Errorf("finding this program: %w", err)
	}
	work, err := os.Getwd()
	if err != nil {
		return identity.Env{}, fmt.Errorf("finding the working directory: %w", err)
	}
	return identity.Env{
		Self: self, BuiltinVersion: "gogi sparring " + builtin.Version, NumCPU: runtime.NumCPU(),
		Path: os.Getenv("PATH"), WorkDir: work, OS: runtime.GOOS, Arch: runtime.GOARCH, ISAs: instructionSets(),
	}, nil
}

// StartGuard starts the guard process, which kills the engines if gogi is killed. The guard is this program
// with the command guard. StartGuard calls onChange at each change of the guard's state, see
// process.StartGuard.
func StartGuard(onChange func(process.GuardChange)) (*process.Guard, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program, to start its guard: %w", err)
	}
	return process.StartGuard([]string{self, "guard"}, onChange)
}

// Open starts one player: an engine with its options and its book, or a council.
func (o *Opener) Open(ctx context.Context, p match.Player, cpus []int) (runner.Player, error) {
	if p.Council != nil {
		return o.openCouncil(ctx, p, cpus)
	}
	return o.openEngine(ctx, p, "", cpus)
}

// openEngine opens an engine. council is the name of the council of which the engine is a member, or "".
func (o *Opener) openEngine(ctx context.Context, p match.Player, council string, cpus []int) (runner.Player, error) {
	draw, err := o.books.drawer(p.Identity.Files)
	if err != nil {
		return nil, fmt.Errorf("engine %s: %w", p.Name, err)
	}
	if err := o.stamps.check(p); err != nil {
		return nil, err
	}
	engine, err := o.greet(ctx, p, council, cpus)
	if err != nil {
		return nil, err
	}
	automatic, user := identity.Settings(p, o.Plan, engine.Greeting().Options)
	if err := engine.Configure(append(automatic, user...)); err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	if draw != nil {
		return &reader{Engine: engine, name: p.Name, draw: draw, seat: council != ""}, nil
	}
	return engine, nil
}

// Greet starts one engine and waits for usiok. The error wraps ErrStart, or is a *usi.Fault or the context's
// error. After an error no process is left.
func (o *Opener) Greet(ctx context.Context, p match.Player, cpus []int) (*usi.Engine, error) {
	return o.greet(ctx, p, "", cpus)
}

func (o *Opener) greet(ctx context.Context, p match.Player, council string, cpus []int) (*usi.Engine, error) {
	var conn Process
	err := process.Patiently(ctx, o.waiting(p.Name), func() (err error) {
		conn, err = o.Start(p, cpus, 0)
		return err
	})
	if ctx.Err() != nil && err != nil {
		return nil, fmt.Errorf("engine %s: %w", p.Name, err)
	}
	if err != nil {
		return nil, cannotStart(p.Name, err)
	}
	config := usi.Config{Name: p.Name, Limits: usi.Limits{Greeting: p.Greeting, Ready: p.Ready}}
	if o.Records != nil {
		config.Tap = o.Records.NewRecorder(p, council, conn)
	}
	return usi.Greet(ctx, conn, config)
}

// waits stores when Waiting was last called.
type waits struct {
	mu   sync.Mutex
	last time.Time
}

// noticeInterval is the least time between two calls of Waiting. All slots usually wait at the same time.
const noticeInterval = time.Minute

// waiting returns a function that calls Waiting for the start of an engine.
func (o *Opener) waiting(engine string) func(why error) {
	return func(why error) {
		o.waits.mu.Lock()
		defer o.waits.mu.Unlock()
		if now := time.Now(); o.Waiting != nil && (o.waits.last.IsZero() || now.Sub(o.waits.last) >= noticeInterval) {
			o.waits.last = now
			o.Waiting(i18n.Of("engine %s: its start waits for a free file descriptor: %s", engine, i18n.Because(why)))
		}
	}
}

// A Process is a started engine without a USI dialogue: a process on this machine, or the ssh process of a
// remote engine.
type Process interface {
	usi.Connection
	usi.WriteDeadliner
	usi.Waited
	usi.Diagnosed
	SetReadDeadline(t time.Time) error
	// Kill kills the local process at once and does not wait for its end. The caller must still call Close,
	// which also ends a remote engine.
	Kill()
	// Done is closed when the local process has ended.
	Done() <-chan struct{}
	// Exit returns how the local process ended; an ssh process has the exit status of its engine.
	Exit() process.Exit
	// Stderr returns the last bytes of stderr, unchanged.
	Stderr() []byte
	PID() int
}

// cannotStart returns a *usi.Fault of the engine, or a plain error if the machine lacks a resource.
func cannotStart(name string, err error) error {
	for _, scarce := range scarcities {
		if errors.Is(err, scarce) {
			return fmt.Errorf("engine %s: %w: %w", name, ErrStart, err)
		}
	}
	return fail.Engine(name, fmt.Errorf("%w: %w", ErrStart, err))
}

// This line makes the compiler report an error if a method of usi.Losable is missing. A remote engine can lose its
// connection.
var _ usi.Losable = (*ssh.Engine)(nil)

// Start starts a process of an engine, on this machine or behind ssh. The process runs on the given CPUs of
// this machine, or on any CPUs if cpus is nil. Start does not bind a remote engine to CPUs. grace is the time
// that the process has to end by itself after Close; 0 means the player's own time, after which Start calls Warn. If
// the player's environment still has {slot} or {gpu}, Start replaces both by 0.
func (o *Opener) Start(p match.Player, cpus []int, grace time.Duration) (Process, error) {
	spec := process.Spec{Command: p.Command, Dir: p.Dir, Env: p.InSlot(0, 1).Env, CPUs: cpus, Grace: grace}
	if grace == 0 {
		spec.Grace = cmp.Or(p.Quit, process.DefaultGrace)
		spec.Cut = func() { o.noteCut(p.Name, spec.Grace) }
	}
	if remote, ok := ssh.Parse(spec.Command); ok {
		spec.CPUs = nil // the engine runs on another machine
		return ssh.Start(spec, remote, o.Guard)
	}
	return process.Start(spec, o.Guard)
}

// noteCut warns, once for each engine, that gogi ends a process that is still running after quit.
func (o *Opener) noteCut(engine string, grace time.Duration) {
	if _, known := o.cuts.LoadOrStore(engine, true); known || o.Warn == nil {
		return
	}
	o.Warn(i18n.Of("engine %s: still running %s after quit, so gogi ended it; what it saves at its end may be missing. A larger quit_timeout (--quit-timeout) gives it more time.", engine, format.Span(grace)))
}

// Names returns the names of the plan's engines, in the order of Plan.Engines.
func (o *Opener) Names() []string {
	engines := o.Plan.Engines()
	return lists.Map(engines, func(p match.Player) string { return p.Name })
}

// GreetAll starts and ends each engine of the plan, one after the other, to read its answer to usi. It
// returns the answers in the order of Plan.Engines.
func (o *Opener) GreetAll(ctx context.Context) ([]usi.Greeting, error) {
	engines := o.Plan.Engines()
	greetings := make([]usi.Greeting, len(engines))
	for i, p := range engines {
		engine, err := o.Greet(ctx, p, nil)
		if err != nil {
			return nil, err
		}
		greetings[i] = engine.Greeting()
		if err := engine.Close(); err != nil {
			return nil, err
		}
	}
	return greetings, nil
}

// openCouncil starts a council and its members.
func (o *Opener) openCouncil(ctx context.Context, p match.Player, cpus []int) (runner.Player, error) {
	config, err := o.CouncilConfig(p, cpus)
	if err != nil {
		return nil, err
	}
	return ensemble.Open(ctx, config)
}

// CouncilConfig returns the configuration of a plan's council. It returns an error if it cannot parse the
// voting rule, or if the book has changed.
func (o *Opener) CouncilConfig(p match.Player, cpus []int) (ensemble.Config, error) {
	c := p.Council
	config := ensemble.Config{
		Name: p.Name, Stop: ensemble.StopPolicy(c.Stop), Quorum: c.Quorum, MinAlive: c.MinAlive, Restarts: c.Restarts,
		Split: c.Split, Jitter: c.Jitter, Noise: c.Noise, Veto: ensemble.Veto(c.Veto), Examine: ensemble.Examine(c.Examine),
		Spread: ensemble.Spread(c.Ponder), Ask: c.Ask,
		Settings: voting.Settings{Declaration: o.Plan.Rules.Declaration, ResignQuorum: c.ResignQuorum},
	}
	for _, t := range c.Ties {
		config.Settings.Ties = append(config.Settings.Ties, voting.Tie(t))
	}
	var err error
	if config.Rule, err = voting.ParseSpec(c.Rule); err != nil {
		return config, fmt.Errorf("council %s: %w", p.Name, err)
	}
	for _, text := range c.Shadows {
		spec, err := voting.ParseSpec(text)
		if err != nil {
			return config, fmt.Errorf("council %s: shadow: %w", p.Name, err)
		}
		config.Shadows = append(config.Shadows, spec)
	}
	for i := range c.Members {
		config.Members = append(config.Members, o.member(p, i, cpus))
	}
	if config.Book, err = o.books.drawer(p.Identity.Files); err != nil {
		return config, fmt.Errorf("council %s: %w", p.Name, err)
	}
	return config, nil
}

func (o *Opener) openMember(ctx context.Context, m match.Player, council string, cpus []int) (runner.Player, error) {
	if m.Council != nil {
		return o.openCouncil(ctx, m, cpus)
	}
	return o.openEngine(ctx, m, council, cpus)
}

func (o *Opener) member(council match.Player, i int, cpus []int) ensemble.Member {
	c := council.Council
	m := c.Members[i]
	member := ensemble.Member{
		Voter: voting.Voter{Name: m.Name, Slope: c.Scales[i].Slope, Intercept: c.Scales[i].Intercept},
		Open:  func(ctx context.Context) (ensemble.Player, error) { return o.openMember(ctx, m, council.Name, cpus) },
	}
	if i < len(c.Clamps) {
		member.Clamp = c.Clamps[i]
	}
	if c.Own[i] {
		own := runner.GoFor(m.Limits)
		member.Own = &own
	}
	return member
}
