package web

import (
	"net/http"

	"gogi/ensemble/voting"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/report/html"
)

// voice says what readers are told, in their language.
type voice struct {
	language language
	words    html.Words
	say      func(phrase string, args ...any) string
}

func (s *Server) voiceFor(r *http.Request) voice {
	return voice{languageOf(r), s.pages.words(languageOf(r)), s.speaker(r)}
}

// over is the phase of a run whose session has ended, for readers.
const over = "ended"

// livePhases are the words of slots and sessions that are phrases, too.
func livePhases() []string {
	return []string{
		string(match.SlotIdle), string(match.SlotStarting), string(match.SlotPlaying),
		string(match.RunPaused), string(match.RunDraining), string(match.RunStopping), over,
	}
}

// endText is how a game ended, in words.
func (v voice) endText(result, termination string) string {
	return outcome(v.language, result) + " · " + v.words.Ending(termination)
}

// liveWords are the phrases that the script says, by the words of events.
func (p *pages) liveWords(in language) map[string]string {
	all := pieceWords(in)
	for _, by := range voting.Bys() {
		all["by "+string(by)] = i18n.Say(in, by.Words())
	}
	for _, phrase := range []string{"and %d more", "mate %s"} {
		all[phrase] = i18n.Say(in, phrase)
	}
	for _, kind := range voting.Kinds() {
		all["ballot "+string(kind)] = i18n.Say(in, kind.Words())
	}
	for _, o := range []match.Outcome{match.BlackWins, match.WhiteWins, match.Draw} {
		all[o.String()] = outcome(in, o.String())
	}
	for _, t := range match.Terminations() {
		all[t.String()] = p.words(in).Ending(t.String())
	}
	for _, word := range livePhases() {
		all[word] = i18n.Say(in, word)
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
