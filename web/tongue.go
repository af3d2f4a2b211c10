package web

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"golang.org/x/text/language"
)

// tongue is a language that pages come in.
type tongue string

// The tongues.
const (
	english  tongue = "en"
	japanese tongue = "ja"
)

//go:embed words/ja.json
var words embed.FS

// phrasebook has the Japanese for English phrases; a test holds that no phrase of a
// template is missing.
type phrasebook map[string]string

func readPhrasebook() (phrasebook, error) {
	text, err := words.ReadFile("words/ja.json")
	if err != nil {
		return nil, err
	}
	var book phrasebook
	if err := json.Unmarshal(text, &book); err != nil {
		return nil, fmt.Errorf("words/ja.json: %w", err)
	}
	return book, nil
}

// say is a phrase in a tongue, its verbs filled as by fmt.Sprintf. What has no
// Japanese stays English.
func (b phrasebook) say(t tongue, phrase string, args ...any) string {
	if t == japanese {
		if there, ok := b[phrase]; ok {
			phrase = there
		}
	}
	if len(args) == 0 {
		return phrase
	}
	return fmt.Sprintf(phrase, args...)
}

// speaker says phrases in a reader's tongue.
func (s *Server) speaker(r *http.Request) func(phrase string, args ...any) string {
	in := tongueOf(r)
	return func(phrase string, args ...any) string { return s.pages.book.say(in, phrase, args...) }
}

const tongueCookie = "gogi_lang"

var offered = language.NewMatcher([]language.Tag{language.English, language.Japanese})

// remember keeps the tongue that a reader chose just now, if so, in a cookie.
func remember(w http.ResponseWriter, r *http.Request) {
	if asked := tongue(r.URL.Query().Get("lang")); asked == english || asked == japanese {
		http.SetCookie(w, &http.Cookie{
			Name: tongueCookie, Value: string(asked), Path: "/", Expires: time.Now().AddDate(1, 0, 0), HttpOnly: true, SameSite: http.SameSiteLaxMode,
		})
	}
}

// tongueOf is the tongue that a reader chose (?lang=, remembered in a cookie), else the
// one that the browser asks for.
func tongueOf(r *http.Request) tongue {
	if asked := tongue(r.URL.Query().Get("lang")); asked == english || asked == japanese {
		return asked
	}
	if c, err := r.Cookie(tongueCookie); err == nil && (tongue(c.Value) == english || tongue(c.Value) == japanese) {
		return tongue(c.Value)
	}
	tags, _, err := language.ParseAcceptLanguage(r.Header.Get("Accept-Language"))
	if err != nil {
		return english
	}
	if _, index, sure := offered.Match(tags...); index == 1 && sure != language.No {
		return japanese
	}
	return english
}
