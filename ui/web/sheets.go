package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"golang.org/x/sync/singleflight"

	"gogi/ensemble/votes"
	"gogi/match"
	"gogi/report"
	"gogi/report/effects"
	"gogi/report/html"
	"gogi/report/stored"
	"gogi/results"
)

// sheet is the report of a run, which the server makes once for many readers.
type sheet struct {
	report *report.Report
	seen   *html.Scenes               // data for the page that the report does not have
	html   map[language]template.HTML // the report's sections
	now    map[language]nowParts

	votes    func() (*votes.Report, error)         // the votes of councils; counted at the first call
	openings func() ([]stored.OpeningTally, error) // likewise
	boards   func() (*effects.Boards, error)       // likewise; nil for runs without a strength
	slots    func() ([]stored.SlotTally, error)    // likewise

	judges []string // for a tune: the runs that validate its candidates

	glance *html.Glance // the result in one line, for the list of runs; nil: the run has no strength
	state  stored.State

	stamp   results.Stamp
	playing bool          // the run was in play when the sheet was made
	took    time.Duration // time to make the sheet
	made    time.Time
	used    time.Time // time of the last reader; guarded by sheets.mu
}

// sheets is a cache of reports. A report of a long run takes seconds, and while the run is in play each pair
// makes it out of date. So sheets makes one report at a time for all readers, and shows it for ten times as
// long as it took. Readers therefore cost the run at most a tenth of a core. After the end of a session it
// makes a new report at once, because readers want the result then.
type sheets struct {
	flights singleflight.Group
	most    int // number of sheets to keep; 0: keptSheets

	mu   sync.Mutex
	kept map[int64]*sheet // by the run's ID
}

// These constants limit the memory and the work of sheets.
const (
	keptSheets  = 32
	keptGlances = 20_000
	keptFactor  = 10 // an old report is shown for this many times the time to make it
)

// of returns the report of a run.
func (c *sheets) of(ctx context.Context, s *Server, info *results.RunInfo) (*sheet, error) {
	return c.made(ctx, s, info, s.newSheet)
}

// sheetMaker is a function that makes the sheet of a run, such as Server.newSheet.
type sheetMaker func(context.Context, *results.RunInfo) (*sheet, error)

// made returns the sheet of a run. If the cache has no valid one, made calls makeSheet.
func (c *sheets) made(ctx context.Context, s *Server, info *results.RunInfo, makeSheet sheetMaker) (*sheet, error) {
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
		begun := time.Now()
		made, err := makeSheet(ctx, info)
		if err != nil {
			return nil, err
		}
		made.stamp, made.playing, made.made = stamp, playing, time.Now()
		made.took = made.made.Sub(begun)
		c.keep(info.ID, made)
		return made, nil
	})
	if err != nil {
		return nil, err
	}
	return made.(*sheet), nil // nothing else is returned above
}

// errNotYet is the error if a sheet is still being made.
var errNotYet = errors.New("the results are being read")

// soon returns the sheet of a run as made does, but waits only until ctx ends. If the sheet is not ready by then, soon
// returns errNotYet, and the server finishes the sheet for a later request.
func (c *sheets) soon(ctx context.Context, s *Server, info *results.RunInfo, makeSheet sheetMaker) (*sheet, error) {
	type answer struct {
		made *sheet
		err  error
	}
	lasting := context.WithoutCancel(ctx)
	stamp, err := s.config.Store.Stamp(lasting, info.ID)
	if err != nil {
		return nil, err
	}
	if kept := c.find(info.ID, stamp, s.playing(info.Name) != nil); kept != nil {
		return kept, nil
	}
	if ctx.Err() != nil {
		return nil, errNotYet
	}
	done := make(chan answer, 1)
	go func() {
		made, err := c.made(lasting, s, info, makeSheet)
		done <- answer{made, err}
	}()
	select {
	case a := <-done:
		return a.made, a.err
	case <-ctx.Done():
		return nil, errNotYet
	}
}

