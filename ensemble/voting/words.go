package voting

import "gogi/internal/lists"

// word is a stored value and its text for people.
type word[T any] struct {
	value T
	text  string
}

// lookup returns the text for a stored value. A value of a later version has no text, and lookup returns the
// value itself.
func lookup[T ~string](table []word[T], value T) string {
	for _, w := range table {
		if w.value == value {
			return w.text
		}
	}
	return string(value)
}

func values[T any](table []word[T]) []T {
	return lists.Map(table, func(w word[T]) T { return w.value })
}

func causes() []word[By] {
	return []word[By]{
		{ByForced, "there was no choice"}, {ByDeclaration, "a declaration that wins"}, {ByMate, "a member's proven mate"},
		{ByResignation, "enough members resigning"}, {ByRule, "the vote"}, {ByVeto, "the runner-up, after a veto"},
		{ByExamination, "an examination after a split vote"},
		{ByPlan, "no vote: the plan continued"}, {ByDefault, "no vote: any legal move"}, {ByBook, "the book"},
	}
}

func ballotKinds() []word[Kind] {
	return []word[Kind]{
		{KindMove, "vote"}, {KindResign, "resigned"}, {KindWin, "declared"}, {KindIllegal, "illegal"},
		{KindNone, "no answer"}, {KindLate, "late"}, {KindDead, "dead"},
	}
}

// Words returns a description of the cause.
func (b By) Words() string { return lookup(causes(), b) }

// Bys returns all causes of a decision.
func Bys() []By { return values(causes()) }

// Words returns a description of the ballot's kind.
func (k Kind) Words() string { return lookup(ballotKinds(), k) }

// Kinds returns all kinds of ballot.
func Kinds() []Kind { return values(ballotKinds()) }
