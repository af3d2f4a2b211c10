package results

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"runtime"
)

// A report on a run of a million games uses several connections; each reads a part of the run. All of them
// must see the same state of the database.

const (
	// scanners is the largest number of connections that read one run. Two of them already read as fast as one goroutine
	// can add up the games.
	scanners = 3
	// settled is the number of attempts to start several connections in the same state of the database. An attempt
	// fails if a writer commits during it, as a writer with a commit each millisecond sometimes does. If all attempts
	// fail, only one connection reads.
	settled = 5
)

// snapshot is a set of connections that see the same state of the database. Each connection has its own
// transaction.
type snapshot struct {
	conns []*sql.Conn
	free  func() // allows the next snapshot to have several connections
}

// newSnapshot opens as many connections as are useful for a number of parts. If another reader already has several
// connections, it opens only one, because the number of connections is limited and a reader may need one more inside
// its yield function.
func newSnapshot(ctx context.Context, s *Store, parts int) (*snapshot, error) {
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

// begin starts transactions on several connections; want is their number. All must see the same state of the
// database, so begin starts them again if another process has committed in between. together is false if no attempt
// succeeds; settled is the number of attempts.
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

// version returns a number that, for one connection, changes when another connection has committed
// (sqlite.org/pragma.html#pragma_data_version).
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

// leave ends the transactions and returns the connections to the pool. If it cannot end a transaction, it closes the
// connection.
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

// end ends all transactions. After that, another snapshot may use several connections.
func (m *snapshot) end() error {
	defer m.free()
	return m.leave()
}
