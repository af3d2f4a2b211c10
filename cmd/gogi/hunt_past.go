package main

import (
	"fmt"
	"math"
	"slices"

	"gogi/internal/lists"
	"gogi/stats"
)

// A past has the stored pairs with a time limit between the versions of a hunt, by session.
type past struct {
	meetings []*meeting
	between  stats.Between
	refused  error // no estimate of the differences between sessions
}

// A meeting has the pairs of an older and a newer version. The scores are as in played.
type meeting struct {
	old, new string
	sessions stats.Bridge
	games    int
}

// add adds the pairs of a session that the past does not have.
func (p *past) add(session played) {
	at := slices.IndexFunc(p.meetings, func(m *meeting) bool { return m.old == session.old && m.new == session.new })
	if at < 0 {
		at = len(p.meetings)
		p.meetings = append(p.meetings, &meeting{old: session.old, new: session.new})
	}
	m := p.meetings[at]
	m.sessions = append(m.sessions, session.scores)
	m.games += session.games
}

// estimate estimates the differences between sessions from all meetings.
func (p *past) estimate() {
	bridges := lists.Map(p.meetings, func(m *meeting) stats.Bridge { return m.sessions })
	p.between, p.refused = stats.NewBetween(bridges)
}

// A huntHistory describes the stored games with a time limit in the answer of a hunt.
type huntHistory struct {
	Games    int `json:"games"`
	Sessions int `json:"sessions"` // largest number of sessions in which two versions met
	// number of games of the hunt that have the same weight; 0: the hunt does not use the games
	Worth   float64  `json:"worth"`
	Omega   *float64 `json:"omega"`   // standard deviation between sessions in Elo; null: unknown
	Freedom *float64 `json:"freedom"` // degrees of freedom of omega
}

// history returns the description of the stored games with a time limit, or nil without such games.
func (p *past) history() *huntHistory {
	if len(p.meetings) == 0 {
		return nil
	}
	h := &huntHistory{}
	for _, m := range p.meetings {
		h.Games += m.games
		h.Sessions = max(h.Sessions, len(m.sessions))
		if p.refused == nil {
			h.Worth += 2 * p.between.History(m.sessions).Worth
			h.Omega, h.Freedom = &p.between.Elo, &p.between.Freedom
		}
	}
	return h
}

func (h *huntHistory) String() string {
	if h.Omega == nil {
		return fmt.Sprintf("%d stored games with a time limit do not count: two versions met in %d sessions at most; gogi needs 3 to estimate the differences between sessions.",
			h.Games, h.Sessions)
	}
	return fmt.Sprintf("The probabilities also use %d stored games with a time limit. They weigh as much as %.0f games, because sessions differ by %.1f Elo (%.1f degrees of freedom).",
		h.Games, math.Floor(h.Worth), *h.Omega, *h.Freedom)
}
