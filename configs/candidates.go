package configs

import (
	"fmt"
	"slices"
	"time"

	"gogi/ensemble"
	"gogi/ensemble/voting"
)

// A Contest is a match file for a match between a council and one of its members that plays alone. The member
// gets search limits as large as those of all members of the council together.
type Contest struct {
	Council, Member string
	File            *File
}

// Contests returns a match file for each council and each of its members. The member plays alone under the
// name NAME-alone, with limits as large as those of all the council's searches together. games is the number
// of games of each match. If the file has no council, Contests makes councils of all engines: by majority, by
// majority with cross-examination, and from three engines on by adoption.
//
// Contests can multiply only the limits nodes and movetime. For other limits it returns an error.
func (f *File) Contests(games int) (list []Contest, err error) {
	with := *f
	if len(f.Councils) == 0 {
		with.Councils = f.candidates()
	}
	for i := range with.Councils {
		c := &with.Councils[i]
		if slices.ContainsFunc(c.Members, func(name string) bool { return with.council(name) >= 0 }) {
			return nil, fmt.Errorf("council %s: a member is a council; gogi council suggest needs engines as members", c.Name)
		}
		for _, member := range c.Members {
			contest, err := with.contest(c, member)
			if err != nil {
				return nil, err
			}
			contest.Games = &games
			contest.Run = f.RunName() + "-" + c.Name + "-" + member
			list = append(list, Contest{c.Name, member, contest})
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: there are no engines for a council; write at least two [[engine]] tables", f.title())
	}
	return list, nil
}

// candidates returns councils of all engines of the file.
func (f *File) candidates() (list []Council) {
	var members []string
	for i := range f.Engines {
		members = append(members, f.Engines[i].Name)
	}
	if len(members) < 2 {
		return nil
	}
	majority := Council{Name: "majority", Rule: voting.Majority, Members: members}
	examining := majority
	examining.Name, examining.Examine = "examining", &Examine{}
	list = []Council{majority, examining}
	if len(members) > 2 {
		list = append(list, Council{Name: "adoption", Rule: voting.Adoption, Members: members})
	}
	return list
}

// contest returns the file with the council and a member alone as its only players.
func (f *File) contest(c *Council, member string) (*File, error) {
	i := f.engine(member)
	if i < 0 {
		return nil, fmt.Errorf("council %s: there is no engine %q (%s)", c.Name, member, f.engineNames())
	}
	e := f.Engines[i]
	limits := f.Limits
	switch {
	case e.Limits != nil && e.Limits.search():
		limits = e.Limits
	case c.Limits != nil && c.Limits.search():
		limits = c.Limits
	}
	if limits == nil || limits.Nodes == nil && limits.MoveTime == nil || limits.Self != nil || limits.Depth != nil ||
		limits.Clock != (Clock{}) {
		const use = "use nodes or movetime, such as limits = {nodes = 10000}"
		return nil, fmt.Errorf("engine %s: its limits cannot be multiplied; %s", member, use)
	}
	larger, factor := *limits, c.cost(limits == e.Limits)
	if larger.Nodes != nil {
		n := uint64(float64(*limits.Nodes)*factor + 0.5)
		larger.Nodes = &n
	}
	if larger.MoveTime != nil {
		t := time.Duration(float64(*limits.MoveTime) * factor).Round(time.Millisecond)
		larger.MoveTime = &t
	}
	e.Name, e.Limits = member+"-alone", &larger
	out := *f
	out.Engines, out.Players = append(slices.Clone(f.Engines), e), []string{c.Name, e.Name}
	out.Gate, out.Design = nil, nil
	return &out, nil
}

// cost returns the sum of the search limits of all searches of the council for one move, as a multiple of one
// member's limit. own means that the member has limits of its own, which a council does not split.
func (c *Council) cost(own bool) float64 {
	n := float64(len(c.Members))
	if len(c.Vary) > 0 {
		n = float64(len(c.Vary[0].Values))
	}
	if c.Budget == "split" && !own {
		n = 1
	}
	if c.Examine != nil {
		n *= 1 + or(c.Examine.Extra, ensemble.DefaultExamineExtra)
	}
	return n
}
