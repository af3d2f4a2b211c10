package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gogi/configs/identity"
	"gogi/ensemble"
	"gogi/match"
	"gogi/usi"
)

// councilEngine is one program among the members of a served council, whether it
// runs or not: what is known of its options, and what is asked of them. The
// dialogue with the GUI writes here while members read in goroutines of their
// own.
type councilEngine struct {
	label  string // E2 is the second member, E2_1 the first one of the council that is the second member
	player match.Player

	mu       sync.Mutex
	declared []usi.Option
	known    bool // declared is what it said, now or once
	plan     *match.Plan
	hash     string        // its part of USI_Hash; "": as the file has it
	own      []usi.Setting // what the GUI set with E options, under the names that the engine declared
	pressed  []string      // buttons, until they are sent
	early    bool          // it understands a ponderhit that carries the clocks
	version  int           // of all that is asked
	hopeless error         // it stayed silent in this isready, and is not waited for again
}

// listEngines finds the engines of a council in the order of its members.
func listEngines(c *match.Council, prefix string) []*councilEngine {
	var list []*councilEngine
	for i, m := range c.Members {
		label := prefix + strconv.Itoa(i+1)
		if m.Council != nil {
			list = append(list, listEngines(m.Council, label+"_")...)
			continue
		}
		list = append(list, &councilEngine{label: label, player: m})
	}
	return list
}

// greeted takes over what the engine declared.
func (e *councilEngine) greeted(g usi.Greeting) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.declared, e.known = g.Options, true
}

// check holds the file's options against what is known of the engine.
func (e *councilEngine) check() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.known {
		return nil
	}
	var errs []error
	for _, o := range e.player.Options {
		if _, err := usi.Resolve(e.declared, []usi.Setting{usi.Setting(o)}); err != nil {
			errs = append(errs, fmt.Errorf("engine %s: %w", e.player.Name, err))
		}
	}
	return errors.Join(errs...)
}

// ask changes what is asked of the engine.
func (e *councilEngine) ask(change func(*councilEngine)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change(e)
	e.version++
}

// settings are what the engine is to be sent, later ones winning: the plan's and
// the file's, its part of USI_Hash, and what the GUI set for this engine alone.
func (e *councilEngine) settings(declared []usi.Option) (list []usi.Setting, version int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	automatic, user := identity.Settings(e.player, e.plan, declared)
	list = append(automatic, user...)
	if o, ok := usi.FindOption(declared, "USI_Hash"); ok && e.hash != "" {
		if value, err := o.Accept(e.hash); err == nil {
			list = overlay(list, usi.Setting{Name: o.Name, Value: value})
		}
	}
	for _, s := range e.own {
		// The cache may be older than the options: what no longer fits is left.
		if fitting, err := usi.Resolve(declared, []usi.Setting{s}); err == nil {
			list = overlay(list, fitting[0])
		}
	}
	for _, name := range e.pressed {
		if o, ok := usi.FindOption(declared, name); ok && o.Type == usi.Button {
			list = append(list, usi.Setting{Name: o.Name})
		}
	}
	e.pressed = nil
	return list, e.version
}

// overlay sets one option in a list that may have it.
func overlay(list []usi.Setting, s usi.Setting) []usi.Setting {
	i := slices.IndexFunc(list, func(x usi.Setting) bool { return usi.SameOption(x.Name, s.Name) })
	if i < 0 {
		return append(list, s)
	}
	list = slices.Clone(list)
	list[i] = s
	return list
}

// councilMember is a running engine that gets its options whenever they changed:
// before a game or a search, never during one.
type councilMember struct {
	*usi.Engine
	of      *councilEngine
	version int
	sent    []usi.Setting
	early   bool // it thinks on the opponent's time without having got clocks
}

// openEngine starts a member's program. One that stayed silent is not tried
// again before the next isready: that would double the GUI's wait.
func (s *council) openEngine(ctx context.Context, e *councilEngine) (ensemble.Player, error) {
	if err := e.gaveUp(); err != nil {
		return nil, err
	}
	engine, err := s.opener.Greet(ctx, e.player, nil)
	if err != nil {
		e.remember(err)
		return nil, err
	}
	e.greeted(engine.Greeting())
	s.cache.save(e.player, engine.Greeting())
	m := &councilMember{Engine: engine, of: e, version: -1}
	if err := m.configure(); err != nil {
		return nil, errors.Join(err, engine.Close())
	}
	return m, nil
}

func (e *councilEngine) gaveUp() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.hopeless
}

