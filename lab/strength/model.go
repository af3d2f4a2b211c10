// Package strength estimates players' ratings from reviews of their games. [NewModel] fits a [Model] to rated
// players. [NewEstimates] applies the model to other players, and [Validate] measures the error of the
// estimates.
package strength

import (
	"errors"
	"fmt"
	"math"
	"os"
	"strings"

	"github.com/BurntSushi/toml"

	"gogi/lab/linear"
	"gogi/lab/review"
)

// version is the version of model files. gogi rejects files with another version.
const version = 1

// Model is an equation that estimates a rating from metrics (figures on the quality of moves). It also has
// its subjects: the rated players to which it was fitted. ReadModel fits the model again to these subjects,
// so that its intervals are exact.
type Model struct {
	Version  int                `toml:"gogi_strength"`
	Of       string             `toml:"of"` // unit of the ratings, such as "Elo" or "points of Go".
	Equation map[string]float64 `toml:"equation"`
	// for a table, the game: Go or Shogi. It is "" in files of earlier versions.
	Game   string `toml:"game,omitempty"`
	Engine string `toml:"engine,omitempty"` // for a table, the engine that analysed the games
	// settings of the review that the metrics come from. It is zero for a table.
	Review   review.Settings `toml:"review"`
	Rules    review.Rules    `toml:"rules"` // rules of the metrics. For a table only Change and Per are set.
	Terms    []string        `toml:"terms"` // names of the metrics in the equation
	Subjects []Subject       `toml:"subject"`

	fit linear.Fit
}

// NewModel fits a model to those subjects (players) that have a rating. The parameter of is the unit of the
// ratings. terms are the names of the metrics to use.
func NewModel(of string, terms []string, subjects []Subject) (*Model, error) {
	m := &Model{Version: version, Of: of, Terms: terms}
	for _, s := range subjects {
		if s.Rated() {
			m.Subjects = append(m.Subjects, s)
		}
	}
	err := m.refit()
	return m, err
}

// refit fits the equation to the subjects.
func (m *Model) refit() (err error) {
	y := make([]float64, len(m.Subjects))
	columns := make([]linear.Column, len(m.Terms))
	for i, s := range m.Subjects {
		y[i] = s.Rating
	}
	for j, term := range m.Terms {
		columns[j] = linear.Column{Name: term}
		for _, s := range m.Subjects {
			v, ok := s.Metrics[term]
			if !ok {
				return fmt.Errorf("%s has no %s", s.Name, term)
			}
			columns[j].Values = append(columns[j].Values, v)
		}
	}
	if m.fit, err = linear.LeastSquares(y, columns...); err != nil {
		return fmt.Errorf("ratings of %d players by %s: %w", len(y), strings.Join(m.Terms, ", "), err)
	}
	m.Equation = map[string]float64{}
	for _, t := range m.fit.Terms {
		m.Equation[t.Name] = t.Value
	}
	return nil
}

// Save writes the model as TOML.
func (m *Model) Save(path string) error {
	var b strings.Builder
	b.WriteString("# A model of gogi-lab review fit. The equation follows from the subjects below, to which it\n# is fitted again when it is used.\n\n")
	if err := toml.NewEncoder(&b).Encode(m); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o644) // it is no secret
}

// ReadModel reads a model from a file and fits it again. It returns an error if the fit does not give the
// equation in the file. In that case a user has changed the equation or the subjects.
func ReadModel(path string) (*Model, error) {
	m := &Model{}
	if _, err := toml.DecodeFile(path, m); err != nil {
		return nil, fmt.Errorf("model %s: %w", path, err)
	}
	if m.Version != version {
		return nil, fmt.Errorf("model %s: version %d, expected %d", path, m.Version, version)
	}
	written := m.Equation
	if err := m.refit(); err != nil {
		return nil, fmt.Errorf("model %s: %w", path, err)
	}
	for name, v := range m.Equation {
		if w, ok := written[name]; !ok || math.Abs(v-w) > 1e-6*math.Max(1, math.Abs(v)) {
			return nil, fmt.Errorf("model %s: %s is %v in the equation, and %v by the subjects", path, name, w, v)
		}
	}
	return m, nil
}

// ErrOtherReview is the error for metrics to which a model does not apply, because their game, engine, limit
// or rules differ from those of the model.
var ErrOtherReview = errors.New("these metrics are not the model's")

// Source is the origin of metrics. gogi compares only metrics with equal sources. For metrics from a review,
// Review has its settings, and the game is always shogi. For metrics from a table, Review is zero, and Game
// and Engine are set only if the user names them.
type Source struct {
	Review review.Settings
	Rules  review.Rules // for a table only Change and Per
	Game   string       // Go or Shogi; "" if it is not known
	Engine string
}

// The games, in the spelling of files and flags.
const (
	Go    = "go"
	Shogi = "shogi"
)

// Reviewed returns the source of metrics that come from a review with these settings and rules.
func Reviewed(s review.Settings, r review.Rules) Source {
	return Source{Review: s, Rules: r.Filled(), Game: Shogi, Engine: s.Engine}
}

