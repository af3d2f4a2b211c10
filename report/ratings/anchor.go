package ratings

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gogi/internal/fail"
	"gogi/internal/i18n"
	"gogi/report"
	"gogi/stats/binomial"
	"gogi/stats/rating"
	"gogi/stats/rating/crosstable"
)

// Anchor is a player with a fixed rating. All other ratings are relative to it.
type Anchor struct {
	Player string  `json:"player"`
	Elo    float64 `json:"elo"`
}

// A BadAnchor is an error in the name or the rating of an anchor. A page shows Why beside its own name of the field.
type BadAnchor struct{ Why i18n.Message }

// Error returns the English text, with the flag of gogi rate.
func (e *BadAnchor) Error() string { return "--anchor: " + e.Why.String() }

// ParseAnchor reads an anchor from "NAME" or "NAME=ELO". It returns nil for an empty text.
func ParseAnchor(text string) (*Anchor, error) {
	if text == "" {
		return nil, nil // an empty text means no anchor
	}
	at := strings.LastIndexByte(text, '=')
	if at < 0 {
		return &Anchor{Player: text}, nil
	}
	elo, err := strconv.ParseFloat(text[at+1:], 64)
	if at == 0 || err != nil || math.IsNaN(elo) || math.Abs(elo) > 1e6 {
		return nil, &BadAnchor{i18n.Of("%q is not NAME or NAME=ELO, such as base=1500", text)}
	}
	return &Anchor{text[:at], elo}, nil
}

// checkAnchor returns an error if the anchor has no games, or if the user requests both an anchor and
// intervals relative to the mean.
func (o Options) checkAnchor(games map[string]int) error {
	switch {
	case o.Anchor == nil:
		return nil
	case games[o.Anchor.Player] == 0:
		return &BadAnchor{i18n.Of("%s has no games here", o.Anchor.Player)}
	case o.Bootstrap > 0:
		return fail.Usage(errors.New("--anchor: the intervals of --bootstrap are of ratings less their mean: leave one of them out"))
	}
	return nil
}

// intervals returns the intervals of all ratings: relative to their mean, or to the anchor's rating.
func (o Options) intervals(fit *rating.Fit) ([]binomial.Interval, error) {
	profile := func(player string) (binomial.Interval, error) { return fit.Profile(player, o.Confidence) }
	wald := func() ([]binomial.Interval, error) { return fit.Wald(o.Confidence) }
	switch a := o.Anchor; {
	case a == nil && o.Bootstrap > 0:
		b, err := fit.Bootstrap(o.Bootstrap, o.Confidence, o.Seed)
		if err != nil {
			return nil, fmt.Errorf("--bootstrap: %w", err)
		}
		return b, nil
	case a == nil:
	case !slices.ContainsFunc(fit.Players, func(p crosstable.Player) bool { return p.Name == a.Player }):
		return nil, &BadAnchor{i18n.Of("the games do not rate %s, so no player is measured from it; %s", a.Player,
			o.priorAdvice())}
	default:
		wald = func() ([]binomial.Interval, error) { return fit.WaldFrom(a.Player, o.Confidence) }
		profile = func(player string) (binomial.Interval, error) {
			if player == a.Player {
				return binomial.Interval{Level: o.Confidence}, nil
			}
			return fit.ProfileDifference(player, a.Player, o.Confidence)
		}
	}
	if len(fit.Players) > profiled {
		return wald()
	}
	var list []binomial.Interval
	for _, p := range fit.Players {
		i, err := profile(p.Name)
		if err != nil {
			return wald() // the search may not find a very distant end of a profile interval
		}
		list = append(list, i)
	}
	return list, nil
}

// fix shifts the ratings so that the anchor has its fixed rating. The intervals of the other players are
// already relative to the anchor.
func (r *Report) fix(a Anchor) {
	r.Anchor = &a
	at := slices.IndexFunc(r.Players, func(p Player) bool { return p.Name == a.Player })
	if at < 0 || r.Players[at].Rating == nil {
		return
	}
	shift := a.Elo - *r.Players[at].Rating
	for i := range r.Players {
		p := &r.Players[i]
		if p.Rating != nil {
			*p.Rating += shift
		}
		for _, end := range []*float64{p.Lo, p.Hi} {
			if end != nil {
				*end += a.Elo
			}
		}
	}
	r.Players[at].Bounds = report.Bounds{} // the rating is fixed, and not estimated
}
