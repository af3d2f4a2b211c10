package usi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"gogi/internal/sanitize"
	"gogi/shogi"
)

// Served is the player behind a Server. The Server calls its methods one at a time, and no other method while
// Think or Mate runs. Every method with a context must return soon after the context ends; Think then returns
// the best move so far. The context of Ready, NewGame, Ponder and GameOver ends with the dialogue.
//
// The Server calls Name, Author and Options once, before it reads the first command. They must return at
// once, because some GUIs allow only two seconds from "usi" to "usiok". Slow work belongs in Ready.
//
// A Served may also implement ServedPonderer, ServedSolver and ServedListener.
type Served interface {
	Name() string
	Author() string
	Options() []Option

	// SetOption sets a declared option to a value that the declaration allows ("" for "<empty>" and for a
	// button). The Server never calls it while the Served searches or ponders; such settings wait for the
	// end.
	SetOption(s Setting) error

	// Ready loads, allocates, and discards the data of the last game (isready). The Server may call it any
	// number of times. If the GUI sent no isready, the Server calls it once before the first search. After an
	// error the Server sends no readyok, unless the error is a *Shortcoming.
	Ready(ctx context.Context) error

	NewGame(ctx context.Context, g Game) error

	// Think searches until its limits, or until ctx ends on "stop" and "gameover". With Go.Infinite it may
	// return earlier, because the Server delays the bestmove. If Think returns a move with an error, the
	// Server uses the move.
	Think(ctx context.Context, r Request) (Reply, error)
}

// Shortcoming is the error that the method Ready of a Served returns if it can still play, for example
// without its book. The Server reports the error to the GUI and sends readyok.
type Shortcoming struct{ Err error }

// Error returns the text of Err.
func (s *Shortcoming) Error() string { return s.Err.Error() }

// Unwrap returns Err.
func (s *Shortcoming) Unwrap() error { return s.Err }

// ServedPonderer is a Served that can search on the opponent's time. Ponder starts the search and returns at
// once, like Engine.Ponder; r.Position is the position after the expected reply. Any goroutine may send infos
// to r.OnInfo.
//
// On "ponderhit" the Server calls Think with the same position and the current limits. Some GUIs send the
// clocks only with ponderhit; then Go.Early is set in Ponder, and an Engine sends the clocks of Think with ponderhit.
// On "stop" the Server calls Think with the same position and a context that has already ended. Think must
// then end the search and return its best move so far. One of these calls comes before any Think with another
// position. The Server reports an error of Ponder to the GUI and continues as if Ponder had worked.
//
// If a Served does not implement ServedPonderer, the Server calls Think without limits until "ponderhit", and
// then again with the real limits.
type ServedPonderer interface {
	Ponder(ctx context.Context, r Request) error
}

// ServedSolver is a Served (the player behind a Server) that can also search for mates. r.Go.MateTime is the
// time limit of Mate; 0 means no limit except the end of ctx. If Mate returns an error, the Server answers
// "checkmate timeout". If a Served does not implement ServedSolver, the
// Server answers "checkmate notimplemented".
type ServedSolver interface {
	Mate(ctx context.Context, r Request) (Checkmate, error)
}

// ServedListener is a Served that receives the results of its games.
type ServedListener interface {
	GameOver(ctx context.Context, o Outcome) error
}

// Server lets a GUI use any player as a USI engine: it runs the engine's side of the protocol. The zero value
// is ready to use.
type Server struct {
	// KeepAlive is the interval of the empty lines that the Server sends while Ready runs; 0 means none. Some
	// GUIs (将棋所, ShogiGUI) give up an engine that sends nothing for long. YaneuraOu sends an empty line every
	// 5 s.
	KeepAlive time.Duration
}

// Serve runs a Server with the default settings, see Server.Serve.
func Serve(ctx context.Context, in io.Reader, out io.Writer, served Served) error {
	return Server{}.Serve(ctx, in, out, served)
}

