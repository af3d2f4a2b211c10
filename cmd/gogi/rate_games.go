package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"gogi/internal/foreign"
	"gogi/match"
	"gogi/results"
	"gogi/stats/rating"
)

// The limits of a cell; what is larger is a mistake, and would overflow sums.
const (
	mostGames    = 1_000_000_000
	mostHandicap = 1000
)

// gamesRead are the games of all files and runs, added up as they are read.
type gamesRead struct {
	counts     []rating.Count
	places     map[rating.Count]int // of a count without its results
	identities map[string]string    // of the players of runs
	warnings   []string
}

func newGamesRead() *gamesRead {
	return &gamesRead{places: map[rating.Count]int{}, identities: map[string]string{}}
}

func (g *gamesRead) add(c rating.Count) {
	key := c
	key.BlackWins, key.Draws, key.WhiteWins = 0, 0, 0
	place, known := g.places[key]
	if !known {
		place = len(g.counts)
		g.places[key] = place
		g.counts = append(g.counts, key)
	}
	sum := &g.counts[place]
	sum.BlackWins += c.BlackWins
	sum.Draws += c.Draws
	sum.WhiteWins += c.WhiteWins
}

// sum adds up something of all counts.
func (g *gamesRead) sum(of func(rating.Count) int) int {
	n := 0
	for _, c := range g.counts {
		n += of(c)
	}
	return n
}

func (g *gamesRead) handicapped() int {
	return g.sum(func(c rating.Count) int {
		if c.Handicap == 0 {
			return 0
		}
		return c.Games()
	})
}

// gamesOf are each player's games.
func (g *gamesRead) gamesOf() map[string]int {
	games := map[string]int{}
	for _, c := range g.counts {
		games[c.Black] += c.Games()
		games[c.White] += c.Games()
	}
	return games
}

