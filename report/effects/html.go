package effects

import (
	_ "embed" // the section's template
	"fmt"
	"html/template"
	"strings"

	"gogi/internal/format"
	"gogi/internal/i18n"
)

//go:embed section.gohtml
var section string

// HTML is the table as a section of a report's page in a language. Its classes are the page's.
func (t *Table) HTML(in i18n.Language) (template.HTML, error) {
	parsed, err := template.New("section").Funcs(template.FuncMap{
		"t":     func(phrase string, args ...any) string { return i18n.Say(in, phrase, args...) },
		"said":  func(s i18n.Message) string { return s.In(in) },
		"cells": func(r Row) []string { return columns(r, in) },
	}).Parse(section)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = parsed.Execute(&b, t)
	return template.HTML(b.String()), err //nolint:gosec // the template has escaped every text
}

// columns are the cells behind the row's name.
func columns(r Row, in i18n.Language) []string {
	cells := r.cells(in)
	span := "–"
	if r.Lo != nil {
		span = i18n.Say(in, "%s to %s", format.Elo(r.EloLo, -1), format.Elo(r.EloHi, 1))
	}
	all := make([]string, 0, len(cells))
	for _, i := range []int{1, 2, 3, 4} {
		all = append(all, fmt.Sprint(cells[i]))
	}
	all = append(all, span)
	for _, i := range []int{7, 8, 9} {
		all = append(all, fmt.Sprint(cells[i]))
	}
	return all
}
