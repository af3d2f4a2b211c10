package ratings

import (
	"fmt"
	"iter"
	"slices"
	"strconv"

	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/match"
	"gogi/match/gate"
	"gogi/results/evidence"
	"gogi/shogi"
	"gogi/stats"
	"gogi/stats/rating/crosstable"
)

// Games collects the games of files and runs. [Rate] then calculates the ratings of their players.
type Games struct {
	files    fileGames
	clusters int            // number of clusters so far. The games of one cluster depend on each other.
	openings map[string]int // number of each opening by its text.
	numbered bool           // a file writes a handicap as a number, which may be a handicap of another game than shogi

	players players
	units   map[unitKey]*unit
	order   []*unit
	series  map[[3]int]*stats.Series // key: the two players, the smaller number first, and the number of games of a pair.

	looked   []i18n.Message // reasons why the length of some runs depends on their results.
	paired   []string       // runs whose pairs were chosen by results
	competed []string       // runs that were a Swiss or a knockout.
	anchors  []string       // anchors of the runs, "" for a run without one
	meetings []*meeting
	meeting  map[meetingKey]int // index in meetings

	odd      int    // games with an oddStart start position
	oddStart string // start position of the first such game
}

// unitKey identifies a unit (see unit): the two players (a is the smaller number), the number of games in a pair
// (legs), and the opening.
type unitKey struct {
	a, b, legs int
	opening    string
}

// unit is one observation: all pairs of two players from one opening, in any run (stats.Series gives the
// reason).
type unit struct {
	cluster int
	opening int
	pairs   int
	timed   map[int]int // number of pairs of each meeting, by its index
	games   map[unitGame]*crosstable.Count
	order   []unitGame
}

// unitGame has the terms of a game: the numbers of the players, and the start position.
type unitGame struct {
	black, white int
	start        start
}

// NewGames returns an empty Games.
func NewGames() *Games {
	return &Games{openings: map[string]int{}, units: map[unitKey]*unit{}, series: map[[3]int]*stats.Series{},
		meeting: map[meetingKey]int{}}
}

// Know sets the list of all players in the runs that the caller will add. Each player must have a different
// label (the name in the ratings).
func (g *Games) Know(people []evidence.Player) { g.players = people }

// Run is one run whose pairs the caller adds to a [Games].
type Run struct {
	games   *Games
	players map[string]int

	session    string // "": no player has a time limit
	conditions match.Key
	timed      map[string]bool
}

// Run begins to add a run. people maps the name of each player in the run to the player's index in the list
// of Know. The caller then adds the pairs of the run to the returned Run.
func (g *Games) Run(people map[string]int) *Run { return &Run{games: g, players: people} }

// Unfinished records that a run still has pairs to play. The report then has a warning.
func (g *Games) Unfinished(run string) {
	g.looked = append(g.looked,
		i18n.Of("run %s is not finished: ratings and intervals hold only at the end that was planned", run))
}

// Stopped records that a sequential test could stop the run early. The report then has a warning. gate is
// text that describes the test.
func (g *Games) Stopped(run, gate string) {
	g.looked = append(g.looked,
		i18n.Of("run %[1]s was played with a sequential test (%[2]s): its ratings and intervals are biased towards the extremes; gogi gate %[1]s has the Elo corrected for early stopping", run, gate))
}

// Paired records that the run had an adaptive design, which chooses pairs by earlier results. The report then
// has a warning.
func (g *Games) Paired(run string) { g.paired = append(g.paired, run) }

// Competed records that the run was a Swiss or knockout tournament, in which results decide the pairings. The
// report then has a warning about the winner's rating.
func (g *Games) Competed(run string) { g.competed = append(g.competed, run) }

// Anchored records the anchor of a run's plan: the player to whose rating the other ratings are relative. It
// is "" for a plan without an anchor.
func (g *Games) Anchored(anchor string) { g.anchors = append(g.anchors, anchor) }

