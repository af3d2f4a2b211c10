// Package truth measures whether the figures that gogi prints are true. A [Law] states the probabilities of the
// results of games between players, exactly. An [Engine] plays games by a law over USI, so that gogi plays real
// matches whose truth is known.
package truth

import (
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/BurntSushi/toml"
)

// A Law states the probabilities of wins, draws and losses of the games between its players. Each game depends on the
// two players, the opening, the colours, and what the players' sessions and earlier games change.
type Law struct {
	Players []Player `toml:"player"`
	// Draws is the draw rate of a game with equal chances. A game in which Black's expected score is s is a draw with
	// probability 2·Draws·min(s, 1−s), so that the expected score does not depend on the draw rate.
	Draws float64 `toml:"draws,omitempty"`
	Black float64 `toml:"black,omitempty"` // Elo that a player gains with Black
	// Bias is the Elo that Black gains in half of the openings and loses in the other half.
	Bias float64 `toml:"bias,omitempty"`
	// Liking is the Elo that each player gains in half of the openings and loses in the other half. Each player has
	// its own halves. Liking makes the games of a pair, and all games from one opening, alike.
	Liking float64 `toml:"liking,omitempty"`
	// Tempo is the Elo that a player gains in a game in which it thinks before its first move. It thinks for Think
	// milliseconds, in half of its games.
	Tempo float64 `toml:"tempo,omitempty"`
	Think int     `toml:"think,omitempty"`
	// Session is the Elo that each player gains in half of the sessions and loses in the other half.
	Session float64 `toml:"session,omitempty"`
	// Now is the name of the session, for engines without the option Session.
	Now string `toml:"now,omitempty"`
	// Repeat makes games with the same opening and the same players equal, as games of deterministic engines are.
	Repeat bool `toml:"repeat,omitempty"`
	// Starts is a folder in which each process of an engine leaves a mark, so that each draws other results though all
	// have one seed. Without it a restarted process draws the same results again.
	Starts string `toml:"starts,omitempty"`
}

// A Player is one player of a law.
type Player struct {
	Name  string  `toml:"name"`
	Elo   float64 `toml:"elo,omitempty"`
	Drift float64 `toml:"drift,omitempty"` // Elo that the player gains in each 1,000 games of its opponent's process
	Wait  int     `toml:"wait,omitempty"`  // milliseconds before the player resigns, so that its lost games take longer
}

// A Situation is what the probabilities of a game depend on, besides the two players.
type Situation struct {
	Seed    uint64  // seed of what the openings and sessions do to the players
	Opening string  // name of the opening
	Session string  // name of the session
	Games   int     // games before this one in the process that draws the result
	Thought [2]bool // whether Black and White thought before their first moves
}

// A Result is the result of a game from Black's view.
type Result int

// These are the results.
const (
	WhiteWins Result = iota
	Drawn
	BlackWins
)

// String returns "white wins", "draw" or "black wins".
func (r Result) String() string { return [...]string{"white wins", "draw", "black wins"}[r] }

// maxPlayers is the number of players that a first move can name in every usual opening.
const maxPlayers = 20

// Read reads a law from a TOML file.
func Read(path string) (*Law, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	law := &Law{}
	meta, err := toml.Decode(string(text), law)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%s: %s: no such key of a law", path, unknown[0])
	}
	if err := law.Check(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return law, nil
}

// Check returns an error if the law does not state probabilities.
func (l *Law) Check() error {
	switch {
	case len(l.Players) < 2 || len(l.Players) > maxPlayers:
		return fmt.Errorf("a law has 2 to %d players; this one has %d", maxPlayers, len(l.Players))
	case !(l.Draws >= 0 && l.Draws <= 1):
		return fmt.Errorf("draws = %v: expected a rate from 0 to 1", l.Draws)
	}
	for i, p := range l.Players {
		if p.Name == "" || l.Find(p.Name) != i {
			return fmt.Errorf("player %d needs a name of its own", i+1)
		}
		for _, elo := range []float64{p.Elo, p.Drift, l.Black, l.Bias, l.Liking, l.Session, l.Tempo} {
			if math.IsNaN(elo) || math.Abs(elo) > 4000 {
				return errors.New("an Elo of a law is from -4000 to 4000")
			}
		}
	}
	return nil
}

// Find returns the number of the player with this name, or -1.
func (l *Law) Find(name string) int {
	return slices.IndexFunc(l.Players, func(p Player) bool { return p.Name == name })
}

