package web

import (
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gogi/match"
	"gogi/runner/events"
	"gogi/shogi"
	"gogi/shogi/diagram"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/text"
	"gogi/usi"
)

// maxBoards is how many slots of a run are shown as boards; the others are rows.
const maxBoards = 24

// livePage is what is being played in a run, on its page of boards or one game's.
type livePage struct {
	Run   string
	Path  string          // of the run
	Game  string          // PAIR.LEG; "": all of the run's
	State *match.Snapshot // nil: nobody plays the run now
	Phase string          // of the session, as a phrase
	Rate  float64         // games a minute
	Seats []seatView      // with boards
	More  []seatView      // without
	Blank seatView        // what the script makes others of
	Few   bool            // the first boards alone
	Verbs []order
}

// seatView is a slot, or a game that was played there.
type seatView struct {
	Key     string
	Slot    string
	Link    string // of the game
	Game    string
	Words   string // what the slot does, or how its game ended
	Ply     int
	Sides   [2]sideView // White's, who sits above, and Black's
	Picture template.HTML
	SFEN    string
}

// sideView is a player of a game.
type sideView struct {
	Colour, Name, Clock, Score, Depth string
	Vote                              *voteView // of a council with its last move; nil: none
}

// OrderPath is where orders for the run go, before the verb.
func (p livePage) OrderPath() string { return "/api/v1/runs" + strings.TrimPrefix(pathOf(p.Run), "/r") }

// runNamed is the name of a run in a path, as pathOf writes it.
func runNamed(r *http.Request) string { return strings.TrimPrefix(r.PathValue("run"), "~") }

// livePage shows the boards of a run.
func (s *Server) livePage(w http.ResponseWriter, r *http.Request) {
	run := runNamed(r)
	known, err := s.config.Store.Runs(r.Context())
	if err != nil {
		s.failed(w, r, err)
		return
	}
	hub := s.config.Live.Hub(run)
	stored := false
	for _, k := range known {
		stored = stored || k.Name == run
	}
	if hub == nil && !stored {
		http.NotFound(w, r)
		return
	}
	s.show(w, r, "live", frame{
		Title: run, Trail: []crumb{{Name: run, Link: pathOf(run)}, {Name: s.speaker(r)("Boards")}}, Page: s.liveRun(r, run, hub),
	})
}

// liveRun is the live part of a run's page; hub may be nil.
func (s *Server) liveRun(r *http.Request, run string, hub *events.Hub) livePage {
	p := livePage{Run: run, Path: pathOf(run)}
	if hub == nil {
		return p
	}
	p.State = hub.State().State
	p.Verbs = orders(p.State)
	p.pulse()
	say := s.voiceFor(r)
	p.Blank = blankSeat(say.language)
	for i, slot := range p.State.Slots {
		if i < maxBoards {
			p.Seats = append(p.Seats, viewOf(say, p.Path, slot, true))
		} else {
			p.More = append(p.More, viewOf(say, p.Path, slot, false))
		}
	}
	return p
}

// fewBoards are shown on the page of the report.
const fewBoards = 4

// few leaves the first boards, for a page that is about something else.
func (p *livePage) few() {
	p.Few, p.More = true, nil
	p.Seats = p.Seats[:min(fewBoards, len(p.Seats))]
}

// Boards is how many slots have boards on this page.
func (p livePage) Boards() int {
	switch {
	case p.Game != "":
		return 1
	case p.Few:
		return fewBoards
	}
	return maxBoards
}

// pulse is what is said of the session as a whole.
func (p *livePage) pulse() {
	p.Phase = string(p.State.Phase)
	if p.State.Over {
		p.Phase = over
	}
	p.Rate, _, _ = p.State.Rate()
}

// liveGame shows a game that is being played, or has ended and is not stored yet. It
// reports false where there is none, and has written nothing then.
func (s *Server) liveGame(w http.ResponseWriter, r *http.Request) bool {
	run, game := runNamed(r), r.PathValue("game")
	slot, state := s.gameInPlay(run, game)
	if slot == nil {
		return false
	}
	p := livePage{Run: run, Path: pathOf(run), Game: game, State: state, Seats: []seatView{viewOf(s.voiceFor(r), pathOf(run), *slot, true)}}
	p.pulse()
	s.show(w, r, "livegame", frame{
		Title: run + " " + game, Page: p,
		Trail: []crumb{{Name: run, Link: p.Path}, {Name: s.speaker(r)("Boards"), Link: p.Path + "/live"}, {Name: game}},
	})
	return true
}

// gameInPlay is the slot whose board has a game, nil where none has.
func (s *Server) gameInPlay(run, game string) (*match.SlotState, *match.Snapshot) {
	pair, leg, ok := readGameName(game)
	hub := s.config.Live.Hub(run)
	if !ok || hub == nil {
		return nil, nil
	}
	state := hub.State().State
	for i, slot := range state.Slots {
		if b := slot.Board; b != nil && b.Pair == pair && b.Leg == leg {
			return &state.Slots[i], state
		}
	}
	return nil, nil
}

// liveCSA is a game in play as a file, as far as it has come.
func (s *Server) liveCSA(w http.ResponseWriter, r *http.Request) {
	slot, _ := s.gameInPlay(runNamed(r), r.PathValue("game"))
	if slot == nil {
		http.Error(w, "this game is not being played now", http.StatusNotFound)
		return
	}
	written, err := text.AppendCSA(nil, recordOf(slot.Board))
	if err != nil {
		http.Error(w, "too little of this game is known: moves did not come", http.StatusNotFound)
		return
	}
	text := string(written)
	if slot.Board.Outcome == "" {
		text = strings.TrimSuffix(text, unfinished)
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte(text)) // a reader that is gone misses nothing
}