// anchor returns the anchor that the plans of all runs have in common. It returns nil if the plans differ or
// have no anchor, and if there are games from files.
func (g *Games) anchor() *Anchor {
	if len(g.files.counts) > 0 || len(g.anchors) == 0 || g.anchors[0] == "" {
		return nil
	}
	for _, name := range g.anchors {
		if name != g.anchors[0] {
			return nil
		}
	}
	return &Anchor{Player: g.anchors[0]}
}

// Add counts the games of a whole pair. rows has them in the order of their legs (numbers within the pair).
// Add does not count a pair with an unfinished game. It returns an error for an invalid pair, and for players
// that the run does not have.
func (r *Run) Add(rows []match.Row) error {
	if len(rows) == 0 || slices.ContainsFunc(rows, func(r match.Row) bool { return r.Outcome == match.Unfinished }) {
		return nil
	}
	s := startOf(rows[0].Start)
	if s.kind == oddStart {
		if r.games.odd == 0 {
			r.games.oddStart = rows[0].Start
		}
		r.games.odd += len(rows)
		return nil
	}
	a, knownA := r.players[rows[0].PairA]
	b, knownB := r.players[rows[0].PairB]
	if !knownA || !knownB || a == b {
		return fmt.Errorf("pair %d: %q and %q are not two players of the run", rows[0].Pair, rows[0].PairA, rows[0].PairB)
	}
	key := unitKey{min(a, b), max(a, b), len(rows),
		rows[0].Start + " " + rows[0].OpeningID + " " + strconv.FormatUint(rows[0].OpeningHash, 16)}
	play, err := r.games.see(key, rows, a)
	if err != nil {
		return fmt.Errorf("pair %d: %w", rows[0].Pair, err)
	}
	u := r.games.unit(key)
	u.pairs++
	if r.timed[rows[0].PairA] || r.timed[rows[0].PairB] {
		if err := r.meet(u, key, play); err != nil {
			return err
		}
	}
	for _, row := range rows {
		u.add(unitGame{r.players[row.Black], r.players[row.White], s}, row.Outcome)
	}
	return nil
}

// see adds the pair to the series of its two players. first is the number of the pair's first player. The method
// evidence later counts the observations of these series. see returns the pair from the point of view of the player
// with the smaller number.
func (g *Games) see(key unitKey, rows []match.Row, first int) (stats.Play, error) {
	p := gate.OfRows(rows)
	if first != key.a {
		p = p.Mirror()
	}
	p.Opening = key.opening
	both := [3]int{key.a, key.b, len(rows)}
	if g.series[both] == nil {
		g.series[both] = &stats.Series{}
	}
	_, err := g.series[both].Add(p)
	return p, err
}

func (g *Games) unit(key unitKey) *unit {
	u := g.units[key]
	if u == nil {
		g.clusters++
		if g.openings[key.opening] == 0 {
			g.openings[key.opening] = len(g.openings) + 1
		}
		u = &unit{cluster: g.clusters, opening: g.openings[key.opening], games: map[unitGame]*crosstable.Count{}}
		g.units[key] = u
		g.order = append(g.order, u)
	}
	return u
}

func (u *unit) add(game unitGame, outcome match.Outcome) {
	c := u.games[game]
	if c == nil {
		c = &crosstable.Count{Handicap: game.start.handicap, Cluster: u.cluster, Opening: u.opening}
		u.games[game] = c
		u.order = append(u.order, game)
	}
	switch outcome {
	case match.BlackWins:
		c.BlackWins++
	case match.WhiteWins:
		c.WhiteWins++
	case match.Draw:
		c.Draws++
	case match.Unfinished:
	}
}

// Counts returns the counts of all games. Players of files have the names that the ratings show.
func (g *Games) Counts() ([]crosstable.Count, error) {
	r, err := g.record()
	if err != nil {
		return nil, err
	}
	return slices.Collect(r.counts), nil
}