// find returns a sheet that may be shown, or nil if a new one is needed. playing reports whether the run is in play.
func (c *sheets) find(run int64, stamp results.Stamp, playing bool) *sheet {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept, now := c.kept[run], time.Now()
	if kept == nil || kept.stamp != stamp && (kept.playing && !playing || now.Sub(kept.made) > keptFactor*kept.took) {
		return nil
	}
	kept.used = now
	return kept
}

// keep stores a sheet. If there are too many, it deletes the one that was not read for the longest time.
func (c *sheets) keep(run int64, made *sheet) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.kept == nil {
		c.kept = map[int64]*sheet{}
	}
	made.used = time.Now()
	c.kept[run] = made
	for len(c.kept) > cmp.Or(c.most, keptSheets) {
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
	shown, err := stored.Shown(ctx, s.config.Store, info)
	if err != nil {
		return nil, err
	}
	shown.Report = discreet(shown.Report)
	shown.Seen.ChangeNotes(ownNote) // as noteFor without the token: all readers have this page
	for i := range shown.About.Engines {
		e := &shown.About.Engines[i]
		e.Options = maskedOptions(e.Options)
	}
	made := &sheet{report: shown.Report, seen: shown.Seen, html: map[language]template.HTML{},
		now: map[language]nowParts{}}
	made.votes = sync.OnceValues(func() (*votes.Report, error) { return stored.Votes(ctx, s.config.Store, info) })
	if stored.Proves(info) == nil && len(info.Players) > 1 {
		made.boards = sync.OnceValues(func() (*effects.Boards,
			error) {
			return stored.Boards(ctx, s.config.Store, info, stored.EndOf(made.report))
		})
	}
	made.openings = sync.OnceValues(func() ([]stored.OpeningTally,
		error) {
		return stored.OpeningTallies(ctx, s.config.Store, info.ID)
	})
	made.slots = sync.OnceValues(func() ([]stored.SlotTally,
		error) {
		return stored.SlotTallies(ctx, s.config.Store, info)
	})
	for _, in := range []language{english, japanese} {
		var text strings.Builder
		link := func(pair, leg int) string { return gameAt(info.Name, pair, leg) }
		if err := shown.Sections(&text, html.Words{In: in}, link); err != nil {
			return nil, err
		}
		made.html[in] = template.HTML(strings.Map(visible, text.String())) // the templates have escaped every text
		line, course, err := shown.Now(html.Words{In: in})
		if err != nil {
			return nil, err
		}
		made.now[in] = nowParts{seen(line), seen(course)}
	}
	return made, nil
}

// discreet returns a copy of a report for readers without the token. It has no texts that may name a path or an
// argument, such as changes of settings and reasons.
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
	for i := range shown.Looks.Remarks { // remarks on voided pairs quote a person
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

// namesPath reports whether a text may contain a path.
func namesPath(text string) bool { return strings.ContainsAny(text, `/\\`) }

// masked returns the text without what an engine printed on stderr, which may be a part of its environment. It returns
// "…" if the rest may contain a path.
func masked(text string) string {
	const printed = "stderr: " // see process.Exit.String
	if before, _, ok := strings.Cut(text, printed); ok {
		text = before + printed + "…"
	}
	if namesPath(text) {
		return "…"
	}
	return text
}

// noteFor returns the function that changes the note of a game to what the reader may see: all of it with the token,
// and otherwise what ownNote returns.
func (s *Server) noteFor(r *http.Request) func(string) string {
	if s.guard.holds(r) {
		return func(note string) string { return note }
	}
	return ownNote
}

// maskedOptions returns a copy of options without values that may be paths.
func maskedOptions(options []match.Option) []match.Option {
	shown := slices.Clone(options)
	for i := range shown {
		shown[i].Value = masked(shown[i].Value)
	}
	return shown
}

// seen returns HTML without invisible characters. The texts in the HTML are already escaped.
func seen(text template.HTML) template.HTML {
	return template.HTML(strings.Map(visible, string(text)))
}

// visible deletes invisible characters from a page, because some of them reverse the order of a line. Use it
// with strings.Map.
func visible(r rune) rune {
	if unicode.Is(unicode.Cf, r) {
		return -1
	}
	return r
}
