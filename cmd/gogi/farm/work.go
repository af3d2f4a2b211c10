package farmcmd

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"gogi/cmd/gogi/cli"
	"gogi/cmd/gogi/session"
	"gogi/farm"
	"gogi/farm/coordinator/grants"
	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/farm/worker"
	"gogi/farm/worker/builder"
	"gogi/farm/worker/machine"
	"gogi/internal/fail"
	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/internal/version"
	"gogi/match"
	"gogi/match/control"
	"gogi/players"
	"gogi/runner"
	"gogi/runner/events"
	"gogi/usi"
	"gogi/usi/process"
)

// WorkCommand runs a worker, which plays games for a farm.
type WorkCommand struct {
	Creds       string        `required:"" env:"GOGI_FARM_CREDS" placeholder:"FILE" help:"Credentials file of the worker, from gogi farm key new."`
	URL         string        `name:"url" placeholder:"URL" help:"Address of the coordinator (default: from the credentials)."`
	Concurrency string        `default:"cpus" placeholder:"N" help:"Number of games at a time; cpus: the number of CPUs (default ${default})."`
	CPUs        string        `name:"cpus" placeholder:"LIST" help:"CPUs to which gogi binds the games: auto, or a list such as 2-7,10."`
	CoresSlot   int           `name:"cores-per-slot" default:"1" placeholder:"N" help:"With --cpus: number of cores for each thinking player (default ${default})."`
	Cache       string        `type:"path" placeholder:"DIR" help:"Folder for engines, networks and unsent results (default: in the user's cache)."`
	CacheMax    grants.Size   `default:"20GB" placeholder:"SIZE" help:"Maximum size of engines and networks in the cache (default ${default})."`
	Labels      []string      `placeholder:"K=V" help:"Labels of this machine that tests can require, in addition to os, arch, isa and cores."`
	Policy      string        `type:"existingfile" placeholder:"FILE" help:"Policy file (TOML): tests that this machine plays (default: all approved tests). Example: allow = [\"owner:NAME\", \"hash:SHA256\"]: the tests of this owner, and tests that use only programs with these hashes."`
	Builds      string        `default:"sandbox" placeholder:"HOW" help:"Builds of engines from git commits. sandbox: in bubblewrap; user:NAME: also as this user if bubblewrap does not work here (the worker must run as root); off: none (default ${default})."`
	Mirrors     []string      `placeholder:"URL" help:"Mirror from which gogi first tries to download engines and networks. gogi appends the SHA-256 of the file to the URL: URL/SHA256."`
	NPSFile     string        `name:"nps-file" type:"existingfile" placeholder:"FILE" help:"File with the measured speed of this machine, from gogi farm bench --out. Without it the worker plays no tests that were submitted with gogi farm submit --scale-to."`
	BenchEngine string        `default:"builtin" placeholder:"CMD" help:"With --nps-file: reference engine for new measurements that the farm requests (default ${default})."`
	BenchTime   time.Duration `default:"20s" placeholder:"DUR" help:"Duration of each of the three rounds of a new measurement (default ${default})."`
	DrainAfter  time.Duration `placeholder:"DUR" help:"Time after which the worker finishes its games and ends."`
	Once        bool          `help:"End when the farm has no pair to play."`
	Updates     string        `placeholder:"KEY" help:"Public key with which the worker verifies a new gogi program before it installs it, or off (default: the key built into this program). Without a key an update ends the worker with exit code 5."`
	GiveUp      time.Duration `placeholder:"DUR" help:"Time without the coordinator after which the worker ends with exit code 6 (default: never)."`

	Session session.Flags `embed:""`
}

// Help returns the text below the usage line of --help.
func (*WorkCommand) Help() string {
	return `The worker writes results to its disk before it sends them, and keeps them until the coordinator
has stored them, also after a restart of either.

An interrupt (SIGINT) drains: the worker finishes its games and sends the results. A second
interrupt, or SIGTERM, ends it at once: it returns running pairs and keeps finished ones.

Exit codes: 0 drained, or ended by --once; 4 rejected because of the key or the version, or
--once without a finished pair because this machine cannot play the tests, do not restart; 5
the farm wants another version of gogi that the worker could not install (see --updates and
gogi farm release deploy --help), update and restart; 6 the coordinator was away for
--give-up; 130 ended at once; 1 any other failure.`
}

func wrong(format string, v ...any) error { return fail.Usage(fmt.Errorf(format, v...)) }

