package csv

import (
	"fmt"
	"strconv"
	"strings"

	"gogi/internal/format"
)

// Condition selects the rows whose cell has a relation to a value.
type Condition struct {
	Column   string
	Relation string // =, !=, <, <=, > or >=
	Value    string
}

// ParseCondition reads COLUMN RELATION VALUE, such as "rank!=8D" or "RP_mid >= 26500".
func ParseCondition(text string) (Condition, error) {
	at := strings.IndexAny(text, "=!<>")
	if at > 0 {
		for _, relation := range []string{"<=", ">=", "!=", "<", ">", "="} {
			if value, found := strings.CutPrefix(text[at:], relation); found {
				return Condition{strings.TrimSpace(text[:at]), relation, strings.TrimSpace(value)}, nil
			}
		}
	}
	return Condition{}, fmt.Errorf("%s: expected COLUMN=VALUE, or with !=, <, <=, > or >=, such as points>=26500", format.Quoted(text))
}

// Check is an error unless the sheet has the column.
func (c Condition) Check(s *Sheet) error {
	if s.Column(c.Column) < 0 {
		return s.NoColumn(c.Column)
	}
	return nil
}

// Holds compares numbers as numbers, and with = and != other text as text. An empty cell only equals an
// empty value, and is neither less nor more than any. It returns an error if < or > compare a cell or a
// value that is no number.
func (c Condition) Holds(r Row) (bool, error) {
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
	return c.Relation == "<" && a < b || c.Relation == "<=" && a <= b || c.Relation == ">" && a > b || c.Relation == ">=" && a >= b, nil
}

// Conditions are all to hold.
type Conditions []Condition

// ParseConditions reads one after the other.
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

// Check is that of each.
func (l Conditions) Check(s *Sheet) error {
	for _, c := range l {
		if err := c.Check(s); err != nil {
			return err
		}
	}
	return nil
}

// Hold reports whether all do.
func (l Conditions) Hold(r Row) (bool, error) {
	for _, c := range l {
		if holds, err := c.Holds(r); err != nil || !holds {
			return false, err
		}
	}
	return true, nil
}
