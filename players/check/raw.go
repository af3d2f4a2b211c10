package check

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/players"
	"gogi/shogi"
	"gogi/usi"
	"gogi/usi/process"
)

// A rawDialogue is a dialogue with an extra process, line by line. Mate searches and the end of the process are
// checked in this way, because a usi.Engine cannot do it.
type rawDialogue struct {
	proc  players.Process
	lines *bufio.Reader
	limit time.Duration // time limit of a write
	heard []string      // the lines so far, at most maxHeard
	calm  func() bool   // stops watching the context
}

// maxHeard is the largest number of lines that a rawDialogue stores.
const maxHeard = 5000

// raw starts a process and begins a game.
func (s *subject) raw(ctx context.Context) (*rawDialogue, error) {
	proc, err := s.opener.Start(s.player, nil, s.waits.end)
	if err != nil {
		return nil, err
	}
	d := &rawDialogue{proc: proc, lines: bufio.NewReaderSize(proc, 64<<10), limit: s.waits.end,
		calm: context.AfterFunc(ctx, proc.Kill)}
	if err := d.greet(s); err != nil {
		return nil, &notStarted{errors.Join(err, d.close())}
	}
	return d, nil
}

func (d *rawDialogue) greet(s *subject) error {
	if _, err := d.ask("usi", s.player.Greeting, "usiok"); err != nil {
		return err
	}
	var options strings.Builder
	for _, o := range s.settings {
		options.WriteString(o.String() + "\n")
	}
	if _, err := d.ask(options.String()+"isready", s.player.Ready, "readyok"); err != nil {
		return err
	}
	return d.send("usinewgame") // some engines end at a search that is in no game
}

func (d *rawDialogue) close() error {
	d.calm()
	return d.proc.Close()
}

// search sends a position and go, and waits for bestmove.
func (d *rawDialogue) search(r usi.Request, w waits) (string, error) {
	return d.ask(r.Position.String()+"\n"+r.Go.String(), r.Deadline+w.overrun+w.stop, "bestmove")
}

func (d *rawDialogue) send(command string) error {
	_ = d.proc.SetWriteDeadline(time.Now().Add(d.limit)) // an error means that the process is closed; then Write fails too
	_, err := io.WriteString(d.proc, command+"\n")
	return err
}

// ask sends a command and waits for a line that begins with one of the words.
func (d *rawDialogue) ask(command string, limit time.Duration, words ...string) (string, error) {
	_ = d.proc.SetReadDeadline(time.Now().Add(limit)) // an error means that the process is closed; then Read fails too
	err := d.send(command)
	for err == nil {
		var line string
		if line, err = d.line(); err != nil {
			break
		}
		if len(d.heard) < maxHeard {
			d.heard = append(d.heard, line)
		}
		if first, _, _ := strings.Cut(line, " "); slices.Contains(words, first) {
			return line, nil
		}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return "", &unanswered{awaited: words[0], limit: limit}
	}
	asked := command[strings.LastIndexByte(command, '\n')+1:]
	return "", i18n.Errorf("aborts on %s: %s", asked, d.proc.Diagnosis())
}

// unanswered is the error if a line did not come in time.
type unanswered struct {
	awaited string // first word of the missing line
	limit   time.Duration
}

func (u *unanswered) Error() string { return u.message().String() }

func (u *unanswered) message() i18n.Message {
	return i18n.Of("no %s within %s", u.awaited, format.Span(u.limit))
}

// line returns the next line as printable text, cut to the size of the buffer.
func (d *rawDialogue) line() (string, error) {
	line, more, err := d.lines.ReadLine()
	text := sanitize.Printable(sanitize.Decode(line), 1000)
	for more && err == nil {
		_, more, err = d.lines.ReadLine()
	}
	return text, err
}

