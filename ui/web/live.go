package web

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gogi/internal/format"
	"gogi/internal/lists"
	"gogi/internal/sanitize"
	"gogi/match"
	"gogi/report/stored"
	"gogi/results"
	"gogi/runner/events"
	"gogi/shogi"
	"gogi/shogi/diagram"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/text"
	"gogi/usi"
)

// maxBoards is the largest number of slots that a page shows as boards; other slots are rows.
const maxBoards = 24

// livePage is the data for the games of a run in play: all boards, or one game.
type livePage struct {
	Run   string
	Path  string          // path of the run
	Game  string          // PAIR.LEG; "": all games of the run
	State *match.Snapshot // nil: the run is not in play
	Phase string          // phase of the session, as a phrase
	Rate  float64         // games a minute
	Seats []seatView      // slots with boards
	More  []seatView      // slots without boards
	Blank seatView        // the template for other slots, for the script
	Few   bool            // only the first boards
	Verbs []order
	ETA   string
	Now   nowParts
}

// seatView is a slot with its current game, or a game that was played in the slot.
type seatView struct {
	Key     string
	Slot    string
	Link    string // path of the game
	Game    string
	Words   string // the phase of the slot, or the result of its game
	Ply     int
	Sides   [2]sideView // White above, Black below
	Picture template.HTML
	SFEN    string
}

// sideView is a player of a game.
type sideView struct {
	Colour, Name, Clock, Score, Depth string
	Vote                              *voteView // vote of a council for its last move; nil: none
}

// OrderPath returns the URL path for orders to the run, such as pause, without the order at its end.
func (p livePage) OrderPath() string { return "/api/v1/runs" + strings.TrimPrefix(pathOf(p.Run), "/r") }

// tuneView is the state of a tune in play. The script of the page writes the same texts (tuned in gogi.js).
type tuneView struct {
	Blocks, Spread, Lost string
	Equal, Forfeits      int
	Answer, Judges       string // final values, and the runs that validate them; "": not known yet
}

// Tuned returns the state of the run's tune. Without a tune it has dashes and zeros.
func (p livePage) Tuned() tuneView {
	v := tuneView{Blocks: "–", Spread: "–", Lost: "–"}
	if p.State == nil || p.State.Tune == nil {
		return v
	}
	tune := p.State.Tune
	v.Blocks, v.Forfeits = fmt.Sprintf("%d / %d", tune.Track.Latest, tune.Blocks), tune.Forfeits
	if now, ok := tune.Now(); ok {
		v.Spread, v.Equal = fmt.Sprintf("× %.2f", now.Spread), now.Equal
		if now.LostElo != nil {
			v.Lost = format.Minus(fmt.Sprintf("%.1f", math.Round(*now.LostElo*10)/10+0)) // +0: no −0.0
			if tune.Target != 0 {
				v.Lost += fmt.Sprintf(" (→ %g)", tune.Target)
			}
		}
	}

	var answer []string
	for _, param := range tune.Params {
		if value, ok := tune.Candidate[param.Name]; ok && !param.Unused {
			answer = append(answer, sanitize.Printable(param.Name, shownName)+" "+sanitize.Printable(value, shownName))
		}
	}
	v.Answer = strings.Join(answer, ", ")
	v.Judges = strings.Join(lists.Map(tune.Validations,
		func(run string) string { return sanitize.Printable(run, shownName) }), ", ")
	return v
}

// livePages has the pages of runs in play.
type livePages struct{ *Server }

// livePage shows the boards of a run.
func (s livePages) livePage(w http.ResponseWriter, r *http.Request) {
	run := runNamed(r)
	info, err := s.config.Store.FindRun(r.Context(), run)
	_, none := errors.AsType[*results.NoRun](err)
	if err != nil && !none {
		s.failed(w, r, err)
		return
	}
	hub := s.config.Live.Hub(run)
	if hub == nil && none {
		http.NotFound(w, r)
		return
	}
	page := s.liveRun(r, run, hub)
	if hub != nil && !none {
		page.Now = s.now(r.Context(), info)[languageOf(r)]
	}
	s.show(w, r, "live", frame{
		Title: run, Trail: []crumb{{Name: run, Link: pathOf(run)}, {Name: voiceOf(r).Say("Boards")}}, Page: page,
	})
}

// liveRun returns the games of a run in play. hub may be nil.
func (s livePages) liveRun(r *http.Request, run string, hub *events.Hub) livePage {
	p := livePage{Run: run, Path: pathOf(run)}
	if hub == nil {
		return p
	}
	p.State = hub.State().State
	p.Verbs = orders(p.State)
	p.pulse()
	in := voiceOf(r)
	p.Blank = in.blankSeat()
	for i, slot := range p.State.Slots {
		if i < maxBoards {
			p.Seats = append(p.Seats, in.viewOf(p.Path, slot, true))
		} else {
			p.More = append(p.More, in.viewOf(p.Path, slot, false))
		}
	}
	return p
}

