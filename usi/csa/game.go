package csa

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/usi"
)

// game is the current game. One goroutine owns it. While the player thinks, another goroutine owns the
// player.
type game struct {
	client   *Client
	conn     *Conn
	summary  *Summary
	history  *shogi.History
	position usi.Position // the start and all moves, as sent by the server
	clocks   [2]Clock
	given    int // number of moves that were set before the game; they cost no time
	record   kifu.Record

	turn       time.Time          // the time at which our turn began
	thought    chan thought       // receives one answer and is never closed; nil: the player is not thinking
	cancel     context.CancelFunc // stops the thinking
	answer     *usi.Reply         // the sent move that is not confirmed yet
	comment    string             // the comment sent with that move
	reopenings int                // number of the player's failures in this game
	early      *Message           // the first message of a game that resumed without START; or nil
	special    string             // the last special move, such as %KACHI
	cause      string             // the server's word for the end, such as #RESIGN
	// gogi cannot continue, for example after an illegal move from the server, and waits for the end
	stuck bool
}

// thought is the result of the player's thinking.
type thought struct {
	reply usi.Reply
	err   error
}

// newGame sets up the game of a summary, with the moves already played. before is the game on a connection that broke,
// if the game resumes, else nil.
func newGame(c *Client, conn *Conn, s *Summary, before *game) *game {
	start := "startpos"
	if even := shogi.StartPos(); s.Start.SFEN() != even.SFEN() {
		start = "sfen " + s.Start.SFEN()
	}
	g := &game{
		client: c, conn: conn, summary: s, history: shogi.NewHistory(s.Start), position: usi.Position{Start: start},
		clocks: [2]Clock{NewClock(s.Times[0]), NewClock(s.Times[1])},
		record: kifu.Record{Black: s.Names[0], White: s.Names[1], Event: s.GameID, Started: time.Now(),
			Start: s.Start.SFEN()},
	}
	switch {
	case before != nil:
		g.given = before.given
	case !s.resumes():
		g.given = len(s.Moves)
	}
	for i, m := range s.Moves {
		if i < g.given {
			g.push(m.Move, kifu.Move{Move: m.Move, Opening: true})
			continue
		}
		g.clocks[g.history.Position().Side()].Spend(m.Time)
		g.push(m.Move, kifu.Move{Move: m.Move, Time: m.Time, Opening: !m.Timed})
	}
	for colour, t := range s.Times {
		if t.Remaining >= 0 {
			g.clocks[colour].remaining = t.Remaining
		}
	}
	if before != nil {
		g.takeOver(before)
	}
	return g
}

// takeOver copies the data that the server does not send again when a game resumes: the start time, the number of
// failures, and the data of each move. before is the game on the connection that broke, and g is the same game on the
// new connection.
func (g *game) takeOver(before *game) {
	g.record.Started = before.record.Started
	g.reopenings = before.reopenings
	for i, m := range before.record.Moves {
		if i >= len(g.record.Moves) || g.record.Moves[i].Move != m.Move {
			return
		}
		g.record.Moves[i] = m
	}
}

// push plays a move on gogi's own board and adds it to the record.
func (g *game) push(m shogi.Move, record kifu.Move) {
	g.history.Push(m)
	g.position.Moves = append(g.position.Moves, m)
	g.record.Moves = append(g.record.Moves, record)
}

// mine reports whether our player is to move.
func (g *game) mine() bool { return g.history.Position().Side() == g.summary.Colour }

// agree accepts the game and waits for its start. started is false if the opponent or the server rejected the
// game. A resumed game may start without START.
func (g *game) agree(ctx context.Context, resumed bool) (started bool, err error) {
	if err := g.conn.Send(agreement("AGREE", g.summary)); err != nil {
		return false, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, agreementLimit,
		fmt.Errorf("csa: the game did not begin within %v", agreementLimit))
	defer cancel()
	for {
		select {
		case m, ok := <-g.conn.Messages():
			switch {
			case !ok:
				return false, g.conn.Err()
			case m.Kind == Started:
				return true, nil
			case m.Kind == Rejected:
				g.client.notice("the game was rejected: " + m.Text)
				return false, nil
			case resumed && m.Kind >= Moved:
				g.early = &m
				return true, nil
			}
		case <-ctx.Done():
			g.notice("gogi rejects the game after it agreed: if the server has begun it, it may count it as a loss")
			return false, errors.Join(context.Cause(ctx), g.conn.Send(agreement("REJECT", g.summary)))
		}
	}
}

