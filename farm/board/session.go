package board

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"gogi/farm"
	"gogi/farm/keys"
	"gogi/internal/i18n"
	"gogi/results/farmstate"
)

// Limits of sessions.
const (
	sessionLife    = 7 * 24 * time.Hour
	sessionsOfKey  = 10              // the oldest session of a key ends when it begins one more
	challengeLife  = 5 * time.Minute // time between a challenge and the log-in
	bucketSessions = "sessions"      // by the hash of the secret
	bucketUsed     = "challenges"    // challenges with which users have logged in
)

// A session is a browser in which a user has logged in.
type session struct {
	key    keys.Key // as it is now
	secret string   // the value of the cookie; the state has only its hash
}

// A storedSession is the row of a session.
type storedSession struct {
	Key  string    `cbor:"key"`
	Ends time.Time `cbor:"ends"`
}

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

// logins has the pages on which people log in and out, and their sessions.
type logins struct{ *Pages }

// session returns the session of a request, or nil if there is none, if it has ended, or if its key is not valid.
func (p logins) session(r *http.Request) (*session, error) {
	cookie, err := r.Cookie(farm.SessionCookie)
	if err != nil {
		return nil, nil // no cookie, no session
	}
	body, revision, err := p.config.State.Get(r.Context(), bucketSessions, hashOf(cookie.Value))
	if err != nil || revision == 0 {
		return nil, err
	}
	var s storedSession
	if err := farm.Decode(body, &s); err != nil {
		return nil, err
	}
	key, ok := p.config.Keys.Named(s.Key)
	if !ok || key.Valid(time.Now()) != nil || !time.Now().Before(s.Ends) {
		return nil, nil
	}
	return &session{key, cookie.Value}, nil
}

// CSRF returns the token that each form on the session's pages contains, see FormToken.
func (s *session) CSRF() string { return farm.FormToken(s.secret) }

// owns reports whether a token of a form belongs to this session.
func (s *session) owns(token string) bool {
	return subtle.ConstantTimeCompare([]byte(token), []byte(s.CSRF())) == 1
}

// Key returns the key of the user.
func (s *session) Key() keys.Key { return s.key }

// Admin reports whether the user's key has the right admin. It returns false if s is nil (no session).
func (s *session) Admin() bool { return s != nil && s.key.May(keys.Admin) }

// May reports whether the user's key has a right for a verb, such as stop. The coordinator may still reject
// the request, for example for a test of another owner. May returns false if s is nil (no session).
func (s *session) May(verb string) bool { return s != nil && s.key.MayVerb(verb) }

// Is reports whether the user is the person with this name. It returns false if s is nil (no session).
func (s *session) Is(owner string) bool { return s != nil && s.key.Owner == owner }

// challenge returns a text that a user signs to log in. The text ends with an HMAC by the farm's secret. So fresh
// can recognise it later, and the farm does not store it.
func (p logins) challenge(now time.Time) string {
	text := fmt.Sprintf("%d.%s", now.Add(challengeLife).Unix(), rand.Text())
	return text + "." + p.code(text)
}

