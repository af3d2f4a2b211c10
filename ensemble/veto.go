package ensemble

import (
	"cmp"
	"context"
	"slices"
	"time"

	"gogi/ensemble/voting"
	"gogi/shogi"
	"gogi/usi"
)

// Veto configures a check of the voted move before the council plays it. Some members that voted for another
// move search the position after the voted move for a short time. The council plays the runner-up of the vote
// if all of these members score the voted move more than Margin below the runner-up's best score. It never
// plays a move without a vote. The zero value turns the check off.
type Veto struct {
	Time    time.Duration // time of the check; if Time and Nodes are 0, there is no veto
	Nodes   uint64        // limit of the check in nodes, instead of Time
	Margin  float64       // in centipawns (of DefaultSlope); 0: DefaultVetoMargin
	Members int           // the largest number of members that check; 0: 2
}

// DefaultVetoMargin is the default of Veto.Margin, in centipawns: members veto a move whose score is more
// than 80 centipawns below that of the runner-up. The authors of programs in which one engine can veto the
// moves of another engine found that 80 was the best value.
const DefaultVetoMargin = 80

func (x Veto) on() bool { return x.Time > 0 || x.Nodes > 0 }

// vetoes is the part of a vote in which its members may object to the decision.
type vetoes struct{ *vote }

// checkByVeto lets critics check a decision by vote. If all critics object, it replaces the move with the
// runner-up.
func (v vetoes) checkByVeto(ctx context.Context, d *voting.Decision) {
	x := v.config.Veto
	if !x.on() || d.By != voting.ByRule || len(d.Candidates) < 2 || ctx.Err() != nil {
		return
	}
	runnerUp := slices.IndexFunc(d.Candidates[1:], func(c voting.Candidate) bool { return c.Count() > 0 }) + 1
	if runnerUp == 0 || !v.timeFor(x) {
		return
	}
	critics := v.critics(d.Move)
	if len(critics) == 0 {
		return
	}
	objections, all := v.objections(ctx, d, critics, d.Candidates[runnerUp].Best)
	if v.veto = objections; all {
		v.session.Overrule(&v.line.Position, v.ballots, d, d.Candidates[runnerUp].Move)
	}
}

// timeFor reports whether the time until the deadline is enough for the critics' searches.
func (v *vote) timeFor(x Veto) bool {
	return v.request.Deadline == 0 || time.Since(v.start)+x.Time < v.vetoDeadline()
}

// vetoDeadline returns the latest end of the critics' searches. This end is later than the deadline of the
// vote: the user of a veto accepts a longer use of the clock, and the critics have just shown that they
// answer.
func (v *vote) vetoDeadline() time.Duration { return max(v.request.Deadline-Level, v.memberDeadline()) }

// critics returns the members that check the voted move m: members that voted for another move and are not busy. It
// returns at most Veto.Members of them.
func (v vetoes) critics(m shogi.Move) []int {
	most := cmp.Or(v.config.Veto.Members, 2)
	var list []int
	for i := range v.ballots {
		b := &v.ballots[i]
		if b.Kind == voting.KindMove && b.Source != voting.SourceVariation && b.Move != m && len(list) < most &&
			v.runners[b.Member].free() {
			list = append(list, b.Member)
		}
	}
	return list
}

// objections lets the critics search the position after the voted move. second is the runner-up's best score as log
// odds. all reports whether every critic found the voted move worse than the runner-up by the margin.
func (v vetoes) objections(ctx context.Context, d *voting.Decision, critics []int,
	second float64) (list []voting.VetoResult, all bool) {
	x := v.config.Veto
	r := usi.Request{Position: v.request.Position, Go: usi.Go{MoveTime: x.Time}, Deadline: v.vetoDeadline()}
	if x.Nodes > 0 {
		r.Go = usi.Go{Nodes: x.Nodes}
	}
	r.Position.Moves = append(slices.Clip(r.Position.Moves), d.Move)
	answers := make(chan answer, len(critics)) // one from each critic, never closed
	q := v.newQuestion(answers)
	members, cancel := context.WithCancel(ctx)
	defer cancel() // stops late members
	search := func(life context.Context, s *memberRunner) { s.think(members, life, r, q) }
	for _, i := range critics {
		v.runners[i].jobs <- search
	}
	all = true
	after := v.line.Position
	after.Apply(d.Move)
	for _, a := range v.critiques(ctx, x, critics, answers) {
		o := v.objection(a, &after, second-cmp.Or(x.Margin, DefaultVetoMargin)*voting.DefaultSlope)
		all = all && o.Objects
		list = append(list, o)
	}
	slices.SortFunc(list, func(a, b voting.VetoResult) int { return a.Member - b.Member })
	return list, all
}

// critiques returns the critics' answers, and waits for them until the critics' time is over. A late critic
// does not object, because the council already has a move.
func (v vetoes) critiques(ctx context.Context, x Veto, critics []int, answers <-chan answer) []answer {
	limit := v.limit
	defer limit.Stop()
	if x.Nodes == 0 {
		limit.Reset(x.Time + stopGrace)
	}
	if left := v.vetoDeadline() + Level/3 - time.Since(v.start); v.request.Deadline > 0 &&
		(x.Nodes > 0 || left < x.Time+stopGrace) {
		limit.Reset(left)
	}
	done, pending := ctx.Done(), slices.Clone(critics)
	var list []answer
	for len(pending) > 0 {
		select {
		case a := <-answers:
			list = append(list, a)
			pending = slices.DeleteFunc(pending, func(i int) bool { return i == a.seat })
		case <-done:
			done, v.stopped = nil, true
			limit.Reset(stopGrace)
		case <-limit.C:
			for _, i := range pending {
				list = append(list, answer{seat: i, err: errBusy})
				v.runners[i].note("late")
			}
			return list
		}
	}
	return list
}

// objection turns an answer about the position after the move into a result. The member objects if its score, as log
// odds, is below limit. The score is negated, because a good score for the opponent is bad for the move. A bound
// decides only if it is beyond the limit; otherwise the last exact score decides.
func (v vetoes) objection(a answer, after *shogi.Position, limit float64) voting.VetoResult {
	o := voting.VetoResult{Member: a.seat, Nodes: a.reply.Nodes}
	if a.err != nil {
		return o
	}
	voter := v.voters[a.seat]
	for _, info := range []usi.Info{a.reply.Best(), a.reply.Scored()} {
		if !info.HasScore {
			continue
		}
		s := ofOpponent(info.Score)
		below := voter.LogOdds(voter.Points(s, true, info.Score.Mate > 0 && after.EndsInMate(info.PV))) < limit
		o.ScoreRecord = voting.NewScoreRecord(&s, true)
		if s.Bound == usi.Exact || (s.Bound == usi.UpperBound) == below {
			o.Objects = below
			break
		}
	}
	return o
}

// ofOpponent returns a score from the view of the other side.
func ofOpponent(s usi.Score) usi.Score {
	if s.Mate = -s.Mate; s.Mate == 0 {
		s.Value = -s.Value
	}
	switch s.Bound {
	case usi.LowerBound:
		s.Bound = usi.UpperBound
	case usi.UpperBound:
		s.Bound = usi.LowerBound
	case usi.Exact:
	}
	return s
}
