package ensemble

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"gogi/ensemble/voting"
	"gogi/internal/lists"
	"gogi/shogi"
	"gogi/usi"
)

// conclude applies the decision d: the council's rule observes it, and each shadow rule observes its own decision from
// shadows. conclude returns the reply with the vote's record.
func (v *vote) conclude(d voting.Decision, shadows []voting.Decision) (usi.Reply, error) {
	elapsed := time.Since(v.start)
	before := v.session.Weights()
	o := observed{ply: len(v.line.Moves), position: v.line.Position, ballots: v.ballots, decision: d, shadows: shadows}
	v.learn(&o)
	v.observed = append(v.observed, o)
	record := v.record(&o, before, elapsed)
	detail, err := json.Marshal(record)
	if err != nil {
		return usi.Reply{}, fmt.Errorf("council %s: recording a vote: %w", v.config.Name, err)
	}
	reply := usi.Reply{
		Answer: d.Answer, Move: d.Move, Ponder: d.Ponder, Text: d.Word(), Lines: v.lines(&d, elapsed),
		Nodes: record.Nodes, Elapsed: elapsed, Hit: v.hit, Stopped: v.stopped, Detail: detail, Absent: v.absent(),
		Vote: v.shown(&d, before),
	}
	return reply, nil
}

// shown returns the part of the vote that observers receive. before contains the members' weights before the decision.
func (v *vote) shown(d *voting.Decision, before []float64) *usi.Vote {
	t := &usi.Vote{By: string(d.By), Split: d.Split(), Ballots: make([]usi.Ballot, 0, len(v.ballots))}
	for i := range v.ballots {
		b := &v.ballots[i]
		t.Ballots = append(t.Ballots, usi.Ballot{
			Member: v.names[b.Member], Kind: string(b.Kind), Move: b.Move, Score: b.Score, HasScore: b.HasScore,
			Weight: before[b.Member],
		})
	}
	return t
}

func (v *vote) record(o *observed, before []float64, elapsed time.Duration) *voting.Record {
	r := &voting.Record{
		Version: voting.RecordVersion, Type: "vote", Council: v.config.Name, Ply: o.position.Ply(), Own: len(v.observed),
		Side: o.position.Side().String(), SFEN: o.position.SFEN(), Rule: v.session.Rule(), Seed: v.seed,
		Stop: string(v.config.Stop),
		Ties: v.session.Settings.Ties, Declaration: v.session.Settings.Declaration.String(),
		ResignQuorum: v.session.ResignShare(),
		Members:      v.names, Scales: v.scales, Clamps: v.clamps, Veto: v.veto, Examined: v.examined, Before: before,
		After: v.session.Weights(), Early: v.early,
		WallMS: voting.Milliseconds(elapsed), Alive: v.alive(), Ballots: make([]voting.BallotRecord, len(v.ballots)),
	}
	r.Decided(&o.decision)
	for i := range v.ballots {
		b := &v.ballots[i]
		r.Ballots[i] = voting.RecordBallot(b, v.names[b.Member])
	}
	r.Nodes, r.Pondered, r.Hits, r.Spared, r.Unasked = v.nodes(), v.replied, v.hits, v.spared, v.unasked
	for i, s := range v.shadows {
		d := &o.shadows[i]
		r.Shadow = append(r.Shadow, voting.ShadowVote{Rule: s.Rule(), Played: d.Word(), By: d.By})
	}
	for _, s := range v.runners {
		r.Events = append(r.Events, s.takeEvents()...)
	}
	return r
}

// nodes returns the nodes of all members for this decision.
func (v *vote) nodes() (sum uint64) {
	for i := range v.ballots {
		sum += v.ballots[i].Nodes
	}
	for i := range v.veto {
		sum += v.veto[i].Nodes
	}
	return sum + v.extra
}

// absent returns the number of members that have no vote. Such a member failed, gave no move in time, gave an illegal
// move, or declared a win.
func (v *vote) absent() int {
	n := 0
	for i := range v.ballots {
		switch v.ballots[i].Kind {
		case voting.KindDead, voting.KindNone, voting.KindIllegal, voting.KindWin:
			n++
		case voting.KindMove, voting.KindResign, voting.KindLate:
		}
	}
	return n
}

// scalesOf returns every member's Voter.Slope and Voter.Intercept. It returns nil if no member has its own values.
func scalesOf(voters []voting.Voter) [][2]float64 {
	list := lists.Map(voters, func(v voting.Voter) [2]float64 { return [2]float64{v.Slope, v.Intercept} })
	return anyOf(list)
}

// clampsOf returns every member's Voter.Clamp, the limit of its scores. It returns nil if no member has one.
func clampsOf(voters []voting.Voter) []float64 {
	list := lists.Map(voters, func(v voting.Voter) float64 { return v.Clamp })
	return anyOf(list)
}

// anyOf returns list. It returns nil if all values of list are zero.
func anyOf[T comparable](list []T) []T {
	var zero T
	if !slices.ContainsFunc(list, func(x T) bool { return x != zero }) {
		return nil
	}
	return list
}

// lines returns the candidates as a MultiPV list, with the played move first. Each line has the score and the
// variation of the candidate's best backer, the nodes of all members, and the time elapsed.
func (v *vote) lines(d *voting.Decision, elapsed time.Duration) []usi.Info {
	nodes := v.nodes()
	var list []usi.Info
	add := func(m shogi.Move, member int) {
		i := slices.IndexFunc(v.ballots, func(b voting.Ballot) bool { return b.Member == member })
		if i < 0 || v.ballots[i].Move != m {
			return
		}
		b := &v.ballots[i]
		info := usi.Info{
			Depth: b.Depth, SelDepth: b.SelDepth, MultiPV: len(list) + 1, Score: b.Score, HasScore: b.HasScore,
			Nodes: nodes, Time: elapsed, PV: b.PV,
		}
		if s := elapsed.Seconds(); s > 0 {
			info.NPS = uint64(float64(nodes) / s)
		}
		if len(info.PV) == 0 || info.PV[0] != m {
			info.PV = []shogi.Move{m}
		}
		list = append(list, info)
	}
	if d.Answer == usi.AnswerMove {
		add(d.Move, d.BestBacker)
	}
	votes := voting.Counted(voting.Examined(&v.line.Position, v.ballots))
	for i := range d.Candidates {
		if c := &d.Candidates[i]; c.Move != d.Move || d.Answer != usi.AnswerMove {
			add(c.Move, voting.BestBacker(votes, c.Move, v.voters))
		}
	}
	return list
}

// report sends the move that leads at present to the caller's OnInfo, as an info line.
func (v *vote) report() {
	ballots := slices.Clone(v.ballots)
	for _, i := range v.pending {
		if r, ok := v.runners[i].snapshot(v.question); ok {
			ballots = append(ballots, v.variation(i, r))
		}
	}
	sofar := *v
	sofar.ballots = voting.Sorted(ballots)
	d := v.session.Decide(&v.line.Position, sofar.ballots)
	if list := sofar.lines(&d, time.Since(v.start)); len(list) > 0 && d.Answer == usi.AnswerMove {
		v.request.OnInfo(list[0])
	}
}
