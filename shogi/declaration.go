package shogi

import (
	"fmt"
	"strings"
)

// DeclarationRule is a rule by which a player whose king has entered the far three ranks can win without
// mating the opponent (nyūgyoku, 入玉). The names of the rules are YaneuraOu's option values.
type DeclarationRule uint8

// These are the rules. To declare (入玉宣言), a side must be to move and not in check. Its king and ten other pieces must
// be in the far three ranks. Its pieces there and in hand must have enough points: a rook or bishop (promoted or not)
// counts 5, every other piece 1, the king 0. Sources: CSA tournament rules (27 points) and the Japan Shogi
// Association's professional rule (24 points).
const (
	// NoEnteringKing is the rule that neither player can declare a win.
	NoEnteringKing DeclarationRule = iota
	// CSARule24 is the 24-point rule: a declaration wins with at least 31 points. With 24 to 30 points the
	// professional rule gives a draw. Declaration does not report this draw; see DeclarationStatus.Points.
	CSARule24
	// CSARule24H is CSARule24 for handicap games. White needs fewer points: gogi subtracts the points of the
	// pieces that are missing in the handicap start.
	CSARule24H
	// CSARule27 is the 27-point rule: a declaration wins with at least 28 points for Black and 27 points for
	// White.
	CSARule27
	// CSARule27H is CSARule27 for handicap games. White needs fewer points, as in CSARule24H.
	CSARule27H
	// TryRule is the rule that a king wins at once if it reaches the start square of the enemy king. Players
	// cannot declare. See Position.TryAchieved.
	TryRule
)

const (
	campPieces = 10 // pieces other than the king that a declaration needs in camp
	fullPoints = 54 // points of a full set without the kings
	bigPoints  = 5  // points of a rook or bishop
)

// String returns the name of the constant.
func (r DeclarationRule) String() string {
	names := [...]string{"NoEnteringKing", "CSARule24", "CSARule24H", "CSARule27", "CSARule27H", "TryRule"}
	if int(r) >= len(names) {
		return "unknown rule"
	}
	return names[r]
}

// ParseDeclarationRule returns the rule with the name s, exactly as String writes it.
func ParseDeclarationRule(s string) (DeclarationRule, error) {
	var names []string
	for r := NoEnteringKing; r <= TryRule; r++ {
		if r.String() == s {
			return r, nil
		}
		names = append(names, r.String())
	}
	return NoEnteringKing, fmt.Errorf("entering-king rule is %q: expected one of %s", s, strings.Join(names, ", "))
}

// MarshalText returns the text of String.
func (r DeclarationRule) MarshalText() ([]byte, error) {
	if r > TryRule {
		return nil, fmt.Errorf("shogi: entering-king rule %d has no name", uint8(r))
	}
	return []byte(r.String()), nil
}

// UnmarshalText parses the text that MarshalText writes.
func (r *DeclarationRule) UnmarshalText(text []byte) (err error) {
	*r, err = ParseDeclarationRule(string(text))
	return err
}

// points returns the number of points that c needs for a declaration. missing is the number of points of the pieces
// that are not in the game, as in a handicap game.
func (r DeclarationRule) points(c Colour, missing int) int {
	switch {
	case r == CSARule24, r == CSARule24H && c == Black:
		return 31
	case r == CSARule24H:
		return 31 - missing
	case c == Black:
		return 28
	case r == CSARule27H:
		return 27 - missing
	default:
		return 27
	}
}

// DeclarationStatus is the result of checking a player's declaration of a win, with the value of each
// condition.
type DeclarationStatus struct {
	// Rule is the rule that was applied.
	Rule DeclarationRule
	// Side is the declaring player: the side to move.
	Side Colour
	// Win reports whether the declaration wins. If not, the declaring player loses the game.
	Win bool
	// KingInCamp reports whether the king is in the far three ranks.
	KingInCamp bool
	// Pieces is the number of the player's other pieces in those ranks.
	Pieces int
	// Points is the number of points of those pieces and of the pieces in hand.
	Points int
	// Needed is the number of Points that wins under the rule; 0 if no number wins.
	Needed int
	// InCheck reports whether the player's king is attacked.
	InCheck bool
}

// Declaration checks whether the side to move wins if it declares now (USI "bestmove win"). The caller must
// check the clock and the length of the game.
func (p *Position) Declaration(rule DeclarationRule) DeclarationStatus {
	us := p.side
	own, camp := p.byColour[us], promotionZone[us]
	status := DeclarationStatus{Rule: rule, Side: us, InCheck: p.InCheck()}
	status.KingInCamp = p.kings[us] != NoSquare && camp.has(p.kings[us])
	inCamp := own.and(camp).andNot(p.byType[King])
	status.Pieces = inCamp.count()
	status.Points = boardPoints(p, inCamp) + handPoints(p, us)
	if rule == NoEnteringKing || rule >= TryRule {
		return status
	}
	total := boardPoints(p, p.byType[occupied]) + handPoints(p, Black) + handPoints(p, White)
	status.Needed = rule.points(us, fullPoints-total)
	status.Win = status.KingInCamp && !status.InCheck &&
		status.Pieces >= campPieces && status.Points >= status.Needed
	return status
}

// boardPoints returns the points of the pieces on the given squares.
func boardPoints(p *Position, squares bitboard) int {
	big := p.rookLike().or(p.bishopLike())
	return squares.andNot(p.byType[King]).count() + (bigPoints-1)*squares.and(big).count()
}

func handPoints(p *Position, c Colour) int {
	points := 0
	for t := Pawn; t <= Gold; t++ {
		worth := 1
		if t == Bishop || t == Rook {
			worth = bigPoints
		}
		points += worth * p.Hand(c, t)
	}
	return points
}

// Why explains in one sentence, without a full stop, why the declaration wins or loses.
func (s DeclarationStatus) Why() string {
	if s.Rule == NoEnteringKing || s.Rule >= TryRule {
		return fmt.Sprintf("%v cannot declare: the rule %v has no declaration", s.Side, s.Rule)
	}
	if s.Win {
		return fmt.Sprintf("%v wins by declaration under %v: its king and %d other pieces are in the far three ranks, it is not in check, and it has %d points of %d needed",
			s.Side, s.Rule, s.Pieces, s.Points, s.Needed)
	}
	var faults []string
	if !s.KingInCamp {
		faults = append(faults, "its king is not in the far three ranks")
	}
	if s.InCheck {
		faults = append(faults, "it is in check")
	}
	if s.Pieces < campPieces {
		faults = append(faults, fmt.Sprintf("only %d other pieces of %d needed are in the far three ranks", s.Pieces,
			campPieces))
	}
	if s.Points < s.Needed {
		faults = append(faults, fmt.Sprintf("it has %d points of %d needed", s.Points, s.Needed))
	}
	return fmt.Sprintf("%v's declaration fails under %v: %s", s.Side, s.Rule, strings.Join(faults, ", "))
}

// TryAchieved reports whether lastMover has won under TryRule: its king is on the start square of the enemy
// king (5a for Black, 5i for White) and is not attacked. Call it only after a king move of lastMover, because
// a game may start with a king already on that square.
func (p *Position) TryAchieved(lastMover Colour) bool {
	goal := [2]Square{Black: NewSquare(5, 1), White: NewSquare(5, 9)}
	return p.kings[lastMover&1] == goal[lastMover&1] && !p.kingAttacked(lastMover&1)
}