// Serve runs the dialogue until "quit", the end of the input, or the end of ctx. If ctx ends first, the error
// wraps the cause. It answers a line without a meaning with an "info string" and skips the line, as the
// protocol demands.
//
// Serve runs one command after another. Only a search runs at the same time as other commands. For each "go"
// it sends exactly one bestmove (for "go mate" one checkmate), in order. It sends the answer at the end of
// the search, or at the first of stop, gameover, isready, usinewgame and another go. With ponder and infinite
// it waits for one of these commands. It sends the answer even if the GUI sent only gameover: a GUI that
// still waits would otherwise take the next game's bestmove for this answer.
//
// The end of the input and "quit" end any search at once. Serve still runs the commands that it has already
// read, with a context that has ended. If ctx ends first, a Read from in may still be running when Serve
// returns.
//
// A GUI that does not read its input does not slow Serve: Serve drops the oldest info lines, and queues all
// other lines. At the end the GUI has one second to read them.
func (c Server) Serve(ctx context.Context, in io.Reader, out io.Writer, served Served) error {
	session, end := context.WithCancel(ctx)
	defer end()
	s := &server{
		config: c, served: served, out: newOutbox(out), position: startOfGame(),
		name: served.Name(), author: served.Author(), options: served.Options(),
	}
	defer s.out.close(flushGrace)
	defer s.finish()
	commands := newCommands(in, end)
	for {
		var line string
		more := false
		select {
		case line, more = <-commands.lines:
		case <-ctx.Done():
		}
		switch {
		case ctx.Err() != nil:
			close(commands.gone) // the reader stops early
			return fmt.Errorf("usi: serving: %w", context.Cause(ctx))
		case !more:
			return commands.err
		}
		s.command(session, line)
	}
}

// server is one dialogue from the engine's side. Its state is the state of run, or idle without a run or
// after its end.
type server struct {
	config   Server
	served   Served
	out      *outbox
	name     string
	author   string
	options  []Option
	readied  bool
	position Position
	line     Line  // the game up to position
	bad      error // the error of the last position command
	run      *run
	waiting  []Setting // settings that came during a search
}

// unknownLimit is the duration of a search with an unreadable limit.
const unknownLimit = time.Second

func startOfGame() Position { return Position{Start: "startpos"} }

func (s *server) command(ctx context.Context, line string) {
	s.settle()
	p := words{rest: line}
	verb := p.next()
	rest := strings.TrimSpace(p.rest)
	switch verb {
	case "", "quit": // quit ends the commands
	case "usi":
		s.introduce()
	case "isready":
		s.reset(ctx)
		if s.report(s.ready(ctx)); s.readied {
			s.out.send("readyok")
		}
	case "setoption":
		s.setOption(rest)
	case "usinewgame":
		s.reset(ctx)
		s.ensureReady(ctx)
		s.report(s.served.NewGame(ctx, Game{}))
	case "position":
		s.setPosition(line)
	case "go":
		s.goCommand(ctx, line)
	case "stop":
		s.stop(ctx)
	case "ponderhit":
		s.ponderHit(ctx, rest)
	case "gameover":
		s.gameOver(ctx, rest)
	default:
		s.report(fmt.Errorf("unknown command %q", sanitize.Printable(verb, 100)))
	}
}

// report sends an error, if there is one, to the GUI.
func (s *server) report(err error) {
	if err != nil {
		s.out.send("info string error: " + sanitize.Printable(err.Error(), 500))
	}
}

func (s *server) introduce() {
	s.out.send("id name " + s.name)
	s.out.send("id author " + s.author)
	for _, o := range s.options {
		s.out.send(o.Line())
	}
	s.out.send("usiok")
}

// reset starts a new game. Some GUIs send only isready before a game, others only usinewgame before the
// second game.
func (s *server) reset(ctx context.Context) {
	s.stop(ctx)
	s.position, s.bad = startOfGame(), nil
}

func (s *server) ready(ctx context.Context) error {
	if s.config.KeepAlive > 0 {
		defer s.keepAlive()()
	}
	err := s.served.Ready(ctx)
	_, plays := errors.AsType[*Shortcoming](err)
	s.readied = err == nil || plays
	return err
}

