package web

import (
	"cmp"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gogi/internal/i18n"
	"gogi/internal/svg"
	"gogi/report/html"
	"gogi/report/ratings"
	"gogi/report/stored"
	"gogi/results"
	"gogi/shogi"
	"gogi/stats"
)

// maxOffered is the largest number of runs that a page offers. A reader finds other runs by a part of their names.
const maxOffered = 200

// chooser is the data for a page on which the reader chooses runs.
type chooser struct {
	Runs   []string // the chosen runs, then the latest ones that match the search, at most maxOffered
	More   int      // number of further runs that match
	Chosen []string
	Query  url.Values
	Wrong  i18n.Message // the reason if there is no answer
	Found  any          // the answer; nil: none
}

// crossPages has the pages about several runs.
type crossPages struct{ *Server }

// newChooser lists the runs, the latest first. The parameter q is a search for a part of a name. newChooser returns an
// error for parameters other than q and the known ones.
func (s crossPages) newChooser(r *http.Request, known ...string) (*chooser, error) {
	names, err := runList(s).runNames(r.Context())
	if err != nil {
		return nil, err
	}
	c := &chooser{Query: r.URL.Query()}
	for name := range c.Query {
		if !slices.Contains(append(known, "lang", "q"), name) {
			return nil, &badQuery{fmt.Errorf("%q: expected one of %s", name, strings.Join(known, ", "))}
		}
	}
	for _, name := range known {
		for _, run := range c.Query[name] {
			if name != "opponent" && name != "anchor" && run != "" && !slices.Contains(c.Chosen, run) {
				c.Chosen = append(c.Chosen, run)
			}
		}
	}
	c.offer(names)
	return c, nil
}

// offer lists the chosen runs and those that match the search.
func (c *chooser) offer(names []results.RunName) {
	text := strings.ToLower(strings.TrimSpace(c.Query.Get("q")))
	var chosen, found []string
	for _, n := range names {
		switch {
		case c.Has(n.Name):
			chosen = append(chosen, n.Name)
		case !mentions(n, text):
		case len(found) < maxOffered:
			found = append(found, n.Name)
		default:
			c.More++
		}
	}
	c.Runs = append(chosen, found...)
}

// Has reports whether the user chose this run for the page.
func (c *chooser) Has(run string) bool { return slices.Contains(c.Chosen, run) }

// alone runs a job that may take long. The server runs one such job at a time, so that readers leave the CPUs
// to the games.
func (s crossPages) alone(r *http.Request, do func() error) error {
	select {
	case s.heavy <- struct{}{}:
		defer func() { <-s.heavy }()
		return do()
	case <-r.Context().Done():
		return r.Context().Err()
	}
}

// resultAlone returns the result of a job of alone. The page is written after the job, so that a slow reader does not
// delay the jobs of others.
func resultAlone[T any](s *Server, r *http.Request, job func() (T, error)) (result T, err error) {
	err = crossPages{s}.alone(r, func() error {
		result, err = job()
		return err
	})
	return result, err
}

// comparePage compares two runs. It shows whether the newer version gained more Elo.
func (s crossPages) comparePage(w http.ResponseWriter, r *http.Request) error {
	c, err := s.newChooser(r, "a", "b", "opponent")
	if err != nil {
		return err
	}
	if a, b := c.Query.Get("a"), c.Query.Get("b"); a != "" && b != "" {
		err = s.alone(r, func() error {
			rep, err := stored.Compare(r.Context(), s.config.Store, []string{a, b}, c.Query.Get("opponent"), 0)
			return c.answer(rep, err)
		})
	}
	if err == nil {
		s.showTitled(w, r, "compare", "Compare two runs", c)
	}
	return err
}

// answer stores the result of a job, or the reason of its error, for the page. It returns errors for which the page has
// no answer: a run that does not exist, damaged data, and the end of the request.
func (c *chooser) answer(found any, err error) error {
	var none *results.NoRun
	var damaged interface{ Timeout() bool }
	switch {
	case errors.As(err, &none), errors.As(err, &damaged):
		return err
	case err != nil:
		c.Wrong = i18n.Because(err)
	default:
		c.Found = found
	}
	return nil
}

// MaxRated is the largest number of runs for which the page of ratings rates the players together.
const MaxRated = 300

// rated is the data for the page of ratings.
type rated struct {
	*ratings.Report
	Rows     []ratedRow // the strongest first
	Progress []ratedRow // versions in the order of their first runs; nil for one run
	Cross    []crossRow // nil for two players
}

