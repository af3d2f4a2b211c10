package web

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gogi/match"
	"gogi/report/stored"
	"gogi/results"
	"gogi/shogi"
)

// gamesOnAPage is the number of games on a page of a list.
const gamesOnAPage = 100

// gamesBody is the data for a page of the list of a run's games.
type gamesBody struct {
	Games      []gameLine
	Total      int // number of games that pass the filters, on all pages
	Filters    url.Values
	Players    []string
	Endings    []string // terminations
	Prev, Next string   // links; "": no such page
	Filtered   bool
	Path       string
}

// gameLine is a game in a list.
type gameLine struct {
	stored.Game

	Name, Link string
	Fault      bool
}

func newGameLine(run string, r match.Row) gameLine {
	return gameLine{
		Game: stored.NewGame(r), Name: gameName(r.Pair, r.Leg), Link: gameAt(run, r.Pair, r.Leg),
		Fault: r.Termination.IsFault(),
	}
}

// filters returns the names of the query parameters that filter a list of games.
func filters() []string {
	return []string{"player", "colour", "result", "termination", "opening", "slowed", "min", "max"}
}

// gamesPage lists the games that pass the filters, one page at a time. A link to a page names the game before or after
// the page, so it stays valid when games are added.
func (s *Server) gamesPage(w http.ResponseWriter, r *http.Request, info *results.RunInfo) error {
	query := current(r.URL.Query())
	what, err := searchOf(query, info)
	if err != nil {
		return &badQuery{err}
	}
	what.Limit = gamesOnAPage + 1 // one more shows whether there is another page
	games, err := s.config.Store.Search(r.Context(), info.ID, what)
	if err != nil {
		return err
	}
	total, err := s.config.Store.CountGames(r.Context(), info.ID, what)
	if err != nil {
		return err
	}
	body := gamesBody{Total: total, Filters: givenFilters(query), Players: info.Players,
		Path: pathOf(info.Name) + "/games"}
	for _, t := range match.Terminations() {
		body.Endings = append(body.Endings, t.String())
	}
	body.Filtered = len(body.Filters) > 0
	games = body.turn(games, what)
	note := s.noteFor(r)
	for _, g := range games {
		g.Note = note(g.Note)
		body.Games = append(body.Games, newGameLine(info.Name, g))
	}
	s.show(w, r, "games", s.runFrame(r, info, "/games", body))
	return nil
}

// turn shortens the list to the games of one page, and adds the links to the previous and the next page.
func (b *gamesBody) turn(games []match.Row, what results.Search) []match.Row {
	more := len(games) > gamesOnAPage
	before, after := what.After != nil, more
	if what.Before != nil {
		before, after = more, true
		games = games[max(0, len(games)-gamesOnAPage):]
	}
	games = games[:min(len(games), gamesOnAPage)]
	if len(games) == 0 {
		return games
	}
	first, last := games[0], games[len(games)-1]
	if before {
		b.Prev = b.link("before", first)
	}
	if after {
		b.Next = b.link("after", last)
	}
	return games
}

func (b *gamesBody) link(where string, at match.Row) string {
	query := maps.Clone(b.Filters)
	query.Set(where, gameName(at.Pair, at.Leg))
	return b.Path + "?" + query.Encode()
}

// givenFilters returns the filters of a query that have a value.
func givenFilters(query url.Values) url.Values {
	some := url.Values{}
	for _, name := range filters() {
		if v := query.Get(name); v != "" {
			some.Set(name, v)
		}
	}
	return some
}

// current returns the query with the present name of each parameter. Links of earlier programs have marked for slowed.
func current(query url.Values) url.Values {
	if old, given := query["marked"]; given && !query.Has("slowed") {
		query["slowed"] = old
		query.Del("marked")
	}
	return query
}

// searchOf reads a query. It returns an error for other parameters and values.
func searchOf(query url.Values, info *results.RunInfo) (what results.Search, err error) {
	for name, values := range query {
		if !slices.Contains(append(filters(), "after", "before", "lang"), name) {
			return what, fmt.Errorf("%q: expected one of %s, after, before", name, strings.Join(filters(), ", "))
		}
		if len(values) > 1 {
			return what, fmt.Errorf("%s is given twice", name)
		}
	}
	what.Player, what.Result, what.Opening = query.Get("player"), query.Get("result"), query.Get("opening")
	what.Termination = match.Termination(query.Get("termination"))
	if what.Player != "" && !slices.Contains(info.Players, what.Player) {
		return what, fmt.Errorf("player %q: expected one of %s", what.Player, strings.Join(info.Players, ", "))
	}
	if err := what.Check(); err != nil {
		return what, err
	}
	var errs [5]error
	what.Colour, errs[0] = colourOf(query.Get("colour"))
	what.MinPlies, errs[1] = numberIn(query, "min")
	what.MaxPlies, errs[2] = numberIn(query, "max")
	what.After, errs[3] = placeIn(query, "after")
	what.Before, errs[4] = placeIn(query, "before")
	slowed := query.Get("slowed")
	what.Marked = slowed == "1"
	switch err := errors.Join(errs[:]...); {
	case err != nil:
		return what, err
	case slowed != "" && slowed != "0" && slowed != "1":
		return what, fmt.Errorf("slowed %q: expected 1 or nothing", slowed)
	case what.After != nil && what.Before != nil:
		return what, errors.New("after and before: expected one of them")
	case what.Colour != nil && what.Player == "":
		return what, errors.New("colour is that of a player: expected player, too")
	}
	return what, nil
}

func colourOf(text string) (*shogi.Colour, error) {
	for _, c := range []shogi.Colour{shogi.Black, shogi.White} {
		if text == c.String() {
			return &c, nil
		}
	}
	if text != "" {
		return nil, fmt.Errorf("colour %q: expected black or white", text)
	}
	return nil, nil // no colour was asked for
}

// mostPlies is the largest number of plies in a query, more than any game has.
const mostPlies = 1_000_000

func numberIn(query url.Values, name string) (int, error) {
	text := query.Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 || n > mostPlies {
		return 0, fmt.Errorf("%s %q: expected a number of plies", name, text)
	}
	return n, nil
}

func placeIn(query url.Values, name string) (*results.GamePlace, error) {
	text := query.Get(name)
	if text == "" {
		return nil, nil // no place was asked for
	}
	pair, leg, ok := readGameName(text)
	if !ok {
		return nil, fmt.Errorf("%s %q: expected a game, such as 12.0", name, text)
	}
	return &results.GamePlace{Pair: pair, Leg: leg}, nil
}

// readGameName reads PAIR.LEG as gameName writes it.
func readGameName(text string) (pair, leg int, ok bool) {
	first, second, _ := strings.Cut(text, ".")
	pair, err1 := strconv.Atoi(first)
	leg, err2 := strconv.Atoi(second)
	return pair, leg, err1 == nil && err2 == nil && pair >= 0 && leg >= 0 && text == gameName(pair, leg)
}
