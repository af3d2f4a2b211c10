// Package stored makes reports, comparisons, ratings and lists of games from a database. Both the commands
// and the browser pages use it. [Report] returns the report of one run, [Gather] begins a report whose pairs
// arrive step by step, and [Runs] lists the runs.
package stored

import (
	"context"
	"errors"
	"reflect"
	"slices"

	"gogi/configs/advice"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/match/tournament"
	"gogi/report"
	"gogi/report/effects"
	"gogi/report/html"
	"gogi/results"
	"gogi/shogi/kifu"
	"gogi/stats"
	"gogi/usi"
)

// Report returns the report of a run. It reads all pairs once. Before it adds a pair, it calls each of the
// watch functions with the pair's games.
func Report(ctx context.Context, store *results.Store, run string, watch ...func([]match.Row) error) (*report.Report,
	error) {
	g, err := Gather(ctx, store, run)
	if err != nil {
		return nil, err
	}
	return g.rest(ctx, store, watch...)
}

// Gathering is an unfinished report of a run. The caller may add the first pairs itself; Finish then reads
// the other pairs from the database.
type Gathering struct {
	info *results.RunInfo
	run  report.Run
	sums *report.Gatherer
	rank *ranking
	next int // number of the next pair to add. The sums have all earlier pairs.

	first [][]match.Row // the games of the first pairs, at most sampledPairs, for noteScores
	mated mated         // for noteMates

	after func([]match.Row) // called after a pair from the database has been added. It may be nil.
}

// Gather begins the report of a run. It returns an error for a tune (a run that optimises parameters) and for
// self-play, because these runs prove no strength (see Proves).
func Gather(ctx context.Context, store *results.Store, name string) (*Gathering, error) {
	info, err := store.FindRun(ctx, name)
	if err != nil {
		return nil, err
	}
	if err := Proves(info); err != nil {
		return nil, err
	}
	g := &Gathering{info: info}
	if g.rank, err = newRanking(info); err != nil {
		return nil, err
	}
	if g.run, err = ReportRun(ctx, store, info); err != nil {
		return nil, err
	}
	g.sums, err = report.New(g.run)
	return g, err
}

// Add adds a pair. The caller adds pairs in ascending order of their numbers, from 0. After a missing number,
// Add ignores all later pairs. Finish reads the missing pair and the ignored pairs from the database.
func (g *Gathering) Add(rows []match.Row) error {
	if len(rows) == 0 || rows[0].Pair != g.next {
		return nil
	}
	g.next++
	g.sample(rows)
	return errors.Join(g.sums.Add(rows), g.rank.add(rows))
}

// sample keeps the games of the first pairs.
func (g *Gathering) sample(rows []match.Row) {
	for i := range rows {
		g.mated.add(&rows[i])
	}
	if len(g.first) < sampledPairs {
		g.first = append(g.first, slices.Clone(rows))
	}
}