// Run plays games until a signal drains the worker (it finishes its games), or until the worker ends by
// itself.
func (c *WorkCommand) Run(ctx context.Context, env *cli.Env) error {
	config, creds, err := c.config(env)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(config.Dir, 0o700); err != nil {
		return err
	}
	next := ""
	err = c.Session.Run(ctx, env, session.Target{DB: filepath.Join(config.Dir, "session.db"), Run: creds.Name},
		func(ctx context.Context, s *session.Session) (err error) {
			next, err = c.work(ctx, s, config, creds)
			return err
		})
	if next == "" || err != nil {
		return err
	}
	config.Log.Info("the worker becomes another program", "file", next)
	return &cli.Exit{Code: worker.ExitUpdate, Err: become(next)}
}

// work plays for the farm in a session. It returns next, the path of the program that replaces this process,
// or "".
func (c *WorkCommand) work(ctx context.Context, s *session.Session, config worker.Config,
	creds keys.Creds) (next string, err error) {
	transport, err := nats.Dial(creds)
	if err != nil {
		return "", err
	}
	defer transport.Close() //nolint:errcheck // all messages are sent
	config.Measures = c.measures(config)
	for {
		w := &working{WorkCommand: c, config: config, transport: transport, session: s}
		if err = w.run(ctx, s.Guard); err != nil || ctx.Err() != nil || !w.measure {
			if ctx.Err() == nil {
				next = w.next
			}
			return next, err
		}
		if config.NPS, err = c.measured(ctx, s.Guard, config); err != nil {
			return "", err
		}
		config.Log.Info("the machine was measured again", "nodes a second", config.NPS)
		// only once in a process, so that a machine with a wrong result does not measure again and again
		config.Measures = false
	}
}

// config returns the worker's configuration from the flags, and the credentials.
func (c *WorkCommand) config(env *cli.Env) (worker.Config, keys.Creds, error) {
	creds, err := keys.ReadCreds(c.Creds)
	if err != nil {
		return worker.Config{}, creds, fail.Usage(err)
	}
	if c.URL != "" {
		creds.URL = c.URL
	}
	w := worker.Config{
		Hello: farm.Hello{Version: version.Own().String()},
		Name:  creds.Name, Coordinator: creds.CoordinatorKey(), Load: load, Log: Logger(env, c.Session.Quiet),
		GiveUp: c.GiveUp, Once: c.Once,
	}
	if _, err := maintainersOf(c.Updates); err != nil {
		return w, creds, fail.Usage(err)
	}
	if w.Program, err = machine.Own(); err != nil {
		return w, creds, err
	}
	if w.Sign, err = creds.Sign(); err != nil {
		return w, creds, err
	}
	if w.Slots, err = c.slots(); err != nil {
		return w, creds, err
	}
	if w.Policy, err = readPolicy(c.Policy); err != nil {
		return w, creds, fail.Usage(err)
	}
	if c.NPSFile != "" {
		if w.NPS, w.Reference, err = readNPS("--nps-file", c.NPSFile); err != nil {
			return w, creds, err
		}
	}
	if w.Labels, err = c.labels(); err != nil {
		return w, creds, err
	}
	w.Dir, err = c.dir(creds)
	return w, creds, err
}

func (c *WorkCommand) slots() (int, error) {
	if c.Concurrency == "cpus" {
		return runtime.NumCPU(), nil
	}
	n, err := strconv.Atoi(c.Concurrency)
	if err != nil || n < 1 || n > farm.MaxSlots {
		return 0, wrong("--concurrency %s: expected a number from 1 to %d, or cpus", c.Concurrency, farm.MaxSlots)
	}
	return n, nil
}

// labels returns the labels that gogi finds on this machine, and the labels of the flags.
func (c *WorkCommand) labels() (map[string]string, error) {
	here, err := players.Surroundings()
	if err != nil {
		return nil, err
	}
	all := map[string]string{"os": here.OS, "arch": here.Arch, "cores": strconv.Itoa(here.NumCPU)}
	if len(here.ISAs) > 0 {
		all["isa"], all["isas"] = here.ISAs[0], strings.Join(here.ISAs, ",")
	}
	given, err := labels(c.Labels)
	maps.Copy(all, given)
	return all, err
}

// dir returns the folder of this worker. Each key of each farm has a folder of its own, because the unsent results
// in it belong to this key.
func (c *WorkCommand) dir(creds keys.Creds) (string, error) {
	root := c.Cache
	if root == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", wrong("--cache: %w", err)
		}
		root = filepath.Join(cache, "gogi", "farm")
	}
	sign, _, err := keys.Sign(creds.Seed)
	if err != nil || sign == nil {
		return "", err
	}
	return filepath.Abs(filepath.Join(root, creds.Name+"-"+strings.ToLower(creds.Coordinator[1:9])))
}

