package verb

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"gogi/internal/phrases"
)

// TongueOf is the language that people are told results in: what was asked for (--lang),
// else what the variable GOGI_LANG says, else, where the result goes to a terminal, that
// of the locale: the first of LC_ALL, LC_MESSAGES and LANG that is set, as POSIX has it.
// Programs read what goes elsewhere, and so no locale changes that.
func TongueOf(asked string, variable func(name string) string, terminal bool) phrases.Tongue {
	for _, told := range []string{asked, variable("GOGI_LANG")} {
		if told != "" {
			return tongue(told)
		}
	}
	if !terminal {
		return phrases.English
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if locale := variable(name); locale != "" {
			return tongue(locale)
		}
	}
	return phrases.English
}

// tongue is the language of a locale's name, such as ja_JP.UTF-8; English for those that
// there is nothing in.
func tongue(locale string) phrases.Tongue {
	language, _, _ := strings.Cut(locale, ".")
	language, _, _ = strings.Cut(language, "_")
	if strings.EqualFold(language, string(phrases.Japanese)) || strings.HasPrefix(strings.ToLower(language), "ja-") {
		return phrases.Japanese
	}
	return phrases.English
}

// OnTerminal reports whether what is written goes to a terminal.
func OnTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) //nolint:gosec // a descriptor is small
}
