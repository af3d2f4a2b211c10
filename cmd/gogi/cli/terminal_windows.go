package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// Drawable reports whether a file is a console that understands escape sequences. It enables them, which works
// from Windows 10 on (Microsoft, "Console Virtual Terminal Sequences").
func Drawable(f *os.File) bool {
	console := windows.Handle(f.Fd())
	var mode uint32
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	return windows.SetConsoleMode(console,
		mode|windows.ENABLE_PROCESSED_OUTPUT|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
