package crosstable

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// An Excluded is a player whose rating cannot be determined from the games.
type Excluded struct {
	Player string
	Kind   AsideKind
	Why    string // text for Kind, with the number of games
	Games  float64
	Later  bool // the exclusion counts only games against players who were not excluded earlier
}

// An AsideKind is the reason why gogi calculates no rating for a player.
type AsideKind string

// A player has no rating for one of these reasons. Players are excluded in rounds. In each round, only the games
// against players who are not yet excluded count.
const (
	NoGame  AsideKind = "no_game"  // the player played none of these games
	WonAll  AsideKind = "won_all"  // the player won all of these games, so the rating has only a lower bound
	LostAll AsideKind = "lost_all" // the player lost all of these games, so the rating has only an upper bound
)

// A Connection reports whether the games determine ratings, and for which players.
type Connection struct {
	SetAside []Excluded // excluded players in the order of exclusion. Each exclusion leaves fewer games for the rest.
	Groups   [][]string // strongly connected groups of the rest. There is exactly one group if ratings exist.
	Why      string     // why there are no unique ratings, or ""
}

// Connection reports whether the games determine ratings. It ignores handicaps. A unique maximum-likelihood
// estimate exists if and only if a chain of wins or draws leads from every player to every other player
// (Zermelo 1929, Ford 1957). Connection first excludes the players who won or lost all their games. It
// repeats this until no such player is left. The rest may form several groups. Why then names groups that
// never met, never lost to, or never beat the other groups.
func (t Table) Connection() Connection {
	_, c := t.connect()
	return c
}

// Rated returns the table of the players with ratings, and the players that [Table.Connection] excludes. It
// returns an error with the reason if there are no unique ratings.
func (t Table) Rated() (Table, []Excluded, error) {
	sub, c := t.connect()
	if c.Why != "" {
		return Table{}, nil, errors.New(c.Why)
	}
	return sub, c.SetAside, nil
}

// Active returns the table of the players with games, and the players without games.
func (t Table) Active() (Table, []Excluded) {
	var aside []Excluded
	games, _ := t.among(nil)
	kept := make([]bool, len(games))
	for i, n := range games {
		if kept[i] = n > 0; !kept[i] {
			aside = append(aside, newAside(t.Names[i], 0, 0, 0))
		}
	}
	return t.Only(kept), aside
}

func (t Table) connect() (Table, Connection) {
	sub, aside := t.setAside()
	c := Connection{SetAside: aside}
	if len(sub.Names) > 0 && sub.isConnected() {
		c.Groups = [][]string{sub.Names}
		return sub, c
	}
	groups := sub.components()
	for _, g := range groups {
		c.Groups = append(c.Groups, sub.namesOf(g))
	}
	switch {
	case len(t.Cells) == 0:
		c.Why = "no game"
	case len(groups) == 0:
		c.Why = "no two players have both won and lost against each other"
	case len(groups) > 1:
		c.Why = sub.whyApart(groups)
	}
	return sub, c
}

// setAside removes the players who won or lost every game against the remaining players. It repeats this in
// rounds until no such player is left.
func (t Table) setAside() (Table, []Excluded) {
	kept := make([]bool, len(t.Names))
	for i := range kept {
		kept[i] = true
	}
	var aside []Excluded
	for round := 0; ; round++ {
		games, points := t.among(kept)
		before := len(aside)
		for i, name := range t.Names {
			if a := newAside(name, games[i], points[i], round); kept[i] && a.Kind != "" {
				aside = append(aside, a)
				kept[i] = false
			}
		}
		if len(aside) == before {
			return t.Only(kept), aside
		}
	}
}

// newAside returns the reason to exclude a player with these games and points. Its Kind is "" if the player is not
// excluded. round is the number of the round of exclusion, from 0. From round 1 on, the games are only those against
// players who were not excluded before.
func newAside(player string, games, points float64, round int) Excluded {
	rest := ""
	if round > 0 {
		rest = " against players not set aside before"
	}
	switch {
	case games == 0:
		return Excluded{player, NoGame, "played no game" + rest, games, round > 0}
	case points == 0:
		return Excluded{player, LostAll, fmt.Sprintf("lost all %.0f games%s", games, rest), games, round > 0}
	case points == games:
		return Excluded{player, WonAll, fmt.Sprintf("won all %.0f games%s", games, rest), games, round > 0}
	}
	return Excluded{}
}