// remember notes that the engine was silent for as long as it may be.
func (e *councilEngine) remember(err error) {
	f, ok := errors.AsType[*usi.Fault](err)
	if !ok || f.Kind != usi.FaultStart {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.hopeless = errors.New(f.Error()) // no fault any more: nobody tries again what is one of those
}

// configure sends what differs from what was sent last.
func (m *councilMember) configure() error {
	m.of.mu.Lock()
	current := m.version == m.of.version
	m.of.mu.Unlock()
	if current {
		return nil
	}
	list, version := m.of.settings(m.Greeting().Options)
	changed := slices.DeleteFunc(slices.Clone(list), func(x usi.Setting) bool { return x.Value != "" && slices.Contains(m.sent, x) })
	if len(changed) > 0 {
		if err := m.Configure(changed); err != nil {
			return err
		}
	}
	m.sent, m.version = list, version
	return nil
}

// NewGame sends options that changed and prepares the engine.
func (m *councilMember) NewGame(ctx context.Context, g usi.Game) error {
	if err := m.configure(); err != nil {
		return err
	}
	err := m.Engine.NewGame(ctx, g)
	if err != nil {
		m.of.remember(err)
	}
	return err
}

// Think sends options that changed and asks the engine. A search on the
// opponent's time that began without clocks is ended first and begun anew,
// unless the engine is known to bear clocks behind ponderhit: one that does not
// would play without any.
func (m *councilMember) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	if m.early && ctx.Err() == nil {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if reply, err := m.Engine.Think(ended, r); err != nil {
			return reply, err
		}
	}
	if m.early {
		r.Go.Early, m.early = false, false
	}
	if err := m.configure(); err != nil {
		return usi.Reply{}, err
	}
	return m.Engine.Think(ctx, r)
}

// Ponder sends options that changed and has the engine think on.
func (m *councilMember) Ponder(ctx context.Context, r usi.Request) error {
	if err := m.configure(); err != nil {
		return err
	}
	m.of.mu.Lock()
	m.early = r.Go.Early && !m.of.early
	m.of.mu.Unlock()
	return m.Engine.Ponder(ctx, r)
}

// Mate sends options that changed and asks the engine for a mate.
func (m *councilMember) Mate(ctx context.Context, r usi.Request) (usi.Checkmate, error) {
	if err := m.configure(); err != nil {
		return usi.Checkmate{}, err
	}
	return m.Engine.Mate(ctx, r)
}

// GameOver tells the engine; whatever it was doing has ended then.
func (m *councilMember) GameOver(ctx context.Context, o usi.Outcome) error {
	m.early = false
	return m.Engine.GameOver(ctx, o)
}

// memberOptions are an engine's options as the council declares them. GUIs split
// these lines at single spaces, so a space in a name becomes an underscore, and
// an option with a space in its default or among its choices cannot be shown. It
// is left out, like those that are the council's own business. The default is
// what is in force without the GUI: what the file says, else the engine.
func (e *councilEngine) options() []memberOption {
	e.mu.Lock()
	defer e.mu.Unlock()
	var list []memberOption
	for _, o := range e.declared {
		if usi.SameOption(o.Name, "USI_Ponder") || usi.SameOption(o.Name, "EnteringKingRule") {
			continue
		}
		shown := o
		shown.Name = e.label + "_" + strings.ReplaceAll(o.Name, " ", "_")
		shown.Default = e.inForce(o)
		shown.Vars = defaultFirst(shown.Default, o.Vars)
		taken := slices.ContainsFunc(list, func(x memberOption) bool { return usi.SameOption(x.shown.Name, shown.Name) })
		if !taken && !hasSpace(shown) {
			list = append(list, memberOption{shown, o.Name, e})
		}
	}
	return list
}

// inForce is an option's value as the file has it, or the engine by default.
func (e *councilEngine) inForce(o usi.Option) string {
	for _, s := range e.player.Options {
		if usi.SameOption(s.Name, o.Name) {
			return s.Value
		}
	}
	return o.Default
}

func hasSpace(o usi.Option) bool {
	blank := func(text string) bool { return strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' }) }
	return blank(o.Name) || blank(o.Default) || slices.ContainsFunc(o.Vars, blank)
}

// memberOption is an option of one engine under the name that the GUI sees.
type memberOption struct {
	shown usi.Option
	name  string // as the engine declared it
	of    *councilEngine
}

// set keeps a value until the engine can be told. One that was never changed
// from the default is not even kept: GUIs send every option at each start.
func (o memberOption) set(value string) {
	if o.shown.Type == usi.Button {
		o.of.ask(func(e *councilEngine) { e.pressed = append(e.pressed, o.name) })
		return
	}
	o.of.mu.Lock()
	touched := slices.ContainsFunc(o.of.own, func(s usi.Setting) bool { return s.Name == o.name })
	o.of.mu.Unlock()
	if !touched && value == o.shown.Default {
		return
	}
	o.of.ask(func(e *councilEngine) { e.own = overlay(e.own, usi.Setting{Name: o.name, Value: value}) })
}
