package voting

// Words returns the cause in words.
func (b By) Words() string {
	switch b {
	case ByRule:
		return "the vote"
	case ByForced:
		return "there was no choice"
	case ByDeclaration:
		return "a declaration that wins"
	case ByMate:
		return "a member's proven mate"
	case ByResignation:
		return "enough members resigning"
	case ByVeto:
		return "the runner-up, after a veto"
	case ByPlan:
		return "nobody voted: the plan went on"
	case ByDefault:
		return "nobody voted: any legal move"
	case ByBook:
		return "the book"
	}
	return string(b) // from a later version
}

// Bys are all that can decide.
func Bys() []By {
	return []By{ByForced, ByDeclaration, ByMate, ByResignation, ByRule, ByVeto, ByPlan, ByDefault, ByBook}
}

// Words returns the ballot's kind in words.
func (k Kind) Words() string {
	switch k {
	case KindMove:
		return "vote"
	case KindResign:
		return "resigned"
	case KindWin:
		return "declared"
	case KindIllegal:
		return "illegal"
	case KindNone:
		return "no answer"
	case KindLate:
		return "late"
	case KindDead:
		return "dead"
	}
	return string(k) // from a later version
}

// Kinds are all that a ballot can be.
func Kinds() []Kind {
	return []Kind{KindMove, KindResign, KindWin, KindIllegal, KindNone, KindLate, KindDead}
}
