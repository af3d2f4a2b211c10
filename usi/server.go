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

// Served is what a Server needs of the program behind it. The Server calls its
// methods one at a time, and never while Think or Mate runs. Every method that
// takes a context must return soon after that has ended, Think with the best
// move so far; the context of Ready, NewGame, Ponder and GameOver ends when the
// dialogue does.
//
// Name, Author and Options are asked once, before the first command is read,
// and must not wait for anything: GUIs allow as little as two seconds from
// "usi" to "usiok". What takes time belongs in Ready.
//
// A Served may also be a ServedPonderer, a ServedSolver and a ServedListener.
type Served interface {
	Name() string
	Author() string
	Options() []Option

	// SetOption gets an option that Options declares with a value that the
	// declaration allows ("" for "<empty>" and for a button). It is never called
	// during a search or while pondering: such settings wait for the end.
	SetOption(s Setting) error

	// Ready loads, allocates and forgets the last game (isready). It may be
	// called any number of times, and once before the first search if the GUI
	// forgot it. After an error the GUI is not sent readyok, unless the error is
	// a *Shortcoming.
	Ready(ctx context.Context) error

	NewGame(ctx context.Context, g Game) error

	// Think searches. On "stop" and "gameover" ctx ends. A request with
	// Go.Infinite should go on until then, but need not: the Server holds the
	// bestmove back. A reply with a move beside an error is used.
	Think(ctx context.Context, r Request) (Reply, error)
}

// Shortcoming is an error of Ready of a Served that can play nevertheless, such as one
// without its book: the GUI is told of it, and is sent readyok.
type Shortcoming struct{ Err error }

// Error is that of Err.
func (s *Shortcoming) Error() string { return s.Err.Error() }

// Unwrap is Err.
func (s *Shortcoming) Unwrap() error { return s.Err }

// ServedPonderer is a Served that can search on the opponent's time, as
// Engine.Ponder does: Ponder starts it and returns at once, r's position is the
// one after the expected reply. Infos may go to r.OnInfo from any goroutine.
//
// On "ponderhit" the Server calls Think with the same position, the limits that
// hold now, and Go.Early as Ponder had it: set when the clocks came only with
// ponderhit, which an Engine then sends on. On "stop" it calls Think with
// the same position and a context that has already ended: the pondering must
// stop, and the reply is the best move for that position so far. A Think with
// another position never comes without one of these before it. An error of
// Ponder is told to the GUI, and the dialogue goes on as if it had worked.
//
// For a Served without Ponder the Server searches without limit until
// "ponderhit" and then anew under the real limits.
type ServedPonderer interface {
	Ponder(ctx context.Context, r Request) error
}

// ServedSolver is a Served with a mate search: r.Go.MateTime is its limit, 0
// means until ctx ends. On an error the answer is "checkmate timeout". Without
// it "go mate" is answered "checkmate notimplemented".
type ServedSolver interface {
	Mate(ctx context.Context, r Request) (Checkmate, error)
}

// ServedListener is a Served that wants to know how its games end.
type ServedListener interface {
	GameOver(ctx context.Context, o Outcome) error
}

// Server speaks USI as an engine. The zero value is ready for use.
type Server struct {
	// KeepAlive is the interval of the empty lines that are sent while Ready
	// runs: some GUIs (将棋所, ShogiGUI) give up an engine that is silent for
	// long. YaneuraOu sends one every 5 s. 0: none.
	KeepAlive time.Duration
}

// Serve is Server.Serve with the default settings.
func Serve(ctx context.Context, in io.Reader, out io.Writer, served Served) error {
	return Server{}.Serve(ctx, in, out, served)
}

// Serve speaks USI until "quit", the end of the input or of ctx, whose cause is
// then the error. Lines that make no sense get an "info string" and are
// skipped, as the protocol asks.
//
// Commands are done one after another while a search runs beside them. For each
// "go" there is exactly one bestmove (for "go mate" one checkmate), in order:
// at its end, or at the first of stop, gameover, isready, usinewgame and another
// go. Under ponder and infinite it is never said before that; after gameover
// alone it is said too, because GUIs count: one that waits for it would take the
// next game's for it.
//
// The end of the input, like "quit", ends at once whatever runs: commands that
// were read before it are still done, under a context that has ended. When ctx
// ends first, a Read from in may be left behind, until it returns.
//
// A GUI that does not read holds up nothing: of the info lines the oldest are
// dropped, all others wait. At the end they get a second to be read.
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
			commands.abandon()
			return fmt.Errorf("usi: serving: %w", context.Cause(ctx))
		case !more:
			return commands.err
		}
		s.command(session, line)
	}
}

