package voting

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gogi/internal/lists"
	"gogi/shogi"
	"gogi/usi"
)

// By names the cause of a decision.
type By string

// The causes of a decision.
const (
	ByForced      By = "forced"      // there was one legal move, or none
	ByDeclaration By = "declaration" // the declaration rule wins the game
	ByMate        By = "mate"        // a member's variation shows a checkmate
	ByResignation By = "resignation" // more than a quorum of the members resigned
	ByRule        By = "rule"        // the vote
	ByVeto        By = "veto"        // the vote's runner-up, after other members objected to the voted move
	ByExamination By = "examination" // the candidate that the members judged best in a cross-examination
	ByPlan        By = "plan"        // no member voted: the move continues the last decision's variation
	ByDefault     By = "default"     // no member voted: the first legal move
	ByBook        By = "book"        // the council's book: no member was asked
)

// Settings apply to a session with any rule.
type Settings struct {
	Ties        []Tie                 // empty: DefaultTies
	Declaration shogi.DeclarationRule // the rule by which the council may declare a win
	// ResignQuorum is a share of the living members. The council resigns if more members than this share
	// resign. 0 means one half.
	ResignQuorum float64
	// Exact compares sums bit by bit, so that 0.1 + 0.2 is more than 0.3. Records of version 1 were decided
	// in this way, and repeating their votes needs it.
	Exact bool
}

// Decision is a council's answer, with its cause.
type Decision struct {
	Answer     usi.Answer
	Move       shogi.Move // for AnswerMove
	Ponder     shogi.Move // the reply that the members expect, or NoMove
	By         By
	Tie        Tie         // the tie-break that decided between equal values, or ""
	Candidates []Candidate // the candidates by value, best first
	Leader     int         // the member with the largest weight before the decision, -1 without ballots
	BestBacker int         // the member whose score and variation the council reports with the move, or -1
	Vetoed     shogi.Move  // the vote's choice, if a veto or an examination replaced it
	Plain      shogi.Move  // the choice of the same ballots by simple majority
}

// Split returns the number of votes for each move, the largest number first, such as "3:3:1".
func (d *Decision) Split() string {
	var counts []int
	for i := range d.Candidates {
		if n := d.Candidates[i].Count(); n > 0 {
			counts = append(counts, n)
		}
	}
	slices.SortFunc(counts, func(a, b int) int { return cmp.Compare(b, a) })
	return strings.Join(lists.Map(counts, strconv.Itoa), ":")
}

// backers returns the members that voted for a move.
func (d *Decision) backers(m shogi.Move) []int {
	for i := range d.Candidates {
		if d.Candidates[i].Move == m {
			return d.Candidates[i].Backers
		}
	}
	return nil
}

// voted returns the members whose vote was counted.
func (d *Decision) voted() []int {
	var list []int
	for i := range d.Candidates {
		list = append(list, d.Candidates[i].Backers...)
	}
	return list
}

// A Session decides the moves of one council by one rule, game after game. It keeps the weights that the rule
// has learnt.
type Session struct {
	spec     Spec
	text     string // text of the spec
	rule     Rule
	voters   []Voter
	Settings Settings
	seed     uint64
	decision int
	previous []int // the members whose vote was last adopted
	plan     plan
}

// plan is the council's next move in the variation of the last decision, with the position in which the move is to be
// played.
type plan struct {
	key  uint64
	move shogi.Move
}

// NewSession returns a session of a rule. Call NewGame before the first vote.
func NewSession(spec Spec, voters []Voter, settings Settings) (*Session, error) {
	if len(voters) == 0 {
		return nil, errors.New("ensemble: a council without members cannot vote")
	}
	rule, err := NewRule(spec, voters, settings.Exact)
	if err != nil {
		return nil, fmt.Errorf("ensemble: %w", err)
	}
	if len(settings.Ties) == 0 {
		settings.Ties = DefaultTies()
	}
	return &Session{spec: spec, text: spec.String(), rule: rule, voters: voters, Settings: settings}, nil
}

