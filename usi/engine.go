package usi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gogi/internal/sanitize"
)

// Config has the settings of an Engine.
type Config struct {
	Name   string // for errors and notes
	Limits Limits
	Tap    Tap // receives every line; nil: no Tap
}

// Limits has the longest times that an Engine waits for each answer, except for the search itself. A zero
// field means the default.
type Limits struct {
	Greeting time.Duration // usi → usiok, default 1 min
	Ready    time.Duration // isready → readyok, default 10 min, because engines load and compile networks then
	Write    time.Duration // until the engine reads a command, default 2 s
	// stop → bestmove, default 500 ms; if the engine's clock runs, the deadline of its move replaces it
	Stop time.Duration
}

func (l Limits) withDefaults() Limits {
	set := func(d *time.Duration, def time.Duration) {
		*d = cmp.Or(*d, def)
	}
	set(&l.Greeting, time.Minute)
	set(&l.Ready, 10*time.Minute)
	set(&l.Write, 2*time.Second)
	set(&l.Stop, 500*time.Millisecond)
	return l
}

// Engine is the USI dialogue with one engine over a connection. It is a runner.Player. Only one goroutine at
// a time may call its methods, except Snapshot, Stopped and Blame, which are safe for concurrent use. After a
// *Fault every method except Close fails with the same fault.
type Engine struct {
	conn   Connection
	config Config
	limits Limits

	greeting Greeting
	sent     []Setting
	set      map[string]string // by name: the value that Set last sent

	in     *inbox
	reader sync.WaitGroup
	out    positionLine
	alarm  alarm
	line   Line // the game up to the last position that the method illegal checked

	greeted  bool // the engine has answered usi with usiok
	readied  bool // the engine has answered isready once
	prepared bool // the engine has answered isready, and gogi has sent no option, usinewgame or search since
	playing  bool // gogi has sent usinewgame, and not yet gameover
	rests    bool // a game is over, and the next one has not begun
	searched bool // a search has ended with a bestmove since the last readyok; some engines send the bestmove twice

	ponder   *search      // the search on the opponent's time, or nil
	deadline atomic.Int64 // deadline of the last search, in nanoseconds, for the records of a Tap
	closing  atomic.Bool  // Close has begun, so failures no longer matter
	fault    *Fault
	count    Counters
}

// Greeting has the data that an engine sent between usi and usiok.
type Greeting struct {
	Name    string
	Author  string
	Options []Option
	Bad     []string // unreadable option lines, safe to print
	Elapsed time.Duration
}

// Counters counts the unusual events and the ponder hits of a dialogue, for reports.
type Counters struct {
	Stale      int // bestmoves that no search waited for
	PonderHits int
	PonderMiss int
	Early      int // bestmoves that came too early, before ponderhit or stop
}

// Greet sends "usi" and waits for usiok. Afterwards the Engine owns conn; on failure Greet closes conn. The
// error is a *Fault or the error of ctx.
func Greet(ctx context.Context, conn Connection, config Config) (*Engine, error) {
	e := &Engine{conn: conn, config: config, limits: config.Limits.withDefaults(), in: newInbox(config.Tap)}
	e.reader.Go(func() { e.in.read(conn) })
	if err := e.greet(ctx); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	return e, nil
}

func (e *Engine) greet(ctx context.Context) error {
	wait := e.in.expect(lineUsiok)
	e.in.collect(true)
	start := time.Now()
	if err := e.write("usi\n", "saying usi"); err != nil {
		return err
	}
	if err := e.await(ctx, wait, e.limits.Greeting, "usiok"); err != nil {
		return err
	}
	e.greeting = readGreeting(e.in.collect(false))
	e.greeting.Elapsed = time.Since(start)
	e.greeted = true
	return nil
}

func readGreeting(lines []string) Greeting {
	var g Greeting
	for _, line := range lines {
		switch {
		case strings.HasPrefix(line, "id name "):
			g.Name = sanitize.Printable(strings.TrimPrefix(line, "id name "), 200)
		case strings.HasPrefix(line, "id author "):
			g.Author = sanitize.Printable(strings.TrimPrefix(line, "id author "), 200)
		default:
			o, err := ParseOption(line)
			if err != nil {
				g.Bad = append(g.Bad, sanitize.Printable(err.Error(), 200))
				continue
			}
			g.Options = append(g.Options, o)
		}
	}
	return g
}

// Greeting returns the data that the engine sent in answer to usi.
func (e *Engine) Greeting() Greeting { return e.greeting }

