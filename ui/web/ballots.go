package web

import (
	"strconv"

	"gogi/ensemble/votes"
	"gogi/ensemble/voting"
	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// voteView is how a council came to its last move in a game that is played.
type voteView struct {
	Move    string
	Split   string
	By      string // "" where it was the vote, as nearly always
	Ballots []ballotView
	Others  int
}

// ballotView is a member's ballot.
type ballotView struct {
	Member, Said  string
	Score, Weight string
	Played        bool // its move is the one that was played
}

// voteOf is what a council's last thought says of its vote; nil where there was none.
// The script's vote() says the same.
func voteOf(in voice, t *match.Thought) *voteView {
	if t == nil || t.Vote == nil {
		return nil
	}
	v := &voteView{Move: t.Move, Split: t.Vote.Split, Others: t.Vote.Others}
	if voting.By(t.Vote.By) != voting.ByRule {
		v.By = in.say(voting.By(t.Vote.By).Words())
	}
	for i := range t.Vote.Ballots {
		b := &t.Vote.Ballots[i]
		said := ballotView{Member: b.Member, Said: in.move(b.Piece, b.Move), Weight: weightText(b.Weight), Played: b.Played}
		if b.Kind != string(voting.KindMove) {
			said.Said = in.say(voting.Kind(b.Kind).Words())
		}
		if b.Score != nil {
			said.Score = in.score(*b.Score)
		}
		if b.Played {
			v.Move = said.Said
		}
		v.Ballots = append(v.Ballots, said)
	}
	return v
}

// weightText is what a ballot counted, to three digits.
// The script's weight() says the same.
func weightText(w float64) string {
	short, err := strconv.ParseFloat(strconv.FormatFloat(w, 'g', 3, 64), 64)
	if err != nil {
		return "" // it is none
	}
	return strconv.FormatFloat(short, 'f', -1, 64)
}

// move is one of a piece, both as events have them: in Japanese as KIF has it, in English
// as it is.
func (v voice) move(piece, text string) string {
	m, err := shogi.ParseMove(text)
	if v.language != japanese || err != nil || piece == "" {
		return text
	}
	for t := shogi.Pawn; t <= shogi.Dragon; t++ {
		if p := shogi.NewPiece(shogi.Black, t); p.String() == piece || shogi.NewPiece(shogi.White, t).String() == piece {
			return kifu.KIFMoved(t, m)
		}
	}
	return text
}

// pieceWords are the names of pieces in moves, for the script, by SFEN letter; none where
// moves are told as they are.
func pieceWords(in language) map[string]string {
	words := map[string]string{}
	if in == japanese {
		for t := shogi.Pawn; t <= shogi.Dragon; t++ {
			words["piece "+shogi.NewPiece(shogi.Black, t).String()] = kifu.KIFPiece(t)
		}
	}
	return words
}

// councilView is how a council decided on a stored move.
type councilView struct {
	Council, Rule string
	voteView
}

// votes are the councils' decisions that led to a ply.
func (g *storedGame) votes(in voice, ply int) ([]councilView, error) {
	voted, err := votes.OfGame(g.name(), g.row.Plies-g.row.OpeningPlies, &g.record, "")
	if err != nil {
		return nil, err
	}
	before, _ := g.at(max(0, ply-1))
	var list []councilView
	for _, c := range votes.NewGame(voted).Councils {
		for i := range c.Decisions {
			if d := &c.Decisions[i]; d.Ply == ply {
				v, err := in.storedVote(&before, d.Record)
				if err != nil {
					return nil, err
				}
				list = append(list, councilView{Council: c.Council, Rule: c.Rule, voteView: v})
			}
		}
	}
	return list, nil
}

// storedVote is a vote of which there is the record, in the position before the move.
func (v voice) storedVote(before *shogi.Position, r *voting.Record) (voteView, error) {
	view := voteView{Split: r.Split, By: v.say(r.By.Words())}
	for i := range r.Ballots {
		b, err := r.Ballots[i].Ballot()
		if err != nil {
			return view, err
		}
		said := ballotView{Member: r.Members[b.Member], Said: v.say(b.Kind.Words()), Played: r.Ballots[i].Move != "" && r.Ballots[i].Move == r.Played}
		if b.Kind == voting.KindMove && before.CheckLegal(b.Move) == nil {
			said.Said = moveText(v.language, before, b.Move, shogi.NoSquare)
		}
		if b.HasScore {
			said.Score = v.score(b.Score.Number())
		}
		if b.Member < len(r.Before) {
			said.Weight = weightText(r.Before[b.Member])
		}
		view.Ballots = append(view.Ballots, said)
	}
	return view, nil
}