// Clone returns a copy of the session that changes independently.
func (c *Session) Clone() *Session {
	twin := *c
	twin.rule = c.rule.clone()
	return &twin
}

// Rule returns the rule's text form.
func (c *Session) Rule() string { return c.text }

// Weights returns the present weight of each member's ballot.
func (c *Session) Weights() []float64 { return c.rule.Weights() }

// NewGame resets the session for a new game. All random choices depend on the seed.
func (c *Session) NewGame(seed uint64) {
	c.seed, c.decision, c.previous, c.plan = seed, 0, nil, plan{}
	c.rule.NewGame(seed)
}

// Before decides a position that needs no ballots. This is a position with at most one legal move, or a
// position in which the declaration rule wins the game. It returns false for all other positions.
func (c *Session) Before(p *shogi.Position) (Decision, bool) {
	d := Decision{Leader: -1, BestBacker: -1}
	if p.Declaration(c.Settings.Declaration).Win {
		d.Answer, d.By = usi.AnswerWin, ByDeclaration
		return d, true
	}
	var room [600]shogi.Move
	switch moves := p.LegalMoves(room[:0]); len(moves) {
	case 0:
		d.Answer, d.By = usi.AnswerResign, ByForced
	case 1:
		d.Answer, d.Move, d.By = usi.AnswerMove, moves[0], ByForced
	default:
		return d, false
	}
	return d, true
}

// FromBook returns the decision for a move of a book, which needs no ballots.
func FromBook(m shogi.Move) Decision {
	return Decision{Answer: usi.AnswerMove, Move: m, By: ByBook, Leader: -1, BestBacker: -1}
}

// Decide takes the vote and returns the decision. It does not change the session, and the order of the
// ballots does not matter.
func (c *Session) Decide(p *shogi.Position, ballots []Ballot) Decision {
	if d, ok := c.Before(p); ok {
		return d
	}
	ballots = Examined(p, ballots)
	weights := c.rule.Weights()
	d := Decision{Answer: usi.AnswerMove, By: ByRule, BestBacker: -1, Leader: c.leader(ballots, weights)}
	votes := Counted(ballots)
	order := c.ordering(d.Leader, weights)
	d.Candidates, d.Tie = c.rank(c.rule.Candidates(votes), order)
	d.Plain = c.plain(d.Candidates, order)
	switch mate := provenMate(ballots); {
	case mate >= 0:
		d.By, d.Move, d.Tie, d.BestBacker = ByMate, ballots[mate].Move, "", ballots[mate].Member
	case c.resigned(ballots):
		d.Answer, d.By, d.Tie = usi.AnswerResign, ByResignation, ""
	case len(d.Candidates) > 0:
		d.Move = d.Candidates[0].Move
	default:
		c.fallBack(p, &d)
	}
	if d.Answer == usi.AnswerMove {
		d.finish(p, votes, c.voters)
	}
	return d
}

// finish sets the best backer and the expected reply of a decision that plays a move.
func (d *Decision) finish(p *shogi.Position, votes []Ballot, voters []Voter) {
	if d.BestBacker < 0 {
		d.BestBacker = BestBacker(votes, d.Move, voters)
	}
	next := *p
	next.Apply(d.Move)
	d.Ponder = expectedReply(&next, votes, d.Move, d.Leader)
}

// Observe updates the session after a decision was played in the position.
func (c *Session) Observe(p *shogi.Position, ballots []Ballot, d *Decision) {
	ballots = Examined(p, ballots)
	c.rule.Observe(ballots, d)
	c.decision++
	c.plan = planAfter(p, ballots, d)
	if d.byVote() {
		c.previous = d.backers(d.Move)
	}
}

// Counted returns the ballots that count as votes for a move. A member that resigned votes for the first move
// of its variation, if there is one. (If the quorum has resigned, the council resigns without a vote.) If all
// ballots count, Counted returns the list itself.
func Counted(ballots []Ballot) []Ballot {
	n := 0
	for n < len(ballots) && ballots[n].votes() {
		n++
	}
	if n == len(ballots) {
		return ballots
	}
	votes := make([]Ballot, 0, len(ballots))
	for i := range ballots {
		if b := &ballots[i]; b.votes() {
			votes = append(votes, *b)
		}
	}
	return votes
}

