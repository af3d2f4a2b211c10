package worker

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"gogi/farm"
	"gogi/internal/lists"
	"gogi/results/file"
)

// An Outbox is the disk storage of a worker for finished items, until the coordinator has stored them. It is a
// table of an SQLite database. Items that Append has accepted are not lost, even if the process is killed. The methods
// are safe for concurrent use.
type Outbox struct {
	db  *sql.DB // it has one connection
	max int64

	committing sync.Mutex // held during a transaction; locked before mu

	mu      sync.Mutex
	closed  bool
	queue   []*addition // items that wait for the next transaction
	done    []uint64    // numbers of rows that the next transaction deletes
	next    uint64      // number of the next item
	entries map[uint64]*entry
	fresh   []uint64 // numbers not published in this session, in order
	bytes   int64    // total length of the items
}

// An entry is an item that the coordinator has not stored yet.
type entry struct {
	lease     farm.Held
	attempt   bool
	length    int64
	published bool
}

// An addition is an item on its way to the disk.
type addition struct {
	number uint64
	item   farm.Item
	body   []byte // the item as CBOR
	stored bool
	err    error
}

const (
	outboxName = "outbox.db"
	// outboxTable creates the table. sum is the CRC-32C of item, because SQLite does not notice a flipped bit in a value.
	outboxTable = "CREATE TABLE IF NOT EXISTS items (number INTEGER PRIMARY KEY, item BLOB NOT NULL, sum TEXT NOT NULL) STRICT"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sumOf(body []byte) string {
	return strconv.FormatUint(uint64(crc32.Checksum(body, castagnoli)), 16)
}

// OpenOutbox reads the items in a directory, and creates the directory if it is missing. lost is the number of items
// that it could not read because the disk has damaged them; of a damaged database it is at least 1, because some may be
// missing without a trace. If the items have more than maximum bytes, Full returns true.
func OpenOutbox(dir string, maximum int64) (o *Outbox, lost int, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, 0, fmt.Errorf("outbox: %w", err)
	}
	name := filepath.Join(dir, outboxName)
	if o, lost, err = openOutboxFile(name, maximum); err == nil {
		return o, lost, nil
	}
	if !file.IsDamaged(err) && !errors.Is(err, errUnsound) {
		return nil, 0, fmt.Errorf("outbox: %s: %w", name, err)
	}
	if o, lost, err = rescue(name, maximum); err != nil {
		return nil, 0, fmt.Errorf("outbox: %s: %w", name, err)
	}
	return o, lost, nil
}

// openOutboxFile opens a database of items and reads their leases.
func openOutboxFile(name string, maximum int64) (*Outbox, int, error) {
	// The mode of locking keeps the index of the log in memory, because one process uses the outbox. On a full volume
	// SQLite could not create a file for it.
	db, err := file.Open(name, url.Values{
		"mode": {"rwc"}, "_locking_mode": {"EXCLUSIVE"}, "_journal_mode": {"WAL"}, "_synchronous": {"FULL"}, "_txlock": {"immediate"}, "_auto_vacuum": {"full"},
	})
	if err != nil {
		return nil, 0, err
	}
	db.SetMaxOpenConns(1)
	o := &Outbox{db: db, max: maximum, entries: map[uint64]*entry{}}
	lost := 0
	if _, err = db.Exec(outboxTable); err == nil {
		lost, err = o.read()
	}
	if err == nil {
		err = sound(db)
	}
	if err != nil {
		return nil, 0, errors.Join(err, db.Close())
	}
	o.fresh = slices.Sorted(maps.Keys(o.entries))
	return o, lost, nil
}

// errUnsound is the error of a database whose rows SQLite reads, but not all of them: a flipped bit can hide rows.
var errUnsound = errors.New("the database is damaged")

// sound returns errUnsound if SQLite finds damage in the structure of a database.
func sound(db *sql.DB) error {
	var found string
	err := db.QueryRow("PRAGMA quick_check(1)").Scan(&found)
	if err == nil && found != "ok" {
		err = fmt.Errorf("%w: %s", errUnsound, found)
	}
	return err
}

// read lists all items. Damaged items are deleted with the next transaction.
func (o *Outbox) read() (lost int, err error) {
	err = o.each(func(number uint64, body []byte, sum string) error {
		o.next = max(o.next, number+1)
		item, err := intact(body, sum)
		if err != nil {
			lost++
			o.done = append(o.done, number)
			return nil
		}
		o.list(&addition{number: number, item: item, body: body})
		return nil
	})
	return lost, err
}