// readGames reads what the command line names: files of games, and runs of a
// database.
func readGames(ctx context.Context, sources []string, db string) (*gamesRead, error) {
	g := newGamesRead()
	var runs []string
	for _, source := range sources {
		isFile, err := isGamesFile(source)
		switch {
		case err != nil:
			return nil, err
		case isFile:
			if err := g.readFile(source); err != nil {
				return nil, err
			}
		default:
			runs = append(runs, source)
		}
	}
	if len(sources) == 0 {
		runs = []string{""} // the newest
	}
	if len(runs) > 0 {
		if err := g.readRuns(ctx, runs, db); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// isGamesFile tells a file from the name of a run.
func isGamesFile(source string) (bool, error) {
	if strings.HasSuffix(strings.ToLower(source), ".csv") {
		return true, nil
	}
	info, err := os.Stat(source)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && !info.IsDir(), err
}

func (g *gamesRead) readRuns(ctx context.Context, names []string, db string) error {
	store, err := results.OpenExisting(ctx, db)
	if err != nil {
		return fmt.Errorf("%w (a file of games is named *.csv)", err)
	}
	for _, name := range names {
		if err = g.readRun(ctx, store, name); err != nil {
			break
		}
	}
	return errors.Join(err, store.Close())
}

func (g *gamesRead) readRun(ctx context.Context, store *results.Store, name string) error {
	info, err := findRun(ctx, store, name)
	if err != nil {
		return err
	}
	for _, e := range info.Engines {
		identity := e.Identity.String()
		if before, known := g.identities[e.Name]; known && before != identity {
			g.warnings = append(g.warnings, e.Name+" is not the same program in all runs; it is rated as one player")
		}
		g.identities[e.Name] = identity
	}
	return store.Games(ctx, info.ID, func(r match.Row) error {
		c := rating.Count{Black: r.Black, White: r.White}
		switch r.Outcome {
		case match.BlackWins:
			c.BlackWins = 1
		case match.WhiteWins:
			c.WhiteWins = 1
		case match.Draw:
			c.Draws = 1
		case match.Unfinished:
			return nil
		}
		g.add(c)
		return nil
	})
}

// gameColumns are the places of what a file of games says, -1 for what it does
// not.
type gameColumns struct {
	black, white                int
	result                      int // of one game
	blackWins, draws, whiteWins int // of many
	handicap, receiver          int
}

func findGameColumns(s *sheet) (gameColumns, error) {
	c := gameColumns{
		black: s.column("black", "sente"), white: s.column("white", "gote"),
		result:    s.column("result", "winner"),
		blackWins: s.column("black_wins", "sente_wins"), draws: s.column("draws"), whiteWins: s.column("white_wins", "gote_wins"),
		handicap: s.column("handicap"), receiver: s.column("receiver"),
	}
	many := c.blackWins >= 0 && c.whiteWins >= 0
	switch {
	case c.black < 0:
		return c, s.lacks("black")
	case c.white < 0:
		return c, s.lacks("white")
	case c.result < 0 && !many:
		return c, s.lacks("result")
	case c.result >= 0 && many:
		return c, fmt.Errorf("%s:1: expected one game a row or one pairing a row, but the header has both %s and %s", s.name, s.columns[c.result], s.columns[c.blackWins])
	case c.receiver >= 0 && c.handicap < 0:
		return c, s.lacks("handicap")
	}
	return c, nil
}

func (s *sheet) lacks(column string) error {
	return fmt.Errorf("%s:1: no column %s; expected black,white,result[,handicap,receiver] or black,white,black_wins,draws,white_wins, found %s",
		s.name, column, foreign.Printable(strings.Join(s.columns, ","), 200))
}

func (g *gamesRead) readFile(path string) error {
	var columns gameColumns
	before := len(g.counts)
	err := readSheet(path, func(s *sheet) (err error) {
		columns, err = findGameColumns(s)
		return err
	}, func(row sheetRow) error {
		c, err := columns.count(row)
		if err == nil {
			g.add(c)
		}
		return err
	})
	if err == nil && before == 0 && len(g.counts) == 0 {
		return fmt.Errorf("%s:2: no game below the header", path)
	}
	return err
}

// count is what one row says.
func (c gameColumns) count(row sheetRow) (rating.Count, error) {
	n := rating.Count{Black: row.at(c.black), White: row.at(c.white)}
	switch {
	case n.Black == "":
		return n, row.unexpected(c.black, "a player's name")
	case n.White == "":
		return n, row.unexpected(c.white, "a player's name")
	case n.Black == n.White:
		return n, row.unexpected(c.white, "another player than Black")
	}
	if err := c.addHandicap(row, &n); err != nil {
		return n, err
	}
	if c.result >= 0 {
		return n, c.addResult(row, &n)
	}
	return n, c.addResults(row, &n)
}

func (c gameColumns) addResult(row sheetRow, n *rating.Count) error {
	switch strings.ToLower(row.at(c.result)) {
	case "1-0", "b", "black":
		n.BlackWins = 1
	case "0-1", "w", "white":
		n.WhiteWins = 1
	case "1/2", "1/2-1/2", "½", "½-½", "draw", "d":
		n.Draws = 1
	default:
		if strings.EqualFold(row.of.columns[c.result], "winner") {
			return row.unexpected(c.result, "B, W or draw")
		}
		return row.unexpected(c.result, "1-0, 0-1 or 1/2, as Black sees it")
	}
	return nil
}

func (c gameColumns) addResults(row sheetRow, n *rating.Count) (err error) {
	if n.BlackWins, err = row.whole(c.blackWins, mostGames); err != nil {
		return err
	}
	if c.draws >= 0 {
		if n.Draws, err = row.whole(c.draws, mostGames); err != nil {
			return err
		}
	}
	n.WhiteWins, err = row.whole(c.whiteWins, mostGames)
	return err
}

// addHandicap reads who received what; without a column for the receiver it is
// Black, as in shogi, where the weaker side moves as if it were Black.
func (c gameColumns) addHandicap(row sheetRow, n *rating.Count) (err error) {
	if c.handicap < 0 || row.at(c.handicap) == "" && row.at(c.receiver) == "" {
		return nil
	}
	if n.Handicap, err = row.whole(c.handicap, mostHandicap); err != nil || n.Handicap == 0 || c.receiver < 0 {
		return err
	}
	switch strings.ToLower(row.at(c.receiver)) {
	case "black", "b":
		n.Receiver = n.Black
	case "white", "w":
		n.Receiver = n.White
	default:
		return row.unexpected(c.receiver, "black or white, who received the handicap")
	}
	return nil
}
