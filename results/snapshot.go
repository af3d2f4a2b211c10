package results

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"runtime"
)

// Several connections read a run of a million games, each a part of it. All of them must see the database
// at one moment.

const (
	// scanners is how many connections read one run at most. Two keep a goroutine
	// busy that adds the games up.
	scanners = 3
	// settled is how often connections are begun together before one reads alone:
	// a writer that commits each millisecond comes between them now and then.
	settled = 5
)

// snapshot is connections that see the database as it was at one moment, each in a transaction of its own.
type snapshot struct {
	conns []*sql.Conn
	free  func() // lets the next one have several connections
}

// newSnapshot opens as many connections as are useful for so many parts. It opens only one if another
// reader has several already, because connections are few and the reader may need one more inside its
// yield function.
func (s *Store) newSnapshot(ctx context.Context, parts int) (*snapshot, error) {
	want := min(parts, scanners, runtime.GOMAXPROCS(0))
	if want > 1 && s.scanning.TryLock() {
		m := &snapshot{free: s.scanning.Unlock}
		together, err := m.begin(ctx, s.read, want)
		if err == nil && together {
			return m, nil
		}
		if err := errors.Join(err, m.end()); err != nil {
			return nil, err
		}
	}
	m := &snapshot{free: func() {}}
	if err := m.join(ctx, s.read); err != nil {
		return nil, errors.Join(err, m.end())
	}
	return m, nil
}

// begin begins connections until no connection has committed between the first and the last of them.
func (m *snapshot) begin(ctx context.Context, db *sql.DB, want int) (together bool, err error) {
	witness, err := db.Conn(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, witness.Close()) }()
	for range settled {
		before, err := version(ctx, witness)
		for range want {
			if err == nil {
				err = m.join(ctx, db)
			}
		}
		if err != nil {
			return false, err
		}
		if after, err := version(ctx, witness); err != nil || after == before {
			return err == nil, err
		}
		if err := m.leave(); err != nil {
			return false, err
		}
	}
	return false, nil
}

// version returns a number that changes, for one connection, when another one has
// committed (sqlite.org/pragma.html#pragma_data_version).
func version(ctx context.Context, conn *sql.Conn) (n int64, err error) {
	err = conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&n)
	return n, err
}

// join starts a read transaction on a new connection and adds the connection to the snapshot. The first read fixes
// the state of the database that the transaction sees.
func (m *snapshot) join(ctx context.Context, db *sql.DB) error {
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	m.conns = append(m.conns, conn)
	var n int
	if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
		return err
	}
	return conn.QueryRowContext(ctx, "SELECT count(*) FROM (SELECT 1 FROM runs LIMIT 1)").Scan(&n)
}

// leave ends the transactions and gives the connections back. One whose transaction
// does not end is of no use to others: it is closed.
func (m *snapshot) leave() error {
	var errs []error
	for _, conn := range m.conns {
		if _, err := conn.ExecContext(context.Background(), "ROLLBACK"); err != nil {
			_ = conn.Raw(func(any) error { return driver.ErrBadConn })
		}
		errs = append(errs, conn.Close())
	}
	m.conns = nil
	return errors.Join(errs...)
}

// end gives all of it back.
func (m *snapshot) end() error {
	defer m.free()
	return m.leave()
}
