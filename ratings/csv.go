package ratings

import (
	"fmt"
	"strconv"
	"strings"

	"gogi/internal/foreign"
	"gogi/internal/sheet"
	"gogi/stats/rating/crosstable"
)

// The limits of a cell; what is larger is a mistake, and would overflow sums.
const (
	mostGames    = 1_000_000_000
	mostHandicap = 1000
)

// gameColumns are the places of what a file of games says, -1 for what it does
// not.
type gameColumns struct {
	black, white                int
	result                      int // of one game
	blackWins, draws, whiteWins int // of many
	handicap, receiver          int
	pair                        int // games with one text there depend on each other
}

func findGameColumns(s *sheet.Sheet) (gameColumns, error) {
	c := gameColumns{
		black: s.Column("black", "sente"), white: s.Column("white", "gote"),
		result:    s.Column("result", "winner"),
		blackWins: s.Column("black_wins", "sente_wins"), draws: s.Column("draws"), whiteWins: s.Column("white_wins", "gote_wins"),
		handicap: s.Column("handicap"), receiver: s.Column("receiver"),
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
		return c, fmt.Errorf("%s:1: expected one game a row or one pairing a row, but the header has both %s and %s", s.Name, s.Columns[c.result], s.Columns[c.blackWins])
	case c.receiver >= 0 && c.handicap < 0:
		return c, lacks(s, "handicap")
	case c.pair >= 0 && many:
		return c, fmt.Errorf("%s:1: a column pair needs one game a row, but the header has %s", s.Name, s.Columns[c.blackWins])
	}
	return c, nil
}

func lacks(s *sheet.Sheet, column string) error {
	return fmt.Errorf("%s:1: no column %s; expected black,white,result[,handicap,receiver][,pair] or black,white,black_wins,draws,white_wins, found %s",
		s.Name, column, foreign.Printable(strings.Join(s.Columns, ","), 200))
}

// ReadFile adds the games of a CSV file: one game a row (black, white, result) or
// one pairing a row (black, white, black_wins, draws, white_wins), by the names of
// its columns. Optional ones are handicap (a number, or a name that
// shogi.FindHandicap knows), receiver (black, white; else Black), and pair: games
// of one row's pair depend on each other. An error names file, line and column.
func (g *Games) ReadFile(path string) error {
	var columns gameColumns
	before := len(g.files.counts)
	pairs := map[string]int{}
	err := sheet.Read(path, func(s *sheet.Sheet) (err error) {
		columns, err = findGameColumns(s)
		return err
	}, func(row sheet.Row) error {
		c, err := columns.count(row)
		if err != nil {
			return err
		}
		if _, err := strconv.Atoi(row.At(columns.handicap)); err == nil && c.Handicap > 0 {
			g.numbered = true
		}
		if name := row.At(columns.pair); name != "" {
			if pairs[name] == 0 {
				g.clusters++
				pairs[name] = g.clusters
			}
			c.Cluster = pairs[name]
		}
		g.files.add(path, c)
		return nil
	})
	if err == nil && before == len(g.files.counts) {
		return fmt.Errorf("%s:2: no game below the header", path)
	}
	return err
}

// count is what one row says.
func (c gameColumns) count(row sheet.Row) (crosstable.Count, error) {
	n := crosstable.Count{Black: row.At(c.black), White: row.At(c.white)}
	switch {
	case n.Black == "":
		return n, row.Unexpected(c.black, "a player's name")
	case n.White == "":
		return n, row.Unexpected(c.white, "a player's name")
	case n.Black == n.White:
		return n, row.Unexpected(c.white, "another player than Black")
	}
	if err := c.addHandicap(row, &n); err != nil {
		return n, err
	}
	if c.result >= 0 {
		return n, c.addResult(row, &n)
	}
	return n, c.addResults(row, &n)
}

func (c gameColumns) addResult(row sheet.Row, n *crosstable.Count) error {
	switch strings.ToLower(row.At(c.result)) {
	case "1-0", "b", "black":
		n.BlackWins = 1
	case "0-1", "w", "white":
		n.WhiteWins = 1
	case "1/2", "1/2-1/2", "½", "½-½", "draw", "d":
		n.Draws = 1
	default:
		if strings.EqualFold(row.Of.Columns[c.result], "winner") {
			return row.Unexpected(c.result, "B, W or draw")
		}
		return row.Unexpected(c.result, "1-0, 0-1 or 1/2, as Black sees it")
	}
	return nil
}

func (c gameColumns) addResults(row sheet.Row, n *crosstable.Count) (err error) {
	if n.BlackWins, err = row.Whole(c.blackWins, mostGames); err != nil {
		return err
	}
	if c.draws >= 0 {
		if n.Draws, err = row.Whole(c.draws, mostGames); err != nil {
			return err
		}
	}
	n.WhiteWins, err = row.Whole(c.whiteWins, mostGames)
	return err
}

// addHandicap reads who received what; without a column for the receiver it is
// Black, as in shogi, where the weaker side moves as if it were Black.
func (c gameColumns) addHandicap(row sheet.Row, n *crosstable.Count) (err error) {
	if c.handicap < 0 || row.At(c.handicap) == "" && row.At(c.receiver) == "" {
		return nil
	}
	if number, known := HandicapNumber(row.At(c.handicap)); known {
		n.Handicap = number
	} else if n.Handicap, err = row.Whole(c.handicap, mostHandicap); err != nil {
		return err
	}
	if n.Handicap == 0 || c.receiver < 0 {
		return nil
	}
	switch strings.ToLower(row.At(c.receiver)) {
	case "black", "b":
		n.Receiver = n.Black
	case "white", "w":
		n.Receiver = n.White
	default:
		return row.Unexpected(c.receiver, "black or white, who received the handicap")
	}
	return nil
}