// leader returns the member with the largest weight. If several members have this weight, it returns the first. It
// returns -1 without ballots.
func (c *Session) leader(ballots []Ballot, weights []float64) int {
	if len(ballots) == 0 {
		return -1
	}
	leader := 0
	for i, w := range weights {
		if compareSums(w, weights[leader], c.Settings.Exact) > 0 {
			leader = i
		}
	}
	return leader
}

func (c *Session) ordering(leader int, weights []float64) *ordering {
	chain := c.Settings.Ties
	if c.spec.Tally == "count" {
		chain = append([]Tie{TieSum}, chain...)
	}
	return &ordering{
		chain: chain, weights: weights, leader: leader, previous: c.previous, exact: c.Settings.Exact,
		seed: Mix(c.seed, uint64(c.decision)),
	}
}

// rank sorts the candidates. If the first two have equal values, it also returns the tie-break that separated
// them.
func (c *Session) rank(list []Candidate, order *ordering) ([]Candidate, Tie) {
	slices.SortFunc(list, func(a, b Candidate) int {
		v, _ := order.compare(&a, &b)
		return v
	})
	if len(list) < 2 {
		return list, ""
	}
	_, tie := order.compare(&list[0], &list[1])
	return list, tie
}

// plain returns the move that simple majority chooses among the candidates of any rule. It never chooses a candidate
// without backers, because another one has some.
func (c *Session) plain(candidates []Candidate, order *ordering) shogi.Move {
	even := *order // with equal weights the first member leads
	even.weights, even.leader = slices.Repeat([]float64{1}, len(c.voters)), 0
	best := Candidate{Move: shogi.NoMove}
	for _, x := range candidates {
		x.Value, x.Weight = float64(x.Count()), 0
		if before, _ := even.compare(&x, &best); best.Move == shogi.NoMove || before < 0 {
			best = x
		}
	}
	return best.Move
}

// provenMate returns the index of the ballot whose variation shows the shortest mate to its end. It returns
// -1 if there is no such ballot.
func provenMate(ballots []Ballot) int {
	best := -1
	for i := range ballots {
		b := &ballots[i]
		if b.Kind != KindMove || b.Score.Mate <= 0 || !b.proven {
			continue
		}
		if best < 0 || len(b.PV) < len(ballots[best].PV) {
			best = i
		}
	}
	return best
}

// resigned reports whether more than the quorum of the living members resigned.
func (c *Session) resigned(ballots []Ballot) bool {
	resigned, alive := census(ballots)
	return resigned > 0 && resigned >= c.quorumToResign(alive)
}

// census returns the number of members that resigned and the number of living members.
func census(ballots []Ballot) (resigned, alive int) {
	for i := range ballots {
		switch ballots[i].Kind {
		case KindDead:
			continue
		case KindResign:
			resigned++
		case KindMove, KindWin, KindIllegal, KindNone, KindLate:
		}
		alive++
	}
	return resigned, alive
}

// quorumToResign returns the number of members that must resign before the council resigns. alive is the number of
// living members.
func (c *Session) quorumToResign(alive int) int {
	return min(alive, int(math.Floor(c.ResignShare()*float64(alive)))+1)
}

// ResignShare returns the share of the living members above which the council resigns.
func (c *Session) ResignShare() float64 { return cmp.Or(c.Settings.ResignQuorum, 0.5) }

// fallBack sets the decision if no member voted. It plays the planned move or the first legal move, because
// missing votes are no reason to resign.
func (c *Session) fallBack(p *shogi.Position, d *Decision) {
	if c.plan.move != shogi.NoMove && c.plan.key == p.Key() && p.CheckLegal(c.plan.move) == nil {
		d.By, d.Move = ByPlan, c.plan.move
		return
	}
	var room [600]shogi.Move
	d.By, d.Move = ByDefault, p.LegalMoves(room[:0])[0]
}

