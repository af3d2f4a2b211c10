package tournament

import (
	"gogi/internal/phrases"
	"gogi/match"
)

// Outlook is what is known of a design before its first pair, in lines: how long it is, and
// who begins.
func Outlook(spec Spec) ([]phrases.Said, error) {
	s, err := New(spec)
	if err != nil {
		return nil, err
	}
	t := spec.Tournament
	pairs := phrases.Number{N: t.MatchPairs, Noun: "pair"}
	switch d := s.design.(type) {
	case *swiss:
		text := phrases.Of("%s of %s of %s", number(spec.Pairs/d.perRound(s), "round"), number(d.matches, "match"), pairs)
		if len(spec.Players)%2 == 1 {
			text = phrases.Of("%s, and a bye", text)
		}
		return append([]phrases.Said{text}, s.firstRound()...), nil
	case *knockout:
		text := phrases.Of("%s of %s, and up to %d more while tied", number(len(d.matches), "match"), pairs, t.Tiebreaks)
		return append([]phrases.Said{text}, s.firstRound()...), nil
	}
	text := phrases.Of("blocks of %s, each drawn from the results of all but the block before it", phrases.Number{N: t.Block, Noun: "pair"})
	question := phrases.Of("asked: who is above its neighbour in the ranking")
	if spec.Anchor != "" {
		question = phrases.Of("asked: who is above %s", spec.Anchor)
	}
	return []phrases.Said{text, question}, nil
}

// firstRound is who begins, by start numbers.
func (s *Schedule) firstRound() []phrases.Said {
	var order, games []phrases.Said
	for _, p := range s.start {
		order = append(order, phrases.Verbatim(s.spec.Players[p]))
	}
	for _, r := range s.Rounds() {
		for _, m := range r.Matches {
			if m.Bye {
				games = append(games, phrases.Of("%s has the bye", s.spec.Players[m.Players[0]]))
			} else if m.Players[0] != nobody && m.Players[1] != nobody {
				games = append(games, phrases.Verbatim(s.spec.Players[m.Players[0]]+"–"+s.spec.Players[m.Players[1]]))
			}
		}
	}
	lines := []phrases.Said{phrases.Of("start numbers: %s", some(order))}
	if len(games) > 0 {
		lines = append(lines, phrases.Of("begins with %s", some(games)))
	}
	return lines
}

// some lists as many as fit a line or two.
func some(words []phrases.Said) phrases.Said {
	const most = 16
	if more := len(words) - most; more > 0 {
		return phrases.Of("%s and %d more", phrases.Row(words[:most]), more)
	}
	return phrases.Of("%s", phrases.Row(words))
}

// number is "1 match", "2 matches".
func number(n int, what string) phrases.Said {
	switch {
	case what == "round":
		return phrases.Of("%s", phrases.Number{N: n, Noun: "round"})
	case n == 1:
		return phrases.Of("1 match")
	}
	return phrases.Of("%d matches", n)
}

// Uncertain says whether fewer pairs than the plan's may be all that is needed.
func Uncertain(kind match.DesignKind) bool { return kind == match.DesignKnockout }
