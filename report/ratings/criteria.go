package ratings

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gogi/internal/format"
	"gogi/internal/i18n"
)

// Criteria compares models by their printed figures, without their games.
type Criteria struct {
	Version  int       `json:"version"`
	Games    int       `json:"games,omitempty"` // 0: unknown, so no AICc and no BIC
	Models   []Model   `json:"models"`
	Selected string    `json:"selected"` // the least AIC
	Warnings []Warning `json:"warnings"`
}

// ParsePrinted reads NAME=LOGLIK,K: a model's log-likelihood and how many numbers it estimates, strengths
// included (players less one).
func ParsePrinted(text string) (Model, error) {
	name, numbers, found := strings.Cut(text, "=")
	loglik, count, both := strings.Cut(numbers, ",")
	l, errL := strconv.ParseFloat(strings.TrimSpace(loglik), 64)
	k, errK := strconv.Atoi(strings.TrimSpace(count))
	if !found || !both || name == "" || errL != nil || errK != nil || k < 0 || format.Finite(l) == nil {
		return Model{}, fmt.Errorf("%s: expected NAME=LOGLIK,K such as mul3=-69.00,14", format.Quoted(text))
	}
	return Model{Name: name, LogLik: &l, K: k, Params: []Param{}}, nil
}

// NewCriteria returns AIC and Akaike weights of the models, and AICc and BIC if the number of games is known.
// It returns an error without a model.
func NewCriteria(models []Model, games int) (*Criteria, error) {
	if len(models) == 0 {
		return nil, errors.New("no model to compare")
	}
	r := &Report{Models: models, Warnings: []Warning{}}
	for i := range r.Models {
		m := &r.Models[i]
		m.criteria(float64(games))
		if games == 0 {
			m.AICc, m.BIC, m.Why = nil, nil, i18n.Of("aicc and bic depend on the number of games (--games)")
		}
	}
	r.weigh()
	return &Criteria{Version: 1, Games: games, Models: r.Models, Selected: r.Selected, Warnings: r.Warnings}, nil
}

// Print writes the table as a person reads it.
func (c *Criteria) Print(w io.Writer, in i18n.Language) {
	r := &Report{Models: c.Models, Warnings: c.Warnings}
	r.printModels(w, in)
	r.printRemarks(w, in)
}
