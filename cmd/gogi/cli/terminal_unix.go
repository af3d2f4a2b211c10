//go:build unix

package cli

import (
	"os"

	"golang.org/x/term"
)

// Drawable reports whether a file is a terminal that understands escape sequences.
func Drawable(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
