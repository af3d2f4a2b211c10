package tournament

import (
	"fmt"
	"strings"

	"gogi/match"
)

// Outlook is what is known of a design before its first pair, in lines: how long it is, and
// who begins.
func Outlook(spec Spec) ([]string, error) {
	s, err := New(spec)
	if err != nil {
		return nil, err
	}
	t := spec.Tournament
	switch d := s.design.(type) {
	case *swiss:
		text := fmt.Sprintf("%s of %s of %s", number(spec.Pairs/d.perRound(s), "round"), number(d.matches, "match"), number(t.MatchPairs, "pair"))
		if len(spec.Players)%2 == 1 {
			text += ", and a bye"
		}
		return append([]string{text}, s.firstRound()...), nil
	case *knockout:
		text := fmt.Sprintf("%s of %s, and up to %d more while tied", number(len(d.matches), "match"), number(t.MatchPairs, "pair"), t.Tiebreaks)
		return append([]string{text}, s.firstRound()...), nil
	}
	text := fmt.Sprintf("blocks of %s, each drawn from the results of all but the block before it", number(t.Block, "pair"))
	question := "who is above its neighbour in the ranking"
	if spec.Anchor != "" {
		question = "who is above " + spec.Anchor
	}
	return []string{text, "asked: " + question}, nil
}

// firstRound is who begins, by start numbers.
func (s *Schedule) firstRound() []string {
	var order, games []string
	for _, p := range s.start {
		order = append(order, s.spec.Players[p])
	}
	for _, r := range s.Rounds() {
		for _, m := range r.Matches {
			if m.Bye {
				games = append(games, s.spec.Players[m.Players[0]]+" has the bye")
			} else if m.Players[0] != nobody && m.Players[1] != nobody {
				games = append(games, s.spec.Players[m.Players[0]]+"–"+s.spec.Players[m.Players[1]])
			}
		}
	}
	lines := []string{"start numbers: " + some(order)}
	if len(games) > 0 {
		lines = append(lines, "begins with "+some(games))
	}
	return lines
}

// some lists as many as fit a line or two.
func some(words []string) string {
	const most = 16
	if more := len(words) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), more)
	}
	return strings.Join(words, ", ")
}

// number is "1 match", "2 matches".
func number(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "ch"):
		return fmt.Sprintf("%d %ses", n, what)
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Uncertain says whether fewer pairs than the plan's may be all that is needed.
func Uncertain(kind match.DesignKind) bool { return kind == match.DesignKnockout }