// rest reads the pairs that are not in the sums yet, and returns the report. It calls the watch functions
// before it adds a pair.
func (g *Gathering) rest(ctx context.Context, store *results.Store, watch ...func([]match.Row) error) (*report.Report,
	error) {
	err := store.Pairs(ctx, g.info.ID, results.Filter{FromPair: g.next}, func(rows []match.Row) error {
		for _, see := range watch { // before the pair is added
			if err := see(rows); err != nil {
				return err
			}
		}
		g.sample(rows)
		err := errors.Join(g.sums.Add(rows), g.rank.add(rows))
		if g.after != nil {
			g.after(rows)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	rep := g.sums.Report()
	rep.Ranking = g.rank.of(rep)
	return rep, errors.Join(countBooks(ctx, store, g.info, rep), noteScores(ctx, store, g.info.ID, g.first, rep),
		noteMates(ctx, store, g.info.ID, g.mated, rep), noteMembers(ctx, store, g.info, g.first, rep))
}

// Finish reads the other pairs and returns the report. If the run's settings have changed since Gather, it
// reads all pairs again.
func (g *Gathering) Finish(ctx context.Context, store *results.Store) (*report.Report, error) {
	now, err := Gather(ctx, store, g.run.Name)
	if err == nil && reflect.DeepEqual(now.run, g.run) {
		now = g
	}
	if err != nil {
		return nil, err
	}
	return now.rest(ctx, store)
}

// Shown returns the content of a run's page: the report, the facts about the run, and the course of the score
// over the run. When the page is written, it reads records of games from the store, even after the end of
// ctx.
func Shown(ctx context.Context, store *results.Store, info *results.RunInfo) (*html.Shown, error) {
	g, err := Gather(ctx, store, info.Name)
	if err != nil {
		return nil, err
	}
	about, err := About(info)
	if err != nil {
		return nil, err
	}
	seen := html.NewScenes(info.Players[0], info.Players[1])
	seen.Watch(g.sums.Moment)
	g.after = seen.Add
	rep, err := g.rest(ctx, store)
	if err != nil {
		return nil, err
	}
	lasting := context.WithoutCancel(ctx)
	state := ReportState(rep, nil)
	return &html.Shown{Report: rep, Seen: seen, About: about, State: state.Message(), StateClass: state.Class(),
		Record: func(pair, leg int) (kifu.Record, error) {
			return store.Record(lasting, info.ID, pair, leg)
		}}, nil
}

// ReportRun converts a stored run to the form that package report needs. The result includes the log of the
// run's settings, which shows the settings before the first game.
func ReportRun(ctx context.Context, store *results.Store, info *results.RunInfo) (report.Run, error) {
	run := report.Run{Name: info.Name, Rules: info.Rules, Pairs: info.Pairs}
	plan, err := info.ParsePlan()
	if err != nil {
		return run, err
	}
	for i, e := range info.Engines {
		run.Players = append(run.Players, report.Player{
			Name: e.Name, Identity: e.Identity.String(), SHA256: e.Identity.SHA256(), ID: e.Identity.ID(),
			Limits: plan.LimitsText(i), Asked: asked(plan, i, e),
		})
	}
	if plan.Design == match.DesignImported {
		run.Imported = &report.Imported{Pairs: plan.Swap, Names: !slices.Equal(info.Players, kifu.DefaultNames())}
	}
	if plan.Design.ByResults() {
		spec := tournament.OfCanonical(plan, info.Pairs)
		run.Tournament = &spec
	}
	settings, err := store.Settings(ctx, info.ID)
	if err != nil {
		return run, err
	}
	first, err := store.FirstStored(ctx, info.ID)
	if err != nil {
		return run, err
	}
	run.Gate = registrationOf(settings, first)
	if run.Voided, err = voidings(ctx, store, info, run.Gate); err != nil {
		return run, err
	}
	reused, err := store.Reused(ctx, info.ID)
	if err != nil {
		return run, err
	}
	run.Reused = len(reused)
	for _, s := range settings {
		run.Notes = s.Notes
		run.Starts = append(run.Starts, report.Start{At: s.At, Changes: s.Changes, Late: first != 0 && s.ID > first})
	}
	return run, nil
}

// asked returns the facts with which the report decides whether a player keeps its limits.
func asked(plan *match.CanonicalPlan, player int, e results.Engine) report.Asked {
	a := report.Asked{Limits: plan.UseLimits(player)}
	if plan.Players[player].Council != nil || playsFromBook(e.Identity) {
		a.By = match.MayBeLess
	}
	if len(e.InEffect) == 1 {
		a.Margins = advice.Margins(e.InEffect[0])
	}
	return a
}

// About returns the facts about a stored run that a report prints in addition to its figures.
func About(info *results.RunInfo) (report.About, error) {
	plan, err := info.ParsePlan()
	if err != nil {
		return report.About{}, err
	}
	facts := *info
	facts.Engines = slices.Clone(info.Engines)
	for i := range facts.Engines {
		facts.Engines[i].Limits = plan.LimitsText(i)
	}
	return report.About{RunInfo: &facts, Plan: plan}, nil
}

// Divergence returns how often A and B chose different moves in the same position. It compares the two games
// of each of their pairs.
func Divergence(ctx context.Context, store *results.Store, run int64, a, b string) (*report.Divergence, error) {
	d := &report.Divergence{}
	err := store.Pairs(ctx, run, results.Filter{}, func(rows []match.Row) error {
		r := rows[0]
		if len(rows) < 2 || r.PairA != a || r.PairB != b {
			return nil
		}
		one, err := store.Record(ctx, run, r.Pair, 0)
		if err != nil {
			return err
		}
		two, err := store.Record(ctx, run, r.Pair, 1)
		if err != nil {
			return err
		}
		d.Compare(one.USIMoves()[r.OpeningPlies:], two.USIMoves()[r.OpeningPlies:])
		return nil
	})
	return d, err
}

// registrationOf reads the design of a run's gate from the run's log of settings. first is the ID of the setting that
// was in force when the first pair was stored (Store.FirstStored), or 0 if no pair is stored. The design comes from
// that setting. If that setting has none, it comes from the first later setting that has one.
func registrationOf(settings []results.Setting, first int64) report.Registration {
	r := report.Registration{Registered: true}
	for _, now := range settings {
		r.Provisional, r.Longest = now.Provisional, max(r.Longest, now.Pairs)
		switch {
		case first == 0 || now.ID <= first:
			r.Design, r.Pairs = now.Gate, now.Pairs
		case r.Design.IsZero() && !now.Gate.IsZero():
			r.Design, r.Pairs, r.Registered = now.Gate, now.Pairs, false
		default:
			noteChanges(&r, now.Gate, now.Pairs)
		}
	}
	return r
}

// noteChanges adds each difference between the registered design and a later one to r.Changes or r.Maxima, unless it is
// already there.
func noteChanges(r *report.Registration, design stats.SPRT, pairs int) {
	note := func(to *[]i18n.Message, message i18n.Message) {
		if !slices.ContainsFunc(*to, func(known i18n.Message) bool { return known.String() == message.String() }) {
			*to = append(*to, message)
		}
	}
	if design != r.Design {
		note(&r.Changes, i18n.Of("the test was changed from %s to %s after the first game", r.Design, design))
	}
	if pairs != r.Pairs {
		note(&r.Maxima,
			i18n.Of("the maximum was changed from %d to %d pairs after the first game; the bounds do not depend on it",
				r.Pairs, pairs))
	}
}

// countBooks adds each player's number of book moves to a report. The database rows do not have this number.
// If a player has a book, countBooks therefore reads the records of all games of the run.
func countBooks(ctx context.Context, store *results.Store, info *results.RunInfo, rep *report.Report) error {
	moves := map[string]*int{}
	for i := range info.Engines {
		if playsFromBook(info.Engines[i].Identity) {
			moves[info.Engines[i].Name] = new(int)
		}
	}
	if len(moves) == 0 {
		return nil
	}
	err := store.Pairs(ctx, info.ID, results.Filter{}, func(rows []match.Row) error {
		for i := range rows {
			r := &rows[i]
			black, white := moves[r.Black], moves[r.White]
			if black == nil && white == nil {
				continue
			}
			record, err := store.Record(ctx, info.ID, r.Pair, r.Leg)
			if err != nil {
				return err
			}
			if err := countBookMoves(&record, [2]*int{black, white}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for i := range rep.Players {
		rep.Players[i].BookMoves = moves[rep.Players[i].Name]
	}
	return nil
}

// sampledPairs is the number of first pairs whose scores noteScores reads, and leastScores the least number of scores
// that prove something.
const (
	sampledPairs = 2
	leastScores  = 20
)

// noteScores sets ZeroScores of each player whose scores in the first games of the run are all 0. Such an engine
// probably plays without its evaluation file.
func noteScores(ctx context.Context, store *results.Store, run int64, first [][]match.Row, rep *report.Report) error {
	scores, others := map[string]int{}, map[string]bool{}
	err := eachSide(ctx, store, run, first, func(player string, m *kifu.Move) {
		if m.HasScore {
			scores[player]++
			others[player] = others[player] || m.Score != 0
		}
	})
	if err != nil {
		return err
	}
	for i := range rep.Players {
		if p := &rep.Players[i]; scores[p.Name] >= leastScores && !others[p.Name] {
			p.ZeroScores = scores[p.Name]
		}
	}
	return nil
}

// noteMembers sets Members of each council from its votes in the first games of the run.
func noteMembers(ctx context.Context, store *results.Store, info *results.RunInfo, first [][]match.Row,
	rep *report.Report) error {
	plan, err := info.ParsePlan()
	if err != nil {
		return err
	}
	var votes map[string][][]byte
	for i := range rep.Players {
		limits := plan.MemberLimits(i)
		if limits == nil {
			continue
		}
		if votes == nil {
			if votes, err = votesOf(ctx, store, info.ID, first); err != nil {
				return err
			}
		}
		var margins [][]string
		for _, options := range info.Engines[i].InEffect {
			margins = append(margins, advice.Margins(options))
		}
		rep.Players[i].Members = report.MemberUses(limits, votes[rep.Players[i].Name], margins)
	}
	return nil
}

// votesOf returns the vote records of games by the player.
func votesOf(ctx context.Context, store *results.Store, run int64, games [][]match.Row) (map[string][][]byte, error) {
	votes := map[string][][]byte{}
	err := eachSide(ctx, store, run, games, func(player string, m *kifu.Move) {
		if vote := m.Vote(); len(vote) > 0 {
			votes[player] = append(votes[player], vote)
		}
	})
	return votes, err
}

// eachSide calls see for each move of games with the name of the player that moved. It skips damaged records, because
// they must not prevent the report.
func eachSide(ctx context.Context, store *results.Store, run int64, games [][]match.Row,
	see func(player string, m *kifu.Move)) error {
	for _, r := range slices.Concat(games...) {
		record, err := store.Record(ctx, run, r.Pair, r.Leg)
		if ctx.Err() != nil {
			return err
		}
		start, unread := match.Opening{ID: "of the record", Start: record.Start}.Position()
		if err != nil || unread != nil {
			continue
		}
		mover := start.Side()
		for k := range record.Moves {
			see([2]string{r.Black, r.White}[mover], &record.Moves[k])
			mover = mover.Opponent()
		}
	}
	return nil
}

// seat is the place of a game in a run.
type seat struct{ pair, leg int }

// mated has the first games that each player won by checkmate, at most usi.MateGames, by the player's name.
type mated map[string][]seat

func (m *mated) add(r *match.Row) {
	side, won := r.Outcome.Winner()
	if !won || r.Termination != match.Checkmate {
		return
	}
	winner := [2]string{r.Black, r.White}[side]
	if *m == nil {
		*m = mated{}
	}
	if len((*m)[winner]) < usi.MateGames {
		(*m)[winner] = append((*m)[winner], seat{r.Pair, r.Leg})
	}
}

// noteMates sets MateBase of each player that writes mates as centipawns.
func noteMates(ctx context.Context, store *results.Store, run int64, games mated, rep *report.Report) error {
	scales := usi.MateScales{}
	for winner, seats := range games {
		for _, at := range seats {
			record, err := store.Record(ctx, run, at.pair, at.leg)
			if ctx.Err() != nil {
				return err
			}
			if err == nil { // a damaged record must not prevent the report
				scales.Won(winner, &record)
			}
		}
	}
	for i := range rep.Players {
		if scale := scales[rep.Players[i].Name]; scale != nil {
			rep.Players[i].MateBase = scale.Base()
		}
	}
	return nil
}

// playsFromBook reports whether a player has a book from which gogi itself plays.
func playsFromBook(id match.Identity) bool {
	return slices.ContainsFunc(id.Files, func(f match.FileHash) bool { return f.Role == match.BookRole })
}

// countBookMoves adds the book moves of a game to the counters of its players. moves has the counters by
// colour; nil means a player without a book.
func countBookMoves(record *kifu.Record, moves [2]*int) error {
	start, err := match.Opening{ID: "of the record", Start: record.Start}.Position()
	if err != nil {
		return err
	}
	mover := start.Side()
	for i := range record.Moves {
		if n := moves[mover]; n != nil && record.Moves[i].FromBook() {
			*n++
		}
		mover = mover.Opponent()
	}
	return nil
}

// Effects returns the table that shows in which games the difference between a run's first two players
// arises.
func Effects(ctx context.Context, store *results.Store, info *results.RunInfo, end End) (*effects.Table, error) {
	g := effects.New(effectsRun(info, end))
	if err := addPairs(ctx, store, info, g.Add); err != nil {
		return nil, err
	}
	return g.Table()
}

// effectsRun returns the facts about a run that package effects needs.
func effectsRun(info *results.RunInfo, end End) effects.Run {
	return effects.Run{Name: info.Name, A: info.Players[0], B: info.Players[1], Finished: end.Finished, Gate: end.Gate,
		Pairs: info.Finished}
}

// Boards returns the score of the first player of a run against the second one for each opening and for each family of
// openings.
func Boards(ctx context.Context, store *results.Store, info *results.RunInfo, end End) (*effects.Boards, error) {
	g := effects.NewBoards(effectsRun(info, end))
	if err := addPairs(ctx, store, info, g.Add); err != nil {
		return nil, err
	}
	return g.Boards(), nil
}
