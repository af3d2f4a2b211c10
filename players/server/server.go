// Package server serves a council to a GUI as one USI engine, with the council's options, its
// members' options, and info lines about its votes. [Serve] runs it until quit.
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

	"gogi/ensemble/voting"

	"gogi/ensemble"
	"gogi/internal/fail"
	"gogi/internal/sanitize"
	"gogi/match"
	"gogi/players"
	"gogi/players/builtin"
	"gogi/shogi"
	"gogi/usi"
)

// Config says how a council is served.
type Config struct {
	// Log is a file that gets the record of each decision, one JSON object a line;
	// "": none, unless the option VoteLog names one.
	Log string
	// Cache is the folder that keeps what engines declared, so that the next start
	// can declare it without waiting for them; "": it is not kept.
	Cache string
	// Greeted is when USI is spoken at the latest, however slow members are: GUIs
	// want usiok within two seconds.
	Greeted time.Time
}

// keepAlive is the interval of the empty lines that some GUIs need while members
// load.
const keepAlive = 5 * time.Second

// Serve speaks USI as the council that is the first player of the opener's plan,
// until quit, the end of in or the context's. Nothing is said where an engine's
// options in the file do not fit what it declares: that is a usage error. No member is left when
// it returns.
func Serve(ctx context.Context, o *players.Opener, in io.Reader, out io.Writer, config Config) error {
	s := newCouncil(o, out, config)
	err := s.learn(ctx, config.Greeted)
	if err == nil {
		err = usi.Server{KeepAlive: keepAlive}.Serve(ctx, in, s.out, s)
	}
	return errors.Join(err, s.close())
}

