package configs

import (
	"errors"
	"reflect"
	"slices"
	"strings"

	"gogi/internal/lists"
	"gogi/match"
	"gogi/match/tournament"
	"gogi/stats"
)

const (
	defaultMatchPairs = 1
	defaultTiebreaks  = 4
	leastBlock        = 16
)

const (
	seedingGiven = "given"
	seedingLot   = "lot"
)

func (r *resolver) design(p *match.Plan) {
	f := or(r.file.Design, Design{})
	d := &p.Design
	r.strayKeys(f, d.Kind)
	if d.Anchor = f.Anchor; d.Anchor != "" && !slices.Contains(namesOf(p), d.Anchor) {
		r.fail("design.anchor", "design.anchor: %q is not one of the players %s", d.Anchor, strings.Join(namesOf(p), ", "))
	}
	if !d.Kind.ByResults() {
		return
	}
	if !d.Swap {
		r.fail("swap", "swap: design %s needs pairs of two games with colours swapped", d.Kind)
	}
	t := &d.Tournament
	switch d.Kind { //nolint:exhaustive // the others have no additional keys
	case match.DesignAdaptive:
		t.Block = r.inRange("design.block", f.Block, max(leastBlock, len(p.Players)), 1, maxParallel)
		return
	case match.DesignKnockout:
		t.Tiebreaks = r.inRange("design.tiebreaks", f.Tiebreaks, defaultTiebreaks, 0, maxParallel)
		t.ThirdPlace = or(f.ThirdPlace, false)
	}
	t.MatchPairs = r.inRange("design.match_pairs", f.MatchPairs, defaultMatchPairs, 1, maxParallel)
	t.Lot = choose(r, "design.seeding", f.Seeding, seedingGiven, seedingLot) == seedingLot
}

func (r *resolver) strayKeys(f Design, kind match.DesignKind) {
	for _, key := range []struct {
		name  string
		given bool
		kinds []match.DesignKind
	}{
		{"rounds", f.Rounds != nil, []match.DesignKind{match.DesignSwiss}},
		{"match_pairs", f.MatchPairs != nil, []match.DesignKind{match.DesignSwiss, match.DesignKnockout}},
		{"tiebreaks", f.Tiebreaks != nil, []match.DesignKind{match.DesignKnockout}},
		{"third_place", f.ThirdPlace != nil, []match.DesignKind{match.DesignKnockout}},
		{"seeding", f.Seeding != "", []match.DesignKind{match.DesignSwiss, match.DesignKnockout}},
		{"block", f.Block != nil, []match.DesignKind{match.DesignAdaptive}},
	} {
		if key.given && !slices.Contains(key.kinds, kind) {
			r.fail("design."+key.name, "design.%s belongs to design %s, and not to %s", key.name, joined(key.kinds, " and "),
				kind)
		}
	}
}

// joined joins the words to one text, with between as separator.
func joined[T ~string](words []T, between string) string {
	return strings.Join(lists.Map(words, func(w T) string { return string(w) }), between)
}

func namesOf(p *match.Plan) []string {
	var names []string
	for i := range p.Players {
		names = append(names, p.Players[i].Name)
	}
	return names
}

// tournamentPairs returns the largest number of pairs in a knockout, or in a Swiss whose key rounds is set.
// ok is false for other designs, in which the key games determines the number of pairs.
func (r *resolver) tournamentPairs(p *match.Plan) (pairs int, ok bool) {
	rounds, games, players := or(r.file.Design, Design{}).Rounds, r.file.Games, len(p.Players)
	if len(r.errs) > 0 { // players may be missing from the count
		return 0, rounds != nil || p.Design.Kind == match.DesignKnockout
	}
	switch {
	case p.Design.Kind == match.DesignKnockout:
		pairs = tournament.KnockoutPairs(p.Design, players)
		if games != nil && *games != pairs*p.Legs() {
			r.fail("games", "games: a knockout counts its games itself, here up to %d: expected no games", pairs*p.Legs())
		}
		return pairs, true
	case p.Design.Kind != match.DesignSwiss:
		return 0, false
	}
	round := tournament.SwissPairs(p.Design, players, 1)
	switch {
	case rounds != nil && *rounds < 1:
		r.fail("design.rounds", "design.rounds: %d is too few: expected at least 1", *rounds)
	case rounds != nil && *rounds > maxRounds:
		r.fail("design.rounds", "design.rounds: %d are too many: expected at most %d", *rounds, maxRounds)
	case rounds != nil && games != nil && *games != *rounds*round*p.Legs():
		r.fail("games", "games = %d, but %d rounds make %d games: give rounds or games, not both", *games, *rounds,
			*rounds*round*p.Legs())
	case rounds != nil:
		return *rounds * round, true
	case games == nil:
		r.fail("design.rounds", "design.rounds is missing: expected how many, such as rounds = %d or --rounds %d",
			usualRounds(players), usualRounds(players))
	case *games%(round*p.Legs()) != 0 || *games < 1:
		r.fail("games", "games: %d are no whole rounds of %d games", *games, round*p.Legs())
	default:
		return *games / p.Legs(), true
	}
	return 0, true
}

// maxRounds is the largest number of rounds in a Swiss. The pair numbers then fit an int, even with a million
// pairs per match.
const maxRounds = 100_000

// usualRounds returns the suggested number of rounds in a Swiss: the rounds of a knockout with this number of
// players, plus two to rank the other players.
func usualRounds(players int) int {
	n := 2
	for ; players > 1; players = (players + 1) / 2 {
		n++
	}
	return n
}

// GateDesign returns the sequential test of the file, with the default of each missing key. Without a test it
// returns the zero Gate.
func (f *File) GateDesign() (stats.SPRT, error) {
	r := resolver{file: f}
	g := r.gate()
	if len(r.errs) > 0 {
		return stats.SPRT{}, errors.Join(r.errs...)
	}
	if g.IsZero() {
		return stats.SPRT{}, errors.New(f.name + ": no [gate] section: expected one with sprt = \"0,4\"")
	}
	return g, nil
}

// without clears the keys of g that the SPRT s sets. So a flag with the value s replaces exactly the keys that it
// sets.
func (g *Gate) without(s *match.SPRT) {
	for _, key := range or(s, match.SPRT{}).Set {
		keyAt(reflect.ValueOf(g).Elem(), key).SetZero()
	}
}

// twice returns the first key that both g and g.SPRT set, or "" if there is none.
func (g *Gate) twice() string {
	for _, key := range g.SPRT.Set {
		if !keyAt(reflect.ValueOf(g).Elem(), key).IsZero() {
			return key
		}
	}
	return ""
}