// Sent returns the options in the order in which Configure sent them.
func (e *Engine) Sent() []Setting { return e.sent }

// Counters returns the counts since the start of this engine process.
func (e *Engine) Counters() Counters {
	c := e.count
	c.Stale = e.in.stale()
	return c
}

// Configure sends options in the given order, under the names that the engine declared. If the engine does
// not have an option or rejects a value, Configure returns an error and sends nothing.
func (e *Engine) Configure(settings []Setting) error {
	settings, err := e.sendOptions(settings, func(Setting) bool { return true })
	if err == nil {
		e.sent = settings
	}
	return err
}

// Set sends options between games. It omits an option if an earlier call has already sent the same value. The
// engine applies the options before it answers the next isready. Set returns the same errors as Configure.
func (e *Engine) Set(settings []Setting) error {
	settings, err := e.sendOptions(settings, func(s Setting) bool {
		last, sent := e.set[s.Name]
		return !sent || last != s.Value
	})
	if err != nil {
		return err
	}
	if e.set == nil {
		e.set = map[string]string{}
	}
	for _, s := range settings {
		e.set[s.Name] = s.Value
	}
	return nil
}

// sendOptions sends the settings for which chosen returns true. It returns all settings as Sendable returns them, under
// the names that the engine declared.
func (e *Engine) sendOptions(settings []Setting, chosen func(Setting) bool) ([]Setting, error) {
	settings, err := Sendable(e.greeting.Options, settings)
	if err != nil {
		return nil, fmt.Errorf("usi: %s: %w", e.config.Name, err)
	}
	var b strings.Builder
	for _, s := range settings {
		if chosen(s) {
			b.WriteString(s.String() + "\n")
		}
	}
	if b.Len() == 0 {
		return settings, nil
	}
	e.prepared = false
	return settings, e.write(b.String(), "sending options")
}

// NewGame sends the game's options and isready, waits for readyok, and sends usinewgame. It sends isready
// before every game, because some engines reset themselves at isready. Also, no line of the last game can
// arrive after readyok. Some engines support only this order of commands: isready, usinewgame,
// searches, gameover. So NewGame sends gameover if GameOver did not end the last game, and leaves out isready if Ready
// has just been called.
func (e *Engine) NewGame(ctx context.Context, g Game) error {
	if err := e.endGame(ctx); err != nil { // an engine must not receive options during a search
		return err
	}
	if e.config.Tap != nil { // what ends the last game belongs to that game
		e.config.Tap.Game(g)
	}
	if err := e.Set(g.Options); err != nil {
		return err
	}
	if !e.prepared {
		if err := e.Ready(ctx); err != nil {
			return err
		}
	}
	e.prepared, e.playing = false, true
	return e.write("usinewgame\n", "saying usinewgame")
}

// endGame stops a ponder search, and sends gameover if a game runs.
func (e *Engine) endGame(ctx context.Context) error {
	if e.playing {
		return e.GameOver(ctx, Draw)
	}
	return e.stopPonder(ctx, e.limits.Stop)
}

// Ready sends isready and waits for readyok. It ends the game that runs, if there is one, as NewGame does.
func (e *Engine) Ready(ctx context.Context) error {
	if err := e.endGame(ctx); err != nil {
		return err
	}
	e.searched = false // lines of older searches cannot arrive after readyok
	wait := e.in.expect(lineReadyok)
	if err := e.write("isready\n", "saying isready"); err != nil {
		return err
	}
	if err := e.await(ctx, wait, e.limits.Ready, "readyok"); err != nil {
		return err
	}
	e.readied, e.prepared, e.rests = true, true, false
	return nil
}

// search is a search whose bestmove has not come yet.
type search struct {
	wait     <-chan event
	position string // the position of a Ponder search; "" for other searches
	// start is the time just before gogi writes go, ponderhit, or the stop that must come before go. The time
	// after the write would be too late, because the engine may begin before gogi continues.
	start   time.Time
	sending time.Duration // duration of the write
	hit     bool          // it was a ponder search, and the opponent played the expected reply
	early   bool          // it began with "go ponder" without clocks
}

