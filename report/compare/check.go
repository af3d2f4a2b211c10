package compare

import (
	"encoding/json"
	"slices"
	"strings"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
)

// check returns the index of the opponent in the players of each run. It returns an error if the runs cannot be
// compared. name is the opponent's name in the first run; "" means the second player. In the other runs the opponent
// must have the same settings. Otherwise check returns an error and does not guess another opponent, because only
// the version may change between runs.
func check(runs []Run, name string) (opponent []int, err error) {
	if len(runs) < 2 {
		return nil, i18n.Errorf("expected two runs at least, the older one first")
	}
	names := map[string]bool{}
	for _, r := range runs {
		if names[r.Name] {
			return nil, i18n.Errorf("run %s is named twice", r.Name)
		}
		names[r.Name] = true
		if n := len(r.Plan.Players); n != 2 {
			return nil, i18n.Errorf("run %s has %d players; expected a version and its opponent", r.Name, n)
		}
	}
	first := 1
	if name != "" {
		first = slices.IndexFunc(runs[0].Plan.Players, func(p match.CanonicalPlayer) bool { return p.Name == name })
	}
	if first < 0 {
		return nil, i18n.Errorf("run %s has no player %s; expected %s or %s", runs[0].Name, format.Quoted(name),
			format.Quoted(runs[0].Plan.Players[0].Name), format.Quoted(runs[0].Plan.Players[1].Name))
	}
	if opponent, err = place(runs, first); err != nil {
		return nil, err
	}
	return opponent, conditions(runs)
}

// place finds a player of the first run in all other runs, and returns the player's place in each run. In
// each run it checks the second player first. It compares the players' settings, not their names.
func place(runs []Run, first int) (places []int, err error) {
	want := runs[0].Plan.Players[first]
	for i, r := range runs {
		switch players := r.Plan.Players; {
		case i == 0:
			places = append(places, first)
		case same(players[1], want):
			places = append(places, 1)
		case same(players[0], want):
			places = append(places, 0)
		default:
			return nil, stranger(runs[0].Name, want, r.Name, players[first])
		}
	}
	return places, nil
}

// same reports whether two players have the same key of the sent options.
func same(a, b match.CanonicalPlayer) bool { return a.Keys(nil) == b.Keys(nil) }

// essence returns, as JSON, the settings that decide how a player plays. It leaves out the name, the time margin, the
// stall limit and the setting for restarts.
func essence(p match.CanonicalPlayer) string {
	p.Name, p.Margin, p.Stall, p.Restart = "", "", "", ""
	text, err := json.Marshal(p)
	if err != nil {
		return "unreadable: " + err.Error() // cannot happen: the settings are only strings, numbers and slices of these
	}
	return string(text)
}

// stranger returns the error for a run in which the opponent does not play. The error lists the differences between the
// opponent and the player who has the opponent's place in that run.
func stranger(run string, opponent match.CanonicalPlayer, otherRun string, other match.CanonicalPlayer) error {
	var all i18n.Clauses
	for _, d := range match.Differences([]byte(essence(opponent)), []byte(essence(other))) {
		all = append(all, differs(d, run, otherRun))
	}
	return i18n.Errorf("the runs have no opponent in common: %s of run %s and %s of run %s are not the same (%s)",
		format.Quoted(opponent.Name), run, format.Quoted(other.Name), otherRun, all)
}

// differs returns a difference as text, with the names of the two runs.
func differs(d match.Difference, before, now string) i18n.Message {
	value := func(v *string) i18n.Message {
		if v == nil {
			return i18n.Of("none")
		}
		return i18n.Verbatim(format.Quoted(*v))
	}
	return i18n.Of("%s %s in %s, %s in %s", strings.Join(d.Path, "."), value(d.Before), before, value(d.Now), now)
}

// conditions returns an error unless the runs have the same rules of play. Games under different rules cannot
// be compared.
func conditions(runs []Run) error {
	type same struct {
		Rules  match.CanonicalRules `json:"rules"`
		Swap   bool                 `json:"swap"`
		Ponder match.PonderMode     `json:"ponder"`
		Clocks map[string]string    `json:"clocks"`
	}
	of := func(p *match.CanonicalPlan) []byte {
		text, err := json.Marshal(same{p.Rules, p.Swap, p.Ponder, p.Clocks})
		if err != nil {
			return nil
		}
		return text
	}
	first := runs[0]
	for _, r := range runs[1:] {
		var all i18n.Clauses
		for _, d := range match.Differences(of(first.Plan), of(r.Plan)) {
			all = append(all, differs(d, first.Name, r.Name))
		}
		if len(all) > 0 {
			return i18n.Errorf("runs %s and %s were not played under the same conditions: %s", first.Name, r.Name, all)
		}
	}
	return nil
}

// differences returns remarks on settings that differ between the runs. gogi allows such differences, but they may
// cause a part of the gain.
func differences(runs []Run, opponent []int) []i18n.Message {
	var all []i18n.Message
	first := runs[0]
	mine := first.Plan.Players[1-opponent[0]]
	for i, r := range runs[1:] {
		theirs := r.Plan.Players[1-opponent[i+1]]
		if same(mine, theirs) {
			all = append(all,
				i18n.Of("%s of run %s and %s of run %s are the same version: the difference is chance, or comes from the machine.",
					format.Name(mine.Name), first.Name, format.Name(theirs.Name), r.Name))
		}
		if mine.Limits != theirs.Limits {
			all = append(all,
				i18n.Of("The versions had different limits, which is a part of the gain: %s in run %s, %s in run %s.", mine.Limits,
					first.Name, theirs.Limits, r.Name))
		}
		if a, b := first.Plan.Openings, r.Plan.Openings; a.SHA256 != b.SHA256 {
			all = append(all, i18n.Of("The runs have different books of openings: %s in run %s, %s in run %s.",
				i18n.Number{N: a.Count, Noun: "opening"}, first.Name, i18n.Number{N: b.Count, Noun: "opening"}, r.Name))
		}
		if d := rest(first.Plan, r.Plan, opponent[0], opponent[i+1]); len(d) > 0 {
			var words i18n.Clauses
			for _, one := range d {
				words = append(words, differs(one, first.Name, r.Name))
			}
			all = append(all, i18n.Of("The runs also differ in: %s.", words))
		}
	}
	return all
}

// rest returns the differences between two runs in settings that may differ: adjudication, the policy for delayed
// moves, and the opponent's time margin, stall limit and restarts.
func rest(a, b *match.CanonicalPlan, opponentA, opponentB int) []match.Difference {
	type left struct {
		Adjudication *match.Adjudication `json:"adjudication"`
		Slowed       match.Policy        `json:"slowed"`
		Margin       string              `json:"margin"`
		Stall        string              `json:"stall"`
		Restart      match.Restart       `json:"restart"`
	}
	of := func(p *match.CanonicalPlan, opponent int) []byte {
		o := p.Players[opponent]
		text, err := json.Marshal(left{p.Adjudication, p.Slowed, o.Margin, o.Stall, o.Restart})
		if err != nil {
			return nil
		}
		return text
	}
	return match.Differences(of(a, opponentA), of(b, opponentB))
}