// intact returns the item that a row has. It returns an error if the disk has changed it, or if another version of
// gogi has written it. The lease of such an item expires.
func intact(body []byte, sum string) (item farm.Item, err error) {
	if sumOf(body) != sum {
		return item, errors.New("the item is damaged")
	}
	return item, farm.Decode(body, &item)
}

// each calls f for each row in order. body is valid until f returns.
func (o *Outbox) each(f func(number uint64, body []byte, sum string) error) error {
	rows, err := o.db.Query("SELECT number, item, sum FROM items ORDER BY number")
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err has the error
	for rows.Next() {
		var number int64
		var body, sum sql.RawBytes // a damaged row may have values of other kinds
		if err := rows.Scan(&number, &body, &sum); err != nil {
			return err
		}
		if err := f(uint64(number), body, string(sum)); err != nil { //nolint:gosec // Append counts from 0
			return err
		}
	}
	return rows.Err()
}

// rescue moves a damaged database aside, and copies the items that SQLite can read from it into a new one.
func rescue(name string, maximum int64) (*Outbox, int, error) {
	aside := name + ".damaged"
	for _, end := range []string{"", "-wal"} {
		if err := os.Rename(name+end, aside+end); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, 0, err
		}
	}
	o, _, err := openOutboxFile(name, maximum)
	if err != nil {
		return nil, 0, err
	}
	old, err := file.Open(aside, url.Values{"mode": {"rw"}, "_locking_mode": {"EXCLUSIVE"}})
	if err != nil {
		return nil, 0, errors.Join(err, o.Close())
	}
	old.SetMaxOpenConns(1)
	lost := 0 // of those that can be seen
	err = (&Outbox{db: old}).each(func(_ uint64, body []byte, sum string) error {
		item, err := intact(body, sum)
		if err != nil {
			lost++
			return nil
		}
		return o.Append(item)
	})
	_ = old.Close() // it was only read
	if err != nil && !file.IsDamaged(err) {
		return nil, 0, errors.Join(err, o.Close())
	}
	return o, max(lost, 1), nil
}

// Append stores an item. The item is on disk when Append returns nil.
func (o *Outbox) Append(item farm.Item) error {
	body, err := farm.Encode(item)
	if err != nil {
		return err
	}
	if len(body) > maxItem {
		return fmt.Errorf("%w: it takes %d bytes, at most %d fit; for self-play, set a smaller selfplay.block", errTooLong, len(body), maxItem)
	}
	a := &addition{item: item, body: body}
	o.mu.Lock()
	a.number = o.next
	o.next++
	o.queue = append(o.queue, a)
	o.mu.Unlock()

	o.committing.Lock() // another call may store the item meanwhile
	defer o.committing.Unlock()
	if !a.stored {
		o.commit()
	}
	if a.err != nil {
		return fmt.Errorf("outbox: %w", a.err)
	}
	return nil
}

// errTooLong is the error of an item that does not fit in a message.
var errTooLong = errors.New("the result is too long for a farm's message")

// maxItem is the maximum size of an item. It leaves space for the other fields of a message.
const maxItem = farm.MaxBody - 64<<10

// commit stores all waiting items and deletes all rows that are done, in one transaction. The caller holds
// committing. After an error none of the items is stored.
func (o *Outbox) commit() {
	o.mu.Lock()
	queue, done := o.queue, o.done
	o.queue, o.done = nil, nil
	err := errClosed
	closed := o.closed
	o.mu.Unlock()
	if !closed {
		err = o.write(queue, done)
	}

	o.mu.Lock()
	defer o.mu.Unlock()
	if err != nil {
		o.done = append(o.done, done...)
	}
	for _, a := range queue {
		a.stored, a.err = true, err
		if err == nil {
			o.list(a)
			o.fresh = append(o.fresh, a.number)
		}
	}
}

// write changes the table. It waits for the disk only if there are items: if a deletion is lost, the worker sends the
// item again, which does no harm.
func (o *Outbox) write(items []*addition, done []uint64) error {
	mode := "PRAGMA synchronous = NORMAL"
	if len(items) > 0 {
		mode = "PRAGMA synchronous = FULL"
	}
	if _, err := o.db.Exec(mode); err != nil {
		return err
	}
	return file.InTx(context.Background(), o.db, func(tx *sql.Tx) error {
		for _, number := range done {
			if _, err := tx.Exec("DELETE FROM items WHERE number = ?", int64(number)); err != nil { //nolint:gosec // a count
				return err
			}
		}
		for _, a := range items {
			_, err := tx.Exec("INSERT INTO items VALUES (?, ?, ?)", int64(a.number), a.body, sumOf(a.body)) //nolint:gosec // a count
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// list adds an item that is on disk to the list of items.
func (o *Outbox) list(a *addition) {
	e := &entry{lease: a.item.Lease, attempt: a.item.Attempt != nil, length: int64(len(a.body))}
	o.entries[a.number] = e
	o.bytes += e.length
}

// Full reports whether the outbox is full. The worker then plays no further pair.
func (o *Outbox) Full() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes >= o.max
}

// Left returns the number of items in the outbox, and their total length in bytes.
func (o *Outbox) Left() (items int, bytes int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.entries), o.bytes
}

// Enough reports whether the unpublished items are enough to fill a message of limit bytes.
func (o *Outbox) Enough(limit int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	size := int64(0)
	for _, n := range o.fresh {
		if e := o.entries[n]; e != nil {
			size += e.length
		}
		if size >= int64(limit) {
			return true
		}
	}
	return false
}

// Waiting returns the number of unpublished items.
func (o *Outbox) Waiting() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.fresh)
}

