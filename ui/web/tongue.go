package web

import (
	"net/http"
	"sync"
	"time"

	"golang.org/x/text/language"

	"gogi/internal/i18n"
)

// tongue is a language that pages come in.
type tongue = i18n.Language

// The tongues.
const (
	english  = i18n.English
	japanese = i18n.Japanese
)

// speaker says phrases in a reader's tongue.
func (s *Server) speaker(r *http.Request) func(phrase string, args ...any) string {
	in := tongueOf(r)
	return func(phrase string, args ...any) string { return i18n.Say(in, phrase, args...) }
}

const tongueCookie = "gogi_lang"

var offered = sync.OnceValue(func() language.Matcher {
	return language.NewMatcher([]language.Tag{language.English, language.Japanese})
})

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
	if _, index, sure := offered().Match(tags...); index == 1 && sure != language.No {
		return japanese
	}
	return english
}
