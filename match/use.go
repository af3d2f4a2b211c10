package match

import (
	"math"
	"time"
)

// LimitKind names the search limit that a [Use] compares.
type LimitKind string

// The kinds of limits.
const (
	UseNodes     LimitKind = "nodes"
	UseDepth     LimitKind = "depth"
	UseMoveTime  LimitKind = "movetime"
	UseByoyomi   LimitKind = "byoyomi"
	UseIncrement LimitKind = "increment"
)

// Use compares the mean that a player used for one move with one of its search limits. Limit and Mean are nodes, plies
// of depth, or milliseconds, by the kind.
type Use struct {
	Kind  LimitKind `json:"limit"` // nodes, depth, movetime, byoyomi or increment
	Limit float64   `json:"value"` // of the limit: nodes, plies or milliseconds
	Mean  *float64  `json:"mean"`  // null: the player reported no nodes or no depth
	Kept  bool      `json:"kept"`  // the mean agrees with the limit
	// Options has the options of the engine that save time, as "NAME VALUE". It is empty unless the player uses too
	// little of its time.
	Options []string `json:"options,omitempty"`
}

// useTolerance is the largest difference between the mean and a limit of nodes, depth or movetime, as a share of the
// limit.
const useTolerance = 0.1

// leastClockShare is the smallest share of a byoyomi or an increment that a player uses for a move on average. A player
// that uses less wastes its clock.
const leastClockShare = 0.2

// KeepsLimit reports whether a mean agrees with a limit of nodes, depth or movetime: they differ by at most 10%.
func KeepsLimit(mean, limit float64) bool {
	const rounding = 1e-9
	return math.Abs(mean-limit) <= limit*(useTolerance+rounding)
}

// A Searcher names the events, besides its limits, that may end a player's searches.
type Searcher int

// The kinds of searchers.
const (
	Alone     Searcher = iota // nothing else ends the search
	Member                    // an engine of a council, which keeps a part of the time for the vote
	MayBeLess                 // a council, whose vote may end early, or a player with a book
)

// Uses compares the limits with s, the sums over a player's moves. The sums count a resignation as a move, too. If the
// player has several limits, the one that it reaches first ends the search, so Uses then accepts less than a limit. It
// also accepts less if the searcher is MayBeLess. The nodes of a council are those of all its members together.
// Uses returns nothing without a move, and for a player that ends its searches by itself.
func (l Limits) Uses(s Side, by Searcher) []Use {
	if s.Plies == 0 || l.Self {
		return nil
	}
	nodes, depth := mean(float64(s.Nodes), s.Plies), mean(float64(s.DepthSum), s.DepthPlies)
	spent := mean(milliseconds(s.Time), s.Plies)
	var list []Use
	for _, u := range []Use{
		{Kind: UseNodes, Limit: float64(l.Nodes), Mean: nodes},
		{Kind: UseDepth, Limit: float64(l.Depth), Mean: depth},
		{Kind: UseMoveTime, Limit: milliseconds(l.MoveTime), Mean: spent},
		{Kind: UseByoyomi, Limit: milliseconds(l.Clock.Byoyomi), Mean: spent},
		{Kind: UseIncrement, Limit: milliseconds(l.Clock.Increment), Mean: spent},
	} {
		if u.Limit > 0 {
			list = append(list, u)
		}
	}
	if len(list) != 1 || !l.Clock.IsZero() && !list[0].clock() {
		by = MayBeLess
	}
	for i := range list {
		list[i].Kept = list[i].keeps(by)
	}
	return list
}

