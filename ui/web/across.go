package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gogi/internal/i18n"
	"gogi/report/ratings"
	"gogi/report/stored"
	"gogi/results"
	"gogi/shogi"
)

// chooser is the data for a page with a form that chooses runs.
type chooser struct {
	Runs   []string
	Chosen []string
	Query  url.Values
	Wrong  i18n.Message // the reason if there is no answer
	Found  any          // the answer; nil: none
}

// newChooser lists the runs, the latest first. It returns an error for parameters other than the known ones.
func (s *Server) newChooser(r *http.Request, known ...string) (*chooser, error) {
	infos, err := s.config.Store.Runs(r.Context())
	if err != nil {
		return nil, err
	}
	c := &chooser{Query: r.URL.Query()}
	for _, info := range slices.Backward(infos) {
		c.Runs = append(c.Runs, info.Name)
	}
	for name := range c.Query {
		if !slices.Contains(append(known, "lang"), name) {
			return nil, &badQuery{fmt.Errorf("%q: expected one of %s", name, strings.Join(known, ", "))}
		}
	}
	for _, name := range known {
		for _, run := range c.Query[name] {
			if name != "opponent" && run != "" && !slices.Contains(c.Chosen, run) {
				c.Chosen = append(c.Chosen, run)
			}
		}
	}
	return c, nil
}

// Has reports whether a run is chosen.
func (c *chooser) Has(run string) bool { return slices.Contains(c.Chosen, run) }

// alone runs a job that may take long. The server runs one such job at a time, so that readers leave the CPUs
// to the games.
func (s *Server) alone(r *http.Request, do func() error) error {
	select {
	case s.heavy <- struct{}{}:
		defer func() { <-s.heavy }()
		return do()
	case <-r.Context().Done():
		return r.Context().Err()
	}
}

// comparePage compares two runs: whether the newer version gained more.
func (s *Server) comparePage(w http.ResponseWriter, r *http.Request) error {
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

// answer stores the result of a job, or the reason of its error for the page. It returns the errors that are
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

// maxRated is the largest number of runs that are rated together.
const maxRated = 50

// ratingsPage rates the players of the chosen runs, with the default settings of gogi rate.
func (s *Server) ratingsPage(w http.ResponseWriter, r *http.Request) error {
	c, err := s.newChooser(r, "run")
	if err != nil {
		return err
	}
	if len(c.Chosen) > maxRated {
		return &badQuery{fmt.Errorf("%d runs: expected %d at most", len(c.Chosen), maxRated)}
	}
	if len(c.Chosen) > 0 {
		err = s.alone(r, func() error {
			rep, err := s.rate(r, c.Chosen)
			return c.answer(rep, err)
		})
	}
	if err == nil {
		s.showTitled(w, r, "ratings", "Ratings", c)
	}
	return err
}

func (s *Server) rate(r *http.Request, runs []string) (*ratings.Report, error) {
	games := ratings.NewGames()
	for _, name := range runs {
		info, err := s.config.Store.FindRun(r.Context(), name)
		if err == nil {
			err = stored.Rate(r.Context(), s.config.Store, info, games)
		}
		if err != nil {
			return nil, err
		}
	}
	return ratings.Rate(games, ratings.Options{Model: "all", Draws: "auto", Confidence: 0.95, Seed: 1})
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
func (s *Server) enginesPage(w http.ResponseWriter, r *http.Request) error {
	c, err := s.newChooser(r, "run")
	if err != nil {
		return err
	}
	for _, name := range c.Chosen {
		if _, err := s.config.Store.FindRun(r.Context(), name); err != nil {
			return err
		}
	}
	infos, err := s.config.Store.Runs(r.Context())
	if err != nil {
		return err
	}
	holder := s.guard.holds(r)
	var groups []engineGroup
	for _, info := range slices.Backward(infos) {
		if len(c.Chosen) > 0 && !c.Has(info.Name) {
			continue
		}
		for i := range info.Engines {
			groups = grouped(groups, engineEntry{Run: info.Name, Link: pathOf(info.Name), Engine: shownTo(holder, info.Engines[i])})
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

// shownTo returns an engine for a reader. For readers without the token it deletes paths, arguments and
// environment, also from values of options.
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