// agreement returns the answer to a proposal, with the name of the game if it has one.
func agreement(word string, s *Summary) string {
	if s.GameID == "" {
		return word
	}
	return word + ":" + s.GameID
}

// play plays until the game is over. It returns an error if the game was interrupted.
func (g *game) play(ctx context.Context) error {
	defer g.stopThinking()
	if m := g.early; m != nil {
		if g.receive(ctx, *m) {
			return nil
		}
	}
	if g.thought == nil && g.mine() {
		g.think(ctx)
	}
	for {
		select {
		case m, ok := <-g.conn.Messages():
			if !ok {
				return g.conn.Err()
			}
			if g.receive(ctx, m) {
				return nil
			}
		case t := <-g.thought:
			g.thoughtDone()
			if ctx.Err() != nil {
				return g.resign(ctx)
			}
			g.reply(t)
		case <-ctx.Done():
			return g.resign(ctx)
		}
	}
}

// receive handles a message of the server. over reports whether the game has ended.
func (g *game) receive(ctx context.Context, m Message) (over bool) {
	switch m.Kind {
	case Moved:
		g.moved(ctx, m)
	case Special:
		g.special = m.Move
	case Cause:
		g.cause = m.Text
	case Suspended:
		g.cause = m.Text
		g.finish(ctx, Halted)
		return true
	case Decided:
		g.finish(ctx, map[string]Outcome{"#WIN": Won, "#LOSE": Lost, "#DRAW": Drawn, "#CENSORED": Censored}[m.Text])
		return true
	default: // chat and unknown messages
	}
	return false
}

// moved plays a move from the server, ours or the opponent's.
func (g *game) moved(ctx context.Context, m Message) {
	p := *g.history.Position()
	move, err := ParseMove(&p, m.Move)
	if err != nil {
		// Some servers send an illegal move before they end the game.
		g.stopThinking()
		g.stuck = true
		g.notice(err.Error())
		return
	}
	own := g.mine()
	if own && (g.answer == nil || g.answer.Move != move) {
		g.stopThinking()
		g.notice(fmt.Sprintf("the server says that we have played %s, which we have not", m.Move))
		g.answer = nil
	}
	spent := duration(m.Units, g.summary.Times[p.Side()].Unit)
	g.clocks[p.Side()].Spend(spent)
	g.push(move, g.recordMove(move, spent))
	clock := g.clocks[p.Side()]
	e := Event{
		Type: EventMove, Game: g.summary.GameID, Colour: p.Side().String(), Ply: g.history.MoveCount(), Move: move.String(),
		CSA: m.Move, Elapsed: new(spent.Milliseconds()), Left: new(clock.Remaining().Milliseconds()), Answered: own,
	}
	if own {
		e.Comment = g.comment
	}
	g.client.emit(e)
	answer := g.answer
	g.answer, g.comment = nil, ""
	if !own {
		g.think(ctx)
	} else if answer != nil {
		g.ponder(ctx, answer.Ponder)
	}
}

// recordMove returns a move for the record of the game. If the move is ours, it has the data of the search.
func (g *game) recordMove(m shogi.Move, spent time.Duration) kifu.Move {
	r := kifu.Move{Move: m, Time: spent}
	if g.answer != nil {
		best := g.answer.Best()
		r.Score, r.HasScore = best.Score.Number(), best.HasScore
		r.Depth, r.SelDepth, r.Nodes = best.Depth, best.SelDepth, g.answer.Nodes
		r.PV, r.Detail = best.PV, g.answer.Detail
	}
	return r
}

