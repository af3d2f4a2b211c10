package voting

import (
	"cmp"
	"math"
	"slices"
	"time"

	"gogi/shogi"
	"gogi/usi"
)

// A Kind is the kind of answer in a ballot: a move, another valid answer, or the reason why there is no valid
// answer. Only a ballot of KindMove counts as a vote for a move.
type Kind string

// The kinds of ballot.
const (
	KindMove    Kind = "move"
	KindResign  Kind = "resign"  // the member resigns
	KindWin     Kind = "win"     // the member declares a win (入玉宣言)
	KindIllegal Kind = "illegal" // the member's move is not legal, or its answer cannot be read
	KindNone    Kind = "none"    // nothing came in time, not even a principal variation
	KindLate    Kind = "late"    // the answer came after the council had decided
	KindDead    Kind = "dead"    // the member's process failed, or is starting again
)

// A Source is where the move of a ballot comes from, such as a bestmove or a book.
type Source string

// The sources of a move.
const (
	SourceBestmove Source = "bestmove"
	// the principal variation of a search that the council did not wait for, or of a member that resigned
	SourceVariation Source = "variation"
	SourceBook      Source = "book"  // a bestmove without any search
	SourceNoise     Source = "noise" // the best of the member's lines after the council's own noise
)

// Line is a move with a member's score, such as one line of a MultiPV list.
type Line struct {
	Move     shogi.Move
	Score    usi.Score // from the side to move's view
	HasScore bool
	Depth    int // plies

	proven bool // the variation ends in the mate that the score claims; a session sets this
}

// Ballot is a member's answer in one position.
type Ballot struct {
	Member   int // index, from 0
	Kind     Kind
	Line                // Move is set for KindMove; for KindResign, KindLate and KindIllegal if known
	Ponder   shogi.Move // the reply that the member expects, or NoMove
	Ranked   []Line     // the member's lines, best first; empty if it sent none
	Source   Source
	SelDepth int
	Nodes    uint64
	Time     time.Duration // thinking time as measured by the member
	Arrived  time.Duration // time since the request reached the council
	PV       []shogi.Move
	Text     string // for KindIllegal and KindDead: the answer, or the event
	Detail   []byte // record of a nested council's vote
}

// Points returns a score as one number in centipawns, so that scores can be ordered. A score in centipawns is within
// ±30000. A mate is beyond this range: ±(32000-k) for a mate in k plies, and ±31000 for a mate of unknown length. has
// reports whether there is a score; without a score the result is -Inf.
func Points(s usi.Score, has bool) float64 {
	const mate, unknown, most = 32000, 31000, 30000
	switch {
	case !has:
		return math.Inf(-1)
	case s.Mate == 0:
		return float64(max(-most, min(most, s.Value)))
	case s.Value == 0:
		return float64(s.Mate) * unknown
	}
	return float64(s.Mate) * float64(mate-min(s.Value, mate-unknown))
}

// proves reports whether the variation begins with the ballot's move and ends in the checkmate that its score
// claims. The mate may be by either side.
func (b *Ballot) proves(p *shogi.Position) bool {
	if b.Score.Mate == 0 || len(b.PV) == 0 || b.PV[0] != b.Move {
		return false
	}
	if b.Score.Mate > 0 {
		return b.Score.Bound != usi.UpperBound && p.EndsInMate(b.PV)
	}
	if b.Score.Bound == usi.LowerBound || p.CheckLegal(b.Move) != nil {
		return false
	}
	next := *p
	next.Apply(b.Move)
	return next.EndsInMate(b.PV[1:])
}

// votes reports whether the ballot counts as a move, see [Counted].
func (b *Ballot) votes() bool {
	return b.Kind == KindMove || b.Kind == KindResign && b.Move != shogi.NoMove
}

