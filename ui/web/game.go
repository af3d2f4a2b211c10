package web

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"gogi/internal/i18n"
	"gogi/match"
	"gogi/report/review"
	"gogi/report/stored"
	"gogi/results"
	"gogi/results/games"
	"gogi/shogi"
	"gogi/shogi/diagram"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/text"
)

type storedGame struct {
	info   *results.RunInfo
	row    match.Row
	record kifu.Record
	legs   int // number of games of its pair
}

// gameBody is the data for the page of a game at one of its plies.
type gameBody struct {
	gameLine

	Row      match.Row
	Ply      int // the ply that is shown, 0 to Last
	At       int // number of moves of the variation that the board shows in place of the ply; 0: none
	PV       []string
	Last     int
	Board    template.HTML
	SFEN     string // the position that is shown
	Moves    []moveLine
	Now      *moveLine // the move that led here; nil at the start
	Here     string    // path of the page
	Steps    []step
	Graph    *scoreGraph
	Councils []councilView
	Weights  []template.HTML // a chart for each council
	Other    string          // path of the pair's other game; "": none
	OtherLeg int
	Files    []crumb

	Notations []choice
	Review    *reviewView // nil: the game has no review
	ReviewBy  string      // the command that reviews the game
	Order     *orderView  // nil: the reader may not start a review
}

// choice is a link to a form of the page.
type choice struct {
	Name string
	Link string
	Now  bool
}

// moveLine is a move in the list of moves on a game's page.
type moveLine struct {
	Ply      int
	Text     string // in the notation of the language
	Side     string // black or white
	Opening  bool
	Illegal  bool
	Time     time.Duration
	Score    string // from Black's view; "": none
	Depth    string
	Nodes    int
	HasNodes bool
	line     []string     // the variation, from the position before the move
	pv       []shogi.Move // the same
	score    *int         // from Black's view, in centipawns
	Mark     review.Mark
	MarkName i18n.Message
	Loss     float64 // percentage points of win probability, with a mark
}

// step is a link to another ply.
type step struct {
	Sign, Words string
	To          int // −1: no such ply
}