// checkMate checks a search for a mate in one. Engines without a mate search answer with a bestmove, or not
// at all.
func checkMate(ctx context.Context, s *subject, f *Finding) {
	d, err := s.raw(ctx)
	if err != nil {
		s.charge(f, Fail, err, i18n.Verbatim("usi"))
		return
	}
	answer, err := d.ask("position sfen "+mateInOne+"\ngo mate 1000", time.Second+s.waits.end, "checkmate", "bestmove")
	if err != nil {
		s.charge(f, Warn, err, i18n.Verbatim("go mate 1000"))
	} else {
		f.add(judgeMate(answer), "%s", answer)
		if strings.HasPrefix(answer, "bestmove") {
			f.add(Warn, "USI's answer to go mate is checkmate, not bestmove")
		}
	}
	if err := d.close(); err != nil {
		f.add(Fail, "%s", i18n.Because(err))
	}
}

func judgeMate(answer string) Verdict {
	words := strings.Fields(answer)
	if len(words) < 2 || words[0] != "checkmate" {
		return Warn
	}
	position, err := shogi.ParseSFEN(mateInOne)
	if err != nil {
		return Warn
	}
	move, err := shogi.ParseMove(words[1])
	if err != nil || position.CheckLegal(move) != nil {
		return Warn
	}
	position.Apply(move)
	if position.InCheck() && len(position.LegalMoves(nil)) == 0 {
		return Pass
	}
	return Warn
}

// quitLimit returns how long the item on quit waits for the end. It is longer than a match waits by default, so that
// the item can measure an engine that saves what it has learned.
func (s *subject) quitLimit() time.Duration { return 3 * max(s.waits.end, s.player.Quit) }

func checkQuit(ctx context.Context, s *subject, f *Finding) {
	checkEnd(ctx, s, f, s.quitLimit(), func(d *rawDialogue) (time.Duration, error) {
		if work, err := s.swift(middlegame()); err == nil && !work.Go.Infinite { // some engines save what they have learned
			if _, err := d.search(work, s.waits); err != nil {
				return 0, errors.Join(err, d.close())
			}
		}
		began := time.Now()
		if err := d.send("quit"); err != nil {
			return 0, errors.Join(err, d.close())
		}
		ended, cancel := context.WithTimeout(ctx, s.quitLimit())
		defer cancel()
		select {
		case <-d.proc.Done():
		case <-ended.Done():
			d.proc.Kill()
		}
		took := time.Since(began)
		return took, d.close()
	})
}

// checkEndOfInput checks that the engine ends when its input ends. This is the only sign for an engine that
// its GUI was killed.
func checkEndOfInput(ctx context.Context, s *subject, f *Finding) {
	checkEnd(ctx, s, f, s.waits.end, func(d *rawDialogue) (time.Duration, error) {
		began := time.Now()
		err := d.close() // closes the input, and sends a signal only after the grace time
		return time.Since(began), err
	})
}

// checkEnd checks how the engine ends. The function end makes the process end, and returns the time that this took.
// limit is the time that it waits for the end.
func checkEnd(ctx context.Context, s *subject, f *Finding, limit time.Duration,
	end func(*rawDialogue) (time.Duration, error)) {
	d, err := s.raw(ctx)
	if err != nil {
		s.charge(f, Fail, err, i18n.Verbatim("usi"))
		return
	}
	took, err := end(d)
	exit := d.proc.Exit()
	switch {
	case err != nil:
		f.add(Fail, "%s", i18n.Because(err))
	case took >= limit:
		f.add(Warn, "still running after %s: it had to be killed", format.Span(limit))
	case exit.Signal != 0:
		f.add(Warn, "crashes after %s: %s", format.Span(took), exit.Ending())
	default:
		f.add(Pass, "ends after %s with %s", format.Span(took), exit.Ending())
		if grace := cmp.Or(s.player.Quit, process.DefaultGrace); took > grace {
			f.add(Warn, "a match waits %s: --quit-timeout %s lets it end by itself", format.Span(grace),
				format.Span(took.Round(time.Second)+time.Second))
		}
	}
}
