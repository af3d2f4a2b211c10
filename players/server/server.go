// Package server makes a council available to a GUI as one USI engine. This engine has the council's options
// and its members' options, and sends info lines about the votes. [Serve] runs it until quit.
package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"gogi/ensemble"
	"gogi/ensemble/voting"
	"gogi/internal/disk"
	"gogi/internal/fail"
	"gogi/internal/lists"
	"gogi/internal/sanitize"
	"gogi/match"
	"gogi/players"
	"gogi/players/builtin"
	"gogi/shogi"
	"gogi/usi"
)

// Config has the settings of Serve.
type Config struct {
	// Log is the file for the vote records, one JSON object per line. "" writes no file, unless the option
	// VoteLog names one.
	Log string
	// Cache is the folder for the options that engines declared, so that the next start does not wait for the
	// engines. "" means no cache.
	Cache string
	// Greeted is the latest time for the first USI line, even if members are slow, because GUIs expect usiok
	// within two seconds.
	Greeted time.Time
}

// keepAlive is the interval of empty lines, which some GUIs need while members load.
const keepAlive = 5 * time.Second

// Serve runs the council that is the first player of the opener's plan, as a USI engine. It returns after
// quit, when in ends, or when ctx ends, and ends all members. If the file's options do not fit an engine, it
// sends nothing and returns a usage error.
func Serve(ctx context.Context, o *players.Opener, in io.Reader, out io.Writer, config Config) error {
	s := newCouncil(o, out, config)
	err := s.readOptions(ctx, config.Greeted)
	if err == nil {
		err = usi.Server{KeepAlive: keepAlive}.Serve(ctx, in, s.out, s)
	}
	return errors.Join(err, s.close())
}

// A council implements usi.Player for a usi.Server, which calls its methods one at a time. The first isready
// starts the members' programs. Before that, the council only has their declared options.
type council struct {
	opener  *players.Opener
	player  match.Player // as in the file
	engines []*councilEngine
	cache   cache
	out     *output
	log     *recordLog

	options  []councilOption
	members  []memberOption
	chosen   map[string]string // values set by the GUI, without defaults
	greeters sync.WaitGroup    // handshakes of the start that may still run

	line      usi.Line          // the current game
	missing   []string          // members without a vote in the last decision, because they failed
	voters    *ensemble.Council // nil before the first successful isready
	games     uint64
	fresh     bool // all members are ready, and no search or game has started since
	settled   bool // all members are ready, and the GUI has set no option since
	pondering bool
}

func newCouncil(o *players.Opener, out io.Writer, config Config) *council {
	player := o.Plan.Players[0]
	s := &council{
		opener: o, player: player, engines: listEngines(player.Council, "E"), chosen: map[string]string{},
		cache: cache{config.Cache}, out: &output{out: out, keepAlive: true}, log: &recordLog{name: config.Log},
	}
	for _, e := range s.engines {
		e.plan = o.Plan
	}
	return s
}

// readOptions gets the options of the members' engines from the cache, or from the engines that answer before
// the deadline. The options of the other engines are not available until the next start.
func (s *council) readOptions(ctx context.Context, deadline time.Time) error {
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel() // ends slow engines without delaying the dialogue
	for _, e := range s.greetAll(ctx) {
		s.out.note("%s (%s) was slow: its options are known from the next start on", e.label, e.player.Name)
	}
	var errs []error
	for _, e := range s.engines {
		errs = append(errs, e.check())
		s.members = append(s.members, e.options()...)
	}
	s.options = s.declare()
	return fail.Usage(errors.Join(errs...))
}

// greetAll performs a handshake with all engines whose options are unknown, at the same time. It returns the
// engines that had not answered when ctx ended.
func (s *council) greetAll(ctx context.Context) []*councilEngine {
	answers := make(chan greeted, len(s.engines)) // one from each handshake; never closed
	var late []*councilEngine
	for _, e := range s.engines {
		if e.player.Builtin {
			e.greeted(usi.Greeting{Options: builtin.New().Options()})
		} else if g, ok := s.cache.load(e.player); ok {
			e.greeted(g)
		} else {
			late = append(late, e)
			s.greeters.Go(func() { s.greet(ctx, e, answers) })
		}
	}
	for len(late) > 0 {
		select {
		case g := <-answers:
			if g.err != nil && ctx.Err() != nil {
				continue // this handshake was ended because it was late
			}
			late = slices.DeleteFunc(late, func(e *councilEngine) bool { return e == g.engine })
			if g.err != nil {
				s.out.note("%s (%s) could not be asked for its options: %v", g.engine.label, g.engine.player.Name, g.err)
			}
		case <-ctx.Done():
			return late
		}
	}
	return nil
}

// greeted is the result of one engine's handshake.
type greeted struct {
	engine *councilEngine
	err    error
}