// among returns each player's number of games and points against the kept players, without weights. If kept is nil, all
// players are kept.
func (t Table) among(kept []bool) (games, points []float64) {
	games, points = make([]float64, len(t.Names)), make([]float64, len(t.Names))
	for n := range t.Cells {
		c := &t.Cells[n]
		if kept == nil || kept[c.Black] && kept[c.White] {
			games[c.Black] += c.Played
			games[c.White] += c.Played
			points[c.Black] += c.Scored
			points[c.White] += c.Played - c.Scored
		}
	}
	return games, points
}

// beaten returns, for each player, the opponents against whom the player won or drew a game.
func (t Table) beaten() [][]int {
	to := make([][]int, len(t.Names))
	for _, c := range t.Cells {
		if c.Wins+c.Draws > 0 {
			to[c.Black] = append(to[c.Black], int(c.White))
		}
		if c.Losses+c.Draws > 0 {
			to[c.White] = append(to[c.White], int(c.Black))
		}
	}
	return to
}

// isConnected reports whether chains of wins or draws lead from the first player to all others and back. If many
// players met, it needs only two or three passes over the cells.
func (t Table) isConnected() bool {
	up, down := make([]bool, len(t.Names)), make([]bool, len(t.Names))
	up[0], down[0] = true, true
	reached, last := 2, 0
	spread := func(reach []bool, from, to int32) {
		if reach[from] && !reach[to] {
			reach[to] = true
			reached++
		}
	}
	for reached > last {
		last = reached
		for i := range t.Cells {
			c := &t.Cells[i]
			if c.Wins+c.Draws > 0 {
				spread(down, c.Black, c.White)
				spread(up, c.White, c.Black)
			}
			if c.Losses+c.Draws > 0 {
				spread(down, c.White, c.Black)
				spread(up, c.Black, c.White)
			}
		}
	}
	return reached == 2*len(t.Names)
}

// components returns the strongly connected components of the graph of wins and draws, by Kosaraju's
// algorithm. The players in a component ascend. The components are ordered by their first player.
func (t Table) components() [][]int {
	to := t.beaten()
	from := make([][]int, len(to))
	for a, list := range to {
		for _, b := range list {
			from[b] = append(from[b], a)
		}
	}
	finished := make([]int, 0, len(to))
	seen := make([]bool, len(to))
	for a := range to {
		finished = visit(a, to, seen, finished)
	}
	var groups [][]int
	seen = make([]bool, len(to))
	for _, a := range slices.Backward(finished) {
		if group := visit(a, from, seen, nil); group != nil {
			slices.Sort(group)
			groups = append(groups, group)
		}
	}
	slices.SortFunc(groups, func(a, b []int) int { return cmp.Compare(a[0], b[0]) })
	return groups
}

// visit returns order with further nodes: the unseen nodes that can be reached from node a. A node comes after all
// nodes that can be reached from it. to[x] lists the nodes to which node x leads.
func visit(a int, to [][]int, seen []bool, order []int) []int {
	if seen[a] {
		return order
	}
	seen[a] = true
	for _, b := range to[a] {
		order = visit(b, to, seen, order)
	}
	return append(order, a)
}

// whyApart returns a text that names the groups that never met, never lost to, or never beat the other
// groups.
func (t Table) whyApart(groups [][]int) string {
	group := make([]int, len(t.Names))
	for n, g := range groups {
		for _, i := range g {
			group[i] = n
		}
	}
	beats, loses := make([]bool, len(groups)), make([]bool, len(groups))
	for a, list := range t.beaten() {
		for _, b := range list {
			if group[a] != group[b] {
				beats[group[a]], loses[group[b]] = true, true
			}
		}
	}
	var why []string
	for n, g := range groups {
		names := "{" + strings.Join(t.namesOf(g), ", ") + "}"
		switch {
		case !beats[n] && !loses[n]:
			why = append(why, names+" never met the others")
		case !loses[n]:
			why = append(why, names+" never lost to the others")
		case !beats[n]:
			why = append(why, names+" never beat the others")
		}
	}
	return strings.Join(why, "; ")
}

func (t Table) namesOf(players []int) []string {
	names := make([]string, len(players))
	for n, i := range players {
		names[n] = t.Names[i]
	}
	return names
}

// WithinGroups returns only the games between players of the same strongly connected group: chains of wins or
// draws lead from each player of the group to every other. All games between two groups were won by the same
// group, so a fit can make their likelihood almost 1. The largest likelihood therefore depends only on the
// games within groups. The result does not record which games depend on each other ([Count].Cluster).
func (t Table) WithinGroups() Table {
	group := make([]int, len(t.Names))
	for n, members := range t.components() {
		for _, i := range members {
			group[i] = n
		}
	}
	inside := Table{Names: t.Names}
	for _, c := range t.Cells {
		if group[c.Black] == group[c.White] {
			inside.Cells = append(inside.Cells, c)
		}
	}
	return inside
}