// ensureReady calls ready if the GUI has sent no isready.
func (s *server) ensureReady(ctx context.Context) {
	if !s.readied {
		s.report(s.ready(ctx))
	}
}

// keepAlive sends empty lines until the caller calls the returned function.
func (s *server) keepAlive() func() {
	stop, ended := make(chan struct{}), make(chan struct{}) // each is closed once
	go func() {
		defer close(ended)
		ticker := time.NewTicker(s.config.KeepAlive)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				s.out.send("")
			case <-stop:
				return
			}
		}
	}()
	return func() {
		close(stop)
		<-ended
	}
}

// setOption sets an option. During a search it stores the option until the search has ended, because a search
// must not change its rules. Ending the search here would send a bestmove that the GUI has not requested.
func (s *server) setOption(rest string) {
	setting := splitSetting(s.options, rest)
	settings, err := Resolve(s.options, []Setting{setting})
	switch {
	case err == nil:
		set := Setting{settings[0].Name, emptyText(settings[0].Value)}
		s.waiting = slices.DeleteFunc(s.waiting, func(w Setting) bool { return w.Name == set.Name }) // the last value counts
		s.waiting = append(s.waiting, set)
		s.settle()
	case isGeneral(s.options, setting.Name):
	default:
		s.report(err)
	}
}

// isGeneral reports whether name is an option that GUIs send to every engine (USI_Hash or USI_Ponder) and
// that this engine does not declare.
func isGeneral(declared []Option, name string) bool {
	_, ok := FindOption(declared, name)
	return !ok && (SameOption(name, "USI_Hash") || SameOption(name, "USI_Ponder"))
}

// splitSetting splits "name NAME value VALUE", where both may contain spaces. It recognises a name that
// contains "value" if the name is declared.
func splitSetting(declared []Option, rest string) Setting {
	rest = strings.TrimSpace(strings.TrimPrefix(rest+" ", "name "))
	const mark = " value "
	text := rest + " "
	first := Setting{Name: rest}
	for from := 0; ; {
		i := strings.Index(text[from:], mark)
		if i < 0 {
			break
		}
		at := from + i
		cut := Setting{Name: strings.TrimSpace(text[:at]), Value: strings.TrimSpace(text[at+len(mark):])}
		if from == 0 {
			first = cut
		}
		if _, ok := FindOption(declared, cut.Name); ok {
			return cut
		}
		from = at + 1
	}
	if _, ok := FindOption(declared, rest); ok {
		return Setting{Name: rest}
	}
	return first
}

// settle applies the stored options if no search is active.
func (s *server) settle() {
	if s.active() != nil {
		return
	}
	for _, w := range s.waiting {
		s.report(s.served.SetOption(w))
	}
	s.waiting = nil
}

func (s *server) setPosition(line string) {
	p, err := ParsePosition(line)
	if err == nil {
		err = s.line.Follow(p)
	}
	s.position, s.bad = p, err
	s.report(err)
}

func (s *server) gameOver(ctx context.Context, word string) {
	s.stop(ctx)
	o := Outcome(word)
	switch o {
	case Win, Lose, Draw:
	default:
		s.report(fmt.Errorf("gameover %q: expected win, lose or draw", sanitize.Printable(word, 100)))
		return
	}
	if l, ok := s.served.(ServedListener); ok {
		s.report(l.GameOver(ctx, o))
	}
}

// goCommand starts the search that the line requests. It reports and skips an unknown word, because an
// extension of a GUI should not lose a game. If that word was the only limit, the search takes unknownLimit.
func (s *server) goCommand(ctx context.Context, line string) {
	s.stop(ctx)
	g, err := ParseGo(line)
	if err != nil {
		s.report(err)
		if !g.Timed() && g.Nodes == 0 && g.Depth == 0 && !g.Infinite && !g.Ponder {
			g.MoveTime = unknownLimit
		}
	}
	s.ensureReady(ctx)
	r := s.newRun(g)
	switch {
	case g.Mate:
		r.state = solving
	case g.Ponder && s.ponder(ctx, r):
		return
	case g.Ponder || g.Infinite:
		r.state = held
		r.request.Go = Go{Infinite: true, SearchMoves: g.SearchMoves}
	}
	s.launch(ctx, r)
}

