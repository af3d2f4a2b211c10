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

// A Config is the configuration of a worker. In Hello the caller sets the fields Version, Slots, Labels, NPS,
// Reference and Program, and the worker sets the other fields.
type Config struct {
	farm.Hello

	Name        string            // the name of its key
	Sign        farm.Signer       // signs with its key
	Coordinator ed25519.PublicKey // the key that signs tasks
	Dir         string            // for the outbox and the count of starts; used by one process at a time
	Policy      Policy
	// Ready prepares a plan for this machine: it fetches the files and returns the plan with this machine's paths and
	// the same digest. Its argument has scaled clocks, see match.Plan.Scaled. The worker calls release after the end of
	// the run; release may be nil. After farm.ErrAway the worker calls Ready again. After any other error it refuses the
	// run for a while.
	Ready func(ctx context.Context, plan *match.Plan) (ready *match.Plan, release func(), err error)
	// Benches returns the benches of the engines that Ready has built for a plan. It may be nil.
	Benches func(plan *match.Plan) []farm.Bench
	// Cached returns the hashes of the artefacts on this machine, the most useful first. Cached may be nil.
	Cached func() []string
	Load   func() float64 // the machine's load for each CPU. It may be nil.
	// Show is called with each run that is played here and with the run's hub. The hub closes at the run's end
	// on this machine. send adds an event to the hub. Show must not call the worker. Show may be nil.
	Show func(plan *match.Plan, hub *events.Hub, send func(match.Event))
	Log  *slog.Logger

	OutboxMax int64         // maximum size of the outbox in bytes; 0 means 1 GB
	BatchWait time.Duration // how long a result waits for other results of the same message. 0 means 5 s.
	// Measures means that the caller can measure the speed of the machine. A request of the coordinator to
	// measure then ends the session, see End.Measure.
	Measures bool
	GiveUp   time.Duration // how long the coordinator may be away. 0 means without limit.
	Once     bool          // end if there is nothing to play
}

// These are the defaults of Config.
const (
	defaultOutboxMax = 1 << 30
	defaultBatchWait = 5 * time.Second
)

// These are the exit codes of a process whose worker has ended by itself.
const (
	ExitRefused     = 4 // the coordinator has rejected the worker, and would reject it again
	ExitUpdate      = 5 // another version of the program is wanted
	ExitUnreachable = 6 // the coordinator was away for Config.GiveUp
)

// An End is the reason why a worker has ended by itself, without a signal or a call of Drain. It implements
// error.
type End struct {
	Exit   int
	Why    string
	Update string // SHA-256 of the wanted program, with ExitUpdate, or "" if it is unknown
	// Release is the wanted program. The caller must check its signature.
	Release *farm.Release
	// Measure means that the caller measures the machine and then joins again; Exit is 0.
	Measure bool
}

// Error returns the reason why the worker ended, Why.
func (e *End) Error() string { return e.Why }

// A Worker is the session of one machine at a coordinator. Its methods are safe for concurrent use.
type Worker struct {
	config    Config
	transport farm.Transport
	outbox    *Outbox
	lock      *os.File
	session   string
	start     uint64

	ctx     context.Context //nolint:containedctx // the context of the loops; it ends with the session
	cancel  context.CancelFunc
	loops   sync.WaitGroup
	beatNow chan struct{} // requests an early heartbeat; capacity 1
	sendNow chan struct{} // requests an early message; capacity 1

	mu         sync.Mutex
	changed    chan struct{} // closed and replaced at every change of the state.
	welcome    farm.HelloReply
	joined     bool // the coordinator knows the session.
	heard      time.Time
	beats      uint64
	draining   bool
	ended      *End
	leaving    bool          // Drain was called, so the worker ends for good
	leave      chan struct{} // closed when leaving is set
	leases     map[leaseKey]*lease
	byLease    map[<-chan struct{}]*lease // the leases in play, by runner.Lease.Revoked
	waiting    []*lease                   // in the order of their grants
	back       []farm.Back
	tasks      map[string]*task // tasks by digest
	watched    map[string]bool
	idle       bool // the latest answer granted nothing
	listed     bool // the coordinator has answered a heartbeat, so it knows the leases of this session.
	hinted     bool // a hint has reported that pairs are available
	streamFull bool
	measureSay bool           // the coordinator has requested a measurement of the speed
	forwarding sync.WaitGroup // the goroutines that forward events
	pace       pace
	played     int      // pairs that were finished and written to the outbox
	stops      []func() // functions that end the subscriptions

	// playCtx and the fields after it are set by Play.
	playCtx context.Context //nolint:containedctx // the context of the starts in forfeits
	open    func(plan *match.Plan) runner.Opener
}

