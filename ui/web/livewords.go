package web

import (
	"gogi/ensemble/voting"
	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// over is the phase of a run whose session has ended, for readers.
const over = "ended"

// livePhases returns the phases of slots and sessions, which are phrases too.
func livePhases() []string {
	return []string{
		string(match.SlotIdle), string(match.SlotStarting), string(match.SlotPlaying),
		string(match.RunPaused), string(match.RunDraining), string(match.RunStopping), over,
	}
}

// endText returns the result of a game and its termination in words.
func (v voice) endText(result, termination string) string {
	return v.outcome(result) + " · " + v.Ending(termination)
}

// liveWords returns the phrases for the script, by the words in events. In Japanese it also has the names of
// pieces, by SFEN letter; English writes moves without them.
func (v voice) liveWords() map[string]string {
	all := map[string]string{}
	for t := shogi.Pawn; v.In == japanese && t <= shogi.Dragon; t++ {
		all["piece "+shogi.NewPiece(shogi.Black, t).String()] = kifu.KIFPiece(t)
	}
	for _, by := range voting.Bys() {
		all["by "+string(by)] = v.Say(by.Words())
	}
	for _, kind := range voting.Kinds() {
		all["ballot "+string(kind)] = v.Say(kind.Words())
	}
	for _, o := range []match.Outcome{match.BlackWins, match.WhiteWins, match.Draw} {
		all[o.String()] = v.outcome(o.String())
	}
	for _, t := range match.Terminations() {
		all[t.String()] = v.Ending(t.String())
	}
	for _, phrase := range append(livePhases(), "and %d more", "mate %s") {
		all[phrase] = v.Say(phrase)
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