// source returns the Source of the metrics of the model's players: its review, or its rules, game and engine.
func (m *Model) source() Source {
	if m.Review != (review.Settings{}) {
		return Reviewed(m.Review, m.Rules)
	}
	return Source{Rules: m.Rules.Filled(), Game: m.Game, Engine: m.Engine}
}

// SetSource records the origin of the metrics that the model was fitted to.
func (m *Model) SetSource(s Source) {
	m.Review, m.Rules, m.Game, m.Engine = s.Review, s.Rules, "", ""
	if s.Review == (review.Settings{}) {
		m.Game, m.Engine = s.Game, s.Engine
	}
}

// Check returns an error if the model does not apply to metrics from s. This is the case if the game, the
// engine or the measure of changes differs. If both come from reviews, the limits and the rules must also be
// equal. Check returns a warning if s or the model does not name its game and engine, so that they cannot be
// compared.
func (m *Model) Check(s Source) (warning string, err error) {
	own := m.source()
	switch {
	case own.Review != (review.Settings{}) && s.Review != (review.Settings{}):
		s.Review.Version = own.Review.Version
		if s.Review != own.Review {
			return "", fmt.Errorf("%w: they are of %s, %s %s, and the model's of %s, %s %s", ErrOtherReview, s.Review.Engine,
				s.Review.Limit, s.Review.Options, own.Review.Engine, own.Review.Limit, own.Review.Options)
		}
		return "", otherRules(s.Rules.Difference(own.Rules))
	case own.Game == "":
		return "the model names neither its game nor its engine, because an earlier version fitted it to a table: gogi cannot check that it is for these figures", nil
	case s.Game == "":
		return "the table's game and engine are not named by --game and --engine: gogi cannot check that the model is for these figures", nil
	case s.Game != own.Game || !strings.EqualFold(s.Engine, own.Engine):
		return "", fmt.Errorf("%w: they are of %s, read by %s, and the model's of %s, read by %s", ErrOtherReview, s.Game,
			s.Engine, own.Game, own.Engine)
	}
	known := func(r review.Rules) review.Rules { return review.Rules{Change: r.Change, Per: r.Per} }
	return "", otherRules(known(s.Rules).Difference(known(own.Rules)))
}

// otherRules returns the error that the rules differ.
func otherRules(difference string) error {
	if difference == "" {
		return nil
	}
	return fmt.Errorf("%w: here and in the model %s; give the flags of the fit", ErrOtherReview, difference)
}

// Estimate is the rating that a model estimates for a player, with its interval.
type Estimate struct {
	Name   string   `json:"name"`
	Games  int      `json:"games"`
	Moves  int      `json:"moves"`
	Value  float64  `json:"estimate"`
	Lo     float64  `json:"lo"` // lower end of the 95% prediction interval for one player.
	Hi     float64  `json:"hi"`
	Rating *float64 `json:"rating,omitempty"` // the player's true rating, if known
	// Outside lists the player's metrics that are outside of the range of all subjects of the fit.
	Outside []OutOfRange `json:"outside"`
	Rank    string       `json:"rank,omitempty"` // rank of Go, if ratings are points of it
	// FewMoves reports that fewer moves of this player counted than of any subject of the fit. The interval
	// is then too narrow.
	FewMoves bool `json:"few_moves"`
}

// OutOfRange is a player's metric that is below the lowest or above the highest value among the players of
// the fit.
type OutOfRange struct {
	Metric string  `json:"metric"`    // name of the metric
	Value  float64 `json:"value"`     // value of the player
	Lo     float64 `json:"fitted_lo"` // least value of the players of the fit
	Hi     float64 `json:"fitted_hi"` // largest value of the players of the fit
}

// level is the confidence level of the intervals of estimates.
const level = 0.95

// Estimate returns the model's estimate of a player's rating.
func (m *Model) Estimate(s *Subject) (Estimate, error) {
	e := Estimate{Name: s.Name, Games: s.Games, Moves: s.Moves, Outside: []OutOfRange{}}
	if s.Rated() {
		e.Rating = &s.Rating
	}
	row := make([]float64, len(m.Terms))
	for i, term := range m.Terms {
		v, ok := s.Metrics[term]
		if !ok {
			return e, fmt.Errorf("%s has no %s, which the model needs", s.Name, term)
		}
		row[i] = v
		if lo, hi := m.rangeOf(term); v < lo || v > hi {
			e.Outside = append(e.Outside, OutOfRange{term, v, lo, hi})
		}
	}
	p, err := m.fit.PredictInterval(level, row...)
	if err != nil {
		return e, err
	}
	e.Value, e.Lo, e.Hi = p.Value, p.Lo, p.Hi
	least := math.MaxInt
	for i := range m.Subjects {
		least = min(least, m.Subjects[i].Moves)
	}
	e.FewMoves = s.Moves > 0 && s.Moves < least
	return e, nil
}

// rangeOf returns the least and the greatest value of a metric among the subjects.
func (m *Model) rangeOf(term string) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range m.Subjects {
		lo, hi = min(lo, s.Metrics[term]), max(hi, s.Metrics[term])
	}
	return lo, hi
}
