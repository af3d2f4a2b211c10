package server

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"

	"gogi/internal/disk"
	"gogi/match"
	"gogi/usi"
)

// A cache stores the options that engines declared, so that the next start does not wait for the engines. It
// ignores files that it cannot read or write.
type cache struct {
	dir string // "": no cache
}

type cachedGreeting struct {
	Version  int    `json:"version"`
	Key      string `json:"key"`
	Greeting usi.Greeting
}

const optionCacheVersion = 1

// key returns a hash of everything that an engine's options can depend on: its files, command, environment and
// folder.
func (cache) key(p match.Player) string {
	text, err := json.Marshal([]any{p.Identity, p.Command, p.Env, p.Dir})
	if err != nil { // strings never cause an error
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (c cache) file(key string) string { return filepath.Join(c.dir, key+".json") }

// load returns the stored greeting of an engine; ok is false without a readable file.
func (c cache) load(p match.Player) (g usi.Greeting, ok bool) {
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

// save replaces the file in one step, because another process may read or write it at the same time.
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
	_ = disk.WriteFile(c.file(key), text, 0o600) // after an error only the cache entry is lost
}
