package ratings

import (
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/stats"
	"gogi/stats/rating"
)

// Timed sets the session of the run, and the names of its players that have a time limit. With a time limit the
// strength depends on the machine and its load, so [Rate] estimates how much sessions differ. conditions is the key of
// the conditions of the run.
func (r *Run) Timed(session string, conditions match.Key, players map[string]bool) {
	r.session, r.conditions, r.timed = session, conditions, players
}

// A meetingKey identifies a meeting: the two players (a is the smaller number), the number of games in a pair, the
// conditions and the session.
type meetingKey struct {
	a, b, legs int
	conditions match.Key
	session    string
}

// A meeting has the pairs of two players with a time limit in one session.
type meeting struct {
	meetingKey
	series stats.Series
	weight float64 // of the games
}

func (r *Run) meet(u *unit, key unitKey, play stats.Play) error {
	g, at := r.games, meetingKey{key.a, key.b, key.legs, r.conditions, r.session}
	i, known := g.meeting[at]
	if !known {
		i = len(g.meetings)
		g.meeting[at], g.meetings = i, append(g.meetings, &meeting{meetingKey: at})
	}
	if u.timed == nil {
		u.timed = map[int]int{}
	}
	u.timed[i]++
	_, err := g.meetings[i].series.Add(play)
	return err
}

// Sessions has the estimated differences between the sessions of games with a time limit.
type Sessions struct {
	Sessions int          `json:"sessions"`     // number of sessions
	Omega    *float64     `json:"omega"`        // standard deviation of the shift of a session in Elo; null: unknown
	Freedom  *float64     `json:"freedom"`      // degrees of freedom of omega
	Why      i18n.Message `json:"why,omitzero"` // why the intervals do not include the differences

	model *rating.Sessions
}

// sessions returns the differences between sessions, or nil if there are fewer than two sessions with a time limit.
func (g *Games) sessions() *Sessions {
	names, number, most := map[string]bool{}, map[meetingKey]int{}, 0
	var bridges []stats.Bridge
	var members [][]*meeting // of each bridge
	for _, m := range g.meetings {
		names[m.session] = true
		key := m.meetingKey
		key.session = ""
		i, known := number[key]
		if !known {
			i = len(bridges)
			number[key], bridges, members = i, append(bridges, nil), append(members, nil)
		}
		bridges[i], members[i] = append(bridges[i], m.series.Scores()), append(members[i], m)
		most = max(most, len(members[i]))
	}
	if len(names) < 2 {
		return nil
	}
	between, err := stats.NewBetween(bridges)
	if err != nil {
		return &Sessions{Sessions: len(names),
			Why: i18n.Of("two players met in %d of them at most; to estimate the differences, play the same match in 3 runs",
				most)}
	}
	g.weigh()
	model := &rating.Sessions{Freedom: between.Freedom}
	for i, bridge := range bridges {
		shift := rating.Shift{A: g.players[members[i][0].a].Label, B: g.players[members[i][0].b].Label}
		for k, variance := range between.Shifts(bridge) {
			shift.Variance += variance * members[i][k].weight * members[i][k].weight
		}
		model.Shifts = append(model.Shifts, shift)
	}
	return &Sessions{Sessions: len(names), Omega: &between.Elo, Freedom: &between.Freedom, model: model}
}

// weigh sets the weights of all meetings. The pairs of an opening share one weight.
func (g *Games) weigh() {
	for _, m := range g.meetings {
		m.weight = 0
	}
	for _, u := range g.order {
		for i, pairs := range u.timed {
			g.meetings[i].weight += float64(g.meetings[i].legs*pairs) / float64(u.pairs)
		}
	}
}

// addSessions adds the differences between sessions to the report. If the intervals cannot include them, it adds a
// warning.
func (o Options) addSessions(r *Report, g *Games) {
	s := g.sessions()
	if s == nil {
		return
	}
	r.Sessions = s
	switch {
	case s.Omega == nil:
	case r.Handicapped > 0:
		s.Why = i18n.Of("the models of handicaps cannot include them; rate even games only")
	case o.Bootstrap > 0:
		s.Why = i18n.Of("--bootstrap cannot include them; leave it out")
	default:
		return
	}
	s.model = nil
	r.warn(SessionsDiffer,
		i18n.Of("the games with a time limit are from %d sessions, and the intervals do not include differences between sessions: %s", s.Sessions, s.Why))
}

// inModel returns the differences for the model, or nil if there are none.
func (s *Sessions) inModel() *rating.Sessions {
	if s == nil {
		return nil
	}
	return s.model
}

// text returns the differences that the intervals include.
func (s *Sessions) text() i18n.Message {
	return i18n.Of("differ by %s Elo (standard deviation, %s degrees of freedom); the intervals include this",
		format.Decimal(s.Omega, 1), format.Decimal(s.Freedom, 1))
}