// Think sends the position and the limits and waits for the bestmove, as runner.Player describes it. When ctx
// ends or the deadline passes, Think sends "stop" and waits up to Limits.Stop; the reply then has Stopped
// set.
//
// If a ponder search on another position runs, Think first stops that search. This counts as time of the
// move, because a server's clock runs from the opponent's move on. If ctx has already ended and a ponder
// search on the same position runs, Think stops that search without ponderhit and returns its move.
//
// If no answer follows stop, the error is a *Fault of kind hang. The reply then has the latest principal
// variation, if there is one.
func (e *Engine) Think(ctx context.Context, r Request) (Reply, error) {
	e.deadline.Store(int64(r.Deadline))
	s, err := e.begin(ctx, r)
	if err != nil {
		return Reply{}, err
	}
	ev, stopped, err := e.outcome(ctx, &s, r.Deadline)
	second := SecondNone
	if err == nil {
		ev, stopped, second, err = e.settle(ctx, &s, r, ev, stopped)
	}
	reply := e.in.finish(r.MaxPV)
	reply.Hit, reply.Stopped, reply.Sending, reply.Second = s.hit, stopped, s.sending, second
	if err != nil {
		noteElapsed(e, time.Since(s.start))
		return reply.fromVariation(), err
	}
	reply.setAnswer(ParseBestmove(sanitize.Decode(ev.line)))
	reply.Elapsed = max(0, ev.stamp.Sub(s.start))
	return reply, nil
}

// begin uses the ponder search for r if both have the same position. Otherwise it starts a new search.
func (e *Engine) begin(ctx context.Context, r Request) (search, error) {
	if p := e.ponder; p != nil && p.position == r.Position.String() {
		return e.ponderHit(ctx, p, r)
	}
	if e.ponder == nil {
		return e.start(r, lineBestmove)
	}
	asked := time.Now()
	if err := e.Rest(ctx, r.Deadline); err != nil {
		return search{}, err
	}
	s, err := e.start(r, lineBestmove)
	s.start = asked
	return s, err
}

// start starts a search that ends with a line of kind end. It sends the position and "go" in one write, so
// that the engine reads both at once.
func (e *Engine) start(r Request, end lineKind) (search, error) {
	e.prepared = false
	wait := e.in.search(end, r.OnInfo)
	line := e.out.line(r.Position, r.Go)
	began := time.Now()
	if err := e.send(began, line, "saying go"); err != nil {
		return search{}, err
	}
	return search{wait: wait, start: began, sending: time.Since(began)}, nil
}

func (r *Reply) setAnswer(b Bestmove) {
	r.Answer, r.Move, r.Ponder = b.Answer, b.Move, b.Ponder
	r.Text = b.Text
	if b.Answer != AnswerMove {
		r.Text = sanitize.Printable(b.Text, 40)
	}
}

// Snapshot returns the infos of the latest search of Think, Ponder or Mate, also while the search runs. Use
// it to choose a move without the engine's bestmove. The Move of the reply is the first move of the variation
// in Reply.Exact, if there is one, else of the best line's variation. Without a variation the Answer is
// AnswerInvalid. Elapsed is 0. Snapshot is safe for concurrent use.
func (e *Engine) Snapshot() Reply { return e.in.reply().fromVariation() }

// fromVariation returns the reply with the first move of the best variation as its answer. It uses the variation of
// the last exact score, if there is one, because the variation of a score that is only a bound is less reliable.
func (r Reply) fromVariation() Reply {
	pv := r.Exact.PV
	if len(pv) == 0 {
		pv = r.Best().PV
	}
	if len(pv) > 0 {
		r.Answer, r.Move, r.Text = AnswerMove, pv[0], pv[0].String()
	}
	return r
}

// outcome waits for the bestmove. If the deadline passes or ctx ends, it sends stop. The bool result is true if the
// bestmove came only after stop.
func (e *Engine) outcome(ctx context.Context, s *search, deadline time.Duration) (event, bool, error) {
	if ev, ok := e.answer(ctx, s, deadline); ok {
		return ev, false, e.check(ev, "thinking")
	}
	select {
	case ev := <-s.wait: // the answer came before the deadline, but this goroutine was late
		return ev, false, e.check(ev, "thinking")
	default:
	}
	asked := time.Now()
	ev, err := e.stop(context.Background(), s, e.limits.Stop)
	// A line that gogi read before it sent stop is not an answer to stop, even if this goroutine saw the line
	// later.
	return ev, err != nil || !ev.stamp.Before(asked), err
}