// readPolicy reads a machine's policy. Without a file the policy is "any-approved".
func readPolicy(file string) (worker.Policy, error) {
	var rules struct {
		Allow []string `toml:"allow"`
	}
	if file == "" {
		return worker.NewPolicy(nil)
	}
	meta, err := toml.DecodeFile(file, &rules)
	if err != nil {
		return worker.Policy{}, fmt.Errorf("%s: %w", file, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 || len(rules.Allow) == 0 {
		return worker.Policy{}, fmt.Errorf("%s: expected allow = [\"…\"] and nothing else", file)
	}
	return worker.NewPolicy(rules.Allow)
}

// load returns the number of processes that wait for a CPU, divided by the number of CPUs. It returns 0 if
// the number is unknown.
func load() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	n, _ := strconv.ParseFloat(first, 64)
	return n / float64(runtime.NumCPU())
}

// working is the state of the process of a worker.
type working struct {
	*WorkCommand
	config    worker.Config
	transport farm.Transport
	session   *session.Session
	machine   *machine.Machine
	measure   bool   // the machine must be measured before it joins again
	next      string // the program that replaces this process, or "" if there is none
}

func (w *working) run(ctx context.Context, guard *process.Guard) (err error) {
	box, err := builder.NewSandbox(ctx, w.Builds, guard)
	if err != nil {
		return wrong("--builds %w", err)
	}
	if w.config.Labels["builds"] = box.Kind; box.Why != "" {
		w.config.Log.Info("this machine builds no engines from git commits", "why", box.Why)
	}
	w.machine, err = machine.Open(machine.Config{
		Sandbox: box,
		Dir:     w.config.Dir, CacheMax: int64(w.CacheMax), Mirrors: w.Mirrors, Transport: w.transport, Guard: guard,
		Slots: w.config.Slots, Log: w.config.Log,
	})
	if err != nil {
		return err
	}
	w.config.Ready, w.config.Benches, w.config.Cached = w.machine.Ready, w.machine.Benches, w.machine.Artefacts
	bound, err := w.bind()
	if err != nil {
		return err
	}
	var joined *worker.Worker
	w.config.Show = func(plan *match.Plan, hub *events.Hub, send func(match.Event)) {
		if err := w.show(ctx, joined, plan, hub, send); err != nil {
			w.config.Log.Warn("a run is not on the pages", "run", plan.Run, "why", err)
		}
	}
	if joined, err = worker.Join(ctx, w.transport, w.config); err != nil {
		return exitOf(err)
	}
	w.config.Log.Info("joined the farm", "worker", w.config.Name, "slots", w.config.Slots)
	defer session.LimitThreads(w.config.Slots, w.session.HTTP != "")()
	var own process.Self
	defer own.Close()
	played := w.play(ctx, joined, runner.Config{
		OpenFor: w.machine.OpenFor, Waits: own.MaxSchedDelay, CPUs: bound.Sets(), StartParallel: match.DefaultStartParallel,
	})
	return errors.Join(played, w.machine.Close())
}

// show adds a run of this worker to the pages. Each process of the worker makes a new database for the pages. send
// adds an event to the hub.
func (w *working) show(ctx context.Context, joined *worker.Worker, plan *match.Plan, hub *events.Hub,
	send func(match.Event)) error {
	if s := w.session; s.Store == nil {
		for _, part := range []string{"", "-wal", "-shm"} {
			_ = os.Remove(s.DB + part) // the database of an earlier process may still exist
		}
		if err := s.Open(ctx, false); err != nil {
			return err
		}
	}
	return w.session.Show(ctx, plan, hub, func(_ context.Context, c control.Command) error {
		if c.Do != control.Drain {
			return fmt.Errorf("a worker accepts only drain: the farm decides about %s", c.Do)
		}
		go joined.Drain() // drains all runs, because a slot belongs to no run
		return nil
	}, send)
}

// bind assigns the machine's CPUs to the slots, the same number to each. It returns nil without --cpus.
func (w *working) bind() (*players.Binding, error) {
	if w.CPUs == "" || w.CPUs == "off" {
		return nil, nil
	}
	slots := &match.Plan{CPUs: w.CPUs, CoresPerSlot: w.CoresSlot, Concurrency: w.config.Slots,
		Players: []match.Player{{Name: "a slot", Builtin: true}}}
	bound, err := players.Bind(slots, []usi.Greeting{{}})
	for _, warning := range bound.Warned() {
		w.config.Log.Warn(warning.String())
	}
	return bound, err
}

// closeTime is the time for which an ending worker tries to send its results and to return its pairs.
// interruptedCloseTime is the same time after an interrupt. Unsent results stay in the outbox. Pairs that were not
// returned become free when their leases expire.
const (
	closeTime            = time.Minute
	interruptedCloseTime = 5 * time.Second
)

// play plays the farm's games until the worker ends, and closes the worker's connection.
func (w *working) play(ctx context.Context, joined *worker.Worker, c runner.Config) error {
	w.session.Playing(func() i18n.Message { joined.Drain(); return i18n.Of("the pairs in play") })
	if w.DrainAfter > 0 {
		timer := time.AfterFunc(w.DrainAfter, joined.Drain)
		defer timer.Stop()
	}
	err := joined.Play(ctx, c)
	w.session.Playing(nil)
	status := joined.Status()
	wait := closeTime
	if ctx.Err() != nil {
		wait = interruptedCloseTime
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), wait)
	defer cancel()
	closed := joined.Close(last)
	left := joined.Status().Outbox
	switch end := joined.Ended(); {
	case end != nil && end.Measure && ctx.Err() == nil:
		w.measure = true
		return closed
	case end != nil && end.Exit == worker.ExitUpdate && end.Release != nil && ctx.Err() == nil:
		return errors.Join(w.renew(ctx, end), closed)
	case end != nil:
		return errors.Join(exitOf(end), closed)
	case ctx.Err() != nil:
		return errors.Join(cli.ErrInterrupted, closed)
	case err != nil || closed != nil:
		return errors.Join(err, closed)
	}
	w.config.Log.Info("the worker has ended", "left in the outbox", left)
	return w.idle(status)
}

