package worker

import (
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gogi/farm"
	"gogi/internal/disk"
	"gogi/match"
	"gogi/runner"
	"gogi/runner/events"
)

// Config is what a worker is.
type Config struct {
	Name        string            // of its key
	Sign        farm.Signer       // by its key
	Coordinator ed25519.PublicKey // who signs what is to be played
	Dir         string            // its outbox and its count of starts; of one process at a time
	Version     string            // of the program
	Program     string            // see farm.Hello
	Slots       int
	Labels      map[string]string // see farm.Hello
	NPS         float64           // see farm.Hello; 0: not measured
	Reference   string            // see farm.Hello
	Policy      Policy
	// Ready makes a plan one that can be played here: what it needs is fetched, its paths
	// are this machine's. The digest stays. release, called when the run is no longer
	// wanted, may be nil. Where the plan's clocks are scaled, it is given the plan as it is
	// played here, see match.Plan.Scaled. An error of farm.ErrAway is tried again; any other refuses the
	// run for a while.
	Ready func(ctx context.Context, plan *match.Plan) (ready *match.Plan, release func(), err error)
	// Artefacts are the hashes of what is here, the most useful first. May be nil.
	Artefacts func() []string
	Load      func() float64 // of the machine, a CPU; may be nil
	// Show is called with each run that is played here and with its hub, which closes when the
	// run is over here; send adds an event. It must not call the worker. May be nil.
	Show func(plan *match.Plan, hub *events.Hub, send func(match.Event))
	Log  *slog.Logger

	OutboxMax int64         // bytes; 0: 1 GB
	BatchWait time.Duration // how long a result waits for others to go with it; 0: 5 s
	// Measures says that whoever runs the worker measures the machine when it is told to: then
	// that ends the session, see End.Measure.
	Measures bool
	GiveUp   time.Duration // how long the coordinator may be away; 0: for ever
	Once     bool          // end when there is nothing to play
}

// The defaults of Config.
const (
	defaultOutboxMax = 1 << 30
	defaultBatchWait = 5 * time.Second
)

// The exit codes of a process whose worker has ended by itself.
const (
	ExitRefused     = 4 // by the coordinator: the same will happen again
	ExitUpdate      = 5 // another version of the program is wanted
	ExitUnreachable = 6 // for Config.GiveUp
)

// End is why a worker has ended other than by being asked to here. It is an error.
type End struct {
	Exit   int
	Why    string
	Update string // SHA-256 of the program that is wanted, with ExitUpdate; "": nobody says which
	// Release is that program as the coordinator has it; whoever runs it checks who signed it.
	Release *farm.Release
	// Measure says that the machine is to be measured, and joined anew; Exit is 0.
	Measure bool
}

// Error is the reason.
func (e *End) Error() string { return e.Why }

// Worker is one session of a machine. Its methods may be called by many goroutines.
type Worker struct {
	config    Config
	transport farm.Transport
	outbox    *Outbox
	lock      *os.File
	session   string
	start     uint64

	ctx     context.Context //nolint:containedctx // ends with the session: its loops' own
	cancel  context.CancelFunc
	loops   sync.WaitGroup
	beatNow chan struct{} // of 1
	sendNow chan struct{} // of 1

	mu         sync.Mutex
	changed    chan struct{} // closed, and made anew, at every change that somebody may wait for
	welcome    farm.HelloReply
	joined     bool // the coordinator knows the session
	heard      time.Time
	beats      uint64
	draining   bool
	ended      *End
	leaving    bool          // whoever runs it wants it to end, for good
	leave      chan struct{} // closed with leaving
	leases     map[leaseKey]*lease
	byLease    map[<-chan struct{}]*lease // those that are played, by runner.Lease.Revoked
	waiting    []*lease                   // in the order of their grants
	back       []farm.Back
	tasks      map[string]*task // by digest
	watched    map[string]bool
	idle       bool // the latest answer granted nothing
	hinted     bool // that there is work
	streamFull bool
	measureSay bool           // it was told that the machine is to be measured
	telling    sync.WaitGroup // who forwards the runs' events
	pace       pace
	stops      []func() // of what is listened to

	// Of Play.
	playCtx context.Context //nolint:containedctx // what plays beside the runner ends with it
	open    func(plan *match.Plan) runner.Opener
}

// lease is a pair that is ours.
type lease struct {
	farm.Held
	options [2][]match.Option // of a tune
	task    *task
	revoked chan struct{}
	began   time.Time // zero: it waits
}