// unfinished is how CSA ends a game that was broken off, which a game in play is not.
const unfinished = "%CHUDAN\n"

// recordOf is what is known of a game in play. Where moves did not come it begins after
// them; the times are not known, and as in an opening none are written.
func recordOf(b *match.Board) *kifu.Record {
	r := &kifu.Record{Black: b.Black, White: b.White, Start: b.Start, Event: gameName(b.Pair, b.Leg)}
	for text := range strings.FieldsSeq(b.Moves) {
		m, err := shogi.ParseMove(text)
		if err != nil {
			return r
		}
		r.Moves = append(r.Moves, kifu.Move{Move: m, Opening: true})
	}
	if b.Outcome != "" {
		r.Winner, r.Result = b.Outcome, b.Termination
	}
	return r
}

// viewOf is a slot for a page.
func viewOf(in voice, run string, slot match.SlotState, picture bool) seatView {
	v := blankSeat(in.language)
	v.Key, v.Slot = seatKey(slot), strings.TrimPrefix(seatKey(slot), "/")
	v.Words = in.say(string(slot.Phase))
	b := slot.Board
	if b == nil {
		return v
	}
	v.Game, v.Ply, v.SFEN = gameName(b.Pair, b.Leg), b.Ply, b.Position
	v.Link = run + "/g/" + v.Game
	if b.Outcome != "" {
		v.Words = in.endText(b.Outcome, b.Termination)
	}
	v.Sides = [2]sideView{sideOf(in, b, shogi.White), sideOf(in, b, shogi.Black)}
	if picture {
		v.Picture = pictureOf(in.language, b, v.Key)
	}
	return v
}

func blankSeat(in language) seatView {
	return seatView{Sides: [2]sideView{{Colour: shogi.White.String()}, {Colour: shogi.Black.String()}}, Picture: pictureOf(in, nil, "blank")}
}

func sideOf(in voice, b *match.Board, c shogi.Colour) sideView {
	v := sideView{Colour: c.String(), Name: b.Black, Vote: voteOf(in, b.Thoughts[c])}
	if c == shogi.White {
		v.Name = b.White
	}
	if len(b.Clocks) == 2 && b.Clocks[c] != nil {
		v.Clock = clockText(*b.Clocks[c])
	}
	if t := b.Thoughts[c]; t != nil {
		if t.Score != nil {
			v.Score = in.score(*t.Score)
		}
		if t.Depth > 0 {
			v.Depth = strconv.Itoa(t.Depth)
		}
	}
	return v
}

// clockText is a time that is left: 1:23:45, 2:05, or with tenths below ten seconds.
// The script's clock() says the same.
func clockText(ms float64) string {
	d := time.Duration(max(0, ms)) * time.Millisecond
	switch {
	case d < 10*time.Second:
		return fmt.Sprintf("0:%02d.%d", d/time.Second, d%time.Second/(100*time.Millisecond))
	case d < time.Hour:
		return fmt.Sprintf("%d:%02d", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%d:%02d:%02d", d/time.Hour, d%time.Hour/time.Minute, d%time.Minute/time.Second)
}

// score is an evaluation from its player's own view: +123, or the plies to a mate,
// mate −4. The script's score() says the same.
func (v voice) score(score int) string {
	s := usi.ScoreFromNumber(score)
	switch {
	case s.Mate == 0:
		return signed(score)
	case s.Mate < 0:
		return v.say("mate %s", signed(-s.Value))
	}
	return v.say("mate %s", signed(s.Value))
}

func signed(n int) string {
	if n < 0 {
		return "−" + strconv.Itoa(-n)
	}
	return "+" + strconv.Itoa(n)
}

// pictureOf draws a board; an empty one where nothing is known.
func pictureOf(in language, b *match.Board, key string) template.HTML {
	d := diagram.Diagram{Japanese: in == japanese, ID: "b-" + identifier(key), Title: "–"}
	if b != nil {
		d.Title = fmt.Sprintf("%s – %s, %d", b.Black, b.White, b.Ply)
		if p, err := shogi.ParseSFEN(b.Position); err == nil {
			d.Position, d.Last = p, lastMove(b)
		}
	}
	return template.HTML(d.SVG()) //nolint:gosec // the diagram escapes what it is given
}

// lastMove is the move that led to a board's position, as far as it is known.
func lastMove(b *match.Board) shogi.Move {
	for _, t := range b.Thoughts {
		if t != nil && t.Ply == b.Ply {
			if m, err := shogi.ParseMove(t.Move); err == nil {
				return m
			}
		}
	}
	return shogi.NoMove
}

// identifier makes letters, digits and hyphens of a key, another of each key.
func identifier(key string) string {
	var b strings.Builder
	for _, r := range key {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, "-%x-", r)
		}
	}
	return b.String()
}

// liveRoutes are those of what is being played.
func (s *Server) liveRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /r/{run}/live", s.livePage)
	mux.HandleFunc("GET /r/{run}/g/{game}/live.csa", s.liveCSA)
	mux.HandleFunc("GET /api/v1/live", s.liveStream)
	mux.HandleFunc("POST /api/v1/runs/{run}/{verb}", s.guard.needsToken(s.control))
	serve := func(path, kind, text string) {
		mux.HandleFunc("GET /assets/"+path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write([]byte(text))
		})
	}
	serve("pieces.svg", "image/svg+xml", diagram.Pieces())
}