// nowParts are the parts of a page that change with the results of a run in play.
type nowParts struct {
	Line   template.HTML // the result in one line
	Course template.HTML // charts of the run so far
}

// now returns the results of a run in play. While the server still reads a long run, the results are empty.
func (s livePages) now(ctx context.Context, info *results.RunInfo) map[language]nowParts {
	ctx, end := context.WithTimeout(ctx, s.listTime)
	defer end()
	cache, by := &s.sheets, s.newSheet
	if errors.Is(stored.Proves(info), stored.ErrTune) {
		cache, by = &s.tunes, s.newTuneSheet
	}
	made, err := cache.soon(ctx, s.Server, info, by)
	if err != nil {
		return nil
	}
	return made.now
}

// nowKept is a cached answer of nowPage, for all readers.
type nowKept struct {
	parts map[language]nowParts
	until time.Time
}

// nowPage sends the current results of a run in play, as parts for the open pages of the run. It reads the run at
// most every two seconds for all readers, and for at most a twentieth of the time.
func (s livePages) nowPage(w http.ResponseWriter, r *http.Request) error {
	run := runNamed(r)
	found, err, _ := s.nowFlights.Do(run, func() (any, error) {
		if kept, ok := s.nows.Load(run); ok && time.Now().Before(kept.(nowKept).until) { // stored below
			return kept, nil
		}
		begun := time.Now()
		kept := nowKept{}
		info, err := s.config.Store.FindRun(lasting(r), run)
		_, none := errors.AsType[*results.NoRun](err)
		switch {
		case err == nil:
			kept.parts = s.now(lasting(r), info)
		case !none || s.config.Live.Hub(run) == nil: // a run in play may not be stored yet
			return nil, err
		}
		kept.until = time.Now().Add(max(2*time.Second, 20*time.Since(begun)))
		s.nows.Store(run, kept)
		return kept, nil
	})
	if err != nil {
		return err
	}
	now := found.(nowKept).parts[languageOf(r)] // nothing else is returned above
	reply(w, http.StatusOK, "text/html; charset=utf-8",
		[]byte(`<div data-fresh="line">`+now.Line+`</div><div data-fresh="course">`+now.Course+`</div>`))
	return nil
}

// fewBoards is the number of boards on the page of a report.
const fewBoards = 4

// fewBoards returns the first boards of a run in play, for a page with other content. Its State is nil if the
// run is not in play.
func (s livePages) fewBoards(r *http.Request, run string) livePage {
	hub := s.playing(run)
	if hub == nil {
		return livePage{}
	}
	p := s.liveRun(r, run, hub)
	p.Few, p.More = true, nil
	if info, err := s.config.Store.FindRun(r.Context(), run); err == nil {
		p.Now = s.now(r.Context(), info)[languageOf(r)]
	}
	p.Seats = p.Seats[:min(fewBoards, len(p.Seats))]
	return p
}

// Boards returns the largest number of boards that this page shows.
func (p livePage) Boards() int {
	switch {
	case p.Game != "":
		return 1
	case p.Few:
		return fewBoards
	}
	return maxBoards
}

// Unit returns the word for what the run stores at once: blocks of games of self-play, else pairs.
func (p livePage) Unit() string {
	if len(p.State.Players) == 1 {
		return "blocks"
	}
	return "pairs"
}

// pulse sets the phase and the rate of the session.
func (p *livePage) pulse() {
	p.Phase = string(p.State.Phase)
	if p.State.Over {
		p.Phase = over
	}
	p.Rate, _, _ = p.State.Rate()
	p.ETA = eta(p.State)
}

// liveGame shows a game that is in play, or that has ended and is not stored yet. If there is no such game, it returns
// false and writes nothing.
func (s livePages) liveGame(w http.ResponseWriter, r *http.Request) bool {
	run, game := runNamed(r), r.PathValue("game")
	slot, state := s.gameInPlay(run, game)
	if slot == nil {
		return false
	}
	p := livePage{Run: run, Path: pathOf(run), Game: game, State: state,
		Seats: []seatView{voiceOf(r).viewOf(pathOf(run), *slot, true)}}
	p.pulse()
	s.show(w, r, "livegame", frame{
		Title: run + " " + game, Page: p,
		Trail: []crumb{{Name: run, Link: p.Path}, {Name: voiceOf(r).Say("Boards"), Link: p.Path + "/live"}, {Name: game}},
	})
	return true
}

