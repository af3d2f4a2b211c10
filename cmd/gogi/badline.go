package main

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"gogi/internal/shellwords"
)

var (
	badWhole = regexp.MustCompile(`^(--\S+): expected a valid \d+ bit (u?)int but got (".*")$`)
	badMinus = regexp.MustCompile(`^(--\S+): expected \w+ value but got "(-.*)" \(short flag\)`)
)

// badLine explains the parser's error about a command line in simpler words, with advice for common mistakes.
func badLine(args []string, err error) error {
	text := err.Error()
	if m := badWhole.FindStringSubmatch(text); m != nil {
		expected := "a whole number"
		if m[2] != "" {
			expected = "a whole number from 0"
		}
		return fmt.Errorf("%s: %s: expected %s", m[1], m[3], expected)
	}
	if m := badMinus.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("%s: %q begins like a flag: expected a value; write %s=%s", m[1], m[2], m[1], shellwords.Quote(m[2]))
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return err
	case args[0] == "match" && (slices.Contains(args, "-engine") || slices.Contains(args, "-each")):
		return fmt.Errorf("match: %s is a flag of fastchess; write --engine NAME=COMMAND and --tc, as the table of docs/coming-from.md shows", firstOf(args, "-engine", "-each"))
	case args[0] == "gate" && strings.HasPrefix(text, "unknown flag --sprt"):
		return errors.New("--sprt: gogi gate uses the SPRT that the run began with; for another one, write a file with a [gate] section and run gogi gate RUN --gate FILE")
	}
	return fmt.Errorf("%w (see %s --help)", err, commandOf(err))
}

func firstOf(args []string, words ...string) string {
	return args[slices.IndexFunc(args, func(a string) bool { return slices.Contains(words, a) })]
}
