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

// Veto lets other members check a voted move before it is played. Members that did not vote for it search the
// position after it for a short time. If enough of them find it worse than the runner-up of the vote by a
// margin, the runner-up is played. A move without a vote is never played. The zero value is off.
type Veto struct {
	Time    time.Duration // time of the check; 0 with Nodes 0: no veto
	Nodes   uint64        // instead of time
	Margin  float64       // in centipawns (of DefaultSlope); 0: DefaultVetoMargin
	Members int           // how many are asked at most; 0: 2
}

// DefaultVetoMargin is the best value by the authors of master-and-counsellor programs.
const DefaultVetoMargin = 80

func (x Veto) on() bool { return x.Time > 0 || x.Nodes > 0 }

// examine asks for objections to a decision by vote, and follows them if all members that were asked object.
func (v *vote) examine(ctx context.Context, d *voting.Decision) {
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

// timeFor reports whether the check fits before the deadline.
func (v *vote) timeFor(x Veto) bool {
	return v.request.Deadline == 0 || time.Since(v.start)+x.Time < v.vetoDeadline()
}

// vetoDeadline returns the latest end of the critics' searches. It is later than that of the vote: the user of a
// veto accepts a longer use of the clock, and the critics have just shown that they answer.
func (v *vote) vetoDeadline() time.Duration { return max(v.request.Deadline-Level, v.memberDeadline()) }

// critics returns the members that voted for something else, as many as are asked, and that are not busy.
func (v *vote) critics(m shogi.Move) []int {
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

// objections has the critics search the position after the voted move. all reports whether each of them found
// it worse than the runner-up by the margin.
func (v *vote) objections(ctx context.Context, d *voting.Decision, critics []int, second float64) (list []voting.VetoResult, all bool) {
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
	for _, i := range critics {
		s := v.runners[i]
		s.jobs <- func(life context.Context) { s.think(members, life, r, q) }
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

// critiques waits for the critics until their time is over. The move is known already, and a late critic does
// not object.
func (v *vote) critiques(ctx context.Context, x Veto, critics []int, answers <-chan answer) []answer {
	limit := stoppedTimer()
	defer limit.Stop()
	if x.Nodes == 0 {
		limit.Reset(x.Time + stopGrace)
	}
	if left := v.vetoDeadline() + Level/3 - time.Since(v.start); v.request.Deadline > 0 && (x.Nodes > 0 || left < x.Time+stopGrace) {
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

// objection reads an answer about the position after the move: a good score for the opponent is bad for the
// move.
func (v *vote) objection(a answer, after *shogi.Position, limit float64) voting.VetoResult {
	o := voting.VetoResult{Member: a.seat, Nodes: a.reply.Nodes}
	best := a.reply.Best()
	if a.err != nil || !best.HasScore {
		return o
	}
	proven := best.Score.Mate > 0 && after.EndsInMate(best.PV)
	s := best.Score
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
	o.ScoreRecord = voting.NewScoreRecord(s, true)
	o.Bound = ""
	voter := v.voters[a.seat]
	o.Objects = s.Bound != usi.LowerBound && voter.LogOdds(voter.Points(s, true, proven)) < limit
	return o
}
