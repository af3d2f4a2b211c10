// Package players opens the players of a plan: engines as processes here or behind ssh, the
// built-in engine, and councils. An [Opener] is a runner.Opener. [Bind] lays out CPUs,
// [CapacityFor] estimates the memory and threads that the engines would use, and
// [AskIdentities] asks remote hosts for the hashes of their programs.
package players

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"gogi/configs/identity"
	"gogi/internal/fail"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/players/builtin"
	"gogi/runner"
	"gogi/runner/crash"
	"gogi/usi"
	"gogi/usi/process"
	"gogi/usi/ssh"
)

// ErrStart marks a program that could not be started at all.
var ErrStart = errors.New("it cannot be started")

// Opener starts engines for a plan: where processes and dialogues meet. Its methods
// may be called from any goroutine, as long as nobody changes its fields.
type Opener struct {
	Plan  *match.Plan
	Guard *process.Guard // kills the engines should this program die; nil: nobody does
	Bound *Binding       // which CPUs the slots of the plan have; nil: any
	// Records is what is kept of the dialogues with engines; nil: nothing.
	Records *crash.Records
	// Waiting hears when a start begins to wait because file descriptors are scarce, at
	// most once a minute; nil: nobody does.
	Waiting func(why i18n.Message)

	shelf  shelf
	stamps stamps
	waits  waits
}

// Surroundings is what configs needs to know of this program and this machine.
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

// StartGuard starts the guard process: this binary with another verb. tell hears what
// becomes of it, see process.StartGuard.
func StartGuard(tell func(process.GuardChange)) (*process.Guard, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("finding this program, to start its guard: %w", err)
	}
	return process.StartGuard([]string{self, "guard"}, tell)
}

// Open starts one player: an engine with its options and its book, or a council of them.
func (o *Opener) Open(ctx context.Context, p match.Player, cpus []int) (runner.Player, error) {
	if p.Council != nil {
		return o.openCouncil(ctx, p, cpus)
	}
	return o.openEngine(ctx, p, "", cpus)
}

// openEngine opens an engine, as the member of a council where that has a name.
func (o *Opener) openEngine(ctx context.Context, p match.Player, council string, cpus []int) (runner.Player, error) {
	draw, err := o.shelf.drawer(p.Identity.Files)
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

// Greet starts one engine as far as usiok, and recognises a UCI engine soon. The error is
// ErrStart, a *usi.Fault or the context's; nothing runs then.
func (o *Opener) Greet(ctx context.Context, p match.Player, cpus []int) (*usi.Engine, error) {
	ctx, stop := o.Recognise(ctx, p)
	defer stop()
	return o.greet(ctx, p, "", cpus)
}

func (o *Opener) greet(ctx context.Context, p match.Player, council string, cpus []int) (*usi.Engine, error) {
	var conn Process
	err := process.Patiently(ctx, o.waiting(p.Name), func() (err error) {
		conn, err = o.Start(p, cpus, process.DefaultGrace)
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

// waits is when Waiting was told last.
type waits struct {
	mu   sync.Mutex
	told time.Time
}

// toldEvery is the least time between two notices of Waiting: all slots wait at once.
const toldEvery = time.Minute

// waiting tells that an engine's start waits.
func (o *Opener) waiting(engine string) func(why error) {
	return func(why error) {
		o.waits.mu.Lock()
		defer o.waits.mu.Unlock()
		if now := time.Now(); o.Waiting != nil && (o.waits.told.IsZero() || now.Sub(o.waits.told) >= toldEvery) {
			o.waits.told = now
			o.Waiting(i18n.Of("engine %s: its start waits for a free file descriptor: %s", engine, i18n.Because(why)))
		}
	}
}

// Process is a started engine that nobody has talked to yet: its own process here,
// or its ssh. It is a usi.Connection with all the parts that such a process has.
type Process interface {
	usi.Connection
	usi.WriteDeadliner
	usi.Waited
	usi.Diagnosed
	SetReadDeadline(t time.Time) error
	// Kill kills what runs here at once, without waiting; Close must still be
	// called, and ends what runs elsewhere.
	Kill()
	// Done is closed when what runs here has ended.
	Done() <-chan struct{}
	// Exit is how what runs here has ended; ssh ends with its engine's exit
	// status.
	Exit() process.Exit
	// Stderr is the end of what came from stderr, as it came.
	Stderr() []byte
	PID() int
}

// cannotStart is the engine's own error, unless the machine has run out of something.
func cannotStart(name string, err error) error {
	for _, scarce := range scarcities {
		if errors.Is(err, scarce) {
			return fmt.Errorf("engine %s: %w: %w", name, ErrStart, err)
		}
	}
	return fail.Engine(name, fmt.Errorf("%w: %w", ErrStart, err))
}

// A remote engine has this part of a connection; a renamed method would otherwise
// be missed by nobody but the reports.
var _ usi.Losable = (*ssh.Engine)(nil)

// Start starts a process of an engine, here or behind ssh, on the given CPUs (nil:
// any); they are of this machine, so one behind ssh is not bound. grace is how long Close waits for it to end by
// itself.
func (o *Opener) Start(p match.Player, cpus []int, grace time.Duration) (Process, error) {
	spec := process.Spec{Command: p.Command, Dir: p.Dir, Env: p.Env, CPUs: cpus, Grace: grace}
	if remote, ok := ssh.Parse(spec.Command); ok {
		spec.CPUs = nil // ssh is not what plays
		return ssh.Start(spec, remote, o.Guard)
	}
	return process.Start(spec, o.Guard)
}

// Names are those of the plan's engines, in the order of Plan.Engines.
func (o *Opener) Names() []string {
	engines := o.Plan.Engines()
	names := make([]string, len(engines))
	for i, p := range engines {
		names[i] = p.Name
	}
	return names
}

// GreetAll starts each engine of the plan once, one after the other, to learn its
// options; the greetings are in the order of Plan.Engines.
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