// A lease is a pair that the coordinator has granted to this worker.
type lease struct {
	farm.Held
	options [2][]match.Option // options of the two players in a tune
	task    *task
	revoked chan struct{}
	began   time.Time // start of the play; zero while the pair waits
}

// Join begins a session. It opens the outbox and sends a Hello until the coordinator answers, ctx ends, or
// Config.GiveUp is over. If the coordinator rejects the worker, the error is an *End. After an error no file is open.
func Join(ctx context.Context, t farm.Transport, c Config) (_ *Worker, err error) {
	if c.Slots < 1 || c.Slots > farm.MaxSlots {
		return nil, fmt.Errorf("worker: %d slots: expected 1 to %d", c.Slots, farm.MaxSlots)
	}
	c.OutboxMax, c.BatchWait = cmp.Or(c.OutboxMax, defaultOutboxMax), cmp.Or(c.BatchWait, defaultBatchWait)
	w := &Worker{
		config: c, transport: t, beatNow: make(chan struct{}, 1), sendNow: make(chan struct{}, 1),
		changed: make(chan struct{}),
		leases:  map[leaseKey]*lease{}, byLease: map[<-chan struct{}]*lease{}, tasks: map[string]*task{},
		watched: map[string]bool{},
		heard:   time.Now(), leave: make(chan struct{}),
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
	if err := (dialogue{w}).hello(ctx); err != nil {
		return nil, err
	}
	if err := w.listen(); err != nil {
		return nil, fmt.Errorf("worker: %w", err)
	}
	// The first heartbeat comes before the first Ask, so that the pairs of an earlier process of this key are
	// free. That process may have crashed.
	if err := (dialogue{w}).beat(ctx); err != nil {
		w.config.Log.Warn("the first heartbeat was not answered", "err", err)
	}
	w.loops.Go(dialogue{w}.beatLoop)
	w.loops.Go(dialogue{w}.askLoop)
	w.loops.Go(dialogue{w}.publishLoop)
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
		if errors.Is(err, disk.ErrLocked) {
			err = errors.New("another worker of this key uses this folder; end that worker, or start this one with another key (--creds)")
		}
		return fmt.Errorf("%s: %w", w.config.Dir, err)
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
		w.config.Log.Warn("the end of the outbox is incomplete; its pairs are played again", "bytes", dropped)
	}
	return err
}

