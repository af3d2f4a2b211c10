package ratings

import (
	"fmt"
	"slices"
	"strings"

	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/report"
	"gogi/stats/rating"
)

// Pairing has the names of two players that meet, for a prediction or a comparison.
type Pairing struct {
	A string `json:"a"` // name of the first player
	B string `json:"b"` // name of the second player
}

// Matchup is a game whose result the user wants to predict. Player A receives the handicap. In an even game,
// A is Black.
type Matchup struct {
	Pairing
	Handicap int `json:"handicap"` // handicap of A. 0 is an even game.
}

// ParseMatchup reads "A,B" or "A,B,HANDICAP". HANDICAP is a number or a name that HandicapNumber accepts.
func ParseMatchup(text string) (Matchup, error) {
	parts := strings.Split(text, ",")
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	wrong := fail.Usage(fmt.Errorf("--predict %s: expected A,B or A,B,HANDICAP, such as a,b,two-piece",
		format.Quoted(text)))
	if len(parts) < 2 || slices.Contains(parts, "") {
		return Matchup{}, wrong
	}
	// A name may contain commas, as in "a (nodes 60, Threads=2)", so only a comma outside of brackets ends a
	// name.
	m := Matchup{}
	parts = joined(parts)
	switch len(parts) {
	case 3:
		number, known := HandicapNumber(parts[2])
		if !known {
			return m, fail.Usage(fmt.Errorf("--predict %s: no handicap %s; expected a number or a name such as two-piece",
				format.Quoted(text), format.Quoted(parts[2])))
		}
		m.Handicap = number
	case 2:
	default:
		return m, wrong
	}
	m.A, m.B = parts[0], parts[1]
	return m, nil
}

// joined repairs a list that was split at commas. It joins neighbouring parts again if a comma was inside brackets.
func joined(parts []string) []string {
	var list []string
	open := 0
	for _, p := range parts {
		if open > 0 {
			list[len(list)-1] += ", " + p
		} else {
			list = append(list, p)
		}
		open = max(0, open+strings.Count(p, "(")-strings.Count(p, ")"))
	}
	return list
}

// Prediction is the expected result of a game by the selected model, from A's point of view.
type Prediction struct {
	Matchup
	Score         *float64 `json:"score"` // a's expected points
	report.Bounds          // ends of the interval of Score
	// probability that a wins. If the model counts draws as half a win, it is the expected score.
	Win  *float64     `json:"win"`
	Draw *float64     `json:"draw"` // probability of a draw
	Loss *float64     `json:"loss"` // probability that a loses
	Why  i18n.Message `json:"why,omitzero"`
}

func newPrediction(m Matchup, q rating.Prediction, err error) Prediction {
	p := Prediction{Matchup: m}
	if err != nil {
		p.Why = i18n.Because(err)
		return p
	}
	p.Score, p.Bounds = format.Finite(q.Score), report.NewBounds(q.Interval)
	p.Win, p.Draw, p.Loss = format.Finite(q.Win), format.Finite(q.Draw), format.Finite(q.Loss)
	if p.Open() {
		p.Why = i18n.Of("no interval: a parameter of the model is at its limit")
	}
	return p
}

// checkPlayers returns an error if a player of a matchup has no games.
func checkPlayers(matchups []Matchup, games map[string]int) error {
	for _, m := range matchups {
		for _, name := range []string{m.A, m.B} {
			if _, plays := games[name]; !plays {
				var names []string
				for n := range games {
					names = append(names, format.Name(n))
				}
				slices.Sort(names)
				return fail.Usage(fmt.Errorf("--predict: no player %s; the games have %s", format.Quoted(name),
					strings.Join(names[:min(20, len(names))], ", ")))
			}
		}
		if m.A == m.B {
			return fail.Usage(fmt.Errorf("--predict: %s does not play itself", format.Quoted(m.A)))
		}
	}
	return nil
}

// Comparison compares the ratings of two players. Player A has the higher rating.
type Comparison struct {
	Pairing
	// Difference is the rating of a minus the rating of b. Its interval holds for all comparisons at once (Bonferroni).
	// P is two-sided and not adjusted for other comparisons.
	report.Difference
	SE    *float64 `json:"se"` // in Elo
	PHolm *float64 `json:"p_holm"`
}

func (r *Report) addComparisons(list []rating.Comparison) {
	for _, c := range list {
		row := Comparison{
			Pairing: Pairing{c.A, c.B}, SE: format.Finite(c.SE), PHolm: format.Finite(c.PHolm),
			Difference: report.Difference{
				Elo: format.Finite(c.Elo), Bounds: report.NewBounds(c.Simultaneous), P: format.Finite(c.P),
			},
		}
		if row.SE == nil || row.Lo == nil {
			row.Why = noBound(row.Bounds)
		}
		r.Comparisons = append(r.Comparisons, row)
	}
}