// ponder starts a search on the opponent's time. It returns false if the Served has no such search, or if the
// position is invalid.
func (s *server) ponder(ctx context.Context, r *run) bool {
	p, ok := s.served.(ServedPonderer)
	if !ok || r.bad != nil {
		return false
	}
	r.state = pondering
	r.request.Go.Early = !r.request.Go.Timed()
	s.run = r
	s.report(p.Ponder(ctx, r.request))
	return true
}

// stop ends the search, if there is one, and waits until its answer is sent.
func (s *server) stop(ctx context.Context) {
	r := s.active()
	if r == nil {
		return
	}
	if r.state == pondering {
		ended, cancel := context.WithCancel(ctx)
		cancel()
		r.stopped = true
		r.request.Go.Ponder = false
		s.launch(ended, r)
	}
	s.end(r)
	s.settle()
}

// end cancels a launched search and waits for its goroutine.
func (s *server) end(r *run) {
	if r.state == held { // the goroutine reads r only after the release
		r.stopped = r.asked.Ponder
	}
	r.cancel()
	close(r.release)
	<-r.ended
	s.run = nil
}

// ponderHit turns a search on the opponent's time into an ordinary one. clocks are the arguments after the word
// ponderhit, mostly "".
func (s *server) ponderHit(ctx context.Context, clocks string) {
	r := s.active()
	if r == nil || !r.asked.Ponder || r.state != pondering && r.state != held {
		return
	}
	g := r.asked
	g.Ponder = false
	if clocks != "" {
		now, err := ParseGo("go " + clocks)
		s.report(err)
		g.setTimes(now)
	}
	if r.state == pondering {
		g.Early = r.request.Go.Early
		r.hit(g)
		s.launch(ctx, r)
		return
	}
	next := s.newRun(g)
	next.request.Position, next.bad = r.request.Position, r.bad
	next.hit(g)
	r.silent = true
	s.end(r)
	s.launch(ctx, next)
}

// hit executes a ponderhit. It changes the search on the opponent's time to an ordinary search with the limits g.
func (r *run) hit(g Go) {
	r.asked, r.request.Go, r.state = g, g, thinking
	if g.Infinite {
		r.state = held
	}
}

// setTimes copies the times of another command, if that command has times.
func (g *Go) setTimes(now Go) {
	if !now.Timed() {
		return
	}
	g.Clock, g.BTime, g.WTime = now.Clock, now.BTime, now.WTime
	g.UseByoyomi, g.Byoyomi = now.UseByoyomi, now.Byoyomi
	g.UseInc, g.BInc, g.WInc = now.UseInc, now.BInc, now.WInc
	g.MoveTime = now.MoveTime
}

// finish ends the active search after the last command. It does not end a search on the opponent's time,
// because no GUI waits for that move.
func (s *server) finish() {
	if r := s.active(); r != nil && r.state != pondering {
		s.end(r)
	}
	s.run = nil
}

// word returns the word for the answer in a bestmove line: a move, "resign" or "win".
func (r Reply) word() string {
	switch r.Answer {
	case AnswerWin:
		return "win"
	case AnswerMove:
		return r.Move.String()
	case AnswerResign, AnswerInvalid:
	}
	return "resign"
}

// answerTo returns the bestmove of a finished search. If the search failed, it returns the last move that the search
// preferred, or it resigns without such a move. GUIs ignore the bestmove of a ponder search after stop. But some obey
// a resignation or a declaration even then, so answerTo then always returns a move.
func answerTo(r *run, reply Reply) Bestmove {
	if reply.Answer == AnswerInvalid || r.stopped && reply.Answer != AnswerMove {
		if m := r.known(r.stopped); m != shogi.NoMove {
			reply = Reply{Answer: AnswerMove, Move: m}
		}
	}
	return Bestmove{Answer: reply.Answer, Move: reply.Move, Ponder: reply.Ponder, Text: reply.word()}
}
