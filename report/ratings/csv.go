package ratings

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"gogi/internal/csv"
	"gogi/internal/sanitize"
)

// The largest values of a cell. A larger value is a mistake and would overflow sums.
const (
	mostGames    = 1_000_000_000
	mostHandicap = 1000
)

// gameColumns has the index of each column in a file of games. The index is -1 for a missing column.
type gameColumns struct {
	black, white                int
	result                      int // result of a row with one game
	blackWins, draws, whiteWins int // counts of a row with several games.
	handicap, receiver          int
	pair                        int // games with the same text in this column depend on each other.
}

func findGameColumns(s *csv.Sheet) (gameColumns, error) {
	c := gameColumns{
		black: s.Column("black", "sente"), white: s.Column("white", "gote"),
		result:    s.Column("result", "winner"),
		blackWins: s.Column("black_wins", "sente_wins"), draws: s.Column("draws"),
		whiteWins: s.Column("white_wins", "gote_wins"),
		handicap:  s.Column("handicap"), receiver: s.Column("receiver"),
		pair: s.Column("pair"),
	}
	many := c.blackWins >= 0 && c.whiteWins >= 0
	switch {
	case c.black < 0:
		return c, lacks(s, "black")
	case c.white < 0:
		return c, lacks(s, "white")
	case c.result < 0 && !many:
		return c, lacks(s, "result")
	case c.result >= 0 && many:
		return c, fmt.Errorf("%s:1: expected one game a row or one pairing a row, but the header has both %s and %s", s.Name,
			s.Columns[c.result], s.Columns[c.blackWins])
	case c.receiver >= 0 && c.handicap < 0:
		return c, lacks(s, "handicap")
	case c.pair >= 0 && many:
		return c, fmt.Errorf("%s:1: a column pair needs one game a row, but the header has %s", s.Name,
			s.Columns[c.blackWins])
	}
	return c, nil
}

func lacks(s *csv.Sheet, column string) error {
	return fmt.Errorf("%s:1: no column %s; expected black,white,result[,handicap,receiver][,pair] or black,white,black_wins,draws,white_wins, found %s",
		s.Name, column, sanitize.Printable(strings.Join(s.Columns, ","), 200))
}

// ReadFile adds the games of a CSV file. A row has either one game (columns black, white, result) or all
// games of one pairing (columns black, white, black_wins, draws, white_wins); the header shows which of the
// two. There are three optional columns. handicap is a number, or a name that shogi.FindHandicap knows.
// receiver is the side that receives the handicap, black or white; the default is Black. pair is any text;
// gogi does not treat games with the same text as independent. An error names file, line and column.
func (g *Games) ReadFile(path string) error {
	var columns gameColumns
	before := len(g.files.counts)
	source := g.files.sources.of([]byte(path))
	pairs := map[string]int32{}
	err := csv.Read(path, func(s *csv.Sheet) (err error) {
		columns, err = findGameColumns(s)
		return err
	}, func(row csv.Row) error {
		c, err := columns.count(row, &g.files.names)
		if err != nil {
			return err
		}
		if c.handicap > 0 && !g.numbered {
			_, err := strconv.Atoi(row.At(columns.handicap))
			g.numbered = err == nil
		}
		if name := row.Bytes(columns.pair); len(name) > 0 {
			c.cluster = pairs[string(name)]
			if c.cluster == 0 {
				g.clusters++
				c.cluster = int32(g.clusters)
				pairs[string(name)] = c.cluster
			}
		}
		c.source = source
		g.files.add(c)
		return nil
	})
	if err == nil && before == len(g.files.counts) {
		return fmt.Errorf("%s:2: no game below the header", path)
	}
	return err
}

func (c gameColumns) count(row csv.Row, names *interned) (n fileCount, err error) {
	black, white := row.Bytes(c.black), row.Bytes(c.white)
	switch {
	case len(black) == 0:
		return n, row.Unexpected(c.black, "a player's name")
	case len(white) == 0:
		return n, row.Unexpected(c.white, "a player's name")
	case bytes.Equal(black, white):
		return n, row.Unexpected(c.white, "another player than Black")
	}
	n.black, n.white = names.of(black), names.of(white)
	if err := c.addHandicap(row, &n); err != nil {
		return n, err
	}
	if c.result >= 0 {
		return n, c.addResult(row, &n)
	}
	return n, c.addResults(row, &n)
}

func (c gameColumns) addResult(row csv.Row, n *fileCount) error {
	wins, draws, losses, known := outcomeOf(row.Bytes(c.result))
	switch {
	case known:
		n.blackWins, n.draws, n.whiteWins = wins, draws, losses
		return nil
	case strings.EqualFold(row.Of.Columns[c.result], "winner"):
		return row.Unexpected(c.result, "B, W or draw")
	}
	return row.Unexpected(c.result, "1-0, 0-1 or 1/2, as Black sees it")
}

// outcomeOf reads a result in upper or lower case. known is false for any other text.
func outcomeOf(cell []byte) (wins, draws, losses uint32, known bool) {
	for {
		switch string(cell) {
		case "1-0", "b", "black":
			return 1, 0, 0, true
		case "0-1", "w", "white":
			return 0, 0, 1, true
		case "1/2", "1/2-1/2", "½", "½-½", "draw", "d":
			return 0, 1, 0, true
		}
		lower := bytes.ToLower(cell)
		if bytes.Equal(lower, cell) {
			return 0, 0, 0, false
		}
		cell = lower
	}
}

func (c gameColumns) addResults(row csv.Row, n *fileCount) (err error) {
	if n.blackWins, err = gamesOf(row, c.blackWins); err != nil {
		return err
	}
	if c.draws >= 0 {
		if n.draws, err = gamesOf(row, c.draws); err != nil {
			return err
		}
	}
	n.whiteWins, err = gamesOf(row, c.whiteWins)
	return err
}

func gamesOf(row csv.Row, column int) (uint32, error) {
	n, err := row.Whole(column, mostGames)
	return uint32(n), err
}

// addHandicap reads the handicap and its receiver. Without a column for the receiver, the receiver is Black,
// as in shogi: there the weaker player receives the handicap and is called Black (shitate).
func (c gameColumns) addHandicap(row csv.Row, n *fileCount) error {
	if c.handicap < 0 || len(row.Bytes(c.handicap)) == 0 && len(row.Bytes(c.receiver)) == 0 {
		return nil
	}
	number, known := HandicapNumber(row.At(c.handicap))
	if !known {
		var err error
		if number, err = row.Whole(c.handicap, mostHandicap); err != nil {
			return err
		}
	}
	n.handicap = int16(number)
	if n.handicap == 0 || c.receiver < 0 {
		return nil
	}
	switch strings.ToLower(row.At(c.receiver)) {
	case "black", "b":
		n.receiver = byBlack
	case "white", "w":
		n.receiver = byWhite
	default:
		return row.Unexpected(c.receiver, "black or white, who received the handicap")
	}
	return nil
}