// server is one dialogue from the engine's side. Its state is that of the
// search: none (nil or ended), or the run's.
type server struct {
	config   Server
	served   Served
	out      *outbox
	name     string
	author   string
	options  []Option
	readied  bool
	position Position
	line     Line  // of the game that position belongs to
	bad      error // what is wrong with the last position command
	run      *run
	waiting  []Setting // that came during a search
}

// unknownLimit is the time of a search whose limit was not understood.
const unknownLimit = time.Second

func startOfGame() Position { return Position{Start: "startpos"} }

func (s *server) command(ctx context.Context, line string) {
	s.settle()
	p := words{rest: line}
	verb := p.next()
	rest := strings.TrimSpace(p.rest)
	switch verb {
	case "", "quit": // quit is the end of the commands
	case "usi":
		s.introduce()
	case "isready":
		s.reset(ctx)
		if s.report(s.ready(ctx), ""); s.readied {
			s.out.say("readyok")
		}
	case "setoption":
		s.setOption(rest)
	case "usinewgame":
		s.reset(ctx)
		s.ensureReady(ctx)
		s.report(s.served.NewGame(ctx, Game{}), "")
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
		s.complain(fmt.Errorf("unknown command %q", sanitize.Printable(verb, 100)))
	}
}

func (s *server) complain(err error) {
	s.out.say("info string error: " + sanitize.Printable(err.Error(), 500))
}

// report says ok, or what went wrong.
func (s *server) report(err error, ok string) {
	switch {
	case err != nil:
		s.complain(err)
	case ok != "":
		s.out.say(ok)
	}
}

func (s *server) introduce() {
	s.out.say("id name " + s.name)
	s.out.say("id author " + s.author)
	for _, o := range s.options {
		s.out.say(o.Line())
	}
	s.out.say("usiok")
}

// reset forgets the game: some GUIs say only isready before one, others only
// usinewgame before the second.
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

// ensureReady is for a GUI that forgot isready.
func (s *server) ensureReady(ctx context.Context) {
	if !s.readied {
		s.report(s.ready(ctx), "")
	}
}