type ratedRow struct {
	ratings.Player
	Bar   template.HTML // chart of its interval; "" without one
	Since *float64      // difference from the row before
}

// crossRow is a player's results against each of the others.
type crossRow struct {
	Name  string
	Cells []crossCell
}

type crossCell struct {
	Score *float64 // points per game; nil: they have not met
	Games int
}

// ratingsPage rates the players of the chosen runs, with the default settings of gogi rate.
func (s crossPages) ratingsPage(w http.ResponseWriter, r *http.Request) error {
	c, err := s.newChooser(r, "run", "anchor")
	if err != nil {
		return err
	}
	if len(c.Chosen) > MaxRated {
		return &badQuery{fmt.Errorf("%d runs: expected %d at most", len(c.Chosen), MaxRated)}
	}
	if len(c.Chosen) > 0 {
		err = s.alone(r, func() error {
			rep, err := s.rate(r, c.Chosen, c.Query.Get("anchor"))
			if bad, ok := errors.AsType[*ratings.BadAnchor](err); ok {
				err = i18n.Errorf("Anchor: %s", bad.Why)
			}
			return c.answer(rep, err)
		})
	}
	if err == nil {
		s.showTitled(w, r, "ratings", "Ratings", c)
	}
	return err
}

// rate rates the players of runs. anchor is NAME or NAME=ELO, or "".
func (s crossPages) rate(r *http.Request, runs []string, anchor string) (*rated, error) {
	games := ratings.NewGames()
	var infos []results.RunInfo
	for _, name := range runs {
		info, err := s.config.Store.FindRun(r.Context(), name)
		if err != nil {
			return nil, err
		}
		infos = append(infos, *info)
	}
	players, err := stored.Rate(r.Context(), s.config.Store, infos, games)
	if err != nil {
		return nil, err
	}
	options := ratings.Options{Model: "all", Draws: "half", Confidence: 0.95, Seed: 1,
		Command: stored.RateCommand("", runs)}
	if anchor != "" {
		if options.Anchor, err = ratings.ParseAnchor(anchor); err != nil {
			return nil, err
		}
	}
	rep, err := ratings.Rate(games, options)
	if err != nil {
		return nil, err
	}
	found := &rated{Report: rep}
	found.bars()
	slices.SortFunc(infos, func(a, b results.RunInfo) int { return cmp.Compare(a.ID, b.ID) })
	labels := make([][]string, len(infos))
	for i := range infos {
		labels[i] = players.Labels(&infos[i])
	}
	found.progress(labels)
	return found, s.crossed(r, found, infos, labels)
}

// bars adds the rows of the table, with all intervals on one scale.
func (f *rated) bars() {
	low, high := 0.0, 0.0
	for i := range f.Players {
		for _, v := range []*float64{f.Players[i].Lo, f.Players[i].Rating, f.Players[i].Hi} {
			if v != nil {
				low, high = min(low, *v), max(high, *v)
			}
		}
	}
	for _, p := range f.Players {
		row := ratedRow{Player: p}
		if p.Rating != nil && (p.Lo != nil || p.Hi != nil) { // an anchor has no interval
			lo, hi := low, high // an end without a value is infinite
			if p.Lo != nil {
				lo = *p.Lo
			}
			if p.Hi != nil {
				hi = *p.Hi
			}
			row.Bar = svg.Interval(lo, *p.Rating, hi, low, high, 0, html.EloText(p.Rating))
		}
		f.Rows = append(f.Rows, row)
	}
}

// progress adds the versions of several runs in the order in which they first played. A player of all runs is the
// opponent of the versions. runs has the labels of the players of each run.
func (f *rated) progress(runs [][]string) {
	if len(runs) < 2 || len(f.Rows) < 3 {
		return
	}
	for _, players := range runs {
		for _, name := range players {
			at := slices.IndexFunc(f.Rows, func(p ratedRow) bool { return p.Name == name && p.Rating != nil })
			always := !slices.ContainsFunc(runs, func(other []string) bool { return !slices.Contains(other, name) })
			if at < 0 || always || slices.ContainsFunc(f.Progress, func(p ratedRow) bool { return p.Name == name }) {
				continue
			}
			row := f.Rows[at]
			if n := len(f.Progress); n > 0 {
				row.Since = new(*row.Rating - *f.Progress[n-1].Rating)
			}
			f.Progress = append(f.Progress, row)
		}
	}
	if len(f.Progress) < 2 {
		f.Progress = nil
	}
}

