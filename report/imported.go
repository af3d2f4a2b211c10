package report

import (
	"time"

	"gogi/internal/i18n"
)

// Imported has the facts about a run whose games come from record files.
type Imported struct {
	Pairs bool // the games are the pairs of the exported run; otherwise each game is one pair
	Names bool // the records have the players' names
}

// lacks returns one sentence with everything that a report of games that gogi played would have and this one lacks, and
// with what this means for its figures. It returns the zero Message for games that gogi played.
func (m *Imported) lacks(r *Report) i18n.Message {
	if m == nil {
		return i18n.Message{}
	}
	list := i18n.Row{i18n.Of("the rules, limits, engine options, overruns and test of the run")}
	add := func(missing bool, what i18n.Message) {
		if missing {
			list = append(list, what)
		}
	}
	add(!m.Pairs, i18n.Of("the pairs and the openings that no record marks"))
	add(!m.Names, i18n.Of("the names of the players"))
	nodes, times, fractions := false, false, false
	for i := range r.Players {
		s := r.Players[i].sides
		nodes, times, fractions = nodes || s.Nodes > 0, times || s.Time > 0, fractions || s.Time%time.Second != 0
	}
	add(!nodes, i18n.Of("the nodes"))
	add(!times, i18n.Of("the times"))
	add(times && !fractions, i18n.Of("fractions of a second"))
	return i18n.Of("Imported games: this report lacks %s. If a test stopped the run, the score is biased and the interval is not corrected for early stopping.", list)
}