// Batch returns the oldest unpublished items and their numbers. Together the items have at most limit bytes,
// but Batch returns at least one item if there is any. It discards items that it cannot read.
func (o *Outbox) Batch(limit int) (items []farm.Item, numbers []uint64) {
	o.committing.Lock() // one connection
	defer o.committing.Unlock()
	for _, number := range o.oldest(limit) {
		item, err := o.item(number)
		if err != nil {
			o.mu.Lock()
			o.forget(number)
			o.mu.Unlock()
			continue
		}
		items, numbers = append(items, item), append(numbers, number)
	}
	return items, numbers
}

// oldest returns the numbers of the oldest unpublished items with together at most limit bytes, but one at least.
func (o *Outbox) oldest(limit int) (numbers []uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.fresh = slices.DeleteFunc(o.fresh, func(n uint64) bool { return o.entries[n] == nil })
	size := int64(0)
	for _, n := range o.fresh {
		length := o.entries[n].length
		if size > 0 && size+length > int64(limit) {
			break
		}
		size += length
		numbers = append(numbers, n)
	}
	return numbers
}

func (o *Outbox) item(number uint64) (item farm.Item, err error) {
	var body []byte
	var sum string
	err = o.db.QueryRow("SELECT item, sum FROM items WHERE number = ?", int64(number)).Scan(&body, &sum) //nolint:gosec // a count
	if err != nil {
		return item, err
	}
	return intact(body, sum)
}

// Published records that items are in the coordinator's stream.
func (o *Outbox) Published(numbers []uint64) {
	gone := lists.Set(numbers, func(n uint64) uint64 { return n })
	o.mu.Lock()
	defer o.mu.Unlock()
	o.fresh = slices.DeleteFunc(o.fresh, func(n uint64) bool { return gone[n] })
	for _, n := range numbers {
		if e := o.entries[n]; e != nil {
			e.published = true
			if e.attempt { // the coordinator never confirms attempts; the stream has it
				o.forget(n)
			}
		}
	}
}

// Leases returns the leases of the finished pairs in the outbox, separately for unpublished and published
// pairs.
func (o *Outbox) Leases() (waiting, published []farm.Held) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, n := range slices.Sorted(maps.Keys(o.entries)) {
		switch e := o.entries[n]; {
		case e.attempt:
		case e.published:
			published = append(published, e.lease)
		default:
			waiting = append(waiting, e.lease)
		}
	}
	return waiting, published
}

// Done removes the items of leases whose results are stored or no longer wanted. If the disk is full, their rows are
// deleted later.
func (o *Outbox) Done(leases []farm.Held) {
	if len(leases) == 0 {
		return
	}
	gone := lists.Set(leases, keyOf)
	o.mu.Lock()
	for n, e := range o.entries {
		if !e.attempt && gone[keyOf(e.lease)] {
			o.forget(n)
		}
	}
	o.mu.Unlock()
	o.committing.Lock()
	defer o.committing.Unlock()
	o.commit()
}

// forget removes an item from the list. The next transaction deletes its row.
func (o *Outbox) forget(number uint64) {
	if e := o.entries[number]; e != nil {
		o.bytes -= e.length
		delete(o.entries, number)
		o.done = append(o.done, number)
	}
}

// Close closes the database. If the process ends without Close, no item is lost.
func (o *Outbox) Close() error {
	o.committing.Lock()
	defer o.committing.Unlock()
	o.commit()
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	if err := o.db.Close(); err != nil {
		return fmt.Errorf("outbox: %w", err)
	}
	return nil
}

var errClosed = errors.New("it is closed")

// A leaseKey identifies a lease.
type leaseKey struct {
	run   string
	pair  int
	epoch farm.Epoch
}

func keyOf(h farm.Held) leaseKey { return leaseKey{h.Run, h.Pair, h.Epoch} }
