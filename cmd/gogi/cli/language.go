package cli

import (
	"io"
	"os"
	"strings"

	"golang.org/x/term"

	"gogi/internal/i18n"
	"gogi/internal/sanitize"
)

// LanguageOf is the language that people are told results in: what was asked for (--lang),
// else what the variable GOGI_LANG says, else, where the result goes to a terminal, that
// of the locale: the first of LC_ALL, LC_MESSAGES and LANG that is set, as POSIX has it.
// Programs read what goes elsewhere, and so no locale changes that.
func LanguageOf(asked string, variable func(name string) string, terminal bool) i18n.Language {
	for _, told := range []string{asked, variable("GOGI_LANG")} {
		if told != "" {
			return language(told)
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

// language is the language of a locale's name, such as ja_JP.UTF-8; English for those that
// there is nothing in.
func language(locale string) i18n.Language {
	language, _, _ := strings.Cut(locale, ".")
	language, _, _ = strings.Cut(language, "_")
	if strings.EqualFold(language, string(i18n.Japanese)) || strings.HasPrefix(strings.ToLower(language), "ja-") {
		return i18n.Japanese
	}
	return i18n.English
}

// File returns the file that an output of Env goes to, or nil.
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

// OnTerminal reports whether what is written goes to a terminal.
func OnTerminal(w io.Writer) bool {
	f := File(w)
	return f != nil && term.IsTerminal(int(f.Fd())) //nolint:gosec // a descriptor is small
}