// Examined returns the ballots in the order of the members. It marks each mate score whose variation in fact
// ends in mate. It copies the ballots only if one has a mate score, which is rare.
func Examined(p *shogi.Position, ballots []Ballot) []Ballot {
	ballots = Sorted(ballots)
	known := true
	for i := range ballots {
		b := &ballots[i]
		known = known && !b.proven && b.Score.Mate == 0
	}
	if known {
		return ballots
	}
	ballots = slices.Clone(ballots)
	for i := range ballots {
		ballots[i].proven = ballots[i].proves(p)
	}
	return ballots
}

// searched reports whether the member searched for its move and sent a score.
func (b *Ballot) searched() bool { return b.HasScore && b.Source != SourceBook }

// Sorted returns the ballots in the order of the members. The order of arrival must not matter, not even for
// the rounding of a sum of weights.
func Sorted(ballots []Ballot) []Ballot {
	for i := 1; i < len(ballots); i++ {
		if ballots[i].Member < ballots[i-1].Member {
			ballots = slices.Clone(ballots)
			slices.SortStableFunc(ballots, func(a, b Ballot) int { return cmp.Compare(a.Member, b.Member) })
			break
		}
	}
	return ballots
}

// NewBallot returns the ballot of a member's reply. It checks the reply against the position. It records an
// illegal move, which does not count. If a member resigns, its ballot keeps the first move of its last
// variation, in case the other members do not resign.
func NewBallot(member int, p *shogi.Position, r usi.Reply) Ballot {
	b := Ballot{Member: member, Ponder: r.Ponder, Nodes: r.Nodes, Time: r.Elapsed, Source: SourceBestmove,
		Detail: r.Detail}
	b.judge(p, r)
	b.Take(bestInfo(&r, b.Move))
	for _, line := range r.Lines {
		if len(line.PV) > 0 && len(r.Lines) > 1 && p.CheckLegal(line.PV[0]) == nil {
			b.Ranked = append(b.Ranked, Line{Move: line.PV[0], Score: line.Score, HasScore: line.HasScore && isScore(line.Score),
				Depth: line.Depth})
		}
	}
	if b.Kind == KindMove && len(r.Lines) == 0 && r.Nodes == 0 {
		b.Source = SourceBook
	}
	return b
}

// judge sets the ballot's kind and move from the member's reply. It sets KindIllegal if the move is not legal
// in the position.
func (b *Ballot) judge(p *shogi.Position, r usi.Reply) {
	switch r.Answer {
	case usi.AnswerMove:
		b.Kind, b.Move = KindMove, r.Move
		if err := p.CheckLegal(r.Move); err != nil {
			b.Kind, b.Text = KindIllegal, r.Text
		}
	case usi.AnswerResign:
		b.Kind, b.Source = KindResign, SourceVariation
		if pv := r.Best().PV; len(pv) > 0 && p.CheckLegal(pv[0]) == nil {
			b.Move = pv[0]
		}
	case usi.AnswerWin:
		b.Kind = KindWin
	case usi.AnswerInvalid:
		b.Kind, b.Text = KindIllegal, r.Text
	}
}

// bestInfo returns the line with the reply's score. A bound is no score, unless it proves a mate: bestInfo then takes
// the last exact line of the same move, or else the last line with the exact score of the search (usi.Reply.Scored).
// Without an exact score the line has none.
func bestInfo(r *usi.Reply, move shogi.Move) usi.Info {
	best, scored := r.Best(), r.Scored()
	if isScore(best.Score) {
		return best
	}
	if len(r.Exact.PV) > 0 && r.Exact.PV[0] == move {
		return r.Exact
	}
	best.Score, best.HasScore = scored.Score, scored.HasScore && isScore(scored.Score)
	return best
}

// isScore reports whether a rule may value a score: it is exact, or proves a mate.
func isScore(s usi.Score) bool { return s.Bound == usi.Exact || s.Proves() }

// Take sets the score, the depths and the variation of the ballot from a line of the member's search.
func (b *Ballot) Take(i usi.Info) {
	b.Score, b.HasScore = i.Score, i.HasScore
	b.Depth, b.SelDepth, b.PV = i.Depth, i.SelDepth, i.PV
}
