package tournament

import (
	"gogi/internal/i18n"
	"gogi/match"
)

// Outlook returns lines of text that describe a tournament before its first pair: its length and its first
// pairings.
func Outlook(spec Spec) ([]i18n.Message, error) {
	s, err := New(spec)
	if err != nil {
		return nil, err
	}
	t := spec.Tournament
	pairs := i18n.Number{N: t.MatchPairs, Noun: "pair"}
	switch d := s.design.(type) {
	case *swiss:
		text := i18n.Of("%s of %s of %s", number(spec.Pairs/d.perRound(s), "round"), number(d.matches, "match"), pairs)
		if len(spec.Players)%2 == 1 {
			text = i18n.Of("%s, and a bye", text)
		}
		return append([]i18n.Message{text}, s.firstRound()...), nil
	case *knockout:
		text := i18n.Of("%s of %s, and up to %d more while tied", number(len(d.matches), "match"), pairs, t.Tiebreaks)
		return append([]i18n.Message{text}, s.firstRound()...), nil
	}
	text := i18n.Of("blocks of %s, each drawn from the results of all but the block before it",
		i18n.Number{N: t.Block, Noun: "pair"})
	question := i18n.Of("question: which players are above their neighbours in the ranking")
	if spec.Anchor != "" {
		question = i18n.Of("question: which players are above %s", spec.Anchor)
	}
	return []i18n.Message{text, question}, nil
}

// firstRound returns the pairings of the first round as text, in the order of start numbers.
func (s *Schedule) firstRound() []i18n.Message {
	var order, games []i18n.Message
	for _, p := range s.start {
		order = append(order, i18n.Verbatim(s.spec.Players[p]))
	}
	for _, r := range s.Rounds() {
		for _, m := range r.Matches {
			if m.Bye {
				games = append(games, i18n.Of("%s has the bye", s.spec.Players[m.Players[0]]))
			} else if m.Players[0] != nobody && m.Players[1] != nobody {
				games = append(games, i18n.Verbatim(s.spec.Players[m.Players[0]]+"–"+s.spec.Players[m.Players[1]]))
			}
		}
	}
	lines := []i18n.Message{i18n.Of("start numbers: %s", some(order))}
	if len(games) > 0 {
		lines = append(lines, i18n.Of("begins with %s", some(games)))
	}
	return lines
}

// some joins words to one text. If there are more than 16 words, the text has the first 16 and the number of the
// others.
func some(words []i18n.Message) i18n.Message {
	const most = 16
	if more := len(words) - most; more > 0 {
		return i18n.Of("%s and %d more", i18n.Row(words[:most]), more)
	}
	return i18n.Of("%s", i18n.Row(words))
}

// number returns a number with its noun, such as "1 match" or "2 matches".
func number(n int, what string) i18n.Message {
	switch {
	case what == "round":
		return i18n.Of("%s", i18n.Number{N: n, Noun: "round"})
	case n == 1:
		return i18n.Of("1 match")
	}
	return i18n.Of("%d matches", n)
}

// Uncertain reports whether a design may end with fewer pairs than the plan has.
func Uncertain(kind match.DesignKind) bool { return kind == match.DesignKnockout }
