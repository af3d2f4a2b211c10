package stored

import (
	"context"
	"strings"

	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/internal/shellwords"
	"gogi/match"
	"gogi/report"
	"gogi/report/ratings"
	"gogi/results"
	"gogi/results/evidence"
	"gogi/stats/rating"
)

// Rate adds the finished pairs of runs to g, together with facts about the runs that cause warnings. Players
// with the same program and settings (the same key) count as one player. Rate returns the players with their
// labels, which are their names in the ratings.
func Rate(ctx context.Context, store *results.Store, infos []results.RunInfo, g *ratings.Games) (*evidence.Players,
	error) {
	players, err := evidence.PlayersOf(infos)
	if err != nil {
		return nil, err
	}
	g.Know(players.List)
	for i := range infos {
		if err := rateRun(ctx, store, &infos[i], players, g); err != nil {
			return nil, err
		}
	}
	return players, nil
}

func rateRun(ctx context.Context, store *results.Store, info *results.RunInfo, players *evidence.Players,
	g *ratings.Games) error {
	plan, err := info.ParsePlan()
	if err != nil {
		return err
	}
	numbers := players.Numbers(info)
	anchor := plan.Anchor
	if n, known := numbers[anchor]; known {
		anchor = players.List[n].Label
	}
	g.Anchored(anchor)
	run, timed := g.Run(numbers), map[string]bool{}
	for i, name := range info.Players {
		timed[name] = plan.Timed(i)
	}
	run.Timed(evidence.SessionOf(info.Name), plan.Conditions(), timed)
	rep, err := Report(ctx, store, info.Name, run.Add)
	switch {
	case err != nil:
		return err
	case !rep.Finished:
		g.Unfinished(info.Name)
	case rep.Gate != nil:
		g.Stopped(info.Name, rep.Gate.Design.String())
	}
	if rep.Tournament != nil {
		switch rep.Tournament.Design {
		case match.DesignAdaptive:
			g.Paired(info.Name)
		case match.DesignSwiss, match.DesignKnockout:
			g.Competed(info.Name)
		default: // results do not decide the pairings
		}
	}
	return nil
}

// ranking rates the players of a run with more than two players. It uses the pairs that the report reads.
type ranking struct {
	games  *ratings.Games
	run    *ratings.Run
	anchor string
}

// newRanking returns a ranking without pairs. It returns nil for a run of two players.
func newRanking(info *results.RunInfo) (*ranking, error) {
	if len(info.Players) < 3 {
		return nil, nil // nothing to rate
	}
	players, err := evidence.PlayersOf([]results.RunInfo{*info})
	if err != nil {
		return nil, err
	}
	plan, err := info.ParsePlan()
	if err != nil {
		return nil, err
	}
	k := &ranking{games: ratings.NewGames(), anchor: plan.Anchor}
	k.games.Know(players.List)
	k.games.Anchored(plan.Anchor)
	k.run = k.games.Run(players.Numbers(info))
	return k, nil
}

// add adds a whole pair.
func (k *ranking) add(rows []match.Row) error {
	if k == nil {
		return nil
	}
	return k.run.Add(rows)
}

const (
	rankConfidence = 0.95
	rankLevel      = 0.05
	mostCompared   = 30 // largest number of players to compare, so that a report does not take long
)

// RateCommand returns the command that rates the players of runs together. db is the database, or "" for a reader who
// may not know its path.
func RateCommand(db string, runs []string) string {
	words := append([]string{"gogi", "rate"}, runs...)
	if db != "" && db != "gogi.db" { // the default of --db
		words = append(words, "--db", db)
	}
	return strings.Join(lists.Map(words, shellwords.Quote), " ")
}

// of returns the ranking of the report's players, or nil for a run of two players.
func (k *ranking) of(rep *report.Report) *report.Ranking {
	r := rep.Rank()
	if r == nil || k == nil || rep.Games == 0 {
		return r
	}
	r.Confidence = rankConfidence
	// An adaptive design calculates its own ratings. Their intervals are more reliable for the pairs that it
	// chose.
	if rep.Tournament != nil && rep.Tournament.Design == match.DesignAdaptive {
		return nil
	}
	o := ratings.Options{
		Model: "all", Draws: "half", Confidence: rankConfidence, Seed: 1, Untested: true,
		Pairwise: len(r.Players) <= mostCompared,
	}
	rated, err := ratings.Rate(k.games, o)
	if err != nil {
		r.Why = i18n.Because(err)
		return r
	}
	if rated.Anchor != nil {
		r.Anchor = rated.Anchor.Player
	}
	of := map[string]ratings.Player{}
	for _, p := range rated.Players {
		of[p.Name] = p
	}
	for i := range r.Players {
		p := of[r.Players[i].Player]
		if r.Players[i].Elo, r.Players[i].Why = p.Elo, p.Why; rated.Scale == rating.ScaleElo {
			r.Players[i].Bounds = p.Bounds
		}
	}
	r.Unshown = unshown(r.Players, rated)
	return r
}

// unshown returns the players against whom the first player is not shown to be stronger. It includes players
// without a rating, who lost or won every game. It returns nil if the first player has no comparison.
func unshown(players []report.Ranked, rated *ratings.Report) []string {
	first := players[0].Player
	weaker, compared := map[string]bool{}, false
	for _, c := range rated.Comparisons {
		if c.PHolm == nil || c.Elo == nil || c.A != first && c.B != first {
			continue
		}
		compared = true
		other, ahead := c.B, *c.Elo > 0
		if c.B == first {
			other, ahead = c.A, *c.Elo < 0
		}
		weaker[other] = ahead && *c.PHolm < rankLevel
	}
	if !compared {
		return nil
	}
	list := []string{}
	for _, p := range players[1:] {
		if !weaker[p.Player] {
			list = append(list, p.Player)
		}
	}
	return list
}
