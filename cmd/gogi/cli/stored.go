package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"gogi/internal/sanitize"
	"gogi/results"
	"gogi/results/games"
)

// Stored has the flags of the commands that read one run.
type Stored struct {
	Name string `arg:"" optional:"" name:"run" help:"Name of the run (default: the newest)."`
	Database
}

// With opens the database for reading, finds the run and calls f with both.
func (s *Stored) With(ctx context.Context, f func(*results.Store, *results.RunInfo) error) error {
	return s.Read(ctx, func(store *results.Store) error {
		info, err := FindRun(ctx, store, s.Name)
		if err != nil {
			return err
		}
		return f(store, info)
	})
}

// FindRun returns the run with this name. For "" it returns the newest run.
func FindRun(ctx context.Context, store *results.Store, name string) (*results.RunInfo, error) {
	if name == "" {
		return store.DefaultRun(ctx, "")
	}
	return store.FindRun(ctx, name)
}

// GameName parses the name of a game: PAIR.LEG, or PAIR for the first game of the pair.
func GameName(name string) (pair, leg int, err error) {
	first, second, hasLeg := strings.Cut(name, ".")
	pair, err = strconv.Atoi(first)
	if err == nil && hasLeg {
		leg, err = strconv.Atoi(second)
	}
	if err != nil || pair < 0 || leg < 0 {
		return 0, 0, fmt.Errorf("game %q: expected PAIR.LEG, such as 12.0; gogi games RUN lists the games of a run", name)
	}
	return pair, leg, nil
}

// WriteForm writes the text that the function text returns to a file, or to out if the name of the file is
// "-". If the name is "", it does nothing and does not call text. It does not overwrite a database. flag is the name of
// the flag, for errors.
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
	err = games.Whole(file, func(w io.Writer) error {
		_, err := io.WriteString(w, s)
		return err
	})
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}

// Pairs returns the first and the last pair of a value of --pairs: A-B, or one number.
func Pairs(text string) (*[2]int, error) {
	first, last, both := strings.Cut(text, "-")
	if !both {
		last = first
	}
	a, err := strconv.ParseUint(first, 10, 31)
	b, err2 := strconv.ParseUint(last, 10, 31)
	if err != nil || err2 != nil || a > b {
		return nil, fmt.Errorf("--pairs %q: expected A-B, such as 0-99, or one number", text)
	}
	return &[2]int{int(a), int(b)}, nil
}