// answer waits for the line that ends a search. ok is false if the deadline passes or ctx ends before the
// line comes.
func (e *Engine) answer(ctx context.Context, s *search, deadline time.Duration) (ev event, ok bool) {
	var rings <-chan struct{}
	end := s.start.Add(deadline)
	if deadline > 0 {
		rings = e.alarm.set(end)
	}
	for {
		select {
		case ev := <-s.wait:
			return ev, true
		case <-rings:
			if e.alarm.due(end) {
				return event{}, false
			}
		case <-ctx.Done():
			return event{}, false
		}
	}
}

// stop ends a search and returns its bestmove. It waits at most limit, and at most Limits.Stop after ctx has
// ended.
func (e *Engine) stop(ctx context.Context, s *search, limit time.Duration) (event, error) {
	if err := e.write("stop\n", "saying stop"); err != nil {
		return event{}, err
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for ended := ctx.Done(); ; {
		select {
		case ev := <-s.wait:
			return ev, e.check(ev, "stopping")
		case <-timer.C:
			return event{}, e.fail(e.silence(FaultHang), "waiting for bestmove after stop", e.lastWords(""))
		case <-ended:
			ended = nil
			timer.Reset(min(limit, e.limits.Stop))
		}
	}
}

// GameOver stops a ponder search, if there is one, and sends "gameover".
func (e *Engine) GameOver(ctx context.Context, o Outcome) error {
	if err := e.stopPonder(ctx, e.limits.Stop); err != nil {
		return err
	}
	e.rests, e.playing = true, false
	return e.write("gameover "+string(o)+"\n", "saying gameover")
}

// Close sends quit, closes the connection and waits for the goroutine that reads the engine's output. Closing
// the connection ends the engine's process. A second call does nothing.
func (e *Engine) Close() error {
	if e.closing.Swap(true) {
		return nil
	}
	if e.fault == nil {
		// The write fails if the engine has already ended, which is not a problem here.
		_ = e.write("quit\n", "saying quit")
	}
	err := e.conn.Close()
	e.reader.Wait()
	if e.config.Tap != nil {
		e.config.Tap.Over()
	}
	if err != nil {
		return fmt.Errorf("usi: %s: closing: %w", e.config.Name, err)
	}
	return nil
}

// write sends whole lines within Limits.Write, because an engine that does not read its input must not delay its
// opponent. doing is the state of the dialogue for the note of a fault.
func (e *Engine) write(text, doing string) error { return e.send(time.Now(), []byte(text), doing) }

func (e *Engine) send(now time.Time, text []byte, doing string) error {
	if e.fault != nil {
		return e.fault
	}
	if e.config.Tap != nil {
		e.config.Tap.Sent(now, text)
	}
	if c, ok := e.conn.(WriteDeadliner); ok {
		// Without support for deadlines the write has no limit.
		_ = c.SetWriteDeadline(now.Add(e.limits.Write))
	}
	_, err := e.conn.Write(text)
	if err == nil {
		return nil
	}
	if t, ok := errors.AsType[interface {
		error
		Timeout() bool
	}](err); ok && t.Timeout() {
		return e.fail(FaultNotRead, doing, e.lastWords(fmt.Sprintf("it did not read its input within %v", e.limits.Write)))
	}
	return e.fail(e.silence(FaultCrash), doing, e.diagnosis())
}

// silentNote describes an engine that has not sent a line of the handshake within limit.
func silentNote(limit time.Duration, line string) string {
	note := fmt.Sprintf("silent for %v", limit)
	if line == "usiok" {
		return note +
			" (a UCI engine does not answer usi; if this engine starts slowly, raise its greeting_timeout in the match file)"
	}
	return note + " (if this engine loads slowly, raise its ready_timeout in the match file)"
}

// foreignAfter is the time after which an engine that has rejected usi counts as an engine of another protocol.
const foreignAfter = 2 * time.Second

// await waits for one line outside of a search, at most for the duration limit. wait is the channel from expect, and
// line is usiok or readyok. If the line does not come, await returns a fault that names it.
func (e *Engine) await(ctx context.Context, wait <-chan event, limit time.Duration, line string) error {
	doing := "waiting for " + line
	timer, foreign := time.NewTimer(limit), time.NewTimer(foreignAfter)
	defer timer.Stop()
	defer foreign.Stop()
	var err error
	for waits := true; waits; {
		waits = false
		select {
		case ev := <-wait:
			err = e.check(ev, doing)
		case <-foreign.C:
			words := e.in.unknownCommand()
			if waits = line != "usiok" || words == ""; !waits {
				err = e.fail(FaultStart, doing,
					e.lastWords(fmt.Sprintf("it answers usi with %q: a UCI engine does not speak USI; choose an engine that does",
						words)))
			}
		case <-timer.C:
			err = e.fail(e.silence(FaultStart), doing, e.lastWords(silentNote(limit, line)))
		case <-ctx.Done():
			return fmt.Errorf("usi: %s: %s: %w", e.config.Name, doing, context.Cause(ctx))
		}
	}
	if err != nil {
		e.fault.Awaiting = line
	}
	return err
}

// hasExited reports whether the engine's process has ended by itself.
func (e *Engine) hasExited() bool {
	c, ok := e.conn.(Exiting)
	if !ok {
		return false
	}
	_, exited := c.ExitStatus()
	return exited
}

// explained adds the engine's last stdout lines outside of a search to a note. If the engine seems to lack
// its evaluation file, explained also adds the folder in which the engine looks for it.
func explained(e *Engine, note string) string {
	if words := e.in.outsideText(); words != "" {
		note += "; stdout: " + words
	}
	return note + evaluationHint(e, note)
}

// evalDir is the option of YaneuraOu and related engines for the folder of the evaluation file. Without the
// file they exit at isready, some of them without a message.
const evalDir = "EvalDir"

func evaluationHint(e *Engine, note string) string {
	option, ok := FindOption(e.greeting.Options, evalDir)
	text := strings.ToLower(note)
	silent := !strings.Contains(text, "stdout: ") && !strings.Contains(text, "stderr: ")
	names := strings.Contains(text, "eval") || strings.Contains(text, "nn.bin") || strings.Contains(text, "nnue")
	if !ok || e.readied || !silent && !names {
		return ""
	}
	folder := option.Default
	for _, s := range e.sent {
		if SameOption(s.Name, evalDir) {
			folder = s.Value
		}
	}
	return fmt.Sprintf("; hint: it reads its evaluation file from %s = %s, seen from its working directory; "+
		"put the file there, or set the option %s", evalDir, sanitize.Printable(folder, 200), evalDir)
}

// check returns a fault if the event is the end of the engine's output, else nil. doing is the state of the dialogue
// for the fault.
func (e *Engine) check(ev event, doing string) error {
	if ev.err == nil {
		return nil
	}
	return e.fail(e.silence(FaultCrash), doing, e.diagnosis())
}

// silence returns the kind of fault for a missing answer: FaultConnection if the connection is lost, else
// kind.
func (e *Engine) silence(kind FaultKind) FaultKind {
	if c, ok := e.conn.(Losable); ok && c.ConnectionLost() {
		return FaultConnection
	}
	return kind
}

func (e *Engine) fail(kind FaultKind, doing, note string) error {
	note = explained(e, note)
	if kind == FaultCrash && !e.greeted && !strings.Contains(note, "stderr: ") { // otherwise its own words give the reason
		note += "; hint: it ended before usiok, so it may be no USI engine; gogi check examines it"
	}
	e.fault = &Fault{Kind: kind, Engine: e.config.Name, Doing: doing, Note: note, Exited: kind == FaultCrash && e.rests &&
		e.hasExited()}
	if kind != FaultConnection && !e.fault.Exited { // otherwise the engine did not fail
		e.fault.Record = record(e, Failure{Kind: string(kind), Note: strings.TrimSuffix(doing+": "+note, ": ")})
	}
	return e.fault
}

// Blame reports a failure of the engine to the Tap that the Engine cannot detect itself, such as an illegal
// move. It returns the name of the record that the Tap made of the failure, or "". The engine stays usable.
// Blame is safe for concurrent use.
func (e *Engine) Blame(kind, note string) string {
	return record(e, Failure{Kind: kind, Note: note, Blamed: true})
}

func record(e *Engine, f Failure) string {
	if e.config.Tap == nil || e.closing.Load() {
		return ""
	}
	f.Deadline = time.Duration(e.deadline.Load())
	return e.config.Tap.Failed(f)
}

func noteElapsed(e *Engine, d time.Duration) {
	if e.fault != nil {
		e.fault.Searching, e.fault.Elapsed = true, d
	}
}

// Waited returns the total time in which the engine's threads were ready to run but waited for a CPU, since
// their start. ok is false if this time is unknown.
func (e *Engine) Waited() (d time.Duration, ok bool) {
	w, has := e.conn.(Waited)
	if !has {
		return 0, false
	}
	d, err := w.Waited()
	return d, err == nil
}

// Stopped returns the total time in which the engine's processes were suspended, since their start. The time
// between two calls counts if both calls find them suspended, so call it often. It is 0 if the connection
// does not measure it. Stopped is safe for concurrent use.
func (e *Engine) Stopped() time.Duration {
	if s, ok := e.conn.(Stopped); ok {
		return s.Stopped()
	}
	return 0
}

// AffinityChanged returns a sentence if the engine no longer runs on the CPUs to which gogi bound it at its
// start. It returns "" if the CPUs are the same or unknown.
func (e *Engine) AffinityChanged() string {
	p, has := e.conn.(Pinned)
	if !has {
		return ""
	}
	return p.AffinityChanged()
}

// lastWords adds the last stderr output of a running engine to a note.
func (e *Engine) lastWords(note string) string {
	d, ok := e.conn.(Diagnosed)
	if !ok {
		return note
	}
	words := sanitize.Printable(d.LastWords(), 1000)
	if note == "" || words == "" {
		return note + words
	}
	return note + "; " + words
}

// diagnosis returns how the process behind the connection ended.
func (e *Engine) diagnosis() string {
	d, ok := e.conn.(Diagnosed)
	if !ok {
		return "the connection ended"
	}
	return sanitize.Printable(d.Diagnosis(), 1000)
}

// Ponder starts a search on the opponent's time (permanent brain). r.Position is the position after the expected
// reply. The next Think with that position is a ponder hit; a Think with another position is a miss. With r.Go.Early
// the search begins without clocks, and a hit sends those of Think. If the engine answers before that Think, the
// Engine stores the answer until then.
func (e *Engine) Ponder(ctx context.Context, r Request) error {
	if err := e.stopPonder(ctx, e.limits.Stop); err != nil {
		return err
	}
	r.Go.Ponder = true
	s, err := e.start(r, lineBestmove)
	if err != nil {
		return err
	}
	s.position, s.early = r.Position.String(), r.Go.Early
	e.ponder = &s
	return nil
}

// ponderHit sends ponderhit, because the opponent played the expected reply. A bestmove that came early counts as
// played at once. If ctx has ended, ponderHit sends nothing, because ponderhit would start a clock; the caller then
// sends stop to get the move.
func (e *Engine) ponderHit(ctx context.Context, s *search, r Request) (search, error) {
	e.ponder = nil
	hit := ctx.Err() == nil
	if hit {
		e.count.PonderHits++
	}
	select {
	case ev := <-s.wait:
		e.count.Early++
		held := make(chan event, 1) // receives one event, sent here; never closed
		held <- ev
		return search{wait: held, position: s.position, start: time.Now(), hit: hit}, nil
	default:
	}
	if !hit {
		return search{wait: s.wait, position: s.position, start: time.Now()}, nil
	}
	e.in.listen(r.OnInfo)
	began := time.Now()
	if err := e.write(ponderHitLine(r.Go, s.early), "saying ponderhit"); err != nil {
		return search{}, err
	}
	return search{wait: s.wait, position: s.position, start: began, sending: time.Since(began), hit: true}, nil
}

// ponderHitLine returns the ponderhit line. The line has clocks only if "go ponder" had none (early). Clocks in this
// line are an extension of YaneuraOu and ShogiHome.
func ponderHitLine(g Go, early bool) string {
	if !early {
		return "ponderhit\n"
	}
	g.Early, g.Ponder = false, false
	return "ponderhit" + strings.TrimPrefix(g.String(), "go") + "\n"
}

// Rest stops a ponder search, if there is one, because the opponent did not play the expected reply. The
// engine's clock already runs, so Rest waits for the bestmove until the deadline of the move, but at least
// for Limits.Stop.
func (e *Engine) Rest(ctx context.Context, deadline time.Duration) error {
	if e.ponder == nil {
		return nil
	}
	e.count.PonderMiss++
	e.in.forget() // these infos belong to another position; see Snapshot
	asked := time.Now()
	err := e.stopPonder(ctx, max(e.limits.Stop, deadline))
	if err != nil {
		noteElapsed(e, time.Since(asked))
	}
	return err
}

// stopPonder ends the search on the opponent's time, if there is one, and drops its bestmove. It waits as
// long as stop.
func (e *Engine) stopPonder(ctx context.Context, limit time.Duration) error {
	s := e.ponder
	if s == nil {
		return nil
	}
	e.ponder = nil
	select {
	case ev := <-s.wait:
		e.count.Early++
		return e.check(ev, "pondering")
	default:
	}
	_, err := e.stop(ctx, s, limit)
	return err
}
