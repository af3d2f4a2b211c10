package check

import (
	"context"
	"slices"
	"strings"
	"time"

	"gogi/configs/identity"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/usi"
)

func checkGreeting(ctx context.Context, s *subject, f *Finding) {
	if err := s.start(ctx); err != nil {
		s.charge(f, Fail, err, i18n.Verbatim("usi"))
		return
	}
	g := s.engine.Greeting()
	s.greeting = g
	f.add(Pass, "after %s", format.Span(g.Elapsed))
	if g.Elapsed > 2*time.Second {
		f.add(Warn, "slow: some GUIs give up after 2 s")
	}
	if g.Name == "" {
		f.add(Warn, "no id name")
	} else {
		f.add(Pass, "%s", byline(g))
	}
	if n := len(g.Bad); n > 0 {
		f.add(Warn, "%d unreadable option lines, the first: %s", n, g.Bad[0])
	}
}

func byline(g usi.Greeting) i18n.Message {
	if g.Author == "" {
		return i18n.Of("%s, no author", g.Name)
	}
	return i18n.Of("%s by %s", g.Name, g.Author)
}

// checkOptions checks the declared options, and decides which values gogi sends. It omits options of the user
// that the engine does not accept.
func checkOptions(_ context.Context, s *subject, f *Finding) {
	declared := s.greeting.Options
	automatic, user := identity.Settings(s.player, s.plan, declared)
	s.settings = automatic
	for _, option := range user {
		if _, err := usi.Sendable(declared, []usi.Setting{option}); err != nil {
			f.add(Fail, "refused: %s", err)
			continue
		}
		s.settings = append(s.settings, option)
	}
	f.add(Pass, "%s, %s", i18n.Number{N: len(declared), Noun: "option"}, s.generalOptions())
	var spaced []string
	for _, o := range declared {
		if strings.Contains(o.Name, " ") {
			spaced = append(spaced, o.Name)
		}
		// A button has no default, and an empty default means no value.
		if _, err := o.Accept(o.Default); err != nil && o.Type != usi.Button && o.Default != "" {
			f.add(Warn, "refuses its own default: %s", err)
		}
	}
	if len(spaced) > 0 {
		f.add(Warn, "names with spaces, which some GUIs cannot set: %s", firstFew(spaced, 3))
	}
}

// generalOptions lists which usual options the engine has and which it lacks.
func (s *subject) generalOptions() i18n.Message {
	var there, missing []string
	for _, name := range []string{"USI_Hash", "Threads", "USI_Ponder", "MultiPV"} {
		if o, ok := s.offers(name); ok {
			there = append(there, o.Name)
		} else {
			missing = append(missing, name)
		}
	}
	switch {
	case len(there) == 0:
		return i18n.Of("none of %s", strings.Join(missing, ", "))
	case len(missing) == 0:
		return i18n.Of("with %s", strings.Join(there, ", "))
	}
	return i18n.Of("with %s, without %s", strings.Join(there, ", "), strings.Join(missing, ", "))
}

func firstFew(names []string, n int) i18n.Message {
	if len(names) <= n {
		return i18n.Verbatim(strings.Join(names, ", "))
	}
	return i18n.Of("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}

// checkDefaults warns of defaults that spoil short games.
func checkDefaults(_ context.Context, s *subject, f *Finding) {
	declared := s.greeting.Options
	warnings := identity.Lint(s.player, s.plan, declared)
	for _, w := range warnings {
		f.add(Warn, "%s", w.Text) // without the advice, which is for a file; the flag is added below
	}
	if len(warnings) == 0 {
		f.add(Pass, "no waste of time, no book")
		return
	}
	helped := s.player
	helped.Profile = "yaneuraou"
	if len(identity.Lint(helped, s.plan, declared)) < len(warnings) {
		f.add(Warn, "--profile yaneuraou sets them right")
	}
}

// checkReady sends isready twice, because some engines load files at the first one, and others reset
// themselves at each.
func checkReady(ctx context.Context, s *subject, f *Finding) {
	if err := s.endAfter(s.engine.Configure(s.settings)); err != nil {
		s.charge(f, Fail, err, i18n.Verbatim("setoption"))
		return
	}
	var took []string
	for range 2 {
		began := time.Now()
		if err := s.newGame(ctx); err != nil {
			s.charge(f, Fail, err, i18n.Verbatim("isready"))
			return
		}
		took = append(took, format.Span(time.Since(began)))
	}
	f.add(Pass, "after %s, the second time %s", took[0], took[1])
}

// checkStderr reports the last output on stderr, after many searches.
func checkStderr(ctx context.Context, s *subject, f *Finding) {
	if err := s.ensureReady(ctx); err != nil {
		s.charge(f, Fail, err, i18n.Verbatim("usi"))
		return
	}
	text := s.proc.Exit().Stderr
	if text == "" {
		f.add(Pass, "silent")
		return
	}
	runes := []rune(text)
	f.add(Pass, "not empty, the end: %s", string(slices.Clone(runes[max(0, len(runes)-120):])))
}
