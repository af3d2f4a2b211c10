package truth

import (
	"bufio"
	crand "crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An Engine is an engine whose games follow a law. It speaks USI and plays shogi, or speaks UCI and plays chess. The
// players agree on the result by their moves. Black's first move names Black. White then draws the result and announces
// it with its first move. The loser resigns at its next turn, and a draw ends by repetition. In every position a player
// finds its move by the rest of a division of the move's number by the number of messages. The side to move after the
// opening must be Black. In chess, Black is the player of the white pieces, who moves first, and the loser's score is
// far below zero, because UCI has no resignation.
type Engine struct {
	law    *Law
	me     int
	seed   uint64 // 0: a random one
	random *rand.Rand
	lie    string // player that wins all games of this process, against the law
	// useless has the values of the options that change no game. In a tune they distinguish the two sides, which may be
	// the same player.
	useless map[string]string

	situation Situation
	opening   int // plies of the opening, or -1 before the first search of a game
	game      board
	uci       bool
}

// NewEngine returns an engine for the law. It plays as the first player until the option Player names another one.
func NewEngine(law *Law) *Engine {
	return &Engine{law: law, situation: Situation{Session: law.Now}, opening: -1, game: newShogi(),
		useless: map[string]string{}}
}

// Lie makes the named player win all games whose result this engine draws, as on the machine of a worker that cheats.
func (e *Engine) Lie(player string) { e.lie = player }

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
		return e.introduction() + "usiok\n", nil
	case "uci":
		e.uci, e.game = true, newChess()
		return e.introduction() + "uciok\n", nil
	case "isready":
		return "readyok\n", e.ready()
	case "setoption":
		return "", e.setOption(rest)
	case "usinewgame", "ucinewgame":
		e.opening = -1
	case "position":
		return "", e.game.set(rest)
	case "go":
		return e.answer()
	}
	return "", nil
}

// introduction returns the names and the options of the engine. The options Style and Level also select the player, by
// its name and by its number. The options Useless1 and Useless2 change nothing. A tune can have these options as its
// parameters.
func (e *Engine) introduction() string {
	levels := make([]string, len(e.law.Players))
	for i, p := range e.law.Players {
		levels[i] = " var " + p.Name
	}
	name := "-"
	if len(levels) > 0 {
		name = e.law.Players[e.me].Name
	}
	return "id name truth\nid author gogi\noption name Player type string default " + name +
		"\noption name Law type filename default <empty>\noption name Style type combo default " + name +
		strings.Join(levels, "") +
		fmt.Sprintf("\noption name Level type spin default %d min 0 max %d", e.me, max(0, len(levels)-1)) +
		"\noption name Seed type string default 0\noption name Session type string default -\n" +
		"option name Useless1 type spin default 50 min 0 max 100\noption name Useless2 type spin default 50 min 0 max 100\n"
}

// setOption sets one of the declared options and ignores the others.
func (e *Engine) setOption(rest string) error {
	name, value, _ := strings.Cut(strings.TrimPrefix(rest, "name "), " value ")
	switch name {
	case "Player", "Style":
		i := e.law.Find(value)
		if i < 0 {
			return fmt.Errorf("%s: the law has no player %q", name, value)
		}
		e.me = i
	case "Level":
		level, err := strconv.Atoi(value)
		if err != nil || level < 0 || level >= len(e.law.Players) {
			return fmt.Errorf("Level: the law has no player number %q", value)
		}
		e.me = level
	case "Law":
		law, err := Read(value)
		if err != nil {
			return err
		}
		e.law, e.situation.Session = law, law.Now
	case "Seed":
		seed, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return fmt.Errorf("Seed: %q: expected a whole number", value)
		}
		e.seed, e.random = seed, nil
	case "Session":
		e.situation.Session = value
	case "Useless1", "Useless2":
		e.useless[name] = value
	}
	return nil
}

// ready makes the random source. Without a seed it is a new one for each process.
func (e *Engine) ready() error {
	if e.random != nil || len(e.law.Players) == 0 { // the option Law may come later
		return nil
	}
	e.situation.Seed = e.seed
	start, err := e.started()
	if err != nil {
		return err
	}
	private := hash(e.seed, "process", e.side(), e.situation.Session, strconv.Itoa(start))
	if e.seed == 0 {
		var b [8]byte
		if _, err := crand.Read(b[:]); err != nil {
			return err
		}
		private = binary.LittleEndian.Uint64(b[:])
	}
	e.random = rand.New(rand.NewPCG(e.seed, private))
	return nil
}

// side returns the name of the player, and the useless options if they have values. The two sides of a tune start at
// the same time. So their random sources must not depend on which of them leaves its mark first.
func (e *Engine) side() string {
	name := e.law.Players[e.me].Name
	for _, option := range slices.Sorted(maps.Keys(e.useless)) {
		name += "," + e.useless[option]
	}
	return name
}

// started returns the number of processes that have played as this side before, and leaves a mark for the next one.
func (e *Engine) started() (int, error) {
	for n := 0; e.law.Starts != ""; n++ {
		err := os.Mkdir(filepath.Join(e.law.Starts, fmt.Sprintf("%s.%d", e.side(), n)), 0o700)
		if err == nil || !errors.Is(err, fs.ErrExist) {
			return n, err
		}
	}
	return 0, nil
}

// answer returns the engine's bestmove, or resigns.
func (e *Engine) answer() (string, error) {
	move, err := e.choose()
	score := "1"
	switch {
	case err == nil && move != "":
	case e.uci:
		score, move = "-10000", "0000"
		if quiet := e.game.quiet(); len(quiet) > 0 {
			move = quiet[0]
		}
	default:
		score, move = "-2000", "resign"
	}
	return "info depth 1 nodes 1 score cp " + score + "\nbestmove " + move + "\n", err
}

