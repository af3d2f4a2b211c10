package truth

import (
	"bufio"
	crand "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gogi/shogi"
)

// An Engine is a USI engine whose games follow a law. The players agree on the result by their moves. Black's first
// move names Black. White then draws the result and announces it with its first move. The loser resigns at its next
// turn, and a draw ends by repetition. In every position a player finds its move by the rest of a division of the
// move's number by the number of messages. The side to move after the opening must be Black.
type Engine struct {
	law    *Law
	me     int
	seed   uint64 // 0: a random one
	random *rand.Rand

	situation Situation
	opening   int // plies of the opening, or -1 before the first search of a game
	game      *shogi.History
	start     string
}

// NewEngine returns an engine for the law. It plays as the first player until the option Player names another one.
func NewEngine(law *Law) *Engine {
	return &Engine{law: law, opening: -1, game: shogi.NewHistory(shogi.StartPos()), start: "startpos"}
}

// Serve reads USI commands until quit or the end of the input, and answers them.
func (e *Engine) Serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 0, 4096), 1<<20)
	for lines.Scan() {
		word, rest, _ := strings.Cut(strings.TrimSpace(lines.Text()), " ")
		if word == "quit" {
			return nil
		}
		answer, err := e.command(word, rest)
		if err != nil {
			answer = "info string error: " + err.Error() + "\n" + answer
		}
		if answer != "" {
			if _, err := io.WriteString(out, answer); err != nil {
				return err
			}
		}
	}
	return lines.Err()
}

// command performs one command and returns the answer.
func (e *Engine) command(word, rest string) (string, error) {
	switch word {
	case "usi":
		return "id name truth\nid author gogi\noption name Player type string default " + e.law.Players[e.me].Name +
			"\noption name Seed type string default 0\noption name Session type string default -\nusiok\n", nil
	case "isready":
		return "readyok\n", e.ready()
	case "setoption":
		return "", e.setOption(rest)
	case "usinewgame":
		e.opening = -1
	case "position":
		return "", e.setPosition(rest)
	case "go":
		return e.answer()
	}
	return "", nil
}

// setOption sets one of the declared options and ignores the others.
func (e *Engine) setOption(rest string) error {
	name, value, _ := strings.Cut(strings.TrimPrefix(rest, "name "), " value ")
	switch name {
	case "Player":
		i := e.law.Find(value)
		if i < 0 {
			return fmt.Errorf("Player: the law has no player %q", value)
		}
		e.me = i
	case "Seed":
		seed, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return fmt.Errorf("Seed: %q: expected a whole number", value)
		}
		e.seed, e.random = seed, nil
	case "Session":
		e.situation.Session = value
	}
	return nil
}

// ready makes the random source. Without a seed it is a new one for each process.
func (e *Engine) ready() error {
	if e.random != nil {
		return nil
	}
	e.situation.Seed = e.seed
	start, err := e.started()
	if err != nil {
		return err
	}
	private := hash(e.seed, "process", e.law.Players[e.me].Name, e.situation.Session, strconv.Itoa(start))
	if e.seed == 0 {
		var b [8]byte
		if _, err := crand.Read(b[:]); err != nil {
			return err
		}
		private = binary.LittleEndian.Uint64(b[:])
	}
	e.random = rand.New(rand.NewPCG(e.seed, private)) //nolint:gosec // to be repeated, not to be secret
	return nil
}

// started returns the number of processes that have played as this player before, and leaves a mark for the next one.
func (e *Engine) started() (int, error) {
	for n := 0; e.law.Starts != ""; n++ {
		err := os.Mkdir(filepath.Join(e.law.Starts, fmt.Sprintf("%s.%d", e.law.Players[e.me].Name, n)), 0o700)
		if err == nil || !errors.Is(err, fs.ErrExist) {
			return n, err
		}
	}
	return 0, nil
}

// setPosition reads the position of the next search.
func (e *Engine) setPosition(line string) error {
	start, first, moves, err := shogi.ReadLine(line)
	if err != nil {
		return err
	}
	e.start = start
	e.game.Restart(first)
	for _, m := range moves {
		if err := e.game.Position().CheckLegal(m); err != nil {
			return err
		}
		e.game.Push(m)
	}
	return nil
}

// answer returns the engine's bestmove, or resigns.
func (e *Engine) answer() (string, error) {
	move, err := e.choose()
	if err != nil || move == shogi.NoMove {
		return "info depth 1 nodes 1 score cp -2000\nbestmove resign\n", err
	}
	return "info depth 1 nodes 1 score cp 1 pv " + move.String() + "\nbestmove " + move.String() + "\n", nil
}