// planAfter returns the plan after a decision, from the first three moves of the best backer's variation.
func planAfter(p *shogi.Position, ballots []Ballot, d *Decision) plan {
	i := slices.IndexFunc(ballots, func(b Ballot) bool { return b.Member == d.BestBacker })
	if i < 0 || len(ballots[i].PV) < 3 || ballots[i].PV[0] != d.Move {
		return plan{}
	}
	next := *p
	for _, m := range ballots[i].PV[:2] {
		if next.CheckLegal(m) != nil {
			return plan{}
		}
		next.Apply(m)
	}
	return plan{next.Key(), ballots[i].PV[2]}
}

// BestBacker returns the member with the best score among the members that voted for a move. If several members have
// this score, it returns the first. It returns -1 if no member voted for the move.
func BestBacker(votes []Ballot, m shogi.Move, voters []Voter) int {
	backer, best := -1, 0.0
	for i := range votes {
		b := &votes[i]
		if b.Move != m {
			continue
		}
		if s := voters[b.Member].odds(b.Line); backer < 0 || s > best {
			backer, best = b.Member, s
		}
	}
	return backer
}

// expectedReply returns the reply that most of the move's backers expect. If several replies have the same number of
// backers, it returns the first. If no backer names a reply, it returns the reply that the leader expects.
func expectedReply(next *shogi.Position, votes []Ballot, played shogi.Move, leader int) shogi.Move {
	var list []Candidate
	for i := range votes {
		b := &votes[i]
		if b.Move == played && b.Ponder != shogi.NoMove && next.CheckLegal(b.Ponder) == nil {
			CandidateOf(&list, b.Ponder).Value++
		}
	}
	best := shogi.NoMove
	most := 0.0
	for i := range list {
		if list[i].Value > most {
			best, most = list[i].Move, list[i].Value
		}
	}
	if best != shogi.NoMove || leader < 0 {
		return best
	}
	for i := range votes {
		if b := &votes[i]; b.Member == leader && b.Ponder != shogi.NoMove && next.CheckLegal(b.Ponder) == nil {
			return b.Ponder
		}
	}
	return shogi.NoMove
}

// Decided reports whether the missing ballots of the pending members can no longer change the vote. It can
// return true only for rules that add weights. It ignores that a pending member might still prove a mate.
func (c *Session) Decided(ballots []Ballot, pending []int) bool {
	if len(pending) == 0 {
		return true
	}
	if !c.rule.Additive() || c.spec.Tally == "count" {
		return false
	}
	ballots = Sorted(ballots) // the order of the scores does not change a sum of weights
	return !c.couldResign(ballots, len(pending)) && c.ahead(ballots, pending)
}

// couldResign reports whether the council could still resign: some of the pending members could resign, and the other
// pending members could fail. pending is their number.
func (c *Session) couldResign(ballots []Ballot, pending int) bool {
	resigned, alive := census(ballots)
	for more := 0; more <= pending; more++ {
		if resigned+more > 0 && resigned+more >= c.quorumToResign(alive+more) {
			return true
		}
	}
	return false
}

// ahead reports whether the first move leads by more than the weight of all pending members.
func (c *Session) ahead(ballots []Ballot, pending []int) bool {
	list := c.rule.Candidates(Counted(ballots))
	weights, left := c.rule.Weights(), 0.0
	for _, i := range pending {
		left += weights[i]
	}
	top, second := 0.0, 0.0
	for i := range list {
		switch v := list[i].Value; {
		case v > top:
			top, second = v, top
		case v > second:
			second = v
		}
	}
	// Twice the rounding, because sums are added in another order later.
	return top > second+left+2*(absoluteRounding+relativeRounding*top)
}

// Overrule replaces the voted move with m, another candidate of the vote. The cause of the decision becomes
// ByVeto.
func (c *Session) Overrule(p *shogi.Position, ballots []Ballot, d *Decision, m shogi.Move) {
	d.Vetoed, d.Move, d.By, d.Tie, d.BestBacker = d.Move, m, ByVeto, "", -1
	d.finish(p, Counted(Examined(p, ballots)), c.voters)
}
