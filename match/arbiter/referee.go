package arbiter

import (
	"errors"
	"fmt"

	"gogi/match"
	"gogi/shogi"
)

// Referee follows one game by the rules. The order in which it looks at a move
// is that of the CSA server: legality, try, mate, repetition, ply limit.
type Referee struct {
	rules   match.Rules
	history *shogi.History
	first   int // the start position's move number less one
}

// NewReferee starts a game. It returns an error if an opening move is illegal, with the move, or if the
// game is over before its first move. Repetition and the ply limit count the opening's moves.
func NewReferee(rules match.Rules, o match.Opening) (*Referee, error) {
	r := BlankReferee(rules)
	if err := r.Begin(o); err != nil {
		return nil, err
	}
	return r, nil
}

// Begin starts a game in the place of the one at hand, whose memory it takes. It fails as NewReferee does.
func (r *Referee) Begin(o match.Opening) error {
	start, err := o.Position()
	if err != nil {
		return err
	}
	if err := r.Restart(start, o.Moves); err != nil {
		return fmt.Errorf("opening %s: %w", o.ID, err)
	}
	return nil
}

// BlankReferee waits for the Restart of its first game.
func BlankReferee(rules match.Rules) *Referee {
	return &Referee{rules: rules, history: &shogi.History{}}
}

// Restart begins a game from an opening's position and moves in the place of the one at
// hand, whose memory it takes. It fails as NewReferee does.
func (r *Referee) Restart(start shogi.Position, moves []shogi.Move) error {
	r.history.Restart(start)
	r.first = start.Ply() - 1
	for i, m := range moves {
		if err := r.history.Position().CheckLegal(m); err != nil {
			return fmt.Errorf("move %d (%s): %w", i+1, m, err)
		}
		if v := r.play(m); v.Over() {
			return fmt.Errorf("the game is over after move %d (%s): %s", i+1, m, v.Termination)
		}
	}
	if !r.history.Position().HasLegalMove() {
		return errors.New("the side to move has no legal move")
	}
	if v := r.limit(); v.Over() {
		return fmt.Errorf("the game is over before its first move: %s", v.Termination)
	}
	return nil
}

// Position returns the position at hand.
func (r *Referee) Position() *shogi.Position { return r.history.Position() }

// Side returns the colour to move.
func (r *Referee) Side() shogi.Colour { return r.Position().Side() }

// Play makes a move; an illegal one loses for its side.
func (r *Referee) Play(m shogi.Move) match.Verdict {
	mover := r.Side()
	if err := r.Position().CheckLegal(m); err != nil {
		return match.LossFor(mover, match.IllegalMove, fmt.Sprintf("%s: %v", m, err))
	}
	return r.play(m)
}

func (r *Referee) play(m shogi.Move) match.Verdict {
	mover := r.Side()
	r.history.Push(m)
	if r.rules.Declaration == shogi.TryRule && r.kingMoved(m) && r.Position().TryAchieved(mover) {
		return match.Verdict{Outcome: match.WinFor(mover), Termination: match.Declaration, Note: "the king stands on the opponent's king square"}
	}
	if !r.Position().HasLegalMove() {
		return r.mate(mover)
	}
	if v := r.repetition(); v.Over() {
		return v
	}
	return r.limit()
}

// kingMoved reports whether the last move m was the king's: a king that stood on
// the opponent's king square from the start has not tried.
func (r *Referee) kingMoved(m shogi.Move) bool {
	return r.Position().PieceAt(m.To()).Type() == shogi.King
}

// plies counts from the start position's move number, so that a game from the
// middle of another is no longer than that one could have been.
func (r *Referee) plies() int { return r.first + r.history.MoveCount() }

func (r *Referee) mate(mover shogi.Colour) match.Verdict {
	if r.rules.MateAtLimitDraws && r.rules.MaxPlies > 0 && r.plies() >= r.rules.MaxPlies {
		return match.Verdict{Outcome: match.Draw, Termination: match.MaxPlies, Note: "mate by the last allowed ply"}
	}
	return match.Verdict{Outcome: match.WinFor(mover), Termination: match.Checkmate}
}

func (r *Referee) repetition() match.Verdict {
	switch r.history.Repetition() {
	case shogi.RepetitionDraw:
		return match.Verdict{Outcome: match.Draw, Termination: match.Repetition}
	case shogi.RepetitionBlackLoses:
		return match.LossFor(shogi.Black, match.PerpetualCheck, "every move of Black gave check")
	case shogi.RepetitionWhiteLoses:
		return match.LossFor(shogi.White, match.PerpetualCheck, "every move of White gave check")
	case shogi.RepetitionNone:
	}
	return match.Verdict{}
}

// limit applies the ply limit: the draw falls due when one more ply would be.
func (r *Referee) limit() match.Verdict {
	if r.rules.MaxPlies == 0 || r.plies() < r.rules.MaxPlies {
		return match.Verdict{}
	}
	if r.rules.ExtendInCheck && r.Position().InCheck() {
		return match.Verdict{}
	}
	if r.rules.DeclareAtLimit && r.Position().Declaration(r.rules.Declaration).Win {
		return match.Verdict{Outcome: match.WinFor(r.Side()), Termination: match.Declaration, Note: "could declare at the ply limit"}
	}
	return match.Verdict{Outcome: match.Draw, Termination: match.MaxPlies}
}

// Declare judges a declaration ("bestmove win") by the side to move.
func (r *Referee) Declare() match.Verdict {
	side := r.Side()
	d := r.Position().Declaration(r.rules.Declaration)
	switch {
	case d.Win:
		return match.Verdict{Outcome: match.WinFor(side), Termination: match.Declaration, Note: d.Why()}
	case r.rules.ImpasseDraw && r.impasse(d):
		return match.Verdict{Outcome: match.Draw, Termination: match.Impasse, Note: d.Why()}
	}
	return match.LossFor(side, match.FalseDeclaration, d.Why())
}

// impasse reports the draw of the 24-point rule. All conditions except the points for a win hold, and at
// most 7 points are missing (24 of 31 without handicap).
func (r *Referee) impasse(d shogi.DeclarationStatus) bool {
	if r.rules.Declaration != shogi.CSARule24 && r.rules.Declaration != shogi.CSARule24H {
		return false
	}
	return d.KingInCamp && !d.InCheck && d.Pieces >= 10 && d.Points >= d.Needed-7
}