// keepAlive sends empty lines until the function that it returns is called.
func (s *server) keepAlive() func() {
	stop, ended := make(chan struct{}), make(chan struct{}) // each closed once, by either side
	go func() {
		defer close(ended)
		ticker := time.NewTicker(s.config.KeepAlive)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				s.out.say("")
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

// setOption sets an option, or puts it aside until the search has ended: a
// search may not change its rules, and ending it here would mean a bestmove that
// the GUI has not asked for.
func (s *server) setOption(rest string) {
	setting := splitSetting(s.options, rest)
	settings, err := Resolve(s.options, []Setting{setting})
	switch {
	case err == nil:
		set := Setting{settings[0].Name, emptyText(settings[0].Value)}
		s.waiting = slices.DeleteFunc(s.waiting, func(w Setting) bool { return w.Name == set.Name }) // the last one counts
		s.waiting = append(s.waiting, set)
		s.settle()
	case isGeneral(s.options, setting.Name):
	default:
		s.complain(err)
	}
}

// isGeneral reports whether a name is one of the two options that GUIs send to
// every engine and that this one does not declare.
func isGeneral(declared []Option, name string) bool {
	_, ok := FindOption(declared, name)
	return !ok && (SameOption(name, "USI_Hash") || SameOption(name, "USI_Ponder"))
}

// splitSetting reads "name NAME value VALUE", where both may contain spaces. A
// name that itself contains "value" is recognised when it is declared.
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

// settle hands over the settings that waited, once no search is on.
func (s *server) settle() {
	if s.active() != nil {
		return
	}
	for _, w := range s.waiting {
		s.report(s.served.SetOption(w), "")
	}
	s.waiting = nil
}

func (s *server) setPosition(line string) {
	p, err := ParsePosition(line)
	if err == nil {
		err = s.line.Follow(p)
	}
	s.position, s.bad = p, err
	if err != nil {
		s.complain(err)
	}
}

func (s *server) gameOver(ctx context.Context, word string) {
	s.stop(ctx)
	o := Outcome(word)
	switch o {
	case Win, Lose, Draw:
	default:
		s.complain(fmt.Errorf("gameover %q: expected win, lose or draw", sanitize.Printable(word, 100)))
		return
	}
	if l, ok := s.served.(ServedListener); ok {
		s.report(l.GameOver(ctx, o), "")
	}
}

// goCommand starts what the line asks for. A word that is not understood is
// told and left out: a GUI that uses an extension should lose no game by it. If
// that was the only limit, the search takes unknownLimit, not for ever.
func (s *server) goCommand(ctx context.Context, line string) {
	s.stop(ctx)
	g, err := ParseGo(line)
	if err != nil {
		s.complain(err)
		if !g.hasClock() && g.Nodes == 0 && g.Depth == 0 && !g.Infinite && !g.Ponder {
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

// ponder starts a search on the opponent's time, if the Served can do that.
func (s *server) ponder(ctx context.Context, r *run) bool {
	p, ok := s.served.(ServedPonderer)
	if !ok || r.bad != nil {
		return false
	}
	r.state = pondering
	r.request.Go.Early = !r.request.Go.hasClock()
	s.run = r
	s.report(p.Ponder(ctx, r.request), "")
	return true
}

// stop ends the search, if one is on, and waits until its answer is said.
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

// end cancels a search that was launched and waits for its goroutine.
func (s *server) end(r *run) {
	if r.state == held { // its goroutine looks at r only after the release
		r.stopped = r.asked.Ponder
	}
	r.cancel()
	close(r.release)
	<-r.ended
	s.run = nil
}

// ponderHit turns a search on the opponent's time into a real one.
func (s *server) ponderHit(ctx context.Context, clocks string) {
	r := s.active()
	if r == nil || !r.asked.Ponder || r.state != pondering && r.state != held {
		return
	}
	g := r.asked
	g.Ponder = false
	if clocks != "" {
		now, err := ParseGo("go " + clocks)
		if err != nil {
			s.complain(err)
		}
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

// hit makes a real search of one on the opponent's time.
func (r *run) hit(g Go) {
	r.asked, r.request.Go, r.state = g, g, thinking
	if g.Infinite {
		r.state = held
	}
}

// hasClock reports whether the command says anything of the time to be used.
func (g Go) hasClock() bool { return g.Clock || g.UseByoyomi || g.UseInc || g.MoveTime > 0 }

// setTimes takes over the times that another command carries.
func (g *Go) setTimes(now Go) {
	if !now.hasClock() {
		return
	}
	g.Clock, g.BTime, g.WTime = now.Clock, now.BTime, now.WTime
	g.UseByoyomi, g.Byoyomi = now.UseByoyomi, now.Byoyomi
	g.UseInc, g.BInc, g.WInc = now.UseInc, now.BInc, now.WInc
	g.MoveTime = now.MoveTime
}

// finish ends what is still on when the commands have ended. A search on the
// opponent's time is left as it is: nobody waits for its move.
func (s *server) finish() {
	if r := s.active(); r != nil && r.state != pondering {
		s.end(r)
	}
	s.run = nil
}

// word is the answer as it stands behind "bestmove".
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

// answerTo makes the bestmove of a finished search. A failed one answers with
// the last move that it was seen to prefer, else it resigns. For a search on the
// opponent's time that was stopped GUIs ignore what the answer is, but some
// would take a resignation or a declaration for meant: it is always a move.
func answerTo(r *run, reply Reply) Bestmove {
	if reply.Answer == AnswerInvalid || r.stopped && reply.Answer != AnswerMove {
		if m := r.known(r.stopped); m != shogi.NoMove {
			reply = Reply{Answer: AnswerMove, Move: m}
		}
	}
	return Bestmove{Answer: reply.Answer, Move: reply.Move, Ponder: reply.Ponder, Text: reply.word()}
}