func (p logins) code(text string) string {
	h := hmac.New(sha256.New, p.config.Secret[:])
	h.Write([]byte("gogi challenge 1\x00" + text))
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// fresh reports whether this farm made a challenge, and made it less than challengeLife ago.
func (p logins) fresh(challenge string, now time.Time) bool {
	i := strings.LastIndexByte(challenge, '.')
	if i < 0 || !hmac.Equal([]byte(challenge[i+1:]), []byte(p.code(challenge[:i]))) {
		return false
	}
	ends, _, _ := strings.Cut(challenge, ".")
	at, err := strconv.ParseInt(ends, 10, 64)
	return err == nil && now.Unix() < at
}

func (p logins) giveChallenge(w http.ResponseWriter, _ *visit) error {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	return json.NewEncoder(w).Encode(Challenge{p.challenge(time.Now())})
}

// A Challenge is the answer of /farm/challenge. A log-in signs its text.
type Challenge struct {
	Challenge string `json:"challenge"` // text with its expiry, valid for this farm only
}

// loginForm shows the form in which a user logs in. The command gogi farm web prints a link that fills in the form.
// The user must still send the form. Otherwise a link of another person could log the user in as that person.
func (p logins) loginForm(w http.ResponseWriter, v *visit) error {
	q := v.URL.Query()
	page := map[string]string{"Name": q.Get("key"), "Challenge": q.Get("challenge"), "Signature": q.Get("signature"),
		"Host": v.Host, "Base": baseOf(v)}
	if page["Signature"] == "" {
		page["Challenge"] = p.challenge(time.Now())
	}
	return p.show(w, v, http.StatusOK, "login",
		frame{Title: v.say("Log in"), Trail: []crumb{{Name: v.say("Log in")}}, Page: page})
}

// baseOf returns the address of this server as the commands of gogi farm need it.
func baseOf(v *visit) string {
	scheme := "http"
	if isSecure(v) {
		scheme = "https"
	}
	return (&url.URL{Scheme: scheme, Host: v.Host}).String()
}

// isSecure reports whether the client uses https, to this server or to a reverse proxy before it. The web server puts
// the scheme into the URL of the request.
func isSecure(v *visit) bool { return v.URL.Scheme == "https" }

// login begins a session if the key has signed the challenge for this host. A challenge is valid once.
func (p logins) login(w http.ResponseWriter, v *visit) error {
	now := time.Now()
	name, challenge := v.PostFormValue("key"), v.PostFormValue("challenge")
	wrong := &failure{http.StatusForbidden,
		i18n.Of("The signature is wrong, or the challenge is too old or was used before. Run gogi farm web again.")}
	signature, err := base64.RawURLEncoding.DecodeString(strings.TrimSpace(v.PostFormValue("signature")))
	if err != nil || !p.fresh(challenge, now) {
		return wrong
	}
	key, ok := p.config.Keys.Named(name)
	if !ok || !keys.Verifies(key.Public, keys.LogInText(v.Host, challenge, name), signature) {
		return wrong
	}
	if err := key.Valid(now); err != nil {
		return &failure{http.StatusForbidden, i18n.Because(err)}
	}
	if !p.logIns.allow(name, now) {
		return &failure{http.StatusTooManyRequests, i18n.Of("This key has logged in too often. Try again in an hour.")}
	}
	if err := p.use(v, challenge); err != nil {
		return wrong
	}
	if err := p.tidy(v, name, now); err != nil {
		return err
	}
	secret, ends := rand.Text(), now.Add(sessionLife)
	body, err := farm.Encode(storedSession{name, ends})
	if err != nil {
		return err
	}
	action := farmstate.Action{At: now, By: name, On: "key", Name: name, What: "logged in"}
	if _, err := p.config.State.Put(v.Context(), bucketSessions, hashOf(secret), body, 0, action); err != nil {
		return err
	}
	p.setCookie(w, v, secret, int(sessionLife.Seconds()))
	http.Redirect(w, v.Request, "/farm", http.StatusSeeOther)
	return nil
}

func (p logins) setCookie(w http.ResponseWriter, v *visit, secret string, age int) {
	http.SetCookie(w, &http.Cookie{
		Name: farm.SessionCookie, Value: secret, Path: "/", MaxAge: age,
		HttpOnly: true, Secure: isSecure(v), SameSite: http.SameSiteStrictMode,
	})
}

// use records a challenge that was used in a log-in. It returns an error if the challenge was used before.
func (p logins) use(v *visit, challenge string) error {
	_, err := p.config.State.Put(v.Context(), bucketUsed, challenge, []byte{}, 0)
	return err
}

// tidy deletes challenges and sessions that have ended, and the oldest session of a key that has too many.
func (p logins) tidy(v *visit, name string, now time.Time) error {
	first, firstEnds, of := "", time.Time{}, 0
	drop := func(bucket string, ended func(name string, body []byte) bool) error {
		return p.config.State.Each(v.Context(), bucket, func(name string, body []byte, _ uint64) error {
			if ended(name, body) {
				return p.config.State.Delete(v.Context(), bucket, name)
			}
			return nil
		})
	}
	err := drop(bucketUsed, func(challenge string, _ []byte) bool { return !p.fresh(challenge, now) })
	if err == nil {
		err = drop(bucketSessions, func(hash string, body []byte) bool {
			var s storedSession
			if err := farm.Decode(body, &s); err != nil || !now.Before(s.Ends) {
				return true
			}
			if s.Key == name {
				if of++; first == "" || s.Ends.Before(firstEnds) {
					first, firstEnds = hash, s.Ends
				}
			}
			return false
		})
	}
	if err == nil && of >= sessionsOfKey {
		err = p.config.State.Delete(v.Context(), bucketSessions, first)
	}
	return err
}

func (p logins) logout(w http.ResponseWriter, v *visit) error {
	if err := p.config.State.Delete(v.Context(), bucketSessions, hashOf(v.session.secret)); err != nil {
		return err
	}
	p.setCookie(w, v, "", -1)
	http.Redirect(w, v.Request, "/farm/login", http.StatusSeeOther)
	return nil
}

// A limiter limits how often something may happen under one name. most is the limit for a period of length every. A
// restart of the farm may clear its counts.
type limiter struct {
	most  int
	every time.Duration

	mu     sync.Mutex
	began  time.Time
	counts map[string]int
}

// maxNames is the largest number of names that a limiter counts. It rejects the events of further names.
const maxNames = 10_000

// allow counts an event, and reports whether it is allowed.
func (l *limiter) allow(name string, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.counts == nil || now.Sub(l.began) >= l.every {
		l.began, l.counts = now, map[string]int{}
	}
	if len(l.counts) >= maxNames && l.counts[name] == 0 {
		return false
	}
	l.counts[name]++
	return l.counts[name] <= l.most
}