// gameInPlay returns the slot in which a game is played, or nil if the game is not in play.
func (s livePages) gameInPlay(run, game string) (*match.SlotState, *match.Snapshot) {
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

// liveCSA sends the moves of a game in play, as far as they are played, as a CSA file.
func (s livePages) liveCSA(w http.ResponseWriter, r *http.Request) {
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
	if slot.Board.Outcome == "" {
		written = bytes.TrimSuffix(written, []byte(unfinished))
	}
	reply(w, http.StatusOK, "text/plain; charset=utf-8", written)
}

// unfinished is the last line of an interrupted game in CSA. A game in play does not have it.
const unfinished = "%CHUDAN\n"

// recordOf returns the record of a game in play. If moves are missing, the record begins after them. The times are
// unknown.
func recordOf(b *match.Board) *kifu.Record {
	r := &kifu.Record{Black: b.Black, White: b.White, Start: b.Start, Event: gameName(b.Pair, b.Leg)}
	for text := range strings.FieldsSeq(b.Moves) {
		m, err := shogi.ParseMove(text)
		if err != nil {
			return r
		}
		r.Moves = append(r.Moves, kifu.Move{Move: m, NoTime: true})
	}
	if b.Outcome != "" {
		r.Winner, r.Result = b.Outcome, b.Termination
	}
	return r
}

// viewOf returns a slot for a page. The board is drawn only if picture is true.
func (v voice) viewOf(run string, slot match.SlotState, picture bool) seatView {
	seat := v.blankSeat()
	seat.Key, seat.Slot = seatKey(slot), strings.TrimPrefix(seatKey(slot), "/")
	seat.Words = v.Say(string(slot.Phase))
	b := slot.Board
	if b == nil {
		return seat
	}
	seat.Game, seat.Ply, seat.SFEN = gameName(b.Pair, b.Leg), b.Ply, b.Position
	seat.Link = run + "/g/" + seat.Game
	if b.Outcome != "" {
		seat.Words = v.endText(b.Outcome, b.Termination)
	}
	seat.Sides = [2]sideView{v.sideOf(b, shogi.White), v.sideOf(b, shogi.Black)}
	if picture {
		seat.Picture = v.pictureOf(b, seat.Key)
	}
	return seat
}

func (v voice) blankSeat() seatView {
	return seatView{Sides: [2]sideView{{Colour: shogi.White.String()}, {Colour: shogi.Black.String()}},
		Picture: v.pictureOf(nil, "blank")}
}

func (v voice) sideOf(b *match.Board, c shogi.Colour) sideView {
	side := sideView{Colour: c.String(), Name: b.Black, Vote: v.voteOf(b.Thoughts[c])}
	if c == shogi.White {
		side.Name = b.White
	}
	if len(b.Clocks) == 2 && b.Clocks[c] != nil {
		side.Clock = clockText(*b.Clocks[c])
	}
	if t := b.Thoughts[c]; t != nil {
		switch {
		case t.Score != nil:
			side.Score = v.score(*t.Score)
		case t.AtLeast != nil:
			side.Score = atLeast + v.score(*t.AtLeast)
		case t.AtMost != nil:
			side.Score = atMost + v.score(*t.AtMost)
		}
		if t.Depth > 0 {
			side.Depth = strconv.Itoa(t.Depth)
		}
	}
	return side
}

// clockText prints the time on a clock: 1:23:45, 2:05, or with tenths below ten seconds. The function clock()
// of the script prints the same.
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

// These stand before a score that is a bound. The function evaluation() of the script prints the same.
const (
	atLeast = "≥ "
	atMost  = "≤ "
)

// score prints an evaluation from its player's own view: +123, or the plies to a mate, mate −4. The function
// score() of the script prints the same.
func (v voice) score(score int) string {
	s := usi.ShownScore(score)
	switch {
	case s.Mate == 0:
		return signed(score)
	case s.Value == 0: // the length is unknown
		return v.Say("mate %s", signed(s.Mate)[:len(signed(s.Mate))-1])
	case s.Mate < 0:
		return v.Say("mate %s", signed(-s.Value))
	}
	return v.Say("mate %s", signed(s.Value))
}

func signed(n int) string {
	if n < 0 {
		return "−" + strconv.Itoa(-n)
	}
	return "+" + strconv.Itoa(n)
}

// pictureOf draws a board. It draws an empty one if b is nil, or if its position is not a SFEN. key must be unique on
// the page, because the ID of the picture is made from it.
func (v voice) pictureOf(b *match.Board, key string) template.HTML {
	d := diagram.Diagram{ID: "b-" + identifier(key), Title: "–"}
	if b != nil {
		d.Title = fmt.Sprintf("%s – %s, %d", b.Black, b.White, b.Ply)
		if p, err := shogi.ParseSFEN(b.Position); err == nil {
			d.Position, d.Last = p, lastMove(b)
		}
	}
	return template.HTML(v.Draw(d)) // the diagram escapes every text
}

// lastMove returns the move that led to a board's position, or NoMove if it is unknown.
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

// identifier turns a key into letters, digits and hyphens. Different keys have different identifiers.
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

// liveRoutes adds the routes to runs in play.
func (s livePages) liveRoutes(mux *http.ServeMux) {
	mux.HandleFunc("GET /r/{run}/live", s.livePage)
	mux.HandleFunc("GET /r/{run}/g/{game}/live.csa", s.liveCSA)
	mux.HandleFunc("GET /api/v1/live", s.liveStream)
	mux.HandleFunc("POST /api/v1/runs/{run}/{verb}", s.guard.needsToken(s.control))
	mux.HandleFunc("GET /assets/pieces.svg", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/svg+xml")
		_, _ = w.Write([]byte(diagram.Pieces()))
	})
}
