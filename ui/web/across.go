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

// chooser is a form that chooses runs.
type chooser struct {
	Runs   []string
	Chosen []string
	Query  url.Values
	Wrong  i18n.Message // why there is no answer; nothing: there is one, or nothing was asked
	Found  any          // the answer; nil: none
}

// newChooser lists the runs, the latest first. Parameters that the page does not know are
// an error.
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

// heavily does what may take long, one at a time for the whole server: who reads must not
// take the machine from who plays.
func (s *Server) heavily(r *http.Request, do func() error) error {
	select {
	case s.heavy <- struct{}{}:
		defer func() { <-s.heavy }()
		return do()
	case <-r.Context().Done():
		return r.Context().Err()
	}
}

// comparePage holds two runs against each other: whether the newer version gained more.
func (s *Server) comparePage(w http.ResponseWriter, r *http.Request) error {
	c, err := s.newChooser(r, "a", "b", "opponent")
	if err != nil {
		return err
	}
	a, b := c.Query.Get("a"), c.Query.Get("b")
	if a != "" && b != "" {
		err = s.heavily(r, func() error {
			rep, err := stored.Compare(r.Context(), s.config.Store, []string{a, b}, c.Query.Get("opponent"), 0)
			return c.answer(rep, err)
		})
	}
	if err != nil {
		return err
	}
	s.show(w, r, "compare", frame{Title: s.speaker(r)("Compare two runs"), Trail: []crumb{{Name: s.speaker(r)("Compare two runs")}}, Page: c})
	return nil
}

// answer keeps what was found, or in words why nothing was; what is the server's own
// failure is returned, and so is a run that is not there.
func (c *chooser) answer(found any, err error) error {
	var none *results.NoRun
	var damaged interface{ Timeout() bool }
	if errors.As(err, &none) || errors.As(err, &damaged) {
		return err
	}
	if err != nil {
		c.Wrong = i18n.Because(err)
		return nil
	}
	c.Found = found
	return nil
}

// maxRated is how many runs are rated together.
const maxRated = 50

// ratingsPage rates the players of the runs that are chosen, with the command's settings.
func (s *Server) ratingsPage(w http.ResponseWriter, r *http.Request) error {
	c, err := s.newChooser(r, "run")
	if err != nil {
		return err
	}
	if len(c.Chosen) > maxRated {
		return &badQuery{fmt.Errorf("%d runs: expected %d at most", len(c.Chosen), maxRated)}
	}
	if len(c.Chosen) > 0 {
		err = s.heavily(r, func() error {
			rep, err := s.rate(r, c.Chosen)
			return c.answer(rep, err)
		})
	}
	if err != nil {
		return err
	}
	s.show(w, r, "ratings", frame{Title: s.speaker(r)("Ratings"), Trail: []crumb{{Name: s.speaker(r)("Ratings")}}, Page: c})
	return nil
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

// engineGroup is everything that has one identity: the same engine, whatever it is called.
type engineGroup struct {
	Identity string
	Entries  []engineEntry
}

// enginesPage lists the engines by identity. Where they lie and how they are started is
// for holders of the token.
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
	s.show(w, r, "engines", frame{Title: s.speaker(r)("Engines"), Trail: []crumb{{Name: s.speaker(r)("Engines")}}, Page: c})
	return nil
}

func grouped(groups []engineGroup, e engineEntry) []engineGroup {
	identity := e.Engine.Identity.String()
	for i := range groups {
		if groups[i].Identity == identity {
			groups[i].Entries = append(groups[i].Entries, e)
			return groups
		}
	}
	return append(groups, engineGroup{identity, []engineEntry{e}})
}

// shownTo is an engine without what only holders of the token are shown: paths, arguments
// and environment, also as values of options that are files.
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

// handicapName is a start as readers call it: a handicap's name, or the text itself.
func handicapName(in language, start string) string {
	p := shogi.StartPos()
	if start == "startpos" || start == p.SFEN() {
		return ""
	}
	for _, h := range shogi.Handicaps() {
		if h.SFEN == strings.TrimPrefix(start, "sfen ") {
			if in == japanese {
				return h.Japanese
			}
			return h.Name
		}
	}
	return start
}
