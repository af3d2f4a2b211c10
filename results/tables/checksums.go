package tables

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
	"sync"
	"time"
)

// Damaged is the error for a row that is missing, or that differs from the data that were stored. The user should then
// run gogi db check.
type Damaged struct {
	Table     string // the table of the row
	Run       string // "" if unknown
	Pair, Leg int    // -1: the row does not belong to one pair, or not to one game
	What      string // description of the damage; "": wrong checksum
}

// Error returns the row's run, pair and table, and the damage.
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
	if e.What != "" {
		return text + " " + e.What + " (see gogi db check)"
	}
	return text + " a row is not what was stored (see gogi db check)"
}

// Checksum calculates a CRC-32C (Castagnoli, RFC 3720) of the values of a row. It detects every error of up
// to three bits in gogi's rows, and all other errors except one in 2³². It covers each value's kind and
// bytes, so that different rows give different input.
type Checksum struct{ text []byte }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Reset starts the checksum of a new row of a table.
func (c *Checksum) Reset(table string) { c.text = append(c.text[:0], table...) }

// Sum returns the checksum of the row.
func (c *Checksum) Sum() int64 { return int64(crc32.Checksum(c.text, castagnoli)) }

func (c *Checksum) int(v int64) {
	c.text = binary.LittleEndian.AppendUint64(append(c.text, 'i'), uint64(v))
}

// appendSized appends the kind of a value, its length and its bytes to text.
func appendSized[V string | []byte](text []byte, kind byte, v V) []byte {
	return append(binary.AppendUvarint(append(text, kind), uint64(len(v))), v...)
}

// Add adds a value to the checksum. The value was read from SQLite or will be written to it.
func (c *Checksum) Add(value any) error {
	switch v := value.(type) {
	case nil:
		c.text = append(c.text, 'n')
	case int64:
		c.int(v)
	case int:
		c.int(int64(v))
	case float64:
		c.text = binary.LittleEndian.AppendUint64(append(c.text, 'r'), math.Float64bits(v))
	case string:
		c.text = appendSized(c.text, 't', v)
	case []byte:
		if v == nil {
			return c.Add(nil)
		}
		c.text = appendSized(c.text, 'b', v)
	default:
		return fmt.Errorf("a value of type %T has no checksum", value)
	}
	return nil
}

// checksums has unused Checksums. A check of a long run calculates five checksums for each pair.
var checksums = sync.Pool{New: func() any { return new(Checksum) }}

// SumOf returns the checksum of a row's values.
func SumOf(table string, values ...any) (int64, error) {
	c, ok := checksums.Get().(*Checksum)
	if !ok {
		return 0, errors.New("the pool of checksums holds something else")
	}
	defer checksums.Put(c)
	c.Reset(table)
	for _, v := range values {
		if err := c.Add(v); err != nil {
			return 0, err
		}
	}
	return c.Sum(), nil
}

// Shortened removes the NULL values at the end of values, which are the input of a row's checksum. Columns that
// were added to the schema later are NULL in older rows, so the checksums of older rows stay valid. always is the
// number of columns that are older than the checksum; Shortened does not remove their values. null reports whether
// a value is NULL. Different rows of a table still have different input, because Shortened removes only NULL
// values.
func Shortened[V any](values []V, always int, null func(V) bool) []V {
	for len(values) > always && null(values[len(values)-1]) {
		values = values[:len(values)-1]
	}
	return values
}

// Null reports whether a value from a row is NULL.
func Null[V any](value V) bool { return any(value) == nil }

// EachRow calls yield for the rows of a table that are selected by where, an SQL clause.
func EachRow(ctx context.Context, q Querier, table string, yield func(*Row) error, where string, args ...any) error {
	current, err := CurrentSchema()
	if err != nil {
		return err
	}
	row := Row{Layout: current.Table(table)}
	row.Values = make([]any, len(row.Layout.Columns))
	targets := make([]any, len(row.Values))
	for i := range targets {
		targets[i] = &row.Values[i]
	}
	return Each(ctx, q, func(rows *sql.Rows) error {
		if err := rows.Scan(targets...); err != nil {
			return err
		}
		return yield(&row)
	}, "SELECT "+strings.Join(row.Layout.Names(), ", ")+" FROM "+table+" "+where, args...)
}

// VerifyRows returns an error for the first row selected by where, an SQL clause, that is damaged or that it finds
// twice.
func VerifyRows(ctx context.Context, q Querier, table, where string, args ...any) error {
	return EachSound(ctx, q, table, func(*Row) error { return nil }, where, args...)
}

// EachSound does the same as EachRow, but returns an error for a damaged row, and for a row that it finds twice. A
// damaged index may lead to one row from two places, and the number of rows would then seem correct.
func EachSound(ctx context.Context, q Querier, table string, yield func(*Row) error, where string, args ...any) error {
	var key Checksum
	seen := map[string]bool{}
	return EachRow(ctx, q, table, func(r *Row) error {
		key.Reset(table)
		for i, c := range r.Layout.Columns {
			if c.key == 0 {
				continue
			}
			if err := key.Add(r.Values[i]); err != nil {
				return err
			}
		}
		if seen[string(key.text)] || r.Verdict() == Broken {
			return r.Damage()
		}
		seen[string(key.text)] = true
		return yield(r)
	}, where, args...)
}

// Damage returns the error for this row if its checksum is wrong, else nil.
func (r *Row) Damage() *Damaged {
	e := &Damaged{Table: r.Layout.Name, Pair: -1, Leg: -1}
	if r.Layout.Name == "runs" {
		e.Run = r.Text("name")
	}
	if r.Layout.index("pair") >= 0 {
		e.Pair = int(r.Int("pair"))
	}
	return e
}

// Seal writes the checksums of new or changed rows of a table. where is an SQL clause that selects them. The caller
// must verify rows before it changes them.
func Seal(ctx context.Context, tx *sql.Tx, table, where string, args ...any) error {
	type sealed struct {
		sum int64
		key []any
	}
	var rows []sealed
	var keys []string
	err := EachRow(ctx, tx, table, func(r *Row) error {
		s := sealed{}
		var err error
		s.sum, err = r.Sum()
		keys = keys[:0]
		for i, c := range r.Layout.Columns {
			if c.key > 0 {
				keys, s.key = append(keys, c.Name+" = ?"), append(s.key, r.Values[i])
			}
		}
		rows = append(rows, s)
		return err
	}, where, args...)
	for i := range rows {
		if err == nil {
			_, err = tx.ExecContext(ctx, "UPDATE "+table+" SET checksum = ? WHERE "+strings.Join(keys, " AND "),
				append([]any{rows[i].sum}, rows[i].key...)...)
		}
	}
	return err
}

// NameRun adds the name of the run to err if err is a *Damaged without a name. It returns err.
func NameRun(ctx context.Context, q Querier, run int64, err error) error {
	if e, ok := errors.AsType[*Damaged](err); ok && e.Run == "" {
		// If the name cannot be read, the error has no name.
		_ = q.QueryRowContext(ctx, "SELECT name FROM runs WHERE id = ?", run).Scan(&e.Run)
	}
	return err
}

// Now returns the current time in microseconds since 1970, as the database stores it.
func Now() int64 { return time.Now().UnixMicro() }