// greet performs a handshake with one engine and ends the engine.
func (s *council) greet(ctx context.Context, e *councilEngine, done chan<- greeted) {
	engine, err := s.opener.Greet(ctx, e.player, nil)
	if err == nil {
		e.greeted(engine.Greeting())
		s.cache.save(e.player, engine.Greeting())
	}
	done <- greeted{e, err}
	if err == nil {
		_ = engine.Close() // how the engine ends does not matter
	}
}

// close ends the members and the handshakes that still run.
func (s *council) close() error {
	var err error
	if s.voters != nil {
		err = s.voters.Close()
	}
	s.greeters.Wait()
	return errors.Join(err, s.log.close())
}

// Name returns "gogi council" and the name of the council.
func (s *council) Name() string { return "gogi council " + s.player.Name }

// Author returns the author of gogi, not of the members.
func (s *council) Author() string { return "gogi" }

// Options returns the council's own options, then those of the members' engines.
func (s *council) Options() []usi.Option {
	list := lists.Map(s.options, func(o councilOption) usi.Option { return o.Option })
	for _, o := range s.members {
		list = append(list, o.shown)
	}
	return list
}

// SetOption stores a value. Most options of the council itself take effect at the next isready; the options
// of the display take effect at once. A member gets its values before its next game or search, or at its
// start.
func (s *council) SetOption(o usi.Setting) error {
	s.settled = false
	if i := slices.IndexFunc(s.members, func(m memberOption) bool { return m.shown.Name == o.Name }); i >= 0 {
		s.members[i].set(o.Value)
		return nil
	}
	i := slices.IndexFunc(s.options, func(x councilOption) bool { return x.Name == o.Name })
	if i < 0 {
		return fmt.Errorf("there is no option %s", o.Name)
	}
	own := s.options[i]
	if own.apply != nil && o.Value != own.Default {
		if err := own.apply(&ensemble.Config{}, o.Value); err != nil {
			return fmt.Errorf("option %s: %w", o.Name, err)
		}
	}
	s.chosen[o.Name] = o.Value
	if o.Value == own.Default {
		delete(s.chosen, o.Name)
	}
	s.out.setKeepAlive(s.value("KeepAlive") == "true")
	return nil
}

// Ready makes the council ready for a game. It starts all members at the same time; members that already run
// get changed options and prepare for a game. If at least MinAlive members are ready, Ready succeeds, and
// sends the GUI an info line for each missing member. Otherwise it returns an error and the GUI gets no
// readyok, because a waiting GUI is better than a game lost on its first move. If all members are ready,
// Ready does nothing, unless an option changed or a search or game began since the last Ready. So a GUI can
// send many isready lines without delay.
func (s *council) Ready(ctx context.Context) error {
	if s.fresh && s.settled {
		return nil
	}
	config, err := s.config()
	if err != nil {
		return err
	}
	s.prepareEngines(&config)
	if s.voters == nil {
		s.voters, err = ensemble.Open(ctx, config)
	} else {
		err = s.voters.Amend(config)
	}
	if err != nil {
		return err
	}
	return s.startGame(ctx)
}

// startGame prepares the members for a game. The seed is the seed of the file plus the number of earlier
// games.
func (s *council) startGame(ctx context.Context) error {
	s.games++
	s.pondering, s.missing = false, nil
	err := s.voters.NewGame(ctx, usi.Game{Seed: s.opener.Plan.Seed + s.games - 1})
	s.fresh = err == nil
	if err == nil {
		s.settled = len(s.voters.Absent()) == 0
		for _, absent := range s.voters.Absent() {
			s.out.note("the council plays without a member: %v", absent)
		}
	}
	return err
}

func (s *council) prepareEngines(config *ensemble.Config) {
	plan := *s.opener.Plan
	plan.Rules.Declaration = config.Settings.Declaration
	if s.value("USI_Ponder") == "true" {
		plan.Ponder = match.PonderStandard
	}
	hash := s.hashParts()
	for i, e := range s.engines {
		e.update(func(e *councilEngine) {
			e.plan, e.hash, e.silent = &plan, hash[i], nil
			e.early = s.value("EarlyPonder") == "true"
		})
	}
}

// config returns the council's configuration: the configuration in the file, with the options applied.
func (s *council) config() (ensemble.Config, error) {
	config, err := s.configOf(s.player, "E")
	if err != nil {
		return config, err
	}
	for _, o := range s.options {
		value, ok := s.chosen[o.Name]
		if !ok || o.apply == nil {
			continue
		}
		if err := o.apply(&config, value); err != nil {
			return config, fmt.Errorf("option %s: %w", o.Name, err)
		}
	}
	config.Rule, err = s.rule(config.Rule)
	if err == nil {
		err = config.Rule.Check(len(config.Members))
	}
	return config, err
}

