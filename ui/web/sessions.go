package web

import (
	"crypto/rand"
	"crypto/sha256"
	"sync"
	"time"
)

// sessions are those of browsers whose users have given the token. The server keeps them in memory: each ends
// when it is old, when its user logs out, and with the process. The zero value has none. Goroutines may share
// one.
type sessions struct {
	mu   sync.Mutex
	ends map[[sha256.Size]byte]time.Time // by the hash of the secret, which takes the same time for all secrets
}

// maxSessions bounds the memory of sessions. Only holders of the token begin any.
const maxSessions = 1000

// begin returns the secret of a new session. If there are too many, the one that ends first ends now.
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

// has reports whether a secret is that of a session.
func (s *sessions) has(secret string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return time.Now().Before(s.ends[sha256.Sum256([]byte(secret))])
}

// end ends a session; no other has its secret.
func (s *sessions) end(secret string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.ends, sha256.Sum256([]byte(secret)))
}
