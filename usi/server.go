package usi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"gogi/internal/foreign"
)

// Served is what a Server needs of the program behind it. The Server calls it
// from one goroutine at a time.
type Served interface {
	Name() string
	Author() string
	Options() []Option
	SetOption(s Setting) error
	Ready(ctx context.Context) error // isready: load, allocate, reset
	NewGame(ctx context.Context, g Game) error
	Think(ctx context.Context, r Request) (Reply, error)
}

// Serve speaks USI as an engine until "quit" or the end of the input. Lines
// that make no sense get an "info string" and are skipped, as the protocol
// asks. A search runs beside the reading of commands; "stop" ends it, and there
// is exactly one bestmove for each "go". On "go ponder" the search goes on
// until "ponderhit", where it starts again under the real limits with what it
// has learnt, or "stop".
func Serve(ctx context.Context, in io.Reader, out io.Writer, served Served) error {
	s := &server{served: served, out: out, position: Position{Start: "startpos"}}
	defer s.stop()
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if quit := s.command(ctx, strings.TrimSpace(lines.Text())); quit {
			return nil
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("usi: reading commands: %w", err)
	}
	return nil
}

// server is one dialogue from the engine's side.
type server struct {
	served   Served
	outMu    sync.Mutex
	out      io.Writer
	position Position
	running  *running // the search that is on, or nil
}

// running is one "go" that has not been waited for.
type running struct {
	cancel context.CancelFunc
	done   sync.WaitGroup
	hold   chan struct{} // of ponder and infinite: closed by the command that lets bestmove go out
	wait   bool          // whether bestmove must wait for hold
	silent bool          // set before cancel: print no bestmove (ponderhit starts anew)
	held   Go
}

func (s *server) command(ctx context.Context, line string) (quit bool) {
	verb, rest, _ := strings.Cut(line, " ")
	switch verb {
	case "quit":
		return true
	case "stop":
		s.stop()
	case "ponderhit":
		s.ponderHit(ctx, rest)
	case "":
	case "gameover":
		s.stop()
	case "usi":
		s.introduce()
	case "isready":
		s.stop()
		s.report(s.served.Ready(ctx), "readyok")
	case "setoption":
		s.stop() // options are not for the middle of a search
		s.setOption(rest)
	case "usinewgame":
		s.stop()
		s.report(s.served.NewGame(ctx, Game{}), "")
	case "position":
		s.setPosition(line)
	case "go":
		s.goCommand(ctx, line)
	default:
		s.complain(fmt.Errorf("unknown command %q", verb))
	}
	return false
}

func (s *server) say(line string) {
	s.outMu.Lock()
	defer s.outMu.Unlock()
	// A closed pipe shows as the end of the input; there is nobody to tell.
	_, _ = io.WriteString(s.out, line+"\n")
}

func (s *server) complain(err error) {
	s.say("info string error: " + foreign.Printable(err.Error(), 500))
}

// report says ok, or what went wrong.
func (s *server) report(err error, ok string) {
	switch {
	case err != nil:
		s.complain(err)
	case ok != "":
		s.say(ok)
	}
}

func (s *server) introduce() {
	s.say("id name " + s.served.Name())
	s.say("id author " + s.served.Author())
	for _, o := range s.served.Options() {
		s.say(o.Line())
	}
	s.say("usiok")
}

func (s *server) setOption(rest string) {
	rest = strings.TrimPrefix(rest, "name ")
	name, value, _ := strings.Cut(rest, " value ")
	settings, err := Resolve(s.served.Options(), []Setting{{Name: strings.TrimSpace(name), Value: strings.TrimSpace(value)}})
	if err == nil {
		err = s.served.SetOption(Setting{settings[0].Name, emptyText(settings[0].Value)})
	}
	s.report(err, "")
}

func (s *server) setPosition(line string) {
	p, err := ParsePosition(line)
	if err == nil {
		_, err = p.History()
	}
	if err != nil {
		s.complain(err)
		return
	}
	s.position = p
}

func (s *server) goCommand(ctx context.Context, line string) {
	s.stop()
	g, err := ParseGo(line)
	if err != nil {
		s.complain(err)
		s.say("bestmove resign")
		return
	}
	s.search(ctx, g)
}

// search starts a thought. Under ponder and infinite the bestmove is held back
// until stop or ponderhit: a GUI that gets it earlier hangs or loses count.
func (s *server) search(ctx context.Context, g Go) {
	ctx, cancel := context.WithCancel(ctx)
	r := &running{cancel: cancel, hold: make(chan struct{}), wait: g.Ponder || g.Infinite, held: g}
	s.running = r
	request := Request{Position: s.position, Go: g, OnInfo: func(i Info) { s.say(i.String()) }}
	if r.wait {
		request.Go = Go{Infinite: true, SearchMoves: g.SearchMoves}
	}
	r.done.Go(func() {
		defer cancel()
		reply, err := s.served.Think(ctx, request)
		if r.wait {
			<-r.hold
		}
		s.finish(r, reply, err)
	})
}

func (s *server) finish(r *running, reply Reply, err error) {
	if r.silent {
		return
	}
	if err != nil {
		s.complain(err)
		s.say("bestmove resign")
		return
	}
	s.say(Bestmove{Answer: reply.Answer, Move: reply.Move, Ponder: reply.Ponder, Text: reply.word()}.String())
}

// word is the answer as it stands behind "bestmove".
func (r Reply) word() string {
	switch r.Answer {
	case AnswerResign:
		return "resign"
	case AnswerWin:
		return "win"
	case AnswerMove:
		return r.Move.String()
	case AnswerInvalid:
	}
	return r.Text
}

// stop ends the search, if one is on, and waits for its bestmove to be said.
func (s *server) stop() {
	r := s.running
	if r == nil {
		return
	}
	s.running = nil
	r.cancel()
	close(r.hold)
	r.done.Wait()
}

// ponderHit turns a search on the opponent's time into a real one.
func (s *server) ponderHit(ctx context.Context, clocks string) {
	r := s.running
	if r == nil || !r.held.Ponder {
		return
	}
	g := r.held
	if clocks != "" {
		parsed, err := ParseGo("go " + clocks)
		if err != nil {
			s.complain(err)
		} else {
			g = parsed
		}
	}
	g.Ponder = false
	r.silent = true
	s.stop()
	s.search(ctx, g)
}

// Line is the declaration as an engine prints it.
func (o Option) Line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "option name %s type %s", o.Name, o.Type)
	if o.Type != Button {
		b.WriteString(" default " + emptyDefault(o))
	}
	if o.Type == Spin {
		fmt.Fprintf(&b, " min %d max %d", o.Min, o.Max)
	}
	for _, v := range o.Vars {
		b.WriteString(" var " + v)
	}
	return b.String()
}

func emptyDefault(o Option) string {
	if o.Default == "" {
		return "<empty>"
	}
	return o.Default
}