// record returns all games, with a distinct name for each player.
func (g *Games) record() (played, error) {
	labels, err := g.fileLabels()
	if err != nil {
		return played{}, err
	}
	files, runs := g.files.counts, g.runCounts()
	r := played{}
	at := func(i int) crosstable.Count {
		if i < len(files) {
			return files[i].counted(labels)
		}
		return runs[i-len(files)]
	}
	r.counts = func(yield func(crosstable.Count) bool) {
		for i := range len(files) + len(runs) {
			if !yield(at(i)) {
				return
			}
		}
	}
	for i := range files {
		r.drawn += int(files[i].draws)
	}
	for _, c := range runs {
		r.drawn += c.Draws
	}
	r.table, err = crosstable.Collect(len(files)+len(runs), at)
	return r, err
}

// runCounts returns the games of all runs as counts for the table.
func (g *Games) runCounts() []crosstable.Count {
	list := make([]crosstable.Count, 0, len(g.order))
	for _, u := range g.order {
		for _, game := range u.order {
			c := *u.games[game]
			c.Black, c.White = g.players[game.black].Label, g.players[game.white].Label
			c.Weight = 1 / float64(u.pairs)
			if c.Handicap > 0 {
				c.Receiver = c.Black
				if game.start.receiver == shogi.White {
					c.Receiver = c.White
				}
			}
			list = append(list, c)
		}
	}
	return list
}

// fileLabels returns labels[file][name]: the label of the player to which a file refers by a name. The label is "" if
// the file does not have the name.
func (g *Games) fileLabels() ([][]string, error) {
	labels := make([][]string, len(g.files.sources.list))
	for i := range labels {
		labels[i] = make([]string, len(g.files.names.list))
	}
	find := func(source, name int32) (err error) {
		if labels[source][name] == "" {
			labels[source][name], err = g.players.ofFile(g.files.names.list[name], g.files.sources.list[source])
		}
		return err
	}
	for i := range g.files.counts {
		c := &g.files.counts[i]
		if err := find(c.source, c.black); err != nil {
			return nil, err
		}
		if err := find(c.source, c.white); err != nil {
			return nil, err
		}
	}
	return labels, nil
}

// Evidence has the numbers of games and of independent observations from which the ratings were calculated.
type Evidence struct {
	// games that are assumed independent: the games of files without a column pair.
	Independent int `json:"independent_games"`
	// openings of runs, and pairs of files. The games of one opening or pair depend on each other.
	Clusters int `json:"clusters"`
	Pairs    int `json:"pairs"`    // pairs of runs
	Openings int `json:"openings"` // openings of runs. An opening counts once for every two players who played it.
	Copies   int `json:"copies"`   // pairs of runs that repeat an earlier pair move for move
}

// evidence counts the games, pairs, openings and copies behind the ratings; [stats.Series] defines a copy.
func (g *Games) evidence() Evidence {
	e := Evidence{Clusters: g.clusters}
	for _, s := range g.series {
		e.Pairs += s.Pairs()
		e.Openings += s.Openings()
		e.Copies += s.Copies()
	}
	for i := range g.files.counts {
		if f := &g.files.counts[i]; f.cluster == 0 {
			e.Independent += f.games()
		}
	}
	return e
}

// shared returns the names that occur both in files and in runs. A file does not show which program such a
// name means.
func (g *Games) shared() []string {
	return lists.Filter(g.files.names.list, func(name string) bool { return len(g.players.named(name)) == 1 })
}

// played has the results of all games in two forms: a table for the models, and single counts for the MM
// algorithm.
type played struct {
	table  crosstable.Table           // the sums of counts for each pairing
	counts iter.Seq[crosstable.Count] // the single counts of the files and runs
	drawn  int                        // number of drawn games
}

func (r played) handicapped() int {
	n := 0.0
	for i := range r.table.Cells {
		if c := &r.table.Cells[i]; c.Handicap > 0 {
			n += c.Played
		}
	}
	return int(n)
}

func (r played) gamesOf() map[string]int {
	games, _ := r.table.Totals()
	of := make(map[string]int, len(games))
	for i, name := range r.table.Names {
		of[name] = int(games[i])
	}
	return of
}
