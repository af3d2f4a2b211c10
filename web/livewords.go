package web

import (
	"cmp"

	"gogi/match"
)

// outcomes and endings are the words of events as phrases. What an older gogi does not
// know is shown as it is.
var (
	outcomes = map[string]string{"black": "Black won", "white": "White won", "draw": "drawn"}
	endings  = map[string]string{
		"checkmate": "checkmate", "resignation": "resignation", "time_forfeit": "time forfeit", "stall": "no move in time",
		"illegal_move": "illegal move", "repetition": "repetition", "perpetual_check": "perpetual check", "declaration": "declaration",
		"false_declaration": "false declaration", "max_plies": "length limit", "impasse": "impasse",
		"score_adjudication": "score adjudication", "crash": "crash",
	}
	phases = []string{
		string(match.SlotIdle), string(match.SlotStarting), string(match.SlotPlaying),
		string(match.RunPaused), string(match.RunDraining), string(match.RunStopping), over,
	}
)

// over is the phase of a run whose session has ended, for readers.
const over = "ended"

// endText is how a game ended, in words.
func endText(say func(string, ...any) string, outcome, termination string) string {
	return say(cmp.Or(outcomes[outcome], outcome)) + " · " + say(cmp.Or(endings[termination], termination))
}

// liveWords are the phrases that the script says, by the words of events.
func (p *pages) liveWords(in tongue) map[string]string {
	all := map[string]string{}
	for _, table := range []map[string]string{outcomes, endings} {
		for word, phrase := range table {
			all[word] = p.book.say(in, phrase)
		}
	}
	for _, word := range phases {
		all[word] = p.book.say(in, word)
	}
	return all
}

func faultsOf(s *match.Snapshot) int {
	n := 0
	for _, f := range s.Faults {
		n += f.Times
	}
	return n
}
