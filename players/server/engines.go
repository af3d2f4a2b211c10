package server

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gogi/configs/identity"
	"gogi/ensemble"
	"gogi/match"
	"gogi/usi"
)

// A councilEngine is one engine among the members of a served council, running or not. It has the known
// options and their values. The dialogue with the GUI writes here while members read in their own goroutines.
type councilEngine struct {
	label  string // E2: the second member; E2_1: the first member of a council that is the second member
	player match.Player

	mu       sync.Mutex
	declared []usi.Option
	known    bool // declared comes from the engine or the cache
	plan     *match.Plan
	hash     string        // this engine's part of USI_Hash; "": the file's value
	own      []usi.Setting // values that the GUI set with E options, under the engine's own names
	pressed  []string      // buttons that are not sent yet
	early    bool          // the engine accepts clocks with ponderhit
	version  int           // counts the changes by update
	// error of an engine that did not answer during this isready; the council does not start it again
	silent error
}

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

func (e *councilEngine) greeted(g usi.Greeting) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.declared, e.known = g.Options, true
}

// check returns an error for options of the file that the engine does not accept. It returns nil if the engine's
// options are not known.
func (e *councilEngine) check() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.known {
		return nil
	}
	var errs []error
	for _, o := range e.player.Options {
		if _, err := usi.Sendable(e.declared, []usi.Setting{usi.Setting(o)}); err != nil {
			errs = append(errs, fmt.Errorf("engine %s: %w", e.player.Name, err))
		}
	}
	return errors.Join(errs...)
}

// update calls change, which changes the engine's values, and increases the version.
func (e *councilEngine) update(change func(*councilEngine)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	change(e)
	e.version++
}

// settings returns the option values for the engine in this order: the plan's and the file's values, the
// engine's part of USI_Hash, and the GUI's values for this engine. Later values override earlier ones.
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
		// The cache may be older than the engine, so omit a value that no longer fits.
		if fitting, err := usi.Sendable(declared, []usi.Setting{s}); err == nil {
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

// overlay returns the list with the setting s. It replaces a setting of the same option.
func overlay(list []usi.Setting, s usi.Setting) []usi.Setting {
	i := slices.IndexFunc(list, func(x usi.Setting) bool { return usi.SameOption(x.Name, s.Name) })
	if i < 0 {
		return append(list, s)
	}
	list = slices.Clone(list)
	list[i] = s
	return list
}

// A councilMember is a running engine. It receives changed options before a game or a search, never during
// one.
type councilMember struct {
	*usi.Engine
	of      *councilEngine
	version int
	sent    []usi.Setting
	early   string // the position on which the member ponders without knowing the clocks, or ""
}

// openEngine starts a member's program. If an engine did not answer, openEngine does not start it again
// before the next isready, because the GUI would wait twice as long.
func (s *council) openEngine(ctx context.Context, e *councilEngine) (ensemble.Player, error) {
	if err := e.silence(); err != nil {
		return nil, err
	}
	engine, err := s.opener.Greet(ctx, e.player, nil)
	if err != nil {
		e.noteSilence(err)
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

// silence returns the stored error of an engine that did not answer since the last isready, or nil.
func (e *councilEngine) silence() error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.silent
}

// noteSilence stores the error of an engine that did not answer in time. It ignores other errors.
func (e *councilEngine) noteSilence(err error) {
	f, ok := errors.AsType[*usi.Fault](err)
	if !ok || f.Kind != usi.FaultStart {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.silent = errors.New(f.Error()) // not a usi.Fault, because the council would retry after one
}

// configure sends the options that changed since the last call.
func (m *councilMember) configure() error {
	m.of.mu.Lock()
	current := m.version == m.of.version
	m.of.mu.Unlock()
	if current {
		return nil
	}
	list, version := m.of.settings(m.Greeting().Options)
	changed := slices.DeleteFunc(slices.Clone(list), func(x usi.Setting) bool {
		return x.Value != "" && slices.Contains(m.sent, x)
	})
	if len(changed) > 0 {
		if err := m.Configure(changed); err != nil {
			return err
		}
	}
	m.sent, m.version = list, version
	return nil
}

// NewGame sends changed options and prepares the engine.
func (m *councilMember) NewGame(ctx context.Context, g usi.Game) error {
	if err := m.configure(); err != nil {
		return err
	}
	err := m.Engine.NewGame(ctx, g)
	if err != nil {
		m.of.noteSilence(err)
	}
	return err
}

// Think sends changed options and starts a search. After a hit of a ponder search that started without clocks, Think
// first ends it and starts another search, because the engine would play without clocks. This is not necessary if the
// engine accepts clocks with ponderhit.
func (m *councilMember) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	hit := m.early == r.Position.String()
	m.early = ""
	if hit && ctx.Err() == nil {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		if reply, err := m.Engine.Think(ended, r); err != nil {
			return reply, err
		}
	}
	if err := m.configure(); err != nil {
		return usi.Reply{}, err
	}
	return m.Engine.Think(ctx, r)
}

// Ponder sends changed options and starts a search on the opponent's time.
func (m *councilMember) Ponder(ctx context.Context, r usi.Request) error {
	if err := m.configure(); err != nil {
		return err
	}
	m.of.mu.Lock()
	if m.early = ""; r.Go.Early && !m.of.early {
		m.early = r.Position.String()
	}
	m.of.mu.Unlock()
	return m.Engine.Ponder(ctx, r)
}

// Rest ends the search on the opponent's time. The council calls it if another member thought on the reply that was
// played.
func (m *councilMember) Rest(ctx context.Context, deadline time.Duration) error {
	m.early = ""
	return m.Engine.Rest(ctx, deadline)
}

// GameOver sends the result of the game to the engine and ends its search.
func (m *councilMember) GameOver(ctx context.Context, o usi.Outcome) error {
	m.early = ""
	return m.Engine.GameOver(ctx, o)
}

// options returns an engine's options in the form that the council declares. GUIs split option lines at
// spaces, so a space in a name becomes an underscore. options omits those with a space in the default or in a
// choice, and those that the council sets itself. The declared default is the value in the file, or else the
// engine's default.
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

// inForce returns the value of an option in the file, or else the engine's default.
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

// A memberOption is an option of one engine under the name that the GUI sees.
type memberOption struct {
	shown usi.Option
	name  string // the name that the engine declared
	of    *councilEngine
}

// set stores a value for the engine. It ignores a default value that was never changed, because GUIs send
// every option at each start.
func (o memberOption) set(value string) {
	if o.shown.Type == usi.Button {
		o.of.update(func(e *councilEngine) { e.pressed = append(e.pressed, o.name) })
		return
	}
	o.of.mu.Lock()
	touched := slices.ContainsFunc(o.of.own, func(s usi.Setting) bool { return s.Name == o.name })
	o.of.mu.Unlock()
	if !touched && value == o.shown.Default {
		return
	}
	o.of.update(func(e *councilEngine) { e.own = overlay(e.own, usi.Setting{Name: o.name, Value: value}) })
}