// configOf returns the configuration of a council in the file. With this configuration, s itself opens the members,
// so that they get their options. prefix begins the labels of the members, such as E2_. The council, and all
// councils in it, play even if members are missing (Degrade).
func (s *council) configOf(p match.Player, prefix string) (ensemble.Config, error) {
	config, err := s.opener.CouncilConfig(p, nil)
	if err != nil {
		return config, err
	}
	config.Degrade = true
	for i, m := range p.Council.Members {
		label := fmt.Sprintf("%s%d", prefix, i+1)
		config.Members[i].Open = func(ctx context.Context) (ensemble.Player, error) { return s.openMember(ctx, m, label) }
	}
	return config, nil
}

func (s *council) openMember(ctx context.Context, p match.Player, label string) (ensemble.Player, error) {
	if p.Council == nil {
		i := slices.IndexFunc(s.engines, func(e *councilEngine) bool { return e.label == label })
		return s.openEngine(ctx, s.engines[i])
	}
	config, err := s.configOf(p, label+"_")
	if err != nil {
		return nil, err
	}
	return ensemble.Open(ctx, config)
}

// NewGame prepares a game. Directly after isready it does nothing.
func (s *council) NewGame(ctx context.Context, _ usi.Game) error {
	switch {
	case s.voters == nil:
		return errNotReady
	case s.fresh:
		return nil
	}
	return s.startGame(ctx)
}

var errNotReady = errors.New("the council is not ready, see the answer to isready")

// Think lets the members vote and returns the chosen move within the time that the clocks allow.
func (s *council) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	if s.voters == nil {
		return usi.Reply{}, errNotReady
	}
	// A stopped ponder search decides nothing, because the GUI does not play its move.
	idle := s.pondering && ctx.Err() != nil
	s.fresh, s.pondering = false, false
	if err := s.allot(&r); err != nil {
		return usi.Reply{}, err
	}
	reply, err := s.voters.Think(ctx, r)
	if err != nil {
		return reply, err
	}
	record, err := voting.ParseRecord(reply.Detail)
	if err != nil {
		return reply, err
	}
	s.show(r.OnInfo, record, &reply)
	if idle {
		return reply, nil
	}
	s.log.use(s.value("VoteLog"))
	if err := s.log.add(reply.Detail); err != nil {
		r.OnInfo(usi.Info{Text: "the vote is not recorded: " + sanitize.Printable(err.Error(), 300)})
	}
	return reply, nil
}

// Ponder starts the members' searches on the opponent's time.
func (s *council) Ponder(ctx context.Context, r usi.Request) error {
	if s.voters == nil {
		return errNotReady
	}
	s.fresh, s.pondering = false, true
	if err := s.allot(&r); err != nil {
		return err
	}
	return s.voters.Ponder(ctx, r)
}

// GameOver sends the result of the game to the members.
func (s *council) GameOver(ctx context.Context, o usi.Outcome) error {
	s.fresh, s.pondering = false, false
	if s.voters == nil {
		return nil
	}
	return s.voters.GameOver(ctx, o)
}

// allot replaces the GUI's limits by the limits for the members, and sets the council's deadline.
func (s *council) allot(r *usi.Request) error {
	if err := s.line.Follow(r.Position); err != nil {
		return err
	}
	margin := time.Duration(s.whole("MarginMs")) * time.Millisecond
	overhead := margin + levels(s.player.Council)*ensemble.Level
	r.Go, r.Deadline = reserve{margin, overhead}.allot(r.Go, s.line.Position.Side())
	return nil
}

// levels returns the number of levels of councils in c: 1 if no member is a council. It is a Duration because
// callers multiply it by one.
func levels(c *match.Council) time.Duration {
	var deepest time.Duration
	for _, m := range c.Members {
		if m.Council != nil {
			deepest = max(deepest, levels(m.Council))
		}
	}
	return deepest + 1
}

const (
	// fallbackTime is the time of a move without a limit.
	fallbackTime = time.Second
	// leastClock is the largest time that reserve.allot gives to a clock of 0.
	leastClock = time.Second
)

// A reserve is the part of a move's time that the council leaves unused. margin is the time for the
// communication with the GUI. overhead is margin plus the time that the council itself needs.
type reserve struct{ margin, overhead time.Duration }

