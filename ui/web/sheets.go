package web

import (
	"context"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/sync/singleflight"

	"gogi/ensemble/votes"
	"gogi/match"
	"gogi/report"
	"gogi/report/html"
	"gogi/report/stored"
	"gogi/results"
)

// sheet is a run's report, made once and shown to many.
type sheet struct {
	report *report.Report
	seen   *html.Scenes
	html   map[language]template.HTML // the report's sections

	votes func() (*votes.Report, error) // how the councils voted; counted when it is asked for

	judges []string // of a tune, the runs that judge its answers

	stamp   results.Stamp
	playing bool          // when it was made, somebody played the run
	took    time.Duration // to make
	made    time.Time
	used    time.Time // last; guarded by sheets.mu
}

// sheets are the reports that were made last. A report of a long run takes seconds, and
// while the run is played another one is due after every pair: so one is made at a time
// for all who ask, and one that is out of date is still shown for ten times as long as it
// took, which bounds what readers cost the run to a tenth of a core. The end of a session
// is no such moment: who looks then wants to know what came of it.
type sheets struct {
	flights singleflight.Group

	mu   sync.Mutex
	kept map[int64]*sheet // by the run's ID
}

// Bounds of sheets.
const (
	keptSheets = 32
	patience   = 10 // how many times longer than it took one is shown
)

// of is the sheet of a run.
func (c *sheets) of(ctx context.Context, s *Server, info *results.RunInfo) (*sheet, error) {
	return c.made(ctx, s, info, s.newSheet)
}

// made is the sheet of a run by whoever makes it.
func (c *sheets) made(ctx context.Context, s *Server, info *results.RunInfo, by func(context.Context, *results.RunInfo) (*sheet, error)) (*sheet, error) {
	stamp, err := s.config.Store.Stamp(ctx, info.ID)
	if err != nil {
		return nil, err
	}
	playing := s.playing(info.Name) != nil
	if kept := c.find(info.ID, stamp, playing); kept != nil {
		return kept, nil
	}
	made, err, _ := c.flights.Do(fmt.Sprint(stamp, playing), func() (any, error) {
		if kept := c.find(info.ID, stamp, playing); kept != nil {
			return kept, nil
		}
		made, err := by(ctx, info)
		if err != nil {
			return nil, err
		}
		made.stamp, made.playing = stamp, playing
		c.keep(info.ID, made)
		return made, nil
	})
	if err != nil {
		return nil, err
	}
	return made.(*sheet), nil //nolint:forcetypeassert // nothing else is returned above
}

// find is a sheet that may be shown, nil where one is to be made; playing is whether
// somebody plays the run now.
func (c *sheets) find(run int64, stamp results.Stamp, playing bool) *sheet {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, now := c.kept[run], time.Now()
	if kept == nil || kept.stamp != stamp && (kept.playing && !playing || now.Sub(kept.made) > patience*kept.took) {
		return nil
	}
	kept.used = now
	return kept
}

// keep keeps a sheet in the place of the run's last one, or of the one that was not looked
// at for the longest time.
func (c *sheets) keep(run int64, made *sheet) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = map[int64]*sheet{}
	}
	made.used = time.Now()
	c.kept[run] = made
	for len(c.kept) > keptSheets {
		oldest := run
		for id, k := range c.kept {
			if k.used.Before(c.kept[oldest].used) {
				oldest = id
			}
		}
		delete(c.kept, oldest)
	}
}

// newSheet makes the report of a run, in both languages.
func (s *Server) newSheet(ctx context.Context, info *results.RunInfo) (*sheet, error) {
	begun := time.Now()
	shown, err := stored.Shown(ctx, s.config.Store, info)
	if err != nil {
		return nil, err
	}
	shown.Report = discreet(shown.Report)
	for i := range shown.About.Engines {
		e := &shown.About.Engines[i]
		e.Options = maskedOptions(e.Options)
	}
	made := &sheet{report: shown.Report, seen: shown.Seen, html: map[language]template.HTML{}}
	made.votes = sync.OnceValues(func() (*votes.Report, error) { return stored.Votes(ctx, s.config.Store, info) })
	for _, in := range []language{english, japanese} {
		var html strings.Builder
		link := func(pair, leg int) string { return gameAt(info.Name, pair, leg) }
		if err := shown.Sections(&html, s.pages.words(in), link); err != nil {
			return nil, err
		}
		made.html[in] = template.HTML(strings.Map(visible, html.String())) //nolint:gosec // the templates have escaped every text
	}
	made.made = time.Now()
	made.took = made.made.Sub(begun)
	return made, nil
}

// discreet is a report without what only holders of the token may see: changes of
// settings that name a path or an argument.
func discreet(r *report.Report) *report.Report {
	shown, hidden := *r, "…"
	shown.Looks.Changes = slices.Clone(r.Looks.Changes)
	for i := range shown.Looks.Changes {
		if d := &shown.Looks.Changes[i].Difference; namesPath(d.String()) {
			*d = match.Difference{Path: []string{masked(strings.Join(d.Path, "."))}, Before: &hidden, Now: &hidden}
		}
	}
	shown.Voided, shown.Looks.Remarks = slices.Clone(r.Voided), slices.Clone(r.Looks.Remarks)
	for i := range shown.Voided {
		shown.Voided[i].Why = masked(shown.Voided[i].Why)
	}
	for i := range shown.Looks.Remarks { // those of voided pairs quote a person
		args := slices.Clone(shown.Looks.Remarks[i].Args)
		for k, a := range args {
			if text, ok := a.(string); ok {
				args[k] = masked(text)
			}
		}
		shown.Looks.Remarks[i].Args = args
	}
	return &shown
}

// namesPath reports whether a text may have a path in it.
func namesPath(text string) bool { return strings.ContainsAny(text, `/\\`) }

// maskedOptions are options without values that are paths.
func maskedOptions(options []match.Option) []match.Option {
	shown := slices.Clone(options)
	for i := range shown {
		if namesPath(shown[i].Value) {
			shown[i].Value = "…"
		}
	}
	return shown
}

// visible takes invisible characters out of a page, which can turn the order of a line
// around: names have no need of them.
func visible(r rune) rune {
	if unicode.Is(unicode.Cf, r) {
		return -1
	}
	return r
}
