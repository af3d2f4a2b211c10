package web

import (
	"net/http"
	"sync"
	"time"

	tags "golang.org/x/text/language"

	"gogi/ensemble/voting"
	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/match"
	"gogi/report/html"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// language is the output language of a page.
type language = i18n.Language

// The languages.
const (
	english  = i18n.English
	japanese = i18n.Japanese
)

// voice writes text in the language of a reader, and moves in the reader's notation.
type voice struct {
	html.Words
	moves notation // "": the notation of the language
}

func voiceOf(r *http.Request) voice { return voice{html.Words{In: languageOf(r)}, notationOf(r)} }

const (
	languageCookie = "gogi_lang"
	notationCookie = "gogi_moves"
)

// notation is a notation of moves. The value is the one of ?moves= and of the cookie.
type notation string

// The notations.
const (
	western notation = "western" // P7g-7f
	usiText notation = "usi"     // 7g7f
	kif     notation = "ja"      // ７六歩(77)
)

// notations returns all notations with their names.
func notations() [][2]string {
	return [][2]string{{string(western), "P7g-7f"}, {string(usiText), "7g7f"}, {string(kif), "７六歩"}}
}

func (n notation) known() bool { return n == western || n == usiText || n == kif }

// notationOf returns the notation of ?moves= or of the cookie, or "".
func notationOf(r *http.Request) notation {
	if asked := notation(r.URL.Query().Get("moves")); asked.known() {
		return asked
	}
	if c, err := r.Cookie(notationCookie); err == nil && notation(c.Value).known() {
		return notation(c.Value)
	}
	return ""
}

// notation returns the notation in which the voice writes moves.
func (v voice) notation() notation {
	switch {
	case v.moves != "":
		return v.moves
	case v.In == japanese:
		return kif
	}
	return western
}

var offered = sync.OnceValue(func() tags.Matcher {
	return tags.NewMatcher([]tags.Tag{tags.English, tags.Japanese})
})

// remember stores the language of ?lang= and the notation of ?moves= in cookies, if the request has them.
func remember(w http.ResponseWriter, r *http.Request) {
	store := func(name, value string) {
		http.SetCookie(w, &http.Cookie{
			Name: name, Value: value, Path: "/", Expires: time.Now().AddDate(1, 0, 0), HttpOnly: true,
			SameSite: http.SameSiteLaxMode,
		})
	}
	if asked := language(r.URL.Query().Get("lang")); asked == english || asked == japanese {
		store(languageCookie, string(asked))
	}
	if asked := notation(r.URL.Query().Get("moves")); asked.known() {
		store(notationCookie, string(asked))
	}
}

// languageOf returns the language of ?lang= or of the cookie, else the one that the browser accepts.
func languageOf(r *http.Request) language {
	if asked := language(r.URL.Query().Get("lang")); asked == english || asked == japanese {
		return asked
	}
	if c, err := r.Cookie(languageCookie); err == nil && (language(c.Value) == english || language(c.Value) == japanese) {
		return language(c.Value)
	}
	accepted, _, err := tags.ParseAcceptLanguage(r.Header.Get("Accept-Language"))
	if err != nil {
		return english
	}
	if _, index, sure := offered().Match(accepted...); index == 1 && sure != tags.No {
		return japanese
	}
	return english
}

// outcome returns the result of a game in words. word is black, white or draw, as in events.
func (v voice) outcome(word string) string {
	switch word {
	case "black":
		return v.Say("Black won")
	case "white":
		return v.Say("White won")
	}
	return v.Say("drawn")
}

// over is the word for a run whose session has ended, as readers see it.
const over = "ended"

// livePhases returns the phases of slots and sessions. They are also phrases that gogi translates.
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
	return lists.Sum(s.Faults, func(f match.FaultSum) int { return f.Times })
}
