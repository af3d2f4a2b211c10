package web

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// guard checks the rights of a request before its handler runs.
type guard struct {
	token  string
	hosts  []string // the names and addresses of the server, other than those of the loopback
	open   bool     // readers need no token
	secure bool     // TLS
	cross  *http.CrossOriginProtection
	farm   Farm // may be nil
	behind proxies

	sessions sessions
}

// minToken is the least length of a token: 128 bits, as hexadecimal digits.
const minToken = 32

func newGuard(c Config) (*guard, error) {
	host, _, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return nil, fmt.Errorf("--http %q: want HOST:PORT, such as 127.0.0.1:7878: %w", c.Addr, err)
	}
	behind, err := newProxies(c.Behind)
	if err != nil {
		return nil, err
	}
	g := &guard{token: c.Token, hosts: c.PublicHosts, open: isLoopback(host) && len(behind) == 0, secure: c.CertFile != "",
		cross: http.NewCrossOriginProtection(), farm: c.Farm, behind: behind}
	if host != "" {
		g.hosts = append(slices.Clone(c.PublicHosts), host)
	}
	switch {
	case (c.CertFile == "") != (c.KeyFile == ""):
		return nil, errors.New("--tls-cert and --tls-key go together")
	case c.Token != "" && len(c.Token) < minToken:
		return nil, fmt.Errorf("the token has %d characters: want at least %d, such as from openssl rand -hex 16",
			len(c.Token), minToken)
	case len(behind) > 0 && c.Token == "" && c.Farm == nil:
		return nil, errors.New("--behind: other machines can reach the pages through the proxy; give a token (--token-file)")
	case !g.open && c.Token == "" && c.Farm == nil:
		return nil, fmt.Errorf("--http %q can be reached from other machines: that needs a token (--token-file)", c.Addr)
	}
	return g, nil
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// policy is the content security policy. It allows only the scripts and styles of this server, and no frames.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'; form-action 'self'"

// around returns a handler that checks every request, sets the headers of every answer, and calls inner.
func (g *guard) around(inner http.Handler) http.Handler {
	protected := g.cross.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !g.open && !g.logsIn(r) && !public(r) && !(g.farm != nil && g.farm.Open(r.URL.Path)) {
			g.refuse(w, r)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		if !g.knows(r.Host) {
			http.Error(w, "this server is not known by that name (--public-host)", http.StatusMisdirectedRequest)
			return
		}
		protected.ServeHTTP(w, r)
	})
}

// logsIn reports whether a request comes from a holder of the token or from a user of the farm who is logged in.
func (g *guard) logsIn(r *http.Request) bool {
	ok := g.holds(r) || g.farm != nil && g.farm.LoggedIn(r)
	if ok {
		isKnown(r)
	}
	return ok
}

// knows reports whether a Host header names this server. It rejects a name that another site points at this
// machine (DNS rebinding).
func (g *guard) knows(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.Trim(host, "[]")
	return isLoopback(host) || slices.ContainsFunc(g.hosts, func(ours string) bool {
		return strings.EqualFold(ours, host)
	})
}

// public reports whether a request needs no token. These are the requests for the login page and its files, and for
// the health check.
func public(r *http.Request) bool {
	return r.URL.Path == "/login" || r.URL.Path == "/healthz" || strings.HasPrefix(r.URL.Path, "/assets/")
}

// refuse redirects a browser to the login. It sends status 401 to a program.
func (g *guard) refuse(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html") {
		login := "/login"
		if g.farm != nil && g.token == "" || strings.HasPrefix(r.URL.Path, "/farm") {
			login = "/farm/login"
		}
		http.Redirect(w, r, login, http.StatusSeeOther)
		return
	}
	w.Header().Set("WWW-Authenticate", `Bearer realm="gogi"`)
	http.Error(w, "a token is needed: Authorization: Bearer TOKEN, or log in at /login", http.StatusUnauthorized)
}

const (
	sessionCookie = "gogi_session"
	sessionLength = 30 * 24 * time.Hour
)

// holds reports whether a request comes from a holder of the token.
func (g *guard) holds(r *http.Request) bool {
	if g.token == "" {
		return false
	}
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return g.isToken(bearer)
	}
	cookie, err := r.Cookie(sessionCookie)
	return err == nil && g.sessions.has(cookie.Value)
}

// isToken reports whether s is the token. The comparison takes the same time for every s.
func (g *guard) isToken(s string) bool {
	got, want := sha256.Sum256([]byte(s)), sha256.Sum256([]byte(g.token))
	return g.token != "" && subtle.ConstantTimeCompare(got[:], want[:]) == 1
}

// logIn begins a session if the token is correct, and reports whether it is.
func (g *guard) logIn(w http.ResponseWriter, token string) bool {
	if !g.isToken(strings.TrimSpace(token)) {
		return false
	}
	end := time.Now().Add(sessionLength)
	http.SetCookie(w, &http.Cookie{
		Name: sessionCookie, Value: g.sessions.begin(end), Path: "/", Expires: end, HttpOnly: true, Secure: g.secure,
		SameSite: http.SameSiteStrictMode,
	})
	return true
}

// logOut ends the session of a request, here and in the browser.
func (g *guard) logOut(w http.ResponseWriter, r *http.Request) {
	if cookie, err := r.Cookie(sessionCookie); err == nil {
		g.sessions.end(cookie.Value)
	}
	http.SetCookie(w, &http.Cookie{Name: sessionCookie, Path: "/", MaxAge: -1, HttpOnly: true, Secure: g.secure,
		SameSite: http.SameSiteStrictMode})
}

// needsToken returns a handler that serves only requests with the token. Requests from this machine need the token too.
func (g *guard) needsToken(inner http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !g.holds(r) {
			w.Header().Set("WWW-Authenticate", `Bearer realm="gogi"`)
			http.Error(w, "a token is needed (gogi … --token-file)", http.StatusUnauthorized)
			return
		}
		inner(w, r)
	}
}

// needsTokenIfAny returns a handler for holders of the token, or for all if the server has no token and only this
// machine can reach it.
func (g *guard) needsTokenIfAny(inner http.HandlerFunc) http.HandlerFunc {
	if g.token == "" && g.open {
		return inner
	}
	return g.needsToken(inner)
}

// sessions holds the sessions of browsers whose users have entered the token. The server stores them in
// memory. A session ends after its maximum age, when its user logs out, and when the process ends. The zero
// value has no sessions. It is safe for concurrent use.
type sessions struct {
	mu   sync.Mutex
	ends map[[sha256.Size]byte]time.Time // by the hash of the secret, which takes the same time for all secrets
}

// maxSessions limits the memory of sessions. Only holders of the token can begin a session.
const maxSessions = 1000

// begin returns the secret of a new session. If there are too many sessions, it ends the session that would
// end first.
func (s *sessions) begin(end time.Time) string {
	secret := rand.Text()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ends == nil {
		s.ends = map[[sha256.Size]byte]time.Time{}
	}
	if len(s.ends) >= maxSessions {
		var first [sha256.Size]byte
		for key, at := range s.ends {
			if s.ends[first].IsZero() || at.Before(s.ends[first]) {
				first = key
			}
		}
		delete(s.ends, first)
	}
	s.ends[sha256.Sum256([]byte(secret))] = end
	return secret
}

// has reports whether a secret belongs to a session.
func (s *sessions) has(secret string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Before(s.ends[sha256.Sum256([]byte(secret))])
}

func (s *sessions) end(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ends, sha256.Sum256([]byte(secret)))
}