// measures reports whether gogi can measure this machine again. The reference engine must be the engine of
// --nps-file.
func (c *WorkCommand) measures(w worker.Config) bool {
	if c.NPSFile == "" {
		return false
	}
	p, err := (&BenchCommand{Engine: c.BenchEngine, Nodes: benchNodes}).player()
	if err != nil || p.Identity.Reference() != w.Reference {
		w.Log.Warn("this machine cannot be measured again: --bench-engine is not the engine of --nps-file", "err", err)
		return false
	}
	return true
}

// measured measures this machine with all its slots and writes the result to --nps-file. It returns the nodes per
// second of a slot.
func (c *WorkCommand) measured(ctx context.Context, guard *process.Guard, w worker.Config) (float64, error) {
	bench := &BenchCommand{Engine: c.BenchEngine, Concurrency: cli.Positive(w.Slots), Time: c.BenchTime, Nodes: benchNodes,
		Out: c.NPSFile}
	out, err := bench.measure(ctx, guard)
	if ctx.Err() != nil {
		return 0, cli.ErrInterrupted
	}
	if err == nil && out.Identity != w.Reference {
		err = fmt.Errorf("--bench-engine is %s now, and --nps-file was written with %s", out.Identity, w.Reference)
	}
	if err == nil {
		err = bench.write(out)
	}
	if err != nil {
		return 0, fmt.Errorf("measuring this machine again: %w", err)
	}
	return out.NPS, nil
}

// renew downloads the program that the farm wants, and stores its path in w.next. After a failure the error has the
// exit code worker.ExitUpdate, except after an interrupt.
func (w *working) renew(ctx context.Context, end *worker.End) error {
	file, err := w.renewed(ctx, end)
	if ctx.Err() != nil {
		return errors.Join(cli.ErrInterrupted, err)
	}
	if err != nil {
		return &cli.Exit{Code: worker.ExitUpdate, Err: fmt.Errorf("%s: SHA-256 %s: %w", end.Why, end.Update, err)}
	}
	w.next = file
	return nil
}

// idle returns an error if a worker with --once has finished no pair and cannot play some tests. It names all of them.
func (w *working) idle(s worker.Status) error {
	if !w.Once || s.Played > 0 || len(s.Refused) == 0 {
		return nil
	}
	list := lists.Map(slices.Sorted(maps.Keys(s.Refused)), func(run string) string { return run + ": " + s.Refused[run] })
	return &cli.Exit{Code: worker.ExitRefused, Err: fmt.Errorf("this machine cannot play %s", strings.Join(list, "; "))}
}

// exitOf converts the error of a worker that ended by itself to an error with the worker's exit code. It returns
// other errors unchanged.
func exitOf(err error) error {
	end, ok := errors.AsType[*worker.End](err)
	if !ok {
		return err
	}
	why := end.Why
	if end.Update != "" {
		why += ": SHA-256 " + end.Update
	}
	return &cli.Exit{Code: end.Exit, Err: errors.New(why)}
}
