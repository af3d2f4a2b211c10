package web

import (
	"errors"
	"fmt"
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

// gamesOnAPage is how many games a page of a list has.
const gamesOnAPage = 100

// gamesBody is a page of the list of a run's games.
type gamesBody struct {
	Games      []gameLine
	Total      int // that pass the filters, on all pages
	Filters    url.Values
	Players    []string
	Endings    []string // terminations
	Prev, Next string   // links; "": there is no such page
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
		Game: stored.NewGame(r), Name: fmt.Sprintf("%d.%d", r.Pair, r.Leg), Link: gameAt(run, r.Pair, r.Leg), Fault: r.Termination.IsFault(),
	}
}

// filters are the parameters of a list that narrow it down.
func filters() []string {
	return []string{"player", "colour", "result", "termination", "opening", "marked", "min", "max"}
}

// gamesPage lists games, filtered, a page at a time. A page begins after a game, or ends
// before one, so that its link stays good while games are added.
func (s *Server) gamesPage(w http.ResponseWriter, r *http.Request) error {
	info, err := s.runOf(r)
	if err != nil {
		return err
	}
	what, err := searchOf(r.URL.Query(), info)
	if err != nil {
		return &badQuery{err}
	}
	what.Limit = gamesOnAPage + 1 // one more tells whether there is another page
	games, err := s.config.Store.Search(r.Context(), info.ID, what)
	if err != nil {
		return err
	}
	total, err := s.config.Store.CountGames(r.Context(), info.ID, what)
	if err != nil {
		return err
	}
	body := gamesBody{Total: total, Filters: kept(r.URL.Query()), Players: info.Players, Path: pathOf(info.Name) + "/games"}
	for _, t := range match.Terminations() {
		body.Endings = append(body.Endings, t.String())
	}
	body.Filtered = len(body.Filters) > 0
	games = body.turn(games, what)
	for _, g := range games {
		body.Games = append(body.Games, newGameLine(info.Name, g))
	}
	s.show(w, r, "games", s.runFrame(r, info, "/games", body))
	return nil
}

// turn cuts the games to a page, and links the pages beside it.
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
	query := url.Values{}
	for k, v := range b.Filters {
		query[k] = v
	}
	query.Set(where, fmt.Sprintf("%d.%d", at.Pair, at.Leg))
	return b.Path + "?" + query.Encode()
}

// kept are the filters of a query that say something.
func kept(query url.Values) url.Values {
	some := url.Values{}
	for _, name := range filters() {
		if v := query.Get(name); v != "" {
			some.Set(name, v)
		}
	}
	return some
}

// searchOf reads a query; what it does not understand is an error that says what it
// expects.
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
	what.Colour, err = colourOf(query.Get("colour"))
	numbers := []error{err}
	what.MinPlies, err = numberIn(query, "min")
	numbers = append(numbers, err)
	what.MaxPlies, err = numberIn(query, "max")
	numbers = append(numbers, err)
	switch v := query.Get("marked"); v {
	case "", "0":
	case "1":
		what.Marked = true
	default:
		numbers = append(numbers, fmt.Errorf("marked %q: expected 1 or nothing", v))
	}
	what.After, err = placeIn(query, "after")
	numbers = append(numbers, err)
	what.Before, err = placeIn(query, "before")
	numbers = append(numbers, err)
	if what.After != nil && what.Before != nil {
		numbers = append(numbers, errors.New("after and before: expected one of them"))
	}
	if what.Colour != nil && what.Player == "" {
		numbers = append(numbers, errors.New("colour is that of a player: expected player, too"))
	}
	return what, errors.Join(numbers...)
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
	return nil, nil //nolint:nilnil // no colour was asked for
}

// mostPlies is more than any game has.
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
		return nil, nil //nolint:nilnil // no place was asked for
	}
	pair, leg, ok := readGameName(text)
	if !ok {
		return nil, fmt.Errorf("%s %q: expected a game, such as 12.0", name, text)
	}
	return &results.GamePlace{Pair: pair, Leg: leg}, nil
}

// readGameName reads PAIR.LEG, in its one spelling.
func readGameName(text string) (pair, leg int, ok bool) {
	first, second, _ := strings.Cut(text, ".")
	pair, err1 := strconv.Atoi(first)
	leg, err2 := strconv.Atoi(second)
	return pair, leg, err1 == nil && err2 == nil && pair >= 0 && leg >= 0 && text == fmt.Sprintf("%d.%d", pair, leg)
}
