package session

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/match"
	"gogi/results/games"
	"gogi/runner/events"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/text"
)

// live writes a record file for each game while the game is played. It adds whole lines after each move, and
// completes the file when the game ends. It removes the files of games that do not count.
type live struct {
	dir    string
	format text.Format // csa or kif
	warn   func(error) // reports a failed write, once for each game

	games map[place]*growing
}

func newLive(dir, format string, env *cli.Env) (*live, error) {
	f, err := text.Find(text.Text(), format)
	if err != nil {
		return nil, err
	}
	return &live{dir: dir, format: f, warn: func(err error) {
		fmt.Fprintln(env.Err, "warning: --record-dir:", err)
	}}, nil
}

type place = [2]int

// growing is the record file of a running game.
type growing struct {
	record  kifu.Record
	path    string
	written []byte
	ended   bool
	failed  bool
}

// liveBuffer is the number of events that may wait for the writer, enough for about a minute of a fast run.
const liveBuffer = 1 << 13

// follow writes until the hub closes. If a slow disk lost events, it continues with the current state.
func (l *live) follow(hub *events.Hub) {
	l.games = map[place]*growing{}
	if err := os.MkdirAll(l.dir, 0o755); err != nil {
		l.warn(err)
		return
	}
	for {
		s := hub.Subscribe(liveBuffer)
		for ev := range s.Events() {
			l.see(ev)
		}
		if !errors.Is(s.Err(), events.ErrSlow) {
			return
		}
	}
}

func (l *live) see(ev match.Event) {
	if ev.Type == match.EventState && ev.State != nil {
		l.catchUp(ev)
		return
	}
	if ev.Pair == nil {
		return
	}
	if ev.Type == match.EventFault && ev.Kind == match.KindUnplayed {
		l.drop(*ev.Pair, 0, 1)
		return
	}
	if ev.Type == match.EventPair { // the pair counts and has no more events
		delete(l.games, place{*ev.Pair, 0})
		delete(l.games, place{*ev.Pair, 1})
		return
	}
	if ev.Leg == nil {
		return
	}
	at := place{*ev.Pair, *ev.Leg}
	switch ev.Type { //nolint:exhaustive // the other events change no file
	case match.EventGame:
		l.begin(at, ev)
	case match.EventMove:
		l.move(at, ev)
	case match.EventBoard:
		l.board(at, ev.Run, ev.Board)
	case match.EventEnd:
		l.end(at, ev)
	case match.EventCut:
		l.drop(at[0], at[1])
	}
}

func (l *live) begin(at place, ev match.Event) {
	g := &growing{record: kifu.Record{Black: ev.Black, White: ev.White, Event: ev.Run, Started: ev.Time, Start: startOf(ev.Start)}}
	g.record.Header.Opening = ev.Opening
	for _, m := range movesOf(ev.Moves) {
		g.record.Moves = append(g.record.Moves, kifu.Move{Move: m, Opening: true})
	}
	l.open(at, ev.Run, g)
}

// open chooses the name of the file and writes the known moves.
func (l *live) open(at place, run string, g *growing) {
	g.record.Event = run + "/" + pairLeg(at)
	g.path = filepath.Join(l.dir, games.FileName(run, match.Row{Pair: at[0], Leg: at[1]}, &g.record)+l.format.Ext)
	l.games[at] = g
	l.write(g)
}

func pairLeg(at place) string {
	name := games.FileName("", match.Row{Pair: at[0], Leg: at[1]}, &kifu.Record{})
	return strings.TrimLeft(name, "+")
}

func startOf(text string) string {
	if even := shogi.StartPos(); text == "" || text == "startpos" {
		return even.SFEN()
	}
	return text
}

// movesOf parses USI moves up to the first invalid one.
func movesOf(text string) (moves []shogi.Move) {
	for word := range strings.FieldsSeq(text) {
		m, err := shogi.ParseMove(word)
		if err != nil {
			break
		}
		moves = append(moves, m)
	}
	return moves
}

// move adds a move. It ignores a move that does not follow the last known move; board adds such a move later.
func (l *live) move(at place, ev match.Event) {
	g := l.games[at]
	moves := movesOf(ev.Move)
	if g == nil || g.ended || len(moves) != 1 || ev.Ply != len(g.record.Moves)+1 {
		return
	}
	m := kifu.Move{Move: moves[0], Depth: ev.Depth, Nodes: ev.Nodes, PV: movesOf(ev.PV), NoTime: ev.TimeMS == nil}
	if ev.TimeMS != nil {
		m.Time = time.Duration(*ev.TimeMS * float64(time.Millisecond))
	}
	if ev.Score != nil {
		m.Score, m.HasScore = *ev.Score, true
	}
	g.record.Moves = append(g.record.Moves, m)
	l.write(g)
}

// board adds the moves of a game whose events were lost. The times of these moves are not known.
func (l *live) board(at place, run string, b *match.Board) {
	if b == nil || b.Start == "" || b.StartPly != 0 {
		return
	}
	g := l.games[at]
	if g == nil {
		g = &growing{record: kifu.Record{Black: b.Black, White: b.White, Start: startOf(b.Start)}}
		g.record.Header.Opening = b.Opening
		l.open(at, run, g)
	}
	for i, m := range movesOf(b.Moves) {
		if i >= len(g.record.Moves) {
			g.record.Moves = append(g.record.Moves, kifu.Move{Move: m, Opening: i < b.Plies, NoTime: i >= b.Plies})
		}
	}
	l.write(g)
}

// catchUp updates the record files of the games in play. A subscription begins with an event that has the
// boards of all slots.
func (l *live) catchUp(ev match.Event) {
	for _, slot := range ev.State.Slots {
		if b := slot.Board; b != nil && b.Outcome == "" {
			l.board(place{b.Pair, b.Leg}, ev.Run, b)
		}
	}
}

func (l *live) end(at place, ev match.Event) {
	g := l.games[at]
	if g == nil {
		return
	}
	g.ended = true
	g.record.Result, g.record.Winner, g.record.Note, g.record.Ended = ev.Termination, ev.Outcome, ev.Note, ev.Time
	l.write(g)
}

func (l *live) drop(pair int, legs ...int) {
	for _, leg := range legs {
		at := place{pair, leg}
		if g := l.games[at]; g != nil {
			delete(l.games, at)
			if err := os.Remove(g.path); err != nil && !errors.Is(err, os.ErrNotExist) {
				l.warn(err)
			}
		}
	}
}

// write appends new lines to the file in one write. If earlier text changed, it replaces the whole file at
// once.
func (l *live) write(g *growing) {
	text, err := l.format.Append(nil, &g.record)
	if err == nil {
		if !g.ended {
			text = withoutLastWord(text)
		}
		err = g.update(text)
	}
	if err != nil && !g.failed {
		g.failed = true
		l.warn(err)
	}
}

// withoutLastWord removes the last line of a record, which marks a game without an end.
func withoutLastWord(text []byte) []byte {
	return text[:bytes.LastIndexByte(bytes.TrimRight(text, "\n"), '\n')+1]
}

// update writes a new text of the record. If the new text only has more lines, update appends these.
func (g *growing) update(text []byte) error {
	old := g.written
	g.written = text
	if len(old) == 0 || !bytes.HasPrefix(text, old) {
		return games.Whole(g.path, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
	}
	if len(text) == len(old) {
		return nil
	}
	file, err := os.OpenFile(g.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = file.Write(text[len(old):])
	return errors.Join(err, file.Close())
}