// think starts the player's search for our move. During the search gogi still handles the server's messages.
func (g *game) think(ctx context.Context) {
	if g.stuck {
		return
	}
	g.turn = time.Now()
	ctx, g.cancel = context.WithCancel(ctx)
	answers := make(chan thought, 1)
	g.thought = answers
	go func() {
		reply, err := g.search(ctx)
		answers <- thought{reply, err}
	}()
}

// stopThinking stops the player's search and waits for its end.
func (g *game) stopThinking() {
	if g.thought != nil {
		g.cancel()
		<-g.thought
		g.thoughtDone()
	}
}

func (g *game) thoughtDone() {
	g.cancel()
	g.thought = nil
}

// search requests a move from the player. If the player fails, search opens another one. Only this goroutine
// uses the player, the position and the clocks during the search.
func (g *game) search(ctx context.Context) (usi.Reply, error) {
	for {
		if g.client.player == nil {
			if err := g.client.prepare(ctx, g.summary); err != nil {
				if again := g.failed(ctx, err); !again {
					return usi.Reply{}, err
				}
				continue
			}
		}
		args, deadline := search(g.clocks, g.summary.Colour, g.client.config.Margin, time.Since(g.turn))
		reply, err := g.client.player.Think(ctx, usi.Request{Position: g.position, Go: args, Deadline: deadline})
		if err == nil {
			return reply, nil
		}
		err = errors.Join(err, g.client.closePlayer())
		again := g.failed(ctx, err)
		if reply.Answer == usi.AnswerMove && g.history.Position().CheckLegal(reply.Move) == nil {
			return reply, nil // the best move so far is better than a new search
		}
		if !again {
			return reply, err
		}
	}
}

// failed counts a failure of the player and reports it to the user. again reports whether the Client may open the
// player once more.
func (g *game) failed(ctx context.Context, err error) (again bool) {
	if ctx.Err() != nil {
		return false
	}
	g.reopenings++
	again = g.reopenings <= maxReopenings
	then := "; gogi starts it again"
	if !again {
		then = fmt.Sprintf("; this was failure %d in this game", g.reopenings)
	}
	g.fault(err.Error() + then)
	return again
}

// reply sends the result of thinking.
func (g *game) reply(t thought) {
	p := g.history.Position()
	switch {
	case t.err != nil:
		g.surrender(t.err.Error())
	case t.reply.Answer == usi.AnswerResign:
		g.send("%TORYO")
	case t.reply.Answer == usi.AnswerWin:
		g.declare(p)
	case t.reply.Answer != usi.AnswerMove:
		g.surrender(fmt.Sprintf("the player's answer %q cannot be read", t.reply.Text))
	default:
		g.sendMove(p, t.reply)
	}
}

func (g *game) sendMove(p *shogi.Position, reply usi.Reply) {
	if err := p.CheckLegal(reply.Move); err != nil {
		g.surrender(fmt.Sprintf("the player's move %s is illegal: %v", reply.Move, err))
		return
	}
	g.answer = &reply
	line := kifu.CSAMove(p, reply.Move)
	if g.client.config.Comments {
		if g.comment = Comment(p, reply); g.comment != "" {
			line += "," + g.comment
		}
	}
	g.send(line)
}

// declare sends a declaration if it is valid. Otherwise it resigns, because a false declaration would lose
// anyway, and there is no move to play.
func (g *game) declare(p *shogi.Position) {
	if d := p.Declaration(g.summary.Declaration); !d.Win {
		g.surrender("the player declares a win that is none: " + d.Why())
		return
	}
	g.send("%KACHI")
}

// surrender resigns because the player has failed.
func (g *game) surrender(why string) {
	g.fault("resigning: " + why)
	g.send("%TORYO")
}

// send sends a line. If this fails, it closes the connection. gogi still reads earlier messages of the
// server, which may contain the end of the game.
func (g *game) send(line string) {
	if err := g.conn.Send(line); err != nil {
		g.notice(err.Error())
		_ = g.conn.Close() // the connection has already failed
	}
}