// Join begins a session: it opens the outbox and says hello until it is answered, ctx
// ends, or Config.GiveUp is over. An *End says that the coordinator does not want it.
// After an error nothing is left open.
func Join(ctx context.Context, t farm.Transport, c Config) (_ *Worker, err error) {
	if c.Slots < 1 || c.Slots > farm.MaxSlots {
		return nil, fmt.Errorf("worker: %d slots: expected 1 to %d", c.Slots, farm.MaxSlots)
	}
	c.OutboxMax, c.BatchWait = cmp.Or(c.OutboxMax, defaultOutboxMax), cmp.Or(c.BatchWait, defaultBatchWait)
	w := &Worker{
		config: c, transport: t, beatNow: make(chan struct{}, 1), sendNow: make(chan struct{}, 1), changed: make(chan struct{}),
		leases: map[leaseKey]*lease{}, byLease: map[<-chan struct{}]*lease{}, tasks: map[string]*task{}, watched: map[string]bool{},
		heard: time.Now(), leave: make(chan struct{}),
	}
	w.ctx, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
	defer func() {
		if err != nil {
			w.cancel()
			err = errors.Join(err, w.closeFiles())
		}
	}()
	if err := w.openFiles(); err != nil {
		return nil, fmt.Errorf("worker: %w", err)
	}
	if err := w.hello(ctx); err != nil {
		return nil, err
	}
	if err := w.listen(); err != nil {
		return nil, fmt.Errorf("worker: %w", err)
	}
	w.loops.Go(w.beatLoop)
	w.loops.Go(w.askLoop)
	w.loops.Go(w.publishLoop)
	return w, nil
}

// openFiles locks the directory, counts this start, and opens the outbox.
func (w *Worker) openFiles() error {
	if err := os.MkdirAll(w.config.Dir, 0o700); err != nil {
		return err
	}
	var err error
	if w.lock, err = os.OpenFile(filepath.Join(w.config.Dir, "start"), os.O_RDWR|os.O_CREATE, 0o600); err != nil {
		return err
	}
	if err := disk.LockFile(w.lock); err != nil {
		return fmt.Errorf("%s is another worker's that is running: %w", w.config.Dir, err)
	}
	if w.start, err = countStart(w.lock); err != nil {
		return fmt.Errorf("%s: %w", w.lock.Name(), err)
	}
	var session [8]byte
	if _, err := rand.Read(session[:]); err != nil {
		return err
	}
	w.session = hex.EncodeToString(session[:])
	var dropped int64
	w.outbox, dropped, err = OpenOutbox(filepath.Join(w.config.Dir, "outbox"), w.config.OutboxMax)
	if dropped > 0 {
		w.config.Log.Warn("the end of the outbox was not written whole; those pairs are played again", "bytes", dropped)
	}
	return err
}

// countStart replaces the number in a file by a greater one: the clock's milliseconds,
// so that of two machines with one key the one started later wins, too.
func countStart(f *os.File) (uint64, error) {
	text := make([]byte, 32)
	n, _ := f.ReadAt(text, 0) // a short one is the rule
	last, err := strconv.ParseUint(strings.TrimSpace(string(text[:n])), 10, 64)
	if err != nil && n > 0 {
		return 0, fmt.Errorf("it has no number: %w", err)
	}
	next := max(last+1, uint64(max(time.Now().UnixMilli(), 0)))
	if _, err := f.WriteAt(fmt.Appendf(nil, "%d\n", next), 0); err != nil {
		return 0, err
	}
	return next, f.Sync()
}

func (w *Worker) closeFiles() error {
	var failed error
	if w.outbox != nil {
		failed = w.outbox.Close()
	}
	if w.lock != nil {
		failed = errors.Join(failed, disk.CloseLocked(w.lock))
	}
	return failed
}

// listen hears the coordinator's hints.
func (w *Worker) listen() error {
	for _, subject := range []string{farm.SubjectWorker + w.config.Name, farm.SubjectAll} {
		stop, err := w.transport.Listen(subject, w.hint)
		if err != nil {
			return err
		}
		w.stops = append(w.stops, stop)
	}
	return nil
}

// hint is a word that may be wrong or old, so it only makes us ask or beat sooner; but
// what is over is dropped at once.
func (w *Worker) hint(body []byte) {
	var h farm.Hint
	if farm.Decode(body, &h) != nil {
		return
	}
	w.mu.Lock()
	w.over(h.Over)
	w.hinted = w.hinted || h.Ask
	w.wake()
	w.mu.Unlock()
	if h.Say != "" || len(h.Paused) > 0 {
		poke(w.beatNow)
	}
}

