package web

import (
	"net/http"
	"sync"
	"time"

	tags "golang.org/x/text/language"

	"gogi/internal/i18n"
	"gogi/report/html"
)

// language is the output language of a page.
type language = i18n.Language

// The languages.
const (
	english  = i18n.English
	japanese = i18n.Japanese
)

// voice writes text in the language of a reader.
type voice struct{ html.Words }

func voiceOf(r *http.Request) voice { return voice{html.Words{In: languageOf(r)}} }

const languageCookie = "gogi_lang"

var offered = sync.OnceValue(func() tags.Matcher {
	return tags.NewMatcher([]tags.Tag{tags.English, tags.Japanese})
})

// remember stores the language of ?lang= in a cookie, if the request has one.
func remember(w http.ResponseWriter, r *http.Request) {
	if asked := language(r.URL.Query().Get("lang")); asked == english || asked == japanese {
		http.SetCookie(w, &http.Cookie{
			Name: languageCookie, Value: string(asked), Path: "/", Expires: time.Now().AddDate(1, 0, 0), HttpOnly: true, SameSite: http.SameSiteLaxMode,
		})
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