// choose returns the move in the current position, or "" to resign.
func (e *Engine) choose() (string, error) {
	if len(e.law.Players) == 0 {
		return "", errors.New("the option Law names no law")
	}
	if err := e.ready(); err != nil {
		return "", err
	}
	if e.opening < 0 {
		e.begin()
	}
	switch len(e.game.moves()) - e.opening {
	case 0:
		return e.say(e.me+len(e.law.Players)*b2i(e.thinks()), e.names())
	case 1:
		return e.announce()
	}
	result, err := e.announced()
	switch {
	case err != nil:
		return "", err
	case result == Drawn:
		return e.shuffle()
	case (result == WhiteWins) == e.game.black():
		time.Sleep(time.Duration(e.law.Players[e.me].Wait) * time.Millisecond) //nolint:forbidigo // a slow engine, as the law says
		return "", nil
	}
	return e.say(0, 1)
}

// begin finds the opening in the first position that the engine gets in a game. White gets it with Black's first move.
func (e *Engine) begin() {
	e.opening = len(e.game.moves())
	if !e.game.black() {
		e.opening = max(0, e.opening-1)
	}
	e.situation.Opening = strings.Join(append([]string{e.game.start()}, e.game.moves()[:e.opening]...), " ")
}

// announce draws the result and returns the move that announces it.
func (e *Engine) announce() (string, error) {
	said, err := e.heard(0, e.names())
	if err != nil {
		return "", err
	}
	players := len(e.law.Players)
	e.situation.Thought = [2]bool{said >= players, e.thinks()}
	return e.say(int(e.result(said%players, e.me)), 3)
}

// names returns the count of the numbers that Black's first move names: the players, with and without thought.
func (e *Engine) names() int {
	if e.law.Tempo == 0 {
		return len(e.law.Players)
	}
	return 2 * len(e.law.Players)
}

// thinks decides whether the player thinks in this game, and takes the time for it. In games that repeat, the opening
// decides.
func (e *Engine) thinks() bool {
	if e.law.Tempo == 0 {
		return false
	}
	thinks := e.random.IntN(2) == 1
	if e.law.Repeat {
		thinks = hash(e.seed, "thinks", e.situation.Opening, e.law.Players[e.me].Name)&1 == 1
	}
	if thinks {
		time.Sleep(time.Duration(e.law.Think) * time.Millisecond) //nolint:forbidigo // a slow engine, as the law says
	}
	return thinks
}

// result draws the result of a game with White.
func (e *Engine) result(black, white int) Result {
	source := e.random
	if e.law.Repeat {
		source = e.law.Source(black, white, e.situation)
	}
	r := e.law.Draw(black, white, e.situation, source)
	e.situation.Games++
	switch e.lie {
	case e.law.Players[black].Name:
		return BlackWins
	case e.law.Players[white].Name:
		return WhiteWins
	}
	return r
}

// announced returns the result that White announced.
func (e *Engine) announced() (Result, error) {
	said, err := e.heard(1, 3)
	return Result(said), err
}

// say returns a move that names a number below count for the other player. Of several such moves it returns a random
// one, or always the same one if games repeat.
func (e *Engine) say(number, count int) (string, error) {
	moves := e.game.quiet()
	if len(moves) < count {
		return "", fmt.Errorf("the position has %d quiet moves, and %d are needed", len(moves), count)
	}
	ways := (len(moves) - number + count - 1) / count
	way := 0
	if !e.law.Repeat {
		way = e.random.IntN(ways)
	}
	return moves[number+way*count], nil
}

// heard returns the number that the move at this ply after the opening names.
func (e *Engine) heard(ply, count int) (int, error) {
	later := slices.Clone(e.game.moves()[e.opening+ply:])
	for range later {
		e.game.pop()
	}
	i := slices.Index(e.game.quiet(), later[0])
	for _, m := range later {
		e.game.push(m)
	}
	if i < 0 {
		return 0, errors.New("the opponent does not play by the law")
	}
	return i % count, nil
}

// shuffle returns the next move of a draw by repetition: a move that the player can take back, or the move that takes
// back its last one.
func (e *Engine) shuffle() (string, error) {
	done := len(e.game.moves()) - e.opening
	if done >= 4 {
		return back(e.game.moves()[len(e.game.moves())-2]), nil
	}
	for _, m := range e.game.quiet() {
		if done == 2 && e.hasAnswer(m) || done == 3 && e.returns(m) {
			return m, nil
		}
	}
	return "", errors.New("no moves repeat the position")
}

// back returns the move that takes back a move of a piece on the board, or a text that is no move.
func back(move string) string { return move[2:4] + move[:2] }

// hasAnswer reports whether White has a move after m with which both players can return.
func (e *Engine) hasAnswer(m string) bool {
	e.game.push(m)
	defer e.game.pop()
	return slices.ContainsFunc(e.game.quiet(), e.returns)
}

// returns reports whether Black's last move and White's move m can both be taken back without a check.
func (e *Engine) returns(m string) bool {
	last := e.game.moves()[len(e.game.moves())-1]
	e.game.pop()
	before := e.game.key()
	e.game.push(last)
	steps := []string{m, back(last), back(m)}
	made := 0
	for _, step := range steps {
		if !e.game.isQuiet(step) {
			break
		}
		e.game.push(step)
		made++
	}
	same := made == len(steps) && e.game.key() == before
	for range made {
		e.game.pop()
	}
	return same
}