// ScoreOf returns the expected score of an Elo difference.
func ScoreOf(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// EloOf returns the Elo difference of an expected score.
func EloOf(score float64) float64 { return 400 * math.Log10(score/(1-score)) }

// difference returns Black's advantage in Elo in a game of the players black and white.
func (l *Law) difference(black, white int, s Situation) float64 {
	tempo := l.Tempo * float64(b2i(s.Thought[0])-b2i(s.Thought[1]))
	return l.strength(black, s) - l.strength(white, s) + l.Black + either(l.Bias, s.Seed, "bias", s.Opening) + tempo
}

// strength returns a player's Elo in a situation.
func (l *Law) strength(player int, s Situation) float64 {
	p := l.Players[player]
	return p.Elo + p.Drift*float64(s.Games)/1000 +
		either(l.Liking, s.Seed, "liking", s.Opening, p.Name) + either(l.Session, s.Seed, "session", s.Session, p.Name)
}

// either returns elo or -elo, each for half of all words.
func either(elo float64, seed uint64, words ...string) float64 {
	if elo != 0 && hash(seed, words...)&1 == 1 {
		return -elo
	}
	return elo
}

// hash returns a number that depends on the seed and the words alone and looks random in all its bits.
func hash(seed uint64, words ...string) uint64 {
	h := fnv.New64a()
	for _, w := range words {
		_, _ = h.Write([]byte(w))
		_, _ = h.Write([]byte{0})
	}
	return rand.NewPCG(seed, h.Sum64()).Uint64()
}

// chances returns the probabilities of the results of a game with this advantage of Black in Elo.
func (l *Law) chances(elo float64) [3]float64 {
	s := ScoreOf(elo)
	d := 2 * l.Draws * min(s, 1-s)
	return [3]float64{1 - s - d/2, d, s - d/2}
}

// tempos returns the Elo that Black gains by thinking, in equally likely cases.
func (l *Law) tempos() []float64 {
	if l.Tempo == 0 {
		return []float64{0}
	}
	return []float64{0, 0, l.Tempo, -l.Tempo}
}

// average returns the probabilities of the results of a game with this advantage of Black in Elo, before it is known
// who thinks.
func (l *Law) average(elo float64) (sum [3]float64) {
	tempos := l.tempos()
	for _, tempo := range tempos {
		for i, p := range l.chances(elo + tempo) {
			sum[i] += p / float64(len(tempos))
		}
	}
	return sum
}

// Chances returns the probabilities of the results of a game, in the order of the constants of [Result].
func (l *Law) Chances(black, white int, s Situation) [3]float64 {
	return l.chances(l.difference(black, white, s))
}

// Draw draws the result of a game from source. A game whose result repeats needs a source from [Law.Source].
func (l *Law) Draw(black, white int, s Situation, source *rand.Rand) Result {
	p := l.Chances(black, white, s)
	switch u := source.Float64(); {
	case u < p[WhiteWins]:
		return WhiteWins
	case u < p[WhiteWins]+p[Drawn]:
		return Drawn
	}
	return BlackWins
}

// Source returns the random source of a game whose result repeats: it depends on the players and the opening alone.
func (l *Law) Source(black, white int, s Situation) *rand.Rand {
	return rand.New(rand.NewPCG(s.Seed, hash(s.Seed, "game", s.Opening, l.Players[black].Name, l.Players[white].Name)))
}

// Score returns the expected score of player a against player b over all openings, sessions and both colours, before
// any drift.
func (l *Law) Score(a, b int) float64 {
	elo := l.Players[a].Elo - l.Players[b].Elo
	sum, n := 0.0, 0
	for bits := range 1 << 6 { // the bias, two likings, two sessions, and the colour
		sign := func(bit int) float64 { return float64(1 - 2*(bits>>bit&1)) }
		shift := l.Liking*(sign(1)-sign(2)) + l.Session*(sign(3)-sign(4))
		for _, tempo := range l.tempos() {
			sum += ScoreOf(elo + shift + tempo + sign(5)*(l.Black+l.Bias*sign(0)))
			n++
		}
	}
	return sum / float64(n)
}

// Elo returns the Elo difference of players a and b: the Elo of [Law.Score].
func (l *Law) Elo(a, b int) float64 { return EloOf(l.Score(a, b)) }

// Write writes the law to a TOML file.
func (l *Law) Write(path string) error {
	text, err := toml.Marshal(l)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644) // the file has no secrets
}
