package arbiter

import (
	"errors"
	"fmt"

	"gogi/match"
	"gogi/shogi"
)

// Referee follows one game and ends it by the rules. For each move it makes the same checks as the CSA server, in the
// same order: legal move, win by the try rule, mate, repetition, ply limit.
type Referee struct {
	rules   match.Rules
	history *shogi.History
	first   int // the move number of the start position minus one
}

// NewReferee returns a Referee for a game after the opening's moves. It returns an error if an opening move
// is illegal, or if the game is over before its first move. The opening's moves count for repetition and for
// the ply limit.
func NewReferee(rules match.Rules, o match.Opening) (*Referee, error) {
	r := BlankReferee(rules)
	if err := r.Begin(o); err != nil {
		return nil, err
	}
	return r, nil
}

// Begin starts a new game and reuses the memory of the current game. It returns the same errors as
// NewReferee.
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

// BlankReferee returns a Referee without a game. Call Begin or Restart before its other methods.
func BlankReferee(rules match.Rules) *Referee {
	return &Referee{rules: rules, history: &shogi.History{}}
}

// Restart does the same as Begin for an opening that is given as a position and moves.
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

// Position returns the current position of the game.
func (r *Referee) Position() *shogi.Position { return r.history.Position() }

// Side returns the colour to move.
func (r *Referee) Side() shogi.Colour { return r.Position().Side() }

// Play makes a move and returns the verdict if the game is then over, else the zero Verdict. The side that
// makes an illegal move loses.
func (r *Referee) Play(m shogi.Move) match.Verdict {
	mover := r.Side()
	if err := r.Position().CheckLegal(m); err != nil {
		return match.LossFor(mover, match.IllegalMove, fmt.Sprintf("%s: %v", m, err))
	}
	return r.play(m)
}

// Ends reports whether the legal move m would end the game by the rules: by mate, repetition, a king on its goal, or
// the ply limit. It changes nothing.
func (r *Referee) Ends(m shogi.Move) bool {
	v := r.play(m)
	r.history.Pop()
	return v.Over()
}

func (r *Referee) play(m shogi.Move) match.Verdict {
	mover := r.Side()
	r.history.Push(m)
	if r.rules.Declaration == shogi.TryRule && r.kingMoved(m) && r.Position().TryAchieved(mover) {
		return match.Verdict{Outcome: match.WinFor(mover), Termination: match.Declaration,
			Note: "the king stands on the opponent's king square"}
	}
	if !r.Position().HasLegalMove() {
		return r.mate(mover)
	}
	if v := r.repetition(); v.Over() {
		return v
	}
	return r.limit()
}

// kingMoved reports whether the last move m was a move of the king. A king that stood on the opponent's king
// square from the start does not win by the try rule.
func (r *Referee) kingMoved(m shogi.Move) bool {
	return r.Position().PieceAt(m.To()).Type() == shogi.King
}

// plies returns the number of plies for the ply limit. It counts from the move number of the start position,
// so that a game from a middle-game position has the same limit as a whole game.
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

// limit returns a draw if the ply limit allows no further ply.
func (r *Referee) limit() match.Verdict {
	if r.rules.MaxPlies == 0 || r.plies() < r.rules.MaxPlies {
		return match.Verdict{}
	}
	if r.rules.ExtendInCheck && r.Position().InCheck() {
		return match.Verdict{}
	}
	if r.rules.DeclareAtLimit && r.Position().Declaration(r.rules.Declaration).Win {
		return match.Verdict{Outcome: match.WinFor(r.Side()), Termination: match.Declaration,
			Note: "could declare at the ply limit"}
	}
	return match.Verdict{Outcome: match.Draw, Termination: match.MaxPlies}
}

// Declare returns the verdict after a declaration ("bestmove win") by the side to move.
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

// impasse reports whether a declaration is a draw by the 24-point rule. This is so if all conditions for a
// win hold except the points, and at most 7 points are missing (24 of 31 without handicap).
func (r *Referee) impasse(d shogi.DeclarationStatus) bool {
	if r.rules.Declaration != shogi.CSARule24 && r.rules.Declaration != shogi.CSARule24H {
		return false
	}
	return d.KingInCamp && !d.InCheck && d.Pieces >= 10 && d.Points >= d.Needed-7
}
