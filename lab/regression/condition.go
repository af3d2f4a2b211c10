package regression

import (
	"fmt"
	"strconv"
	"strings"

	"gogi/internal/csv"
	"gogi/internal/format"
	"gogi/internal/lists"
)

// A Condition is a comparison of the cells of one column with a value, such as "rank!=8D". It selects the
// rows for which the comparison is true.
type Condition struct {
	Column   string
	Relation string // =, !=, <, <=, > or >=
	Value    string
}

// ParseCondition parses a column, a relation and a value, such as "rank!=8D" or "RP_mid >= 26500".
func ParseCondition(text string) (Condition, error) {
	at := strings.IndexAny(text, "=!<>")
	if at > 0 {
		for _, relation := range []string{"<=", ">=", "!=", "<", ">", "="} {
			if value, found := strings.CutPrefix(text[at:], relation); found {
				return Condition{strings.TrimSpace(text[:at]), relation, strings.TrimSpace(value)}, nil
			}
		}
	}
	return Condition{}, fmt.Errorf("%s: expected COLUMN=VALUE, or with !=, <, <=, > or >=, such as points>=26500",
		format.Quoted(text))
}

// Check returns an error if the sheet does not have the condition's column.
func (c Condition) Check(s *csv.Sheet) error {
	if s.Column(c.Column) < 0 {
		return s.NoColumn(c.Column)
	}
	return nil
}

// Holds reports whether a row fulfils the condition. It compares numbers by value. With = and != it compares
// other text character by character. An empty cell equals only an empty value, and < and > are false for an
// empty cell. Holds returns an error if < or > compare a cell or a value that is not a number.
func (c Condition) Holds(r csv.Row) (bool, error) {
	column := r.Of.Column(c.Column)
	cell := r.At(column)
	a, errA := strconv.ParseFloat(cell, 64)
	b, errB := strconv.ParseFloat(c.Value, 64)
	numbers := errA == nil && errB == nil
	switch c.Relation {
	case "=":
		return cell == c.Value || numbers && a == b, nil
	case "!=":
		return cell != c.Value && !(numbers && a == b), nil
	}
	switch {
	case cell == "":
		return false, nil
	case errB != nil:
		return false, fmt.Errorf("%s %s %s: the value is no number", c.Column, c.Relation, format.Quoted(c.Value))
	case errA != nil:
		return false, r.Unexpected(column, "a number to compare with "+c.Value)
	}
	return c.Relation == "<" && a < b || c.Relation == "<=" && a <= b || c.Relation == ">" && a > b ||
		c.Relation == ">=" && a >= b, nil
}

// Conditions is a list of conditions. A row must fulfil all of them.
type Conditions []Condition

// ParseConditions parses each text with [ParseCondition].
func ParseConditions(texts []string) (Conditions, error) {
	var list Conditions
	for _, text := range texts {
		c, err := ParseCondition(text)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, nil
}

// Check returns an error if the sheet lacks the column of any condition.
func (l Conditions) Check(s *csv.Sheet) error {
	return lists.Each(l, func(c Condition) error { return c.Check(s) })
}

// Hold reports whether a row fulfils all conditions.
func (l Conditions) Hold(r csv.Row) (bool, error) {
	for _, c := range l {
		if holds, err := c.Holds(r); err != nil || !holds {
			return false, err
		}
	}
	return true, nil
}
