package votes

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"gogi/ensemble/voting"
	"gogi/internal/disk"
	"gogi/internal/format"
	"gogi/internal/lists"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// OfGame returns the votes in a game's record. name is the name of the game as the flag --game has it. If
// player is not empty, OfGame returns only the votes of that player's council. plies is the number of plies
// that the engines played.
func OfGame(name string, plies int, record *kifu.Record, player string) (*Game, error) {
	voted := &Game{Name: name, plies: plies}
	sides := [2]Votes{
		{Council: record.Black, score: scoreOf(record.Winner, shogi.Black)},
		{Council: record.White, score: scoreOf(record.Winner, shogi.White)},
	}
	first, err := firstSide(record)
	if err != nil {
		return nil, fmt.Errorf("game %s: %w", voted.Name, err)
	}
	for i := range len(record.Moves) + 1 {
		detail := record.FinalVote() // the vote on an answer that is no move
		if i < len(record.Moves) {
			detail = record.Moves[i].Vote()
		}
		side := &sides[(first+i)%2]
		if len(detail) == 0 || player != "" && player != side.Council {
			continue
		}
		vote, err := voting.ParseRecord(detail)
		if err != nil {
			return nil, fmt.Errorf("game %s, move %d: %w", voted.Name, i+1, err)
		}
		side.records = append(side.records, vote)
		side.places = append(side.places, fmt.Sprintf("game %s, ply %d", voted.Name, vote.Ply))
	}
	for _, side := range sides {
		if len(side.records) > 0 {
			voted.Votes = append(voted.Votes, side)
		}
	}
	return voted, nil
}

// scoreOf returns a side's score in a game whose record names the winner. It returns NaN for a game without a
// result.
func scoreOf(winner string, side shogi.Colour) float64 {
	switch winner {
	case side.String():
		return 1
	case side.Opponent().String():
		return 0
	case "draw":
		return 0.5
	}
	return math.NaN()
}

// firstSide returns the side that moves first: 0 for Black, 1 for White.
func firstSide(record *kifu.Record) (int, error) {
	if record.Start == "startpos" || record.Start == "" {
		return 0, nil
	}
	p, err := shogi.ParseSFEN(strings.TrimPrefix(record.Start, "sfen "))
	if err != nil {
		return 0, err
	}
	return int(p.Side()), nil
}

// logReader groups the records of a log by game. Several councils may write into one log, and each council
// has its own games.
type logReader struct {
	path   string
	wanted func(*Game) bool
	open   []*Game // the unfinished game of each council
	next   int     // the next game's number
	seen   int
	see    func(*Game) error
}

// ReadLog reads a vote log. It calls see with each game for which wanted returns true. It returns an error if
// there is no such game.
func ReadLog(path string, wanted func(*Game) bool, see func(*Game) error) error {
	file, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // only read
	l := &logReader{path: path, wanted: wanted, see: see}
	lines := bufio.NewReader(file)
	for n := 1; ; n++ {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			if err := l.line(line, fmt.Sprintf("%s:%d", path, n)); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return l.end()
		}
		if err != nil {
			return err
		}
	}
}

func (l *logReader) line(text []byte, place string) error {
	vote, err := voting.ParseRecord(text)
	if err != nil {
		return fmt.Errorf("%s: %w", place, err)
	}
	i := slices.IndexFunc(l.open, func(g *Game) bool { return g.Votes[0].Council == vote.Council })
	if i >= 0 {
		v := &l.open[i].Votes[0]
		if vote.Own != 1 && vote.Seed == v.records[0].Seed {
			v.records, v.places = append(v.records, vote), append(v.places, place)
			return nil
		}
		if err := l.close(l.open[i]); err != nil {
			return err
		}
		l.open = slices.Delete(l.open, i, i+1)
	}
	l.open = append(l.open, &Game{
		Name: strconv.Itoa(l.next), plies: -1,
		Votes: []Votes{{Council: vote.Council, score: math.NaN(), records: []*voting.Record{vote}, places: []string{place}}},
	})
	l.next++
	return nil
}

// close passes a complete game to see, if wanted accepts it.
func (l *logReader) close(g *Game) error {
	if !l.wanted(g) {
		return nil
	}
	l.seen++
	return l.see(g)
}

func (l *logReader) end() error {
	if err := lists.Each(l.open, l.close); err != nil {
		return err
	}
	switch {
	case l.next == 0:
		return fmt.Errorf("%s: there are no votes in it", l.path)
	case l.seen == 0:
		return fmt.Errorf("%s: none of its %s is the one that was asked for", l.path, format.NumberOf(l.next, "game"))
	}
	return nil
}

// Game is one game with the votes of its councils.
type Game struct {
	Name  string // name for the flag --game
	plies int    // plies that were played, without the opening; -1: unknown
	Votes []Votes
}

// Votes holds the votes of one council in one game.
type Votes struct {
	Council string
	score   float64          // score of the council in the game: 1, one half or 0; NaN if unknown
	records []*voting.Record // records in the order of the log, including decisions that were taken back
	places  []string         // place of each vote, for errors
}

// played returns the votes from which the game continued. After a take-back the number of the decision
// repeats, and all earlier decisions with this number or a larger one are void.
func (v *Votes) played() []*voting.Record {
	var kept []*voting.Record
	for _, r := range v.records {
		if r.Own >= 1 && r.Own <= len(kept) {
			kept = kept[:r.Own-1]
		}
		kept = append(kept, r)
	}
	return kept
}