// choose returns the move in the current position, or NoMove to resign.
func (e *Engine) choose() (shogi.Move, error) {
	if err := e.ready(); err != nil {
		return shogi.NoMove, err
	}
	if e.opening < 0 {
		e.begin()
	}
	switch e.game.MoveCount() - e.opening {
	case 0:
		return e.say(e.me, len(e.law.Players))
	case 1:
		return e.announce()
	}
	result, err := e.announced()
	loser := shogi.White
	if result == WhiteWins {
		loser = shogi.Black
	}
	switch {
	case err != nil:
		return shogi.NoMove, err
	case result == Drawn:
		return e.shuffle()
	case loser == e.game.Position().Side():
		return shogi.NoMove, nil
	}
	return e.say(0, 1)
}

// begin finds the opening in the first position that the engine gets in a game. White gets it with Black's first move.
func (e *Engine) begin() {
	e.opening = e.game.MoveCount()
	if e.game.Position().Side() == shogi.White {
		e.opening--
	}
	e.situation.Opening = shogi.LineText(e.start, e.game.Moves()[:max(e.opening, 0)])
}

// announce draws the result and returns the move that announces it.
func (e *Engine) announce() (shogi.Move, error) {
	black, err := e.heard(0, len(e.law.Players))
	if err != nil {
		return shogi.NoMove, err
	}
	return e.say(int(e.result(black, e.me)), 3)
}

// result draws the result of a game with White.
func (e *Engine) result(black, white int) Result {
	source := e.random
	if e.law.Repeat {
		source = e.law.Source(black, white, e.situation)
	}
	r := e.law.Draw(black, white, e.situation, source)
	e.situation.Games++
	return r
}

// announced returns the result that White announced.
func (e *Engine) announced() (Result, error) {
	said, err := e.heard(1, 3)
	if err != nil {
		return Drawn, err
	}
	return Result(said), nil
}

// say returns a move that tells the other player a number below count. Of several such moves it returns a random one,
// or always the same one if games repeat.
func (e *Engine) say(number, count int) (shogi.Move, error) {
	moves := quiet(e.game.Position())
	if len(moves) < count {
		return shogi.NoMove, fmt.Errorf("%s: the position has %d quiet moves, and %d are needed", e.game.Position().SFEN(), len(moves), count)
	}
	ways := (len(moves) - number + count - 1) / count
	way := 0
	if !e.law.Repeat {
		way = e.random.IntN(ways)
	}
	return moves[number+way*count], nil
}

// heard returns the number that the move at this ply after the opening tells.
func (e *Engine) heard(ply, count int) (int, error) {
	at := e.opening + ply
	before := *e.game.Start()
	for _, m := range e.game.Moves()[:at] {
		before.Apply(m)
	}
	i := slices.Index(quiet(&before), e.game.Moves()[at])
	if i < 0 {
		return 0, errors.New("the opponent does not play by the law")
	}
	return i % count, nil
}

// quiet returns the legal moves that do not give check, in a fixed order.
func quiet(p *shogi.Position) []shogi.Move {
	moves := slices.DeleteFunc(p.LegalMoves(make([]shogi.Move, 0, 128)), func(m shogi.Move) bool { return p.GivesCheck(m) })
	slices.Sort(moves)
	return moves
}

// shuffle returns the next move of a draw by repetition: a move that the player can take back, or the move that takes
// back its last one.
func (e *Engine) shuffle() (shogi.Move, error) {
	done := e.game.MoveCount() - e.opening
	if done >= 4 {
		last := e.game.Moves()[e.game.MoveCount()-2]
		return shogi.NewMove(last.To(), last.From()), nil
	}
	for _, m := range quiet(e.game.Position()) {
		if done == 2 && e.hasAnswer(m) || done == 3 && e.returns(m) {
			return m, nil
		}
	}
	return shogi.NoMove, fmt.Errorf("%s: no moves repeat the position", e.game.Position().SFEN())
}

// hasAnswer reports whether White has a move after m with which both players can return.
func (e *Engine) hasAnswer(m shogi.Move) bool {
	e.game.Push(m)
	defer e.game.Pop()
	return slices.ContainsFunc(quiet(e.game.Position()), e.returns)
}

// returns reports whether Black's last move and White's move m can both be taken back without a check.
func (e *Engine) returns(m shogi.Move) bool {
	moves := e.game.Moves()
	last, p := moves[len(moves)-1], *e.game.Position()
	want := *e.game.Start()
	for _, played := range moves[:len(moves)-1] {
		want.Apply(played)
	}
	for _, step := range []shogi.Move{m, shogi.NewMove(last.To(), last.From()), shogi.NewMove(m.To(), m.From())} {
		if last.IsDrop() || m.IsDrop() || p.CheckLegal(step) != nil || p.GivesCheck(step) {
			return false
		}
		p.Apply(step)
	}
	return p.Key() == want.Key()
}