// gameFile matches the name of a game's page or of one of its files.
var gameFile = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d{1,9}\.\d{1,2})(?:\.(csa|kifu|usi|json|svg))?$`)
})

// gamePageOrFile shows a game at a ply, or sends it as a file.
func (s *Server) gamePageOrFile(w http.ResponseWriter, r *http.Request) error {
	if (livePages{s}).liveGame(w, r) {
		return nil
	}
	info, err := s.config.Store.FindRun(r.Context(), runNamed(r))
	if err != nil {
		return err
	}
	parts := gameFile().FindStringSubmatch(r.PathValue("game"))
	if parts == nil {
		return noGame(info, r.PathValue("game"))
	}
	pair, leg, ok := readGameName(parts[1])
	if !ok {
		return noGame(info, parts[1])
	}
	g, err := s.findGame(r.Context(), info, pair, leg)
	if errors.Is(err, results.ErrNoGame) {
		return noGame(info, parts[1])
	}
	if err != nil {
		return err
	}
	g.row.Note = s.noteFor(r)(g.row.Note)
	if parts[2] != "" && parts[2] != "svg" {
		return g.file(w, parts[2])
	}
	ply, err := plyIn(r, "ply", g.positions(), g.positions())
	if err != nil {
		return g.noPly(info, err)
	}
	in := voiceOf(r)
	if parts[2] == "svg" {
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = w.Write([]byte(g.diagram(in, ply))) // the client may have left
		return nil
	}
	moves := g.moves(in)
	shown := 0 // moves of the variation
	if ply > 0 {
		shown, err = plyIn(r, "pv", 0, len(moves[ply-1].pv))
	}
	if err != nil {
		return g.noPly(info, err)
	}
	body, err := g.page(in, moves, ply, shown)
	if err != nil {
		return err
	}
	f := s.runFrame(r, info, "/games", body)
	f.Trail = append(f.Trail[:1], crumb{Name: in.Say("Games"), Link: pathOf(info.Name) + "/games"}, crumb{Name: body.Name})
	f.Title = in.Say("Game %s", body.Name) + " · " + info.Name
	if err := s.addReview(in, g, body); err != nil {
		return err
	}
	body.Order = reviewPages{s}.view(w, r, g)
	s.show(w, r, "game", f)
	return nil
}

// noGame returns the error of a request for a game that the run does not have.
func noGame(info *results.RunInfo, name string) error {
	return &missing{What: "There is no game %s in this run.", Name: strconv.Quote(name), There: []crumb{
		{Name: info.Name, Link: pathOf(info.Name)}, {Name: info.Name + ": games", Link: pathOf(info.Name) + "/games"},
	}}
}

func (s *Server) findGame(ctx context.Context, info *results.RunInfo, pair, leg int) (*storedGame, error) {
	g := &storedGame{info: info}
	found := false
	err := s.config.Store.GamesWhere(ctx, info.ID, results.Filter{FromPair: pair, Pairs: 1}, func(r match.Row) error {
		g.legs++
		if r.Leg == leg {
			g.row, found = r, true
		}
		return nil
	})
	if err == nil && !found {
		err = results.ErrNoGame
	}
	if err != nil {
		return nil, err
	}
	g.record, err = s.config.Store.Record(ctx, info.ID, pair, leg)
	return g, err
}

// plyIn returns the number of plies that a query has in the parameter with the given name. The number must be from 0
// to last. If the query does not have the parameter, plyIn returns usual, the default.
func plyIn(r *http.Request, name string, usual, last int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return usual, nil
	}
	ply, err := strconv.Atoi(text)
	if err != nil || ply < 0 || ply > last {
		return 0, fmt.Errorf("%s %q: expected a number from 0 to %d", name, text, last)
	}
	return ply, nil
}

// noPly returns the error of a request for a position that the game does not have. The error page has a link to the
// game.
func (g *storedGame) noPly(info *results.RunInfo, err error) error {
	return &missing{What: "%s", Name: err.Error(), Status: http.StatusBadRequest, There: []crumb{
		{Name: g.name(), Link: gameAt(info.Name, g.row.Pair, g.row.Leg)}, {Name: info.Name, Link: pathOf(info.Name)},
	}}
}

// positions returns the number of moves in the record that the page can show. An illegal move at the end of the game
// does not count.
func (g *storedGame) positions() int {
	n := 0
	g.walk(len(g.record.Moves), func(*shogi.Position, kifu.Move) { n++ })
	return n
}

// walk calls visit for the moves of the record in order, each with the position before it. It stops after the given
// number of plies, or before an illegal move. It returns the position that it has reached.
func (g *storedGame) walk(plies int, visit func(before *shogi.Position, m kifu.Move)) shogi.Position {
	p, err := match.Opening{Start: g.record.Start}.Position()
	if err != nil {
		p = shogi.StartPos() // the store has checked it
	}
	for _, m := range g.record.Moves[:min(plies, len(g.record.Moves))] {
		if p.CheckLegal(m.Move) != nil {
			break
		}
		visit(&p, m)
		p.Apply(m.Move)
	}
	return p
}

// at returns the position after a number of plies, and the move that led to it.
func (g *storedGame) at(ply int) (shogi.Position, shogi.Move) {
	last := shogi.NoMove
	p := g.walk(ply, func(_ *shogi.Position, m kifu.Move) { last = m.Move })
	return p, last
}

func (g *storedGame) name() string { return gameName(g.row.Pair, g.row.Leg) }

func (g *storedGame) diagram(in voice, ply int) string {
	p, last := g.at(ply)
	return g.drawn(in, p, last, fmt.Sprint(ply))
}

// drawn returns the diagram of a position of the game.
func (g *storedGame) drawn(in voice, p shogi.Position, last shogi.Move, ply string) string {
	return in.Draw(diagram.Diagram{
		Position: p, Last: last, ID: "board",
		Title: strings.Map(visible, fmt.Sprintf("%s – %s, %s", g.row.Black, g.row.White, ply)),
	})
}

// page returns the data for the game's page at a ply. If shown is above 0, the board shows the position after so many
// moves of the engine's variation at this ply.
func (g *storedGame) page(in voice, moves []moveLine, ply, shown int) (*gameBody, error) {
	b := &gameBody{
		gameLine: newGameLine(g.info.Name, g.row), Row: g.row, Ply: ply, At: shown,
		Here:  gameAt(g.info.Name, g.row.Pair, g.row.Leg),
		Moves: moves, Last: len(moves),
	}
	p, last := g.at(ply)
	if ply > 0 {
		b.Now = &b.Moves[ply-1]
		b.PV = b.Now.line
	}
	if shown > 0 {
		p, _ = g.at(ply - 1)
		for _, last = range b.Now.pv[:shown] {
			p.Apply(last)
		}
	}
	b.SFEN = p.SFEN()
	b.Board = template.HTML(g.drawn(in, p, last, fmt.Sprint(ply))) // the diagram escapes every text
	b.Steps = []step{
		{"|◀", in.Say("to the start"), 0}, {"◀", in.Say("back"), ply - 1}, {"▶", in.Say("on"), ply + 1},
		{"▶|", in.Say("to the end"), b.Last},
	}
	if ply == b.Last {
		b.Steps[2].To = -1
	}
	b.Graph = in.newScoreGraph(b.Moves, ply)
	for _, n := range notations() {
		b.Notations = append(b.Notations,
			choice{Name: n[1], Link: fmt.Sprintf("%s?ply=%d&moves=%s", b.Here, ply, n[0]), Now: notation(n[0]) == in.notation()})
	}
	if g.legs > 1 {
		b.OtherLeg = 1 - g.row.Leg
		b.Other = gameAt(g.info.Name, g.row.Pair, b.OtherLeg)
	}
	for _, kind := range []string{"csa", "kifu", "usi", "json"} {
		b.Files = append(b.Files, crumb{Name: strings.ToUpper(kind), Link: b.Here + "." + kind})
	}
	return b, g.votes(in, b)
}

func (g *storedGame) moves(in voice) []moveLine {
	var list []moveLine
	before := shogi.NoSquare
	g.walk(len(g.record.Moves), func(p *shogi.Position, m kifu.Move) {
		line := moveLine{Ply: len(list) + 1, Side: p.Side().String(), Opening: m.Opening, Time: m.Time,
			Text: in.moveText(p, m.Move, before)}
		score, least, most := m.Score, kifu.AtLeast, kifu.AtMost
		if p.Side() == shogi.White { // the page shows scores from Black's view
			score, least, most = -score, most, least
		}
		switch {
		case m.HasScore:
			line.score, line.Score = &score, in.score(score)
		case m.Bound == kifu.NoBound:
		case m.Bound == least:
			line.Score = atLeast + in.score(score)
		case m.Bound == most:
			line.Score = atMost + in.score(score)
		}
		if m.Depth > 0 {
			line.Depth = strconv.Itoa(m.Depth)
			if m.SelDepth > 0 {
				line.Depth += "/" + strconv.Itoa(m.SelDepth)
			}
		}
		if m.Nodes > 0 {
			line.Nodes, line.HasNodes = int(min(m.Nodes, 1<<62)), true
		}
		line.line, line.pv = in.variation(*p, m.PV)
		before = m.Move.To()
		list = append(list, line)
	})
	return list
}

// moveText prints a move in the reader's notation: KIF's, ☗７六歩(77), that of USI, 7g7f, or the western one: the piece's
// letter with both squares, such as P7g-7f, B8hx2b+ and P*5e. before is the square of the opponent's last move.
func (v voice) moveText(p *shogi.Position, m shogi.Move, before shogi.Square) string {
	sign := "☗"
	if p.Side() == shogi.White {
		sign = "☖"
	}
	switch v.notation() {
	case kif:
		return sign + kifu.KIFMove(p, m, before)
	case usiText:
		return sign + m.String()
	case western:
	}
	if m.IsDrop() {
		return sign + m.String()
	}
	by := "-"
	if p.PieceAt(m.To()) != shogi.NoPiece {
		by = "x"
	}
	text := sign + strings.ToUpper(p.PieceAt(m.From()).String()) + m.From().String() + by + m.To().String()
	if m.Promotes() {
		text += "+"
	}
	return text
}

// variation returns the moves of a line up to the first illegal one, with their text.
func (v voice) variation(p shogi.Position, moves []shogi.Move) (list []string, legal []shogi.Move) {
	for i, m := range moves {
		if p.CheckLegal(m) != nil {
			return list, moves[:i]
		}
		list = append(list, v.moveText(&p, m, shogi.NoSquare))
		p.Apply(m)
	}
	return list, moves
}

// file sends the game as a file in a format.
func (g *storedGame) file(w http.ResponseWriter, kind string) error {
	name := map[string]string{"csa": "csa", "kifu": "kif", "usi": "usi"}[kind]
	if name == "" {
		w.Header().Set("Content-Disposition", g.disposition(kind))
		return asJSON(w, stored.NewGameRecord(g.info.Name, g.row, &g.record))
	}
	f, err := text.Find(text.Text(), name)
	if err != nil {
		return err
	}
	completer, err := games.NewCompleter(g.info)
	if err != nil {
		return err
	}
	record := g.record
	completer.Complete(g.row, &record)
	text, err := f.Append(nil, &record)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Content-Disposition", g.disposition(kind))
	_, _ = w.Write(text) // the client may have left
	return nil
}

// disposition returns the header with the file's name: the run and the game, in characters that are valid in
// every file system.
func (g *storedGame) disposition(kind string) string {
	run := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, g.info.Name)
	return fmt.Sprintf(`attachment; filename="%s-%s.%s"`, run[:min(len(run), 80)], g.name(), kind)
}