// ponder lets the player think about the reply that it expects.
func (g *game) ponder(ctx context.Context, expected shogi.Move) {
	p, ok := g.client.player.(Ponderer)
	if !ok || !g.client.config.Ponder || expected == shogi.NoMove || g.stuck {
		return
	}
	if g.history.Position().CheckLegal(expected) != nil || g.history.EndsWith(expected) {
		return
	}
	next := g.position
	next.Moves = append(append([]shogi.Move(nil), next.Moves...), expected)
	args, _ := search(g.clocks, g.summary.Colour, g.client.config.Margin, 0)
	if err := p.Ponder(ctx, usi.Request{Position: next, Go: args}); err != nil {
		g.fault(err.Error() + "; gogi starts it again at its next move")
		if err := g.client.closePlayer(); err != nil {
			g.fault(err.Error())
		}
	}
}

// resign ends the game because ctx has ended. It waits a short time for the server to confirm this. shogi-server does
// not know %CHUDAN: it keeps the line for the player's next turn. So without an answer resign leaves the game, and
// warns that the server may count a loss.
func (g *game) resign(ctx context.Context) error {
	g.stopThinking()
	word := "%CHUDAN" // some servers then stop the game; on others the clock runs
	if g.mine() && g.answer == nil {
		word = "%TORYO"
	}
	cause := context.Cause(ctx)
	if err := g.conn.Send(word); err != nil {
		return errors.Join(cause, err)
	}
	g.stuck = true // the player must not think any more
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	for {
		select {
		case m, ok := <-g.conn.Messages():
			if !ok {
				return cause
			}
			if g.receive(ctx, m) {
				_ = g.conn.Logout(ctx) // an error does not matter, because the connection ends here
				return nil
			}
		case <-ctx.Done():
			_ = g.conn.Send("LOGOUT") // an error does not matter, because the connection ends here
			g.notice("the server did not stop the game, and gogi leaves it: the server may count it as a loss")
			return cause
		}
	}
}

// finish reports the end of the game to the player, completes the record and counts the game.
func (g *game) finish(ctx context.Context, o Outcome) {
	g.stopThinking()
	if p := g.client.player; p != nil {
		if err := p.GameOver(ctx, o.usi()); err != nil {
			// The game is decided, so only the next game opens a new player.
			g.fault(errors.Join(err, g.client.closePlayer()).Error())
		}
	}
	g.record.Result, g.record.Winner = g.result(o)
	g.client.tally.add(o)
	s := g.summary
	g.client.emit(Event{
		Type: EventEnd, Game: s.GameID, Black: s.Names[0], White: s.Names[1], Colour: s.Colour.String(),
		Outcome: o, Cause: g.cause, Plies: g.history.MoveCount(), Record: &g.record,
	})
}

// result returns the end of the game in the words that game records use.
func (g *game) result(o Outcome) (result, winner string) {
	switch o {
	case Won:
		winner = g.summary.Colour.String()
	case Lost:
		winner = g.summary.Colour.Opponent().String()
	case Drawn:
		winner = "draw"
	case Disconnected:
		return "disconnected", ""
	case Censored, Halted:
	}
	words := map[string]string{
		"#RESIGN": kifu.EndResignation, "#TIME_UP": kifu.EndTimeForfeit, "#ILLEGAL_MOVE": kifu.EndIllegalMove,
		"#SENNICHITE": kifu.EndRepetition, "#OUTE_SENNICHITE": kifu.EndPerpetualCheck, "#JISHOGI": kifu.EndDeclaration,
		"#MAX_MOVES": kifu.EndMaxPlies, "#CHUDAN": "",
	}
	result, known := words[g.cause]
	switch {
	case !known:
		result = strings.ToLower(strings.TrimPrefix(g.cause, "#"))
	case g.cause == "#ILLEGAL_MOVE" && g.special == "%KACHI":
		result = kifu.EndFalseDeclaration
	}
	return result, winner
}

func (g *game) fault(text string) {
	g.client.emit(Event{Type: EventFault, Game: g.summary.GameID, Note: text})
}

func (g *game) notice(text string) {
	g.client.emit(Event{Type: EventNotice, Game: g.summary.GameID, Note: text})
}