// allot returns the limits for the members, and deadline, the time that the council may use for the move. A
// deadline of 0 means until stop. The deadline is the remaining time minus the margin, so that no member
// makes the council lose on time. The members' time is shorter by the overhead, so that most searches end by
// themselves.
//
// Some GUIs add the increment to the clock before they send it, and some do not. In both cases the side has at least
// the larger of clock and increment, so allot takes this as the remaining time. Some engines move at once if the clock
// is 0 and there is an increment, so allot fills the clock from the increment. If a GUI sends byoyomi and increments,
// the members get the byoyomi, and the increment counts once.
func (x reserve) allot(g usi.Go, side shogi.Colour) (members usi.Go, deadline time.Duration) {
	clock, increment := &g.BTime, g.BInc
	if side == shogi.White {
		clock, increment = &g.WTime, g.WInc
	}
	switch {
	case g.MoveTime > 0:
	case g.HasClock():
		if g.Byoyomi > 0 && g.UseInc { // USI engines expect only one of them
			*clock, increment = max(*clock, increment), 0
			g.UseByoyomi, g.UseInc, g.BInc, g.WInc = true, false, 0, 0
		}
		g.Clock = g.Clock || g.UseInc // the increment alone is no clock
		total := *clock + g.Byoyomi
		if g.UseInc {
			total = max(*clock, increment)
		}
		if total <= 0 {
			g.Clock, g.BTime, g.WTime, total = true, max(g.BTime, leastClock), max(g.WTime, leastClock), leastClock
		}
		g.BTime, g.WTime = filled(g.BTime, g.BInc), filled(g.WTime, g.WInc)
		if g.Byoyomi > 0 && !g.UseInc {
			g.Byoyomi = shorter(g.Byoyomi, x.overhead)
		} else {
			*clock = shorter(*clock, x.overhead)
		}
		return g, shorter(total, x.margin)
	case g.Infinite || g.Ponder || g.Nodes > 0 || g.Depth > 0:
		return g, 0
	default:
		g.MoveTime = fallbackTime
	}
	deadline = shorter(g.MoveTime, x.margin)
	g.MoveTime = shorter(g.MoveTime, x.overhead)
	return g, deadline
}

func filled(clock, increment time.Duration) time.Duration {
	if clock > 0 {
		return clock
	}
	return min(leastClock, increment)
}

// shorter returns d without the time by, but subtracts at most half of d.
func shorter(d, by time.Duration) time.Duration { return max(d-by, d/2) }

// An output writes to the GUI. It writes notes before the next lines of the dialogue. It drops the empty
// lines of KeepAlive if the GUI does not want them. Only one goroutine calls Write.
type output struct {
	out io.Writer

	mu        sync.Mutex
	notes     []string
	keepAlive bool
}

// note queues an info string. It never waits for the GUI.
func (o *output) note(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.notes = append(o.notes, "info string "+sanitize.Printable(fmt.Sprintf(format, args...), 500)+"\n")
}

func (o *output) setKeepAlive(on bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.keepAlive = on
}

// answersUSI reports whether the first of these lines belongs to the engine's answer to usi.
func answersUSI(lines []byte) bool {
	return slices.ContainsFunc([]string{"id ", "option ", "usiok"}, func(word string) bool {
		return bytes.HasPrefix(lines, []byte(word))
	})
}

// Write writes complete lines. Before them it writes the queued info strings, unless the lines answer usi.
func (o *output) Write(lines []byte) (int, error) {
	o.mu.Lock()
	// Some GUIs do not accept an info line before usiok, so the notes wait. The answer to usi may come in
	// several writes.
	var text []byte
	if !answersUSI(lines) {
		text = []byte(strings.Join(o.notes, ""))
		o.notes = nil
	}
	for line := range bytes.Lines(lines) {
		if o.keepAlive || len(bytes.TrimSpace(line)) > 0 {
			text = append(text, line...)
		}
	}
	o.mu.Unlock()
	if len(text) == 0 {
		return len(lines), nil
	}
	if _, err := o.out.Write(text); err != nil {
		return 0, err
	}
	return len(lines), nil
}

// SetWriteDeadline sets the time at which a blocked Write ends, if the writer supports deadlines. Otherwise
// it returns os.ErrNoDeadline.
func (o *output) SetWriteDeadline(t time.Time) error {
	if d, ok := o.out.(usi.WriteDeadliner); ok {
		return d.SetWriteDeadline(t)
	}
	return os.ErrNoDeadline
}

// A recordLog appends records to a file. It opens the file for the first record.
type recordLog struct {
	name string // "": no log
	file *os.File
}

// use changes the file to name. An empty name changes nothing.
func (l *recordLog) use(name string) {
	if name == "" || name == l.name {
		return
	}
	_ = l.close() // errors of writes were reported before
	l.name = name
}

// add appends one record as one line in one write, because other processes may append too.
func (l *recordLog) add(record []byte) (err error) {
	if l.name == "" {
		return nil
	}
	if l.file == nil {
		if err := disk.CheckOutput(l.name); err != nil {
			return err
		}
		if l.file, err = os.OpenFile(l.name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err != nil {
			return err
		}
	}
	_, err = l.file.Write(append(slices.Clip(record), '\n'))
	return err
}

func (l *recordLog) close() error {
	if l.file == nil {
		return nil
	}
	file := l.file
	l.file = nil
	return file.Close()
}