// wake tells whoever waits for a change; mu is held.
func (w *Worker) wake() {
	close(w.changed)
	w.changed = make(chan struct{})
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Drain takes no more pairs, and gives back those that wait. Those in play go on.
func (w *Worker) Drain() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.leaving {
		w.leaving = true
		close(w.leave)
	}
	w.drain("the worker is being drained")
}

// drain is Drain; mu is held.
func (w *Worker) drain(why string) {
	if w.draining {
		return
	}
	w.draining = true
	for _, l := range slices.Clone(w.waiting) {
		w.giveBack(l, why, false)
	}
	w.wake()
	poke(w.beatNow)
}

// end ends the worker by itself: nothing more is taken; cut: nor finished. mu is held.
func (w *Worker) end(e *End, cut bool) {
	if w.ended == nil {
		w.ended = e
		w.config.Log.Warn("the worker ends", "why", e.Why, "exit", e.Exit)
	}
	w.drain(e.Why)
	if cut {
		for _, l := range w.leases {
			w.revoke(l)
		}
	}
}

// Ended is why the worker has ended by itself, nil where it has not. What would have it
// begin anew is none where it was drained: that is for good.
func (w *Worker) Ended() *End {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.leaving && w.ended != nil && (w.ended.Measure || w.ended.Exit == ExitUpdate) {
		return nil
	}
	return w.ended
}

// Close ends the session. Until ctx ends it sends what the outbox has, tells the
// coordinator what is given back, and waits to hear that the results are stored. What
// is left then stays in the outbox for the next session: its error is only that of
// files. Play must have returned.
func (w *Worker) Close(ctx context.Context) error {
	w.mu.Lock()
	w.drain("the worker ends")
	w.mu.Unlock()
	for _, stop := range w.stops {
		stop()
	}
	w.cancel()
	w.loops.Wait()
	switch e := w.Ended(); {
	case e == nil || e.Measure || e.Exit == ExitUpdate:
		w.farewell(ctx)
	case e.Exit == ExitUnreachable:
		w.config.Log.Warn("what is in the outbox stays there for the next start")
	}
	for _, t := range w.tasks {
		t.close()
	}
	w.telling.Wait()
	return w.closeFiles()
}

// farewells is how often the last beat is heard, while results are not stored yet.
const farewells = 3

func (w *Worker) farewell(ctx context.Context) {
	for heard, failed := 0, 0; ; {
		err := w.publishAll(ctx)
		if err == nil {
			err = w.beat(ctx)
		}
		_, refused := errors.AsType[*End](err)
		items, _ := w.outbox.Left()
		pause := w.interval()
		if err == nil {
			heard++
		} else {
			failed++
			pause = backoff(failed)
		}
		if refused || err == nil && (items == 0 || heard == farewells) {
			return
		}
		if wait(ctx, pause) != nil {
			w.config.Log.Warn("the coordinator did not hear the end: what was held is free when its lease is over", "left in the outbox", items, "err", err)
			return
		}
	}
}

// Play plays what is granted in as many slots as Config says, until the worker drains or
// has ended, or ctx ends. Of c, the source, the sink, the number of slots and what a pair
// that cannot be played means are the worker's.
func (w *Worker) Play(ctx context.Context, c runner.Config) error {
	c.Plan, c.Source, c.Sink, c.Concurrency, c.OnlyReturn, c.Ending = nil, w, w, w.config.Slots, true, w.leave
	w.mu.Lock()
	w.playCtx, w.open = ctx, c.OpenFor
	if w.open == nil {
		w.open = func(*match.Plan) runner.Opener { return c.Open }
	}
	w.mu.Unlock()
	defer context.AfterFunc(ctx, w.Drain)() // what is given back is not asked for again
	return runner.Run(ctx, c)
}

// Status is what a worker has and does.
type Status struct {
	Joined      bool              // the coordinator knows the session
	Heard       time.Time         // when the coordinator was last heard
	Playing     int               // pairs
	Waiting     int               // pairs
	Outbox      int               // items that are not known to be stored
	OutboxBytes int64             // of its files
	Draining    bool              //
	Refused     map[string]string // runs that are not played here, and why
}

// Status is how it stands now.
func (w *Worker) Status() Status {
	items, bytes := w.outbox.Left()
	w.mu.Lock()
	defer w.mu.Unlock()
	s := Status{
		Joined: w.joined, Heard: w.heard, Playing: len(w.byLease), Waiting: len(w.waiting), Outbox: items, OutboxBytes: bytes,
		Draining: w.draining, Refused: map[string]string{},
	}
	for run, t := range w.tasks {
		if t.refused != nil {
			s.Refused[run] = t.refused.Error()
		}
	}
	return s
}

// wait waits, or says why ctx ended.
func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
