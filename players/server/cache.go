package server

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"

	"gogi/match"
	"gogi/usi"
)

// cache remembers what engines declared, so that the next start can
// declare it without waiting for them. Everything about it is optional: what
// cannot be read is asked again, what cannot be written is left.
type cache struct {
	dir string // "": there is none
}

// cachedGreeting is one file of the cache.
type cachedGreeting struct {
	Version  int    `json:"version"`
	Key      string `json:"key"`
	Greeting usi.Greeting
}

const optionCacheVersion = 1

// key identifies a program as far as its options may depend on it: its files,
// its command with everything around it, and its folder.
func (cache) key(p match.Player) string {
	text, err := json.Marshal([]any{p.Identity, p.Command, p.Env, p.Dir})
	if err != nil { // strings always can be
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (c cache) file(key string) string { return filepath.Join(c.dir, key+".json") }

// load finds what an engine declared; a broken file is as good as none.
func (c cache) load(p match.Player) (usi.Greeting, bool) {
	key := c.key(p)
	if c.dir == "" || key == "" {
		return usi.Greeting{}, false
	}
	text, err := os.ReadFile(c.file(key))
	if err != nil {
		return usi.Greeting{}, false
	}
	var found cachedGreeting
	if json.Unmarshal(text, &found) != nil || found.Version != optionCacheVersion || found.Key != key {
		return usi.Greeting{}, false
	}
	return found.Greeting, true
}

// save writes in one step: another process may be reading, or writing the same.
func (c cache) save(p match.Player, g usi.Greeting) {
	key := c.key(p)
	if c.dir == "" || key == "" {
		return
	}
	g.Elapsed = 0
	text, err := json.Marshal(cachedGreeting{optionCacheVersion, key, g})
	if err != nil || os.MkdirAll(c.dir, 0o700) != nil {
		return
	}
	temporary, err := os.CreateTemp(c.dir, "new-")
	if err != nil {
		return
	}
	_, err = temporary.Write(text)
	if err = errors.Join(err, temporary.Close()); err == nil {
		err = os.Rename(temporary.Name(), c.file(key))
	}
	if err != nil {
		_ = os.Remove(temporary.Name()) // nothing is lost but the cache
	}
}
