package farmstate

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"time"

	"gogi/results/file"
	"gogi/results/tables"
)

// An Action is an entry of the log of all actions on a farm: each entry has the person, the change and the time.
type Action struct {
	ID   int64     `cbor:"id" json:"id"` // the place in the log, from 1
	At   time.Time `cbor:"at" json:"at"` // by the coordinator's clock, to the microsecond
	By   string    `cbor:"by" json:"by"` // a key's name, "farm", or "" for a person without a key
	On   string    `cbor:"on" json:"on"` // the kind of the changed thing: OnTest, OnWorker, OnKey or OnFarm
	Name string    `cbor:"name" json:"name"`
	What string    `cbor:"what" json:"what"` // the action, as text
}

// Kinds of things that an action changes, see Action.On.
const (
	OnTest   = "test"
	OnWorker = "worker"
	OnKey    = "key"
	OnFarm   = "farm"
)

// MaxWhat is the largest length of Action.What in bytes. A longer text is cut.
const MaxWhat = 1000

const actionsSchema = `CREATE TABLE IF NOT EXISTS actions (
	id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, by TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL,
	what TEXT NOT NULL, crc INTEGER NOT NULL) STRICT;
	CREATE INDEX IF NOT EXISTS actions_of ON actions (kind, name);
	CREATE INDEX IF NOT EXISTS actions_by ON actions (by)`

// Log adds actions to the log. They are on the disk when Log returns. Log does not set the field ID of the given
// actions.
func (s *State) Log(ctx context.Context, actions ...Action) error {
	ctx = context.WithoutCancel(ctx)
	err := file.InTx(ctx, s.db, func(tx *sql.Tx) error { return addActions(ctx, tx, actions) })
	if err != nil {
		return fmt.Errorf("%s: the log of actions: %w", s.path, err)
	}
	return nil
}

// addActions adds actions to the log. An action without an ID gets the next one.
func addActions(ctx context.Context, tx *sql.Tx, actions []Action) error {
	for _, a := range actions {
		a.What = strings.ToValidUTF8(a.What[:min(len(a.What), MaxWhat)], "")
		_, err := tx.ExecContext(ctx,
			"INSERT INTO actions (id, at, by, kind, name, what, crc) VALUES (nullif(?, 0), ?, ?, ?, ?, ?, ?)",
			a.ID, tables.Micros(a.At), a.By, a.On, a.Name, a.What, a.sum())
		if err != nil {
			return err
		}
	}
	return nil
}

// sum returns the CRC-32C of all fields except ID.
func (a *Action) sum() uint32 {
	text := strings.Join([]string{a.By, a.On, a.Name, a.What}, "\x00")
	return crc32.Checksum(binary.BigEndian.AppendUint64([]byte(text), uint64(tables.Micros(a.At))),
		crc32.MakeTable(crc32.Castagnoli))
}

// A Filter selects actions of the log. A field with its zero value selects all actions.
type Filter struct {
	By     string `cbor:"by,omitempty"`
	On     string `cbor:"on,omitempty"` // the kind
	Name   string `cbor:"name,omitempty"`
	Before int64  `cbor:"before,omitempty"` // only actions with a smaller ID
	From   int64  `cbor:"-"`                // only actions from this ID on, the earliest first
	Most   int    `cbor:"most,omitempty"`   // maximum number of actions; 0 means MaxActions
}

// MaxActions is the largest number of actions that Actions returns.
const MaxActions = 200

// Actions returns the latest actions that a filter selects, the latest first. With From it returns the earliest ones,
// the earliest first.
func (s *State) Actions(ctx context.Context, f Filter) ([]Action, error) {
	where, values := []string{"1"}, []any{}
	for _, c := range []struct{ column, value string }{{"by", f.By}, {"kind", f.On}, {"name", f.Name}} {
		if c.value != "" {
			where, values = append(where, c.column+" = ?"), append(values, c.value)
		}
	}
	order := "DESC"
	if f.From > 0 {
		where, values, order = append(where, "id >= ?"), append(values, f.From), "ASC"
	}
	if f.Before > 0 {
		where, values = append(where, "id < ?"), append(values, f.Before)
	}
	values = append(values, min(cmp.Or(max(f.Most, 0), MaxActions), MaxActions))
	list, err := tables.List(ctx, s.db, func(rows *sql.Rows, a *Action) error {
		var at int64
		var crc uint32
		err := rows.Scan(&a.ID, &at, &a.By, &a.On, &a.Name, &a.What, &crc)
		a.At = time.UnixMicro(at).UTC()
		if err == nil && crc != a.sum() {
			err = fmt.Errorf("the checksum of action %d is wrong", a.ID)
		}
		return err
	}, "SELECT id, at, by, kind, name, what, crc FROM actions WHERE "+strings.Join(where, " AND ")+" ORDER BY id "+order+
		" LIMIT ?", values...)
	if err != nil {
		return nil, s.fail(err)
	}
	return list, nil
}