// council is the usi.Player of a usi.Server, which calls its methods one at
// a time. The members' programs are started by the first isready; before that
// there is only what is known of their options.
type council struct {
	opener  *players.Opener
	player  match.Player // as in the file
	engines []*councilEngine
	cache   cache
	out     *output
	log     *recordLog

	options  []councilOption
	members  []memberOption
	chosen   map[string]string // by the GUI, where it is not the default
	greeters sync.WaitGroup    // of the start, some of which may still wait

	line      usi.Line          // of the game that is played
	voters    *ensemble.Council // nil before the first isready that worked
	games     uint64
	fresh     bool // nothing happened since the members were made ready
	settled   bool // all of them were, and no option was set since
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

// learn finds out which options the members' engines have: from the cache, or
// from themselves as far as they answer before the deadline. The others have no
// options until the next start.
func (s *council) learn(ctx context.Context, deadline time.Time) error {
	ctx, cancel := context.WithDeadline(ctx, deadline)
	defer cancel() // whoever is late ends without holding up the dialogue
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

// greetAll asks the engines whose options are not known yet, all at once, and returns those
// that had not answered when the context ended.
func (s *council) greetAll(ctx context.Context) []*councilEngine {
	answers := make(chan greeted, len(s.engines)) // one from each that is asked, never closed
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
				continue // it was ended for being late
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

// greeted is the end of asking one engine.
type greeted struct {
	engine *councilEngine
	err    error
}

// greet asks one engine for its options and ends it.
func (s *council) greet(ctx context.Context, e *councilEngine, done chan<- greeted) {
	engine, err := s.opener.Greet(ctx, e.player, nil)
	if err == nil {
		e.greeted(engine.Greeting())
		s.cache.save(e.player, engine.Greeting())
	}
	done <- greeted{e, err}
	if err == nil {
		_ = engine.Close() // it did what it was started for
	}
}

// close ends the members and everything else that was started.
func (s *council) close() error {
	var err error
	if s.voters != nil {
		err = s.voters.Close()
	}
	s.greeters.Wait()
	return errors.Join(err, s.log.close())
}

// Name is the council's.
func (s *council) Name() string { return "gogi council " + s.player.Name }

// Author is of this program, not of the members.
func (s *council) Author() string { return "gogi" }

// Options are the council's own, then those of the members' engines.
func (s *council) Options() []usi.Option {
	var list []usi.Option
	for _, o := range s.options {
		list = append(list, o.Option)
	}
	for _, o := range s.members {
		list = append(list, o.shown)
	}
	return list
}

// SetOption keeps a value. The council's own take effect at the next isready, but
// for those that only concern what is shown; the members' are sent before their
// next game or search, or when they are started.
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

// Ready starts the members, or prepares those that run, all at once. It is
// enough that as many are ready as MinAlive says; who is missing is told. With
// fewer there is no readyok but an error: a GUI that waits is better than a game
// that is lost on its first move. One isready right after another that all members
// answered asks nobody: a flood of them must not keep the end of the input away.
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

// startGame resets everything that belongs to one game. The seed is the file's
// and the game's number.
func (s *council) startGame(ctx context.Context) error {
	s.games++
	s.pondering = false
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

// prepareEngines tells every engine what the council asks of it now.
func (s *council) prepareEngines(config *ensemble.Config) {
	plan := *s.opener.Plan
	plan.Rules.Declaration = config.Laws.Declaration
	if s.value("USI_Ponder") == "true" {
		plan.Ponder = match.PonderStandard
	}
	hash := s.hashParts()
	for i, e := range s.engines {
		e.ask(func(e *councilEngine) {
			e.plan, e.hash, e.hopeless = &plan, hash[i], nil
			e.early = s.value("EarlyPonder") == "true"
		})
	}
}

// config is the council as the file and the options have it.
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

// configOf is a council as the file has it; its members are started through us,
// so that they get their options. It may do with fewer members than it has, as
// the councils within it may.
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

// NewGame prepares a game; after isready that has just been done.
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

// Think takes a vote within the time that the clocks leave.
func (s *council) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	if s.voters == nil {
		return usi.Reply{}, errNotReady
	}
	// A search on the opponent's time that is stopped decides nothing: its move
	// will not be played.
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

// Ponder has the members think on the opponent's time.
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

// Mate asks the members for a mate.
func (s *council) Mate(ctx context.Context, r usi.Request) (usi.Checkmate, error) {
	if s.voters == nil {
		return usi.Checkmate{}, errNotReady
	}
	s.fresh, s.pondering = false, false
	r.Deadline = r.Go.MateTime
	return s.voters.Mate(ctx, r)
}

// GameOver tells the members.
func (s *council) GameOver(ctx context.Context, o usi.Outcome) error {
	s.fresh, s.pondering = false, false
	if s.voters == nil {
		return nil
	}
	return s.voters.GameOver(ctx, o)
}

// allot turns the GUI's limits into the members' and our deadline.
func (s *council) allot(r *usi.Request) error {
	if err := s.line.Follow(r.Position); err != nil {
		return err
	}
	margin := s.milliseconds("MarginMs")
	overhead := margin + levels(s.player.Council)*ensemble.Level
	r.Go, r.Deadline = reserve{margin, overhead}.allot(r.Go, s.line.Position.Side())
	return nil
}

// levels counts the councils on the longest way to an engine.
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
	// fallbackTime is for a move whose limit the GUI did not say.
	fallbackTime = time.Second
	// leastClock is the most that an empty clock is filled up to, see reserve.allot.
	leastClock = time.Second
)

// reserve is what is kept back of a move's time: the margin for the way to the GUI,
// and the overhead, which is the margin and what the council itself takes.
type reserve struct{ margin, overhead time.Duration }

// allot is what the members are told of the clocks, and how long the council
// may take for the side's move; 0 means until it is stopped. The deadline keeps the margin back of
// the time that is left, so that no member makes the council lose on time; what
// members see is shorter by all of the overhead, so that they mostly end by
// themselves.
//
// With an increment some GUIs have it in the clock already and some have not: the
// larger of the two is there in either case. A clock of 0 with an increment
// makes some engines move at once, so it is filled up, out of the increment.
func (x reserve) allot(g usi.Go, side shogi.Colour) (members usi.Go, deadline time.Duration) {
	clock, increment := &g.BTime, g.BInc
	if side == shogi.White {
		clock, increment = &g.WTime, g.WInc
	}
	switch {
	case g.MoveTime > 0:
	case g.Clock || g.UseByoyomi || g.UseInc:
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

// shorter keeps something back, at most the half.
func shorter(d, by time.Duration) time.Duration { return max(d-by, d/2) }

// output is the way to the GUI. It puts notes before the next lines of the
// dialogue, for what happens outside of searches, and leaves out the empty lines
// of KeepAlive where the GUI does not want them. One goroutine calls Write.
type output struct {
	out io.Writer

	mu        sync.Mutex
	notes     []string
	keepAlive bool
}

// note says something as an info string; it never waits for the GUI.
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

// greets reports whether lines begin within the answer to usi.
func greets(lines []byte) bool {
	return slices.ContainsFunc([]string{"id ", "option ", "usiok"}, func(word string) bool { return bytes.HasPrefix(lines, []byte(word)) })
}

// Write writes whole lines.
func (o *output) Write(lines []byte) (int, error) {
	o.mu.Lock()
	// Before usiok not every GUI bears an info; what there is to say can wait. The greeting
	// may come in several writes.
	var text []byte
	if !greets(lines) {
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

// SetWriteDeadline ends a Write that hangs, where the way to the GUI can do that.
func (o *output) SetWriteDeadline(t time.Time) error {
	if d, ok := o.out.(usi.WriteDeadliner); ok {
		return d.SetWriteDeadline(t)
	}
	return os.ErrNoDeadline
}

// recordLog appends records to a file, which is opened when there is the first one.
type recordLog struct {
	name string // "": no log
	file *os.File
}

// use changes the file; without a name it stays what it was.
func (l *recordLog) use(name string) {
	if name == "" || name == l.name {
		return
	}
	_ = l.close() // what was written is in the file, or an error was told
	l.name = name
}

// add appends one record as one line, in one write: others may append as well.
func (l *recordLog) add(record []byte) (err error) {
	if l.name == "" {
		return nil
	}
	if l.file == nil {
		if l.file, err = os.OpenFile(l.name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err != nil { //nolint:gosec // a result like any other
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
