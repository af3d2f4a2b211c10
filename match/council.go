package match

import (
	"slices"
	"time"
)

// Council is a player that several others vote for (合議). Rules, ties and stop
// policies are in the words of package ensemble, which checks them.
type Council struct {
	Members      []Player  // engines or councils; their limits hold where Own is set
	Own          []bool    // of each member: it searches under its own limits instead of the council's
	Scales       []Scale   // of each member
	Clamps       []float64 // of each member's scores, in its centipawns, 0 for none; empty, as in old plans, for none at all
	Rule         string    // "majority", "adoption:reward=voters", …
	Shadows      []string  // rules that are asked what they would have played
	Ties         []string  // the chain that breaks ties; empty: the default
	Stop         string    // when the members' searches end; "": when all have answered
	Quorum       float64   // of the stop policy "quorum"
	ResignQuorum float64   // the share of members of which more must resign; 0: one half
	MinAlive     int       // the council loses with fewer living members
	Restarts     int       // of each member in one game; negative: none
	Split        bool      // the members share the council's limits instead of having them each
	Jitter       float64   // by what share the members' nodes vary
	Noise        float64   // standard deviation of noise on each line's score, in centipawns
	Veto         Veto
}

// Scale turns a member's centipawns into the log odds of winning; zero is the
// default scale.
type Scale struct {
	Slope     float64 `json:"slope"` // per centipawn
	Intercept float64 `json:"intercept"`
}

// Veto is a short check of the voted move by others; zero is none.
type Veto struct {
	Time    time.Duration `json:"time"`
	Nodes   uint64        `json:"nodes"`
	Margin  float64       `json:"margin"` // in centipawns
	Members int           `json:"members"`
}

// Engines lists every engine of the plan: the players, and in the place of a
// council its members, councils within it included.
func (p *Plan) Engines() []Player {
	var list []Player
	for i := range p.Players {
		p.Players[i].each(func(e *Player) { list = append(list, *e) })
	}
	return list
}

// each visits the engines of a player in order.
func (p *Player) each(visit func(*Player)) {
	if p.Council == nil {
		visit(p)
		return
	}
	for i := range p.Council.Members {
		p.Council.Members[i].each(visit)
	}
}

// WithEngines is a copy of the plan in which every engine was changed; engines
// come in the order of Engines.
func (p *Plan) WithEngines(change func(i int, e *Player)) *Plan {
	out := *p
	i := 0
	out.Players = copyPlayers(p.Players)
	for j := range out.Players {
		out.Players[j].each(func(e *Player) { change(i, e); i++ })
	}
	return &out
}

func copyPlayers(players []Player) []Player {
	out := append([]Player(nil), players...)
	for i := range out {
		if c := out[i].Council; c != nil {
			council := *c
			council.Members = copyPlayers(c.Members)
			out[i].Council = &council
		}
	}
	return out
}

// canonicalCouncil is what of a council decides how it plays.
type canonicalCouncil struct {
	Rule         string            `json:"rule"`
	Ties         []string          `json:"ties,omitempty"`
	Stop         string            `json:"stop,omitempty"`
	Quorum       float64           `json:"quorum,omitempty"`
	ResignQuorum float64           `json:"resign_quorum,omitempty"`
	MinAlive     int               `json:"min_alive,omitempty"`
	Restarts     int               `json:"restarts,omitempty"`
	Split        bool              `json:"split,omitempty"`
	Jitter       float64           `json:"node_jitter,omitempty"`
	Noise        float64           `json:"score_noise,omitempty"`
	Veto         *Veto             `json:"veto,omitempty"`
	Scales       []Scale           `json:"scales,omitempty"`
	Clamps       []float64         `json:"clamps,omitempty"`
	Own          []bool            `json:"own,omitempty"`
	Members      []canonicalPlayer `json:"members"`
}

// canonical leaves the shadows out: they change no move.
func (c *Council) canonical() *canonicalCouncil {
	if c == nil {
		return nil
	}
	out := &canonicalCouncil{
		Rule: c.Rule, Ties: c.Ties, Stop: c.Stop, Quorum: c.Quorum, ResignQuorum: c.ResignQuorum, MinAlive: c.MinAlive,
		Restarts: c.Restarts, Split: c.Split, Jitter: c.Jitter, Noise: c.Noise,
	}
	if slices.ContainsFunc(c.Scales, func(s Scale) bool { return s != Scale{} }) {
		out.Scales = c.Scales
	}
	if slices.ContainsFunc(c.Clamps, func(x float64) bool { return x != 0 }) {
		out.Clamps = c.Clamps
	}
	if slices.Contains(c.Own, true) {
		out.Own = c.Own
	}
	if c.Veto != (Veto{}) {
		out.Veto = &c.Veto
	}
	for i := range c.Members {
		out.Members = append(out.Members, c.Members[i].canonical())
	}
	return out
}
