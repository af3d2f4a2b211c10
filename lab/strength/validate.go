package strength

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
	"gogi/lab/linear"
	"gogi/lab/review"
)

// Validation has the errors of estimates for players to whom the model was not fitted. Validate orders the
// players by rating, fits a model to every second player, and estimates the other players. Then it exchanges
// the two halves. The estimates of the weakest and the strongest player are therefore extrapolations.
type Validation struct {
	Version int      `json:"version"`
	Of      string   `json:"of"`    // what the model estimates
	Terms   []string `json:"terms"` // terms of the equation
	Players int      `json:"players"`
	Rows    []Size   `json:"sizes"`
	From    int      `json:"from_games"` // the greatest number of games with estimates.
	Points  []Point  `json:"estimates"`  // the estimates from that number of games.
}

// Size has the errors of estimates that use the same number of games.
type Size struct {
	Games int `json:"games"`
	// number of estimates. Each is from Games games of one player, and no game is used twice.
	Estimates int      `json:"estimates"`
	Empty     int      `json:"empty"` // number of estimates left out because no move counted.
	RMSE      *float64 `json:"rmse"`
	Bias      *float64 `json:"bias"`             // mean of the estimate minus the true rating.
	R         *float64 `json:"pearson"`          // correlation of estimates and ratings
	Guess     *float64 `json:"rmse_of_guessing"` // error if the estimate of every player is the mean of the fit's players.
	Within    float64  `json:"within_interval"`  // share of the estimates whose 95% interval contains the true rating
	Outside   float64  `json:"outside_range"`    // share of the estimates from metrics beyond the fitted range
	Why       string   `json:"why,omitempty"`

	points  []Point
	guesses float64 // sum of the squared errors of guessing (see Guess)
}

// Point is one estimated rating with the true rating.
type Point struct {
	Name     string  `json:"name"`
	Rating   float64 `json:"rating"` // known rating of the player
	Estimate float64 `json:"estimate"`
}

// Validate measures the errors of estimates. sizes lists the numbers of games from which it estimates a
// player's rating. terms are the metrics of the models. The parameter of is the unit of the ratings.
func Validate(t *review.Tally, ratings Ratings, of string, terms []string, sizes []int) (*Validation, error) {
	rated := slices.DeleteFunc(slices.Clone(t.Players), func(p *review.Player) bool { return math.IsNaN(ratings.Of(p)) })
	slices.SortStableFunc(rated, func(a, b *review.Player) int { return cmp.Compare(ratings.Of(a), ratings.Of(b)) })
	v := &Validation{Version: 1, Of: of, Terms: terms, Players: len(rated), Points: []Point{}}
	for _, games := range sizes {
		v.Rows = append(v.Rows, Size{Games: games})
	}
	for half := range 2 {
		var fitted []Subject
		for i := half; i < len(rated); i += 2 {
			if s, ok := subjectOf(rated[i].Name, ratings.Of(rated[i]), rated[i].Games); ok {
				fitted = append(fitted, s)
			}
		}
		m, err := NewModel(of, terms, fitted)
		if err != nil {
			return nil, fmt.Errorf("fitting half of the players: %w", err)
		}
		for i := 1 - half; i < len(rated); i += 2 {
			if err := v.player(m, rated[i], ratings.Of(rated[i])); err != nil {
				return nil, err
			}
		}
	}
	for i := range v.Rows {
		v.Rows[i].finish()
		if most := &v.Rows[i]; most.Estimates > 0 {
			v.From, v.Points = most.Games, most.points
		}
	}
	return v, nil
}

// player adds the estimates of one player. For each number of games it makes as many estimates as the player's games
// allow. rating is the player's true rating.
func (v *Validation) player(m *Model, p *review.Player, rating float64) error {
	for i := range v.Rows {
		size := &v.Rows[i]
		for from := 0; from+size.Games <= len(p.Games); from += size.Games {
			s, ok := subjectOf(p.Name, rating, p.Games[from:from+size.Games])
			if !ok {
				size.Empty++
				continue
			}
			e, err := m.Estimate(&s)
			if err != nil {
				return err
			}
			size.add(m, &e, rating)
		}
	}
	return nil
}

func (s *Size) add(m *Model, e *Estimate, rating float64) {
	s.Estimates++
	s.points = append(s.points, Point{e.Name, rating, e.Value})
	if e.Lo <= rating && rating <= e.Hi {
		s.Within++
	}
	if len(e.Outside) > 0 {
		s.Outside++
	}
	sum := 0.0
	for i := range m.Subjects {
		sum += m.Subjects[i].Rating
	}
	guess := sum/float64(len(m.Subjects)) - rating
	s.guesses += guess * guess
}

func (s *Size) finish() {
	n := float64(s.Estimates)
	if s.Estimates == 0 {
		s.Why = "no player has so many games"
		return
	}
	sum, squares := 0.0, 0.0
	estimated, truth := make([]float64, s.Estimates), make([]float64, s.Estimates)
	for i, p := range s.points {
		d := p.Estimate - p.Rating
		sum += d
		squares += d * d
		estimated[i], truth[i] = p.Estimate, p.Rating
	}
	s.RMSE, s.Bias, s.Guess = format.Finite(math.Sqrt(squares/n)), format.Finite(sum/n),
		format.Finite(math.Sqrt(s.guesses/n))
	s.Within, s.Outside = s.Within/n, s.Outside/n
	if c, err := linear.Pearson(estimated, truth); err == nil {
		s.R = format.Finite(c.R)
	} else {
		s.Why = err.Error()
	}
}

// Print writes the validation for a terminal.
func (v *Validation) Print(w io.Writer) {
	fmt.Fprintf(w, "%s by %s: half of %s fitted, the rest estimated, and the other way about\n\n", v.Of,
		strings.Join(v.Terms, ", "), format.NumberOf(v.Players, "player"))
	rows := format.Table("games", "estimates", "none", "RMSE", "bias", "correlation", "guessing", "within", "outside")
	for i := range v.Rows {
		s := &v.Rows[i]
		rows.AppendRow(table.Row{
			s.Games, format.Count(s.Estimates), format.Count(s.Empty), number(s.RMSE, "%.0f"), number(s.Bias, "%+.0f"),
			number(s.R, "%.3f"),
			number(s.Guess, "%.0f"), format.Percent(s.Within), format.Percent(s.Outside),
		})
	}
	format.Render(w, rows)
	fmt.Fprint(w,
		"none: no move counted; guessing: the error of taking everybody for the mean of the\nfitted half; within: how many 95% intervals hold the truth; outside: estimates from\nmetrics beyond the fitted range\n")
}
