package match

import (
	"time"
)

// Council is a player whose moves are chosen by a vote of its members (合議). Rules, ties and stop policies are
// texts in the notation of package ensemble, which checks them.
type Council struct {
	// engines or councils; a member's own limits apply only if Own is set for it
	Members []Player `json:"Members"`
	// for each member: whether it searches under its own limits instead of the council's
	Own    []bool  `json:"Own"`
	Scales []Scale `json:"Scales"` // for each member: the conversion of its scores
	// limit of each member's scores in its centipawns; 0: no limit; empty, as in old plans: no limits
	Clamps  []float64 `json:"Clamps"`
	Rule    string    `json:"Rule"`    // "majority", "adoption:reward=voters", …
	Shadows []string  `json:"Shadows"` // rules whose votes are recorded but not played
	Ties    []string  `json:"Ties"`    // the tie-breaks in their order; empty: the default
	// the policy that ends the members' searches; "": when all members have answered
	Stop   string  `json:"Stop"`
	Quorum float64 `json:"Quorum"` // for the stop policy "quorum"
	// the council resigns if more than this share of the members resign; 0: one half
	ResignQuorum float64 `json:"ResignQuorum"`
	MinAlive     int     `json:"MinAlive"` // the council loses if fewer members are still running
	Restarts     int     `json:"Restarts"` // restarts of each member in one game; negative: none
	// the members share the council's time and nodes; if false, each member has all of them
	Split   bool    `json:"Split"`
	Jitter  float64 `json:"Jitter"` // largest random change of the members' nodes, as a share of them
	Noise   float64 `json:"Noise"`  // standard deviation of noise on each line's score, in centipawns
	Veto    Veto    `json:"Veto"`
	Examine Examine `json:"Examine,omitzero"` // not together with Veto
	Ponder  Spread  `json:"Ponder,omitzero"`
	Ask     int     `json:"Ask,omitzero"` // number of members that are asked first; 0: all at once
}

// Scale converts a member's centipawns to the log odds of winning. The zero value is the default scale.
type Scale struct {
	Slope     float64 `json:"slope"` // per centipawn
	Intercept float64 `json:"intercept"`
}

// Veto is a short check of the voted move by other engines; the zero value is no veto.
type Veto struct {
	Time    time.Duration `json:"time"` // time of the veto search, in nanoseconds
	Nodes   uint64        `json:"nodes"`
	Margin  float64       `json:"margin"`  // in centipawns
	Members int           `json:"members"` // number of members that must object
}

// Examine has the settings of cross-examination after a split vote: each member searches the positions after the
// leading moves. The zero value means no cross-examination.
type Examine struct {
	Share float64 `json:"share"` // there is no examination if the first move has at least this share of the weights
	Moves int     `json:"moves"` // largest number of moves to examine
	Extra float64 `json:"extra"` // search limit for all moves, as a share of the member's limit for the vote
}

// Engines returns every engine of the plan in the order of the players. Instead of a council it lists the engines
// of the council's members. The mate solver, if the plan has one, comes last.
func (p *Plan) Engines() []Player {
	var list []Player
	for i := range p.Players {
		p.Players[i].each(func(e *Player) { list = append(list, *e) })
	}
	if p.Mate.Solver != nil {
		list = append(list, *p.Mate.Solver)
	}
	return list
}

// Councils returns every council of the plan, including councils that are members of other councils. A
// council comes before its members.
func (p *Plan) Councils() []*Player {
	var list []*Player
	for i := range p.Players {
		list = p.Players[i].councils(list)
	}
	return list
}

func (p *Player) councils(list []*Player) []*Player {
	if p.Council == nil {
		return list
	}
	list = append(list, p)
	for i := range p.Council.Members {
		list = p.Council.Members[i].councils(list)
	}
	return list
}

func (p *Player) each(visit func(*Player)) {
	if p.Council == nil {
		visit(p)
		return
	}
	for i := range p.Council.Members {
		p.Council.Members[i].each(visit)
	}
}

// Spread has the settings of the members' searches on the opponent's time (pondering). With the zero value, all
// members search after the same expected reply.
type Spread struct {
	On bool `json:"spread"` // each member searches after a different expected reply
	// after a ponder hit all members vote; if false, the members that expected the reply decide alone
	Votes bool `json:"votes"`
}

// Engines returns every engine of the council, also those of members that are councils.
func (c *Council) Engines() (list []Player) {
	for i := range c.Members {
		c.Members[i].each(func(e *Player) { list = append(list, *e) })
	}
	return list
}

// WithEngines copies the plan, calls change for every engine of the copy, and returns the copy. i is the index of
// the engine in the list that Engines returns.
func (p *Plan) WithEngines(change func(i int, e *Player)) *Plan {
	out := *p
	i := 0
	out.Players = copyPlayers(p.Players)
	for j := range out.Players {
		out.Players[j].each(func(e *Player) { change(i, e); i++ })
	}
	if p.Mate.Solver != nil {
		solver := *p.Mate.Solver
		out.Mate.Solver = &solver
		change(i, out.Mate.Solver)
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