// countStart writes a number into a file that is larger than the number there, and returns it. If possible the
// number is the clock's time in milliseconds. So if two machines use one key, the coordinator rejects the machine
// that started earlier.
func countStart(f *os.File) (uint64, error) {
	text := make([]byte, 32)
	n, _ := f.ReadAt(text, 0) // the file is shorter
	last, err := strconv.ParseUint(strings.TrimSpace(string(text[:n])), 10, 64)
	if err != nil && n > 0 {
		return 0, fmt.Errorf("the file has no number: %w", err)
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

// listen subscribes to the coordinator's hints.
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

// hint handles a hint, which may be wrong or old. It revokes the leases of ended runs. Any other hint only
// makes the worker send its next Ask or heartbeat early.
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

// wake wakes all goroutines that wait for a change. The caller holds w.mu.
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

// Drain makes the worker request no more pairs, and give back the granted pairs that it has not started. The
// worker finishes the pairs in play.
func (w *Worker) Drain() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.leaving {
		w.leaving = true
		close(w.leave)
	}
	w.drain("the worker is being drained")
}

// drain stops requesting pairs and gives back the waiting pairs, as Drain does, but does not set leaving. The
// caller holds w.mu.
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

// end makes the worker accept no more pairs, and stores e as the reason, unless there is an earlier reason. If cut
// is true, end also revokes the pairs in play. The caller holds w.mu.
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

// Ended returns the reason why the worker has ended by itself, or nil. After a call of Drain it also returns
// nil if the reason was a measurement or an update, after which the program would start the worker again.
func (w *Worker) Ended() *End {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.leaving && w.ended != nil && (w.ended.Measure || w.ended.Exit == ExitUpdate) {
		return nil
	}
	return w.ended
}

// Close ends the session. Until ctx ends it sends the outbox and the returned pairs, and waits for the
// confirmation that the results are stored. Results that are not confirmed stay in the outbox for the next
// session. Close returns only file errors. Play must have returned.
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
	w.forwarding.Wait()
	return w.closeFiles()
}

// farewells is the maximum number of heartbeats with which Close asks whether the results are stored.
const farewells = 3

func (w *Worker) farewell(ctx context.Context) {
	for heard, failed := 0, 0; ; {
		err := dialogue{w}.publishAll(ctx)
		if err == nil {
			err = dialogue{w}.beat(ctx)
		}
		_, refused := errors.AsType[*End](err)
		items, _ := w.outbox.Left()
		pause := dialogue{w}.interval()
		if err == nil {
			heard++
		} else {
			failed++
			pause = farm.Backoff(failed)
		}
		if refused || err == nil && (items == 0 || heard == farewells) {
			return
		}
		if farm.Wait(ctx, pause) != nil {
			w.config.Log.Warn("the coordinator did not get the last heartbeat: unfinished leases are free when they expire",
				"left in the outbox", items, "err", err)
			return
		}
	}
}

// Play plays the granted pairs in Config.Slots slots until the worker drains or has ended, or ctx ends. It
// sets the fields of c that the worker controls: plan, source, sink, concurrency, and the handling of
// unplayable pairs.
func (w *Worker) Play(ctx context.Context, c runner.Config) error {
	c.Plan, c.Source, c.Sink, c.Concurrency, c.OnlyReturn, c.Ending = nil, w, w, w.config.Slots, true, w.leave
	w.mu.Lock()
	w.playCtx, w.open = ctx, c.OpenFor
	if w.open == nil {
		w.open = func(*match.Plan) runner.Opener { return c.Open }
	}
	w.mu.Unlock()
	defer context.AfterFunc(ctx, w.Drain)() // so that the worker does not request the returned pairs again
	return runner.Run(ctx, c)
}

// A Status is the current state of a worker.
type Status struct {
	Joined      bool      // the coordinator knows the session
	Heard       time.Time // when the coordinator answered last
	Playing     int       // number of pairs in play
	Waiting     int       // number of granted pairs that wait for a slot
	Outbox      int       // number of items not yet confirmed as stored
	OutboxBytes int64     // size of the outbox's files
	Draining    bool
	Played      int               // number of pairs that this session has finished
	Refused     map[string]string // runs that this machine does not play, by name, with the reason
}

// Status returns the current state.
func (w *Worker) Status() Status {
	items, bytes := w.outbox.Left()
	w.mu.Lock()
	defer w.mu.Unlock()
	s := Status{
		Joined: w.joined, Heard: w.heard, Playing: len(w.byLease), Waiting: len(w.waiting), Outbox: items, OutboxBytes: bytes,
		Draining: w.draining, Played: w.played, Refused: map[string]string{},
	}
	for _, t := range w.tasks {
		if t.refused != nil {
			s.Refused[t.name] = t.refused.Error()
		}
	}
	return s
}
