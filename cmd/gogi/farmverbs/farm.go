// Package farmverbs is the verbs of a farm: flags, wiring and exit codes. What they do
// stands in packages farm/site (the coordinator's machine), farm/machine (a worker's) and
// those that these put together.
package farmverbs

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"gogi/farm/keys"
	"gogi/internal/verb"
)

// Command groups the verbs.
type Command struct {
	Serve ServeCommand `cmd:"" help:"Coordinate a farm: grant pairs, verify and store what comes back."`
	Work  WorkCommand  `cmd:"" help:"Play for a farm on this machine, until told otherwise."`
	Key   KeyCommand   `cmd:"" help:"Who may work, hand in, approve, control: make, list and revoke keys."`
}

// owner are what every verb needs that asks a coordinator.
type owner struct {
	Creds string `name:"creds" env:"GOGI_FARM_CREDS" placeholder:"FILE" help:"The credentials that gogi farm key new has made (default: those of gogi farm login)."`
	JSON  bool   `name:"json" help:"One JSON object."`
}

// defaultCreds is where gogi farm login keeps credentials.
func defaultCreds() (string, error) {
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "gogi", "farm.creds"), err
}

// read reads the credentials.
func (o *owner) read() (keys.Creds, error) {
	file := o.Creds
	if file == "" {
		var err error
		if file, err = defaultCreds(); err != nil {
			return keys.Creds{}, err
		}
	}
	return keys.ReadCreds(file)
}

// logger tells a long-running verb's events on the standard error, a line each.
func logger(env *verb.Env, quiet bool) *slog.Logger {
	level := slog.LevelInfo
	if quiet {
		level = slog.LevelWarn
	}
	return slog.New(slog.NewTextHandler(env.Err, &slog.HandlerOptions{Level: level}))
}

// labels reads "k=v" words.
func labels(words []string) (map[string]string, error) {
	all := map[string]string{}
	for _, w := range words {
		k, v, ok := strings.Cut(w, "=")
		if !ok || k == "" || v == "" {
			return nil, wrong("%q is no label: expected NAME=VALUE", w)
		}
		all[k] = v
	}
	return all, nil
}
