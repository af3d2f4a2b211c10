package results

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
	"time"
)

// Damaged says that a row is not what was stored: its checksum is another one. Run
// gogi db check.
//
//nolint:errname // "Damaged" is what it is
type Damaged struct {
	Table     string // that the row is in
	Run       string // "" where it is not known
	Pair, Leg int    // -1: the row is not of one pair, or not of one game
}

// Error names the row.
func (e *Damaged) Error() string {
	text := "the database is damaged: in table " + e.Table
	if e.Run != "" {
		text += fmt.Sprintf(", run %q", e.Run)
	}
	if e.Pair >= 0 {
		text += fmt.Sprintf(", pair %d", e.Pair)
	}
	if e.Leg >= 0 {
		text += fmt.Sprintf(", leg %d", e.Leg)
	}
	return text + " a row is not what was stored (see gogi db check)"
}

// checksum adds the values of a row up to a CRC-32C (Castagnoli, RFC 3720), which
// finds every error of up to three bits in a row of ours, and others but for one in
// 2³². A value is its kind and its bytes, so that no two rows have one text.
type checksum struct{ text []byte }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// reset begins a row of a table.
func (c *checksum) reset(table string) { c.text = append(c.text[:0], table...) }

// sum is the checksum of the row.
func (c *checksum) sum() int64 { return int64(crc32.Checksum(c.text, castagnoli)) }

func (c *checksum) int(v int64) {
	c.text = binary.LittleEndian.AppendUint64(append(c.text, 'i'), uint64(v)) //nolint:gosec // all 64 bits
}

func (c *checksum) string(v string) {
	c.text = binary.AppendUvarint(append(c.text, 't'), uint64(len(v)))
	c.text = append(c.text, v...)
}

func (c *checksum) bytes(v []byte) {
	if v == nil {
		c.text = append(c.text, 'n')
		return
	}
	c.text = binary.AppendUvarint(append(c.text, 'b'), uint64(len(v)))
	c.text = append(c.text, v...)
}

// add takes a value as it is read from SQLite or as one of ours that is written: the
// two are the same bytes.
func (c *checksum) add(value any) error {
	switch v := value.(type) {
	case nil:
		c.text = append(c.text, 'n')
	case int64:
		c.int(v)
	case int:
		c.int(int64(v))
	case *int64:
		c.int(*v)
	case *int:
		c.int(int64(*v))
	case *bool:
		if *v {
			c.int(1)
		} else {
			c.int(0)
		}
	case float64:
		c.real(v)
	case *float64:
		c.real(*v)
	case string:
		c.string(v)
	case *string:
		c.string(*v)
	case []byte:
		c.bytes(v)
	default:
		return c.addOurs(value)
	}
	return nil
}

func (c *checksum) real(v float64) {
	c.text = binary.LittleEndian.AppendUint64(append(c.text, 'r'), math.Float64bits(v))
}

// addOurs takes the types of columns.go.
func (c *checksum) addOurs(value any) error {
	switch v := value.(type) {
	case bits:
		c.int(int64(*v.value)) //nolint:gosec // the same 64 bits
	case span:
		c.int(v.value.Microseconds())
	case moment:
		c.int(micros(*v.value))
	case number:
		if *v.value == 0 {
			return c.add(nil)
		}
		c.int(*v.value)
	case questions:
		text, err := v.Value()
		if err != nil {
			return err
		}
		return c.add(text)
	case word:
		text, err := v.value.MarshalText()
		c.string(string(text))
		return err
	default:
		return fmt.Errorf("a value of type %T has no checksum", value)
	}
	return nil
}

// sumOf is the checksum of a row's values.
func sumOf(table string, values ...any) (int64, error) {
	var c checksum
	c.reset(table)
	for _, v := range values {
		if err := c.add(v); err != nil {
			return 0, err
		}
	}
	return c.sum(), nil
}

// summed are the columns that a row's checksum covers, in order, and how many of them
// are older than the checksum. The number that SQLite gives to a game, an opening or a
// worker is not known when the checksum is reckoned; the games of a pair, their
// opening and its worker are found by it, so that a wrong one is not overlooked.
func (l *layout) summed() (list []int, always int) {
	for i, c := range l.columns {
		switch {
		case c.name == "checksum":
			always = len(list)
		case c.name == "id" && (l.name == "games" || l.name == "openings" || l.name == "attempts" || l.name == "workers"):
		default:
			list = append(list, i)
		}
	}
	return list, always
}

// shortened leaves out what follows the last value that is not NULL, of those that came
// later than the checksum: a row that was stored before there were such columns keeps
// the checksum that it has. No two rows of a table have one text all the same, because
// what is left out can only have been NULL.
func shortened(values []any, always int) []any {
	for len(values) > always && values[len(values)-1] == nil {
		values = values[:len(values)-1]
	}
	return values
}

// eachRaw calls yield for the rows of a table that the condition, in SQL, selects.
func eachRaw(ctx context.Context, q querier, table string, yield func(*rawRow) error, where string, args ...any) error {
	current, err := currentSchema()
	if err != nil {
		return err
	}
	row := rawRow{layout: current.table(table)}
	row.values = make([]any, len(row.layout.columns))
	targets := make([]any, len(row.values))
	for i := range targets {
		targets[i] = &row.values[i]
	}
	return each(ctx, q, func(rows *sql.Rows) error {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		return yield(&row)
	}, "SELECT "+strings.Join(row.layout.names(), ", ")+" FROM "+table+" "+where, args...)
}

// verifyRows fails for the first of some rows that is damaged.
func verifyRows(ctx context.Context, q querier, table, where string, args ...any) error {
	return eachRaw(ctx, q, table, func(r *rawRow) error {
		if r.verdict() == damaged {
			return r.damage()
		}
		return nil
	}, where, args...)
}

// damage is the error of a row whose checksum is wrong.
func (r *rawRow) damage() *Damaged {
	e := &Damaged{Table: r.layout.name, Pair: -1, Leg: -1}
	if r.layout.name == "runs" {
		e.Run, _ = r.value("name").(string)
	}
	if r.layout.index("pair") >= 0 {
		e.Pair = int(r.int("pair"))
	}
	return e
}

// seal gives rows that were written or changed their checksum. Whoever changes rows
// verifies them before.
func seal(ctx context.Context, tx *sql.Tx, table, where string, args ...any) error {
	type sealed struct {
		sum int64
		key []any
	}
	var rows []sealed
	var keys []string
	err := eachRaw(ctx, tx, table, func(r *rawRow) error {
		s := sealed{}
		var err error
		s.sum, err = r.sum()
		keys = keys[:0]
		for i, c := range r.layout.columns {
			if c.key > 0 {
				keys, s.key = append(keys, c.name+" = ?"), append(s.key, r.values[i])
			}
		}
		rows = append(rows, s)
		return err
	}, where, args...)
	for i := range rows {
		if err == nil {
			_, err = tx.ExecContext(ctx, "UPDATE "+table+" SET checksum = ? WHERE "+strings.Join(keys, " AND "), append([]any{rows[i].sum}, rows[i].key...)...)
		}
	}
	return err
}

// named adds to an error of a damaged row the name of its run.
func named(ctx context.Context, q querier, run int64, err error) error {
	if e, ok := errors.AsType[*Damaged](err); ok && e.Run == "" {
		// Where the name cannot be read, the error is told without it.
		_ = q.QueryRowContext(ctx, "SELECT name FROM runs WHERE id = ?", run).Scan(&e.Run)
	}
	return err
}

// now is the present as the database keeps it.
func now() int64 { return time.Now().UnixMicro() }
