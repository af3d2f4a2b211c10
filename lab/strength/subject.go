package strength

import (
	"encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	csvtable "gogi/internal/csv"
	"gogi/lab/review"
)

// Subject is a player with known metrics, or all players of one rank together. A model is fitted to subjects.
type Subject struct {
	Name   string  `toml:"name" json:"name"`
	Rating float64 `toml:"rating" json:"rating"` // NaN if it is not known.
	Games  int     `toml:"games" json:"games"`   // 0 if a table does not have the number
	// number of moves that counted. It is 0 if a table does not have the number.
	Moves   int                `toml:"moves" json:"moves"`
	Metrics map[string]float64 `toml:"metrics" json:"metrics"` // metrics of the player
}

// Rated reports whether the subject's rating is known.
func (s *Subject) Rated() bool { return !math.IsNaN(s.Rating) }

// subjectOf returns the subject with this name. It calculates the metrics over the moves of all games together. ok is
// false if no move counted.
func subjectOf(name string, rating float64, games []review.PlayerGame) (s Subject, ok bool) {
	sums := review.Total(games).Whole()
	m, ok := sums.Metrics()
	s = Subject{Name: name, Rating: rating, Games: len(games), Moves: sums.Moves, Metrics: map[string]float64{}}
	for i, v := range m.Values() {
		s.Metrics[review.MetricNames()[i]] = v
	}
	return s, ok
}

// Ratings maps the names of players to their ratings.
type Ratings map[string]float64

// Of returns the rating of a player in r. If r does not have the player, it returns the mean of the player's
// ratings in the game records, or NaN if the records have none.
func (r Ratings) Of(p *review.Player) float64 {
	if v, ok := r[p.Name]; ok {
		return v
	}
	sum, n := 0.0, 0
	for i := range p.Games {
		if v, ok := Points(p.Games[i].Rank); ok {
			sum += v
			n++
		}
	}
	return sum / float64(n) // 0/0 is NaN
}

// ReadRatings reads the ratings of players from a CSV file. It has a column name (or player) and a column
// rating (or elo, or rank). A rank of Go such as 3d is converted to points.
func ReadRatings(path string) (Ratings, error) {
	r := Ratings{}
	name, rating := -1, -1
	err := csvtable.Read(path, func(s *csvtable.Sheet) error {
		if name = s.Column("name", "player"); name < 0 {
			return s.NoColumn("name")
		}
		if rating = s.Column("rating", "elo", "rank"); rating < 0 {
			return s.NoColumn("rating")
		}
		return nil
	}, func(row csvtable.Row) error {
		v, ok := Points(row.At(rating))
		if !ok {
			return row.Unexpected(rating, "a rating such as 1850, or a rank such as 3d")
		}
		if _, twice := r[row.At(name)]; twice {
			return row.Unexpected(name, "a player that is not there yet")
		}
		r[row.At(name)] = v
		return nil
	})
	return r, err
}

// Subjects returns a subject for each player of a review. It leaves out players without a counted move, and
// returns their names in empty.
func Subjects(t *review.Tally, ratings Ratings) (list []Subject, empty []string) {
	for _, p := range t.Players {
		if s, ok := subjectOf(p.Name, ratings.Of(p), p.Games); ok {
			list = append(list, s)
		} else {
			empty = append(empty, p.Name)
		}
	}
	return list, empty
}

// Ranks returns a subject for each rank of Go, the strongest rank first. Each has the games of all players of
// that rank. ratings has the players' ratings in points (see Points).
//
// Ranks leaves out players without a rating or with a rank outside of 25-kyu to 8-dan, and ranks without a
// counted move. empty has their names. The method is from the master's thesis in docs/research/strength.md.
func Ranks(t *review.Tally, ratings Ratings) (list []Subject, empty []string) {
	pools := map[float64][]review.PlayerGame{}
	for _, p := range t.Players {
		points, ok := ratings[p.Name]
		if middle, within := Points(Rank(points)); ok && within {
			pools[middle] = append(pools[middle], p.Games...)
		} else {
			empty = append(empty, p.Name+" (no rank)")
		}
	}
	for _, middle := range slices.Backward(slices.Sorted(maps.Keys(pools))) {
		if s, ok := subjectOf(Rank(middle), middle, pools[middle]); ok {
			list = append(list, s)
		} else {
			empty = append(empty, Rank(middle))
		}
	}
	return list, empty
}

// WriteGames writes a CSV table with a row for each player of each game. Its columns are the game's ID, the
// player, the player's rating in the record, the result, the number of counted moves, and the metrics of the
// whole game. Unknown values are empty cells.
func WriteGames(w io.Writer, t *review.Tally) error {
	out := csv.NewWriter(w)
	write := func(row []string) { _ = out.Write(row) } // Flush returns its error
	write(append([]string{"game", "player", "points", "result", "moves"}, review.MetricNames()...))
	for _, p := range t.Players {
		for i := range p.Games {
			write(gameRow(p, &p.Games[i]))
		}
	}
	out.Flush()
	return out.Error()
}

func gameRow(p *review.Player, g *review.PlayerGame) []string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	sums := g.Parts.Whole()
	row := []string{g.ID, p.Name, "", "", strconv.Itoa(sums.Moves)}
	if points, ok := Points(g.Rank); ok {
		row[2] = number(points)
	}
	if g.Known {
		row[3] = map[float64]string{1: "won", 0.5: "drawn", 0: "lost"}[g.Points]
	}
	m, counted := sums.Metrics()
	for _, v := range m.Values() {
		cell := ""
		if counted {
			cell = number(v)
		}
		row = append(row, cell)
	}
	return row
}

// ReadTable reads subjects from a CSV table with columns of metrics. names is the column with the names, and
// rating the column with the ratings. If rating is "", no subject has a rating. ReadTable ignores columns
// that are no known metric.
func ReadTable(path, names, rating string) (list []Subject, err error) {
	nameAt, ratingAt := -1, -1
	metrics := map[string]int{}
	err = csvtable.Read(path, func(s *csvtable.Sheet) error {
		if nameAt = s.Column(names); nameAt < 0 {
			return s.NoColumn(names)
		}
		if ratingAt = s.Column(rating); ratingAt < 0 && rating != "" {
			return s.NoColumn(rating)
		}
		for _, m := range review.MetricNames() {
			if at := s.Column(m); at >= 0 {
				metrics[m] = at
			}
		}
		if len(metrics) == 0 {
			return fmt.Errorf("%s:1: no metric among the columns: expected some of %s", path,
				strings.Join(review.MetricNames(), ", "))
		}
		return nil
	}, func(row csvtable.Row) (err error) {
		s := Subject{Name: row.At(nameAt), Rating: math.NaN(), Metrics: map[string]float64{}}
		if ratingAt >= 0 {
			if s.Rating, err = row.Decimal(ratingAt); err != nil {
				return err
			}
		}
		for m, at := range metrics {
			if s.Metrics[m], err = row.Decimal(at); err != nil {
				return err
			}
		}
		list = append(list, s)
		return nil
	})
	return list, err
}

// ParseMetrics reads a list of metrics, such as "match,avg_bad".
func ParseMetrics(text string) (list []string, err error) {
	for name := range strings.SplitSeq(text, ",") {
		name = strings.TrimSpace(name)
		if !slices.Contains(review.MetricNames(), name) || slices.Contains(list, name) {
			return nil, fmt.Errorf("metrics %q: expected some of %s, each once", text, strings.Join(review.MetricNames(), ", "))
		}
		list = append(list, name)
	}
	return list, nil
}
