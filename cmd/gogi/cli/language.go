package cli

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"gogi/internal/i18n"
	"gogi/internal/sanitize"
)

// LanguageOf returns the language of the output. It uses asked, the value of --lang, if that is set.
// Otherwise it uses the variable GOGI_LANG. If neither is set and the output goes to a terminal, it uses the
// locale: the first set variable of LC_ALL, LC_MESSAGES and LANG, as in POSIX. Other output is for programs,
// so it does not depend on the locale.
func LanguageOf(asked string, variable func(name string) string, terminal bool) i18n.Language {
	for _, name := range []string{asked, variable("GOGI_LANG")} {
		if name != "" {
			return language(name)
		}
	}
	if !terminal {
		return i18n.English
	}
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if locale := variable(name); locale != "" {
			return language(locale)
		}
	}
	return i18n.English
}

// language returns the language of a locale such as ja_JP.UTF-8. It returns English if gogi has no
// translation.
func language(locale string) i18n.Language {
	language, _, _ := strings.Cut(locale, ".")
	language, _, _ = strings.Cut(language, "_")
	if strings.EqualFold(language, string(i18n.Japanese)) || strings.HasPrefix(strings.ToLower(language), "ja-") {
		return i18n.Japanese
	}
	return i18n.English
}

// File returns the file to which w writes, also if w is one of the writers that Env puts around it. It
// returns nil if w does not write to a file.
func File(w io.Writer) *os.File {
	switch w := w.(type) {
	case *os.File:
		return w
	case *ResultWriter:
		return File(w.Writer)
	case *sanitize.Writer:
		return File(sanitize.Raw(w))
	}
	return nil
}

// OnTerminal reports whether w writes to a terminal.
func OnTerminal(w io.Writer) bool {
	f := File(w)
	return f != nil && term.IsTerminal(int(f.Fd()))
}
