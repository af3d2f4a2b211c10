package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"gogi/internal/sanitize"
	"gogi/results"
)

// Stored is what all verbs that read a database need.
type Stored struct {
	Name string `arg:"" optional:"" name:"run" help:"Name of the run (default: the newest)."`
	DB   string `name:"db" default:"gogi.db" placeholder:"FILE" help:"Database of games."`
}

// With opens the database for reading and finds the run.
func (s *Stored) With(ctx context.Context, f func(*results.Store, *results.RunInfo) error) error {
	store, err := results.OpenExisting(ctx, s.DB)
	if err != nil {
		return err
	}
	info, err := FindRun(ctx, store, s.Name)
	if err == nil {
		err = f(store, info)
	}
	return errors.Join(err, store.Close())
}

// FindRun is the run of that name; "" is the only one, else the newest.
func FindRun(ctx context.Context, store *results.Store, name string) (*results.RunInfo, error) {
	if name == "" {
		return store.DefaultRun(ctx, "")
	}
	return store.FindRun(ctx, name)
}

// GameName reads PAIR.LEG, or PAIR, whose first game is meant.
func GameName(name string) (pair, leg int, err error) {
	first, second, hasLeg := strings.Cut(name, ".")
	pair, err = strconv.Atoi(first)
	if err == nil && hasLeg {
		leg, err = strconv.Atoi(second)
	}
	if err != nil || pair < 0 || leg < 0 {
		return 0, 0, fmt.Errorf("--game %q: expected PAIR.LEG, such as 12.0", name)
	}
	return pair, leg, nil
}

// WriteForm writes what text makes into a file, "-" being out; no file is no wish.
func WriteForm(flag, file string, out io.Writer, text func() (string, error)) error {
	if file == "" {
		return nil
	}
	s, err := text()
	if err != nil {
		return err
	}
	if file == "-" {
		_, err = io.WriteString(sanitize.Raw(out), s)
		return err
	}
	if err := os.WriteFile(file, []byte(s), 0o644); err != nil { //nolint:gosec // a file to be published
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}