// mean returns a mean, or nil if the player reported nothing.
func mean(sum float64, moves int) *float64 {
	if sum == 0 || moves == 0 {
		return nil
	}
	m := sum / float64(moves)
	return &m
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// clock reports whether the limit is a part of a clock. A player may exceed it on one move and save time on another.
func (u *Use) clock() bool { return u.Kind == UseByoyomi || u.Kind == UseIncrement }

// timed reports whether the limit is a time.
func (u *Use) timed() bool { return u.clock() || u.Kind == UseMoveTime }

// keeps compares the mean with the limit.
func (u *Use) keeps(by Searcher) bool {
	less := by == MayBeLess
	switch {
	case u.Mean == nil:
		return u.timed() || less
	case u.clock():
		return less || *u.Mean >= leastClockShare*u.Limit
	case *u.Mean < u.Limit && (less || by == Member && u.timed()):
		return less || *u.Mean >= leastClockShare*u.Limit
	}
	return KeepsLimit(*u.Mean, u.Limit)
}

// SavesTime reports whether the player uses too little of its time. Options of the engine may cause this.
func (u *Use) SavesTime() bool { return !u.Kept && u.timed() && u.Mean != nil && *u.Mean < u.Limit }

// SharedNodes returns the limit of nodes of all members of a council together. It returns 0, which means no limit, if
// the members of the council search for more than one vote, or under limits of their own.
func (c *CanonicalCouncil) SharedNodes(limit uint64) uint64 {
	switch {
	case c.Veto != nil || c.Examine != (Examine{}) || c.Jitter > 0:
		return 0
	case c.Split:
		return limit
	}
	for _, own := range c.Own {
		if own {
			return 0
		}
	}
	for _, m := range c.Members {
		if m.Council != nil {
			return 0
		}
	}
	return limit * uint64(len(c.Members))
}

// UseLimits returns the limits of a player as far as they hold for both colours, for the comparison with the sums over
// its games (Limits.Uses). It returns the zero value if a newer gogi stored limits that this program cannot read.
func (c *CanonicalPlan) UseLimits(player int) Limits {
	l := c.bothColours(player)
	if council := c.Players[player].Council; council != nil {
		l.Nodes = council.SharedNodes(l.Nodes)
	}
	return l
}

// bothColours returns the limits of a player as far as they hold for both colours.
func (c *CanonicalPlan) bothColours(player int) Limits {
	clocks, unread := c.colourClocks()
	l, err := c.Players[player].limits()
	if unread != nil || err != nil {
		return Limits{}
	}
	plan := Plan{Players: []Player{{Limits: l}}, ColourClocks: clocks}
	black, white := plan.LimitsOf(0, 0), plan.LimitsOf(0, 1)
	if black != white {
		black.Clock, black.MoveTime = TimeControl{Main: 1}, 0 // the two clocks have no common time for a move
	}
	return black
}

// MemberLimits has the limits of one engine of a council.
type MemberLimits struct {
	Name   string // the names of the council and of its members down to the engine, such as council/member
	Limits Limits
	By     Searcher
}

// MemberLimits returns the limits of each engine of a council, in the order of Plan.Engines. It returns nil for a
// player that is no council.
func (c *CanonicalPlan) MemberLimits(player int) []MemberLimits {
	p := &c.Players[player]
	if p.Council == nil {
		return nil
	}
	return p.Council.memberLimits(nil, p.Name, c.bothColours(player), Member)
}

// memberLimits adds the limits of the council's engines to list. l has the limits of the council.
func (c *CanonicalCouncil) memberLimits(list []MemberLimits, name string, l Limits, by Searcher) []MemberLimits {
	if c.Jitter > 0 || c.Veto != nil || c.Examine != (Examine{}) || c.Stop != "" && c.Stop != stopAll {
		by = MayBeLess
	}
	for i := range c.Members {
		m := &c.Members[i]
		limits := l
		if c.Split {
			limits = l.share(len(c.Members))
		}
		if i < len(c.Own) && c.Own[i] {
			own, err := m.limits()
			if err != nil {
				own = Limits{}
			}
			limits = own
		}
		if m.Council != nil {
			list = m.Council.memberLimits(list, name+"/"+m.Name, limits, by)
			continue
		}
		list = append(list, MemberLimits{Name: name + "/" + m.Name, Limits: limits, By: by})
	}
	return list
}

// stopAll is the stop policy of a council that waits for all members.
const stopAll = "all"

// share returns the limits of each of n members that share the nodes and the times.
func (l Limits) share(n int) Limits {
	part := time.Duration(n)
	l.Nodes /= uint64(n)
	l.Clock.Main, l.Clock.Byoyomi, l.Clock.Increment, l.MoveTime = l.Clock.Main/part, l.Clock.Byoyomi/part,
		l.Clock.Increment/part, l.MoveTime/part
	return l
}