// crossed adds the table of the players against each other, from the reports of their runs. labels has
// the labels of the players of each run.
func (s crossPages) crossed(r *http.Request, f *rated, runs []results.RunInfo, labels [][]string) error {
	if len(f.Rows) < 3 {
		return nil
	}
	sums := map[[2]string][2]float64{} // points and games
	add := func(a, b string, w stats.WDL) {
		sum := sums[[2]string{a, b}]
		sums[[2]string{a, b}] = [2]float64{sum[0] + float64(w.Wins) + float64(w.Draws)/2, sum[1] + float64(w.Games())}
	}
	for i := range runs {
		made, err := s.sheets.of(lasting(r), s.Server, &runs[i])
		if err != nil {
			return err
		}
		label := func(name string) string { return labels[i][slices.Index(runs[i].Players, name)] }
		for _, c := range made.report.Crosstable {
			add(label(c.A), label(c.B), c.WDL)
			add(label(c.B), label(c.A), c.Mirror())
		}
	}
	for _, a := range f.Rows {
		row := crossRow{Name: a.Name}
		for _, b := range f.Rows {
			cell := crossCell{}
			if sum := sums[[2]string{a.Name, b.Name}]; sum[1] > 0 {
				cell = crossCell{new(sum[0] / sum[1]), int(sum[1])}
			}
			row.Cells = append(row.Cells, cell)
		}
		f.Cross = append(f.Cross, row)
	}
	return nil
}

// engineEntry is a player of a run.
type engineEntry struct {
	Run, Link string
	Engine    results.Engine
}

// engineGroup holds the players with the same identity, which are one engine under any name.
type engineGroup struct {
	Identity string
	Entries  []engineEntry
}

// enginesPage lists the engines by identity. Only holders of the token see their paths and commands.
func (s crossPages) enginesPage(w http.ResponseWriter, r *http.Request) error {
	c, err := s.newChooser(r, "run")
	if err != nil {
		return err
	}
	for _, name := range c.Chosen {
		if _, err := s.config.Store.FindRun(r.Context(), name); err != nil {
			return err
		}
	}
	wanted := c.Runs
	if len(c.Chosen) > 0 {
		wanted = c.Chosen
	}
	names, err := runList(s).runNames(r.Context())
	if err != nil {
		return err
	}
	infos, err := runList(s).infosOf(r.Context(),
		slices.DeleteFunc(slices.Clone(names), func(n results.RunName) bool { return !slices.Contains(wanted, n.Name) }))
	if err != nil {
		return err
	}
	holder := s.guard.holds(r)
	var groups []engineGroup
	for _, info := range infos {
		for i := range info.Engines {
			groups = grouped(groups, engineEntry{Run: info.Name, Link: pathOf(info.Name),
				Engine: shownTo(holder, info.Engines[i])})
		}
	}
	c.Found = groups
	s.showTitled(w, r, "engines", "Engines", c)
	return nil
}

func grouped(groups []engineGroup, e engineEntry) []engineGroup {
	identity := e.Engine.Identity.String()
	i := slices.IndexFunc(groups, func(g engineGroup) bool { return g.Identity == identity })
	if i < 0 {
		return append(groups, engineGroup{identity, []engineEntry{e}})
	}
	groups[i].Entries = append(groups[i].Entries, e)
	return groups
}

// shownTo returns an engine as a reader may see it. For readers without the token it deletes paths, arguments and the
// environment. It also deletes option values that may be paths.
func shownTo(holder bool, e results.Engine) results.Engine {
	if holder {
		return e
	}
	e.Command, e.Dir, e.Env = nil, "", nil
	e.Identity.Files = slices.Clone(e.Identity.Files)
	for i := range e.Identity.Files {
		e.Identity.Files[i].Path = ""
	}
	e.Options = maskedOptions(e.Options)
	return e
}

// handicapName returns the name of a start position: "" for the usual one, the handicap's name, or the text
// itself.
func (v voice) handicapName(start string) string {
	p := shogi.StartPos()
	if start == "startpos" || start == p.SFEN() {
		return ""
	}
	for _, h := range shogi.Handicaps() {
		if h.SFEN == strings.TrimPrefix(start, "sfen ") {
			if v.In == japanese {
				return h.Japanese
			}
			return h.Name
		}
	}
	return start
}
