package effects

import (
	_ "embed" // the section's template
	"fmt"
	"html/template"
	"strings"

	"gogi/internal/format"
)

//go:embed section.gohtml
var section string

// HTML is the table as a section of a report's page. Its classes are the page's.
func (t *Table) HTML() (template.HTML, error) {
	parsed, err := template.New("section").Funcs(template.FuncMap{"cells": columns}).Parse(section)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = parsed.Execute(&b, t)
	return template.HTML(b.String()), err //nolint:gosec // the template has escaped every text
}

// columns are the cells behind the row's name.
func columns(r Row) []string {
	cells := r.cells()
	span := "–"
	if r.Lo != nil {
		span = format.Elo(r.EloLo, -1) + " to " + format.Elo(r.EloHi, 1)
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
