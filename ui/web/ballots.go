package web

import (
	"strconv"

	"gogi/ensemble/votes"
	"gogi/ensemble/voting"
	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// voteView is the vote for a council's last move in a game in play.
type voteView struct {
	Move    string
	Split   string // number of members for each move, such as "3:1"
	By      string // cause of the decision; "" for a vote, the usual cause
	Ballots []ballotView
	Others  int // number of ballots that are not listed
}

type ballotView struct {
	Member, Said  string // Said is the move, or a description of another answer
	Score, Weight string
	Played        bool // the council played this move
}

// voteOf returns the vote for a council's last move, or nil if the move has no vote. The function vote() of the script
// does the same.
func (v voice) voteOf(t *match.Thought) *voteView {
	if t == nil || t.Vote == nil {
		return nil
	}
	view := &voteView{Move: t.Move, Split: t.Vote.Split, Others: t.Vote.Others}
	if voting.By(t.Vote.By) != voting.ByRule {
		view.By = v.Say(voting.By(t.Vote.By).Words())
	}
	for i := range t.Vote.Ballots {
		b := &t.Vote.Ballots[i]
		ballot := ballotView{Member: b.Member, Said: v.move(b.Piece, b.Move), Weight: weightText(b.Weight), Played: b.Played}
		if b.Kind != string(voting.KindMove) {
			ballot.Said = v.Say(voting.Kind(b.Kind).Words())
		}
		if b.Score != nil {
			ballot.Score = v.score(*b.Score)
		}
		if b.Played {
			view.Move = ballot.Said
		}
		view.Ballots = append(view.Ballots, ballot)
	}
	return view
}

// weightText prints the weight of a ballot with three digits. The function weight() of the script prints the
// same.
func weightText(w float64) string {
	// ParseFloat can read every result of FormatFloat
	short, _ := strconv.ParseFloat(strconv.FormatFloat(w, 'g', 3, 64), 64)
	return strconv.FormatFloat(short, 'f', -1, 64)
}

// move prints a move of a piece, both in the form of events. In Japanese it prints the move as KIF does; in English it
// prints text unchanged.
func (v voice) move(piece, text string) string {
	m, err := shogi.ParseMove(text)
	if v.In != japanese || err != nil || piece == "" {
		return text
	}
	for t := shogi.Pawn; t <= shogi.Dragon; t++ {
		if p := shogi.NewPiece(shogi.Black, t); p.String() == piece || shogi.NewPiece(shogi.White, t).String() == piece {
			return kifu.KIFMoved(t, m)
		}
	}
	return text
}

// councilView is a council's decision on a stored move.
type councilView struct {
	Council, Rule string
	voteView
}

// votes adds the councils' decisions on the move that led to the page's ply, and the charts of their weights.
func (g *storedGame) votes(in voice, b *gameBody) error {
	voted, err := votes.OfGame(g.name(), g.row.Plies-g.row.OpeningPlies, &g.record, "")
	if err != nil {
		return err
	}
	before, _ := g.at(max(0, b.Ply-1))
	for _, c := range votes.NewGame(voted).Councils {
		var records []*voting.Record
		for i := range c.Decisions {
			records = append(records, c.Decisions[i].Record)
		}
		b.Weights = append(b.Weights, in.weightGraph(c.Council, records, b.Last, b.Ply))
		for i := range c.Decisions {
			if d := &c.Decisions[i]; d.Ply == b.Ply {
				v, err := in.storedVote(&before, d.Record)
				if err != nil {
					return err
				}
				b.Councils = append(b.Councils, councilView{Council: c.Council, Rule: c.Rule, voteView: v})
			}
		}
	}
	return nil
}

// storedVote returns a recorded vote, taken in the position before the move.
func (v voice) storedVote(before *shogi.Position, r *voting.Record) (voteView, error) {
	view := voteView{Split: r.Split, By: v.Say(r.By.Words())}
	for i := range r.Ballots {
		b, err := r.Ballots[i].Ballot()
		if err != nil {
			return view, err
		}
		ballot := ballotView{Member: r.Members[b.Member], Said: v.Say(b.Kind.Words()), Played: r.Ballots[i].Move != "" &&
			r.Ballots[i].Move == r.Played}
		if b.Kind == voting.KindMove && before.CheckLegal(b.Move) == nil {
			ballot.Said = v.moveText(before, b.Move, shogi.NoSquare)
		}
		if b.HasScore {
			ballot.Score = v.score(b.Score.Number())
		}
		if b.Member < len(r.Before) {
			ballot.Weight = weightText(r.Before[b.Member])
		}
		view.Ballots = append(view.Ballots, ballot)
	}
	return view, nil
}
