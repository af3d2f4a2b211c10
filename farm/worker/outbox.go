package worker

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"gogi/farm"
	"gogi/internal/disk"
	"gogi/internal/lists"
)

// An Outbox is the disk storage of a worker for finished items, until the coordinator has stored them. It
// uses append-only files. Items that Append has accepted are not lost, even if the process is killed. The
// methods are safe for concurrent use.
//
// A file is a sequence of records. A record has a head of 8 bytes: the length of the rest of the record, and
// the CRC-32C of this rest. Then come a kind (1 byte), a number (8 bytes), and for an item its CBOR text.
// Later records have higher numbers. An incomplete record can only be the last one of its file, because Open
// always starts a new file.
type Outbox struct {
	dir string
	max int64

	syncing sync.Mutex // held during a sync of the disk; locked before mu
	synced  int64      // bytes of written that are on disk

	mu      sync.Mutex
	file    *os.File // the last file of segments
	written int64    // bytes since Open, in all files
	broken  error    // a failure of the disk; the outbox accepts nothing after it
	next    uint64   // number of the next record
	entries map[uint64]*entry
	fresh   []uint64 // numbers not published in this session, in order
	files   []*segment
	bytes   int64  // total size of the files
	begun   uint64 // the number of the latest file that gogi created or tried to create
}

// A segment is one of the outbox's files.
type segment struct {
	name string
	file *os.File // open for reading
	live int      // number of entries in the file
	size int64
	// marks means that some of its records mark items of earlier files as done. gogi must delete these files first.
	marks bool
}

// An entry is an item that the coordinator has not stored yet.
type entry struct {
	lease     farm.Held
	attempt   bool
	segment   *segment
	offset    int64 // offset of the item's CBOR
	length    int
	published bool
}

const (
	recordItem = 'i'
	recordDone = 'd'
	headBytes  = 8 // length, CRC
	kindBytes  = 9 // kind, number

	// segmentBytes is the size at which the outbox starts another file; an item can make a file longer.
	segmentBytes = 8 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// OpenOutbox reads the items in a directory, and creates the directory if it is missing. dropped is the
// number of bytes that it could not read, because a record is incomplete (after a kill) or damaged. If the
// files are larger than maximum bytes, Full returns true.
func OpenOutbox(dir string, maximum int64) (o *Outbox, dropped int64, err error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, 0, fmt.Errorf("outbox: %w", err)
	}
	o = &Outbox{dir: dir, max: maximum, entries: map[uint64]*entry{}}
	defer func() {
		if err != nil {
			err = errors.Join(err, o.closeFiles())
		}
	}()
	names, err := filepath.Glob(filepath.Join(dir, "*.out"))
	if err != nil {
		return nil, 0, fmt.Errorf("outbox: %w", err)
	}
	slices.Sort(names) // all numbers have the same length
	for _, name := range names {
		n, err := o.read(name)
		if err != nil {
			return nil, 0, fmt.Errorf("outbox: %w", err)
		}
		dropped += n
	}
	o.fresh = slices.Sorted(maps.Keys(o.entries))
	if err := o.removeDone(); err != nil {
		return nil, 0, err
	}
	return o, dropped, o.begin()
}

func (o *Outbox) read(name string) (dropped int64, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, errors.Join(err, f.Close())
	}
	s := &segment{name: name, file: f, size: info.Size()}
	o.files, o.bytes = append(o.files, s), o.bytes+s.size
	at := int64(0)
	for {
		rest, err := record(f, at, s.size)
		if err != nil {
			return s.size - at, err
		}
		if rest == nil {
			return s.size - at, nil
		}
		o.take(s, at+headBytes, rest)
		at += headBytes + int64(len(rest))
	}
}

// record returns the record at an offset, without its length and its checksum. It returns nil if the file has no
// complete record at that offset.
func record(f io.ReaderAt, at, size int64) ([]byte, error) {
	if size-at < headBytes+kindBytes {
		return nil, nil
	}
	var head [headBytes]byte
	if _, err := f.ReadAt(head[:], at); err != nil {
		return nil, err
	}
	length := int64(binary.BigEndian.Uint32(head[:4]))
	if length < kindBytes || length > size-at-headBytes {
		return nil, nil
	}
	rest := make([]byte, length)
	if _, err := f.ReadAt(rest, at+headBytes); err != nil {
		return nil, err
	}
	if crc32.Checksum(rest, castagnoli) != binary.BigEndian.Uint32(head[4:]) {
		return nil, nil
	}
	return rest, nil
}

// take adds an item of a file to the list of items, or removes an item that a record marks as done. offset is the
// position of the record's kind, and rest the record from there on.
func (o *Outbox) take(s *segment, offset int64, rest []byte) {
	number := binary.BigEndian.Uint64(rest[1:])
	o.next = max(o.next, number+1)
	switch rest[0] {
	case recordItem:
		var item farm.Item
		if farm.Decode(rest[kindBytes:], &item) != nil {
			return // another version has written the record, and the lease of its item expires
		}
		s.live++
		o.entries[number] = &entry{
			lease: item.Lease, attempt: item.Attempt != nil, segment: s,
			offset: offset + kindBytes, length: len(rest) - kindBytes,
		}
	case recordDone:
		if e := o.entries[number]; e != nil {
			s.marks = s.marks || e.segment != s
			e.segment.live--
			delete(o.entries, number)
		}
	}
}

// begin starts another file for further records. After an error the outbox continues to use the last file.
func (o *Outbox) begin() error {
	last := uint64(0)
	if n := len(o.files); n > 0 {
		if _, err := fmt.Sscanf(filepath.Base(o.files[n-1].name), "%016x.out", &last); err != nil {
			return fmt.Errorf("outbox: %s is not a file of the outbox: %w", o.files[n-1].name, err)
		}
	}
	o.begun = max(o.begun, last) + 1 // a failed try may have left a file
	name := filepath.Join(o.dir, fmt.Sprintf("%016x.out", o.begun))
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("outbox: %w", err)
	}
	if err := disk.SyncDir(o.dir); err != nil {
		return errors.Join(fmt.Errorf("outbox: %w", err), f.Close(), os.Remove(name))
	}
	o.file, o.files = f, append(o.files, &segment{name: name, file: f})
	return nil
}

// Append stores an item. The item is on disk when Append returns nil.
func (o *Outbox) Append(item farm.Item) error {
	body, err := farm.Encode(item)
	if err != nil {
		return err
	}
	if len(body) > maxItem {
		return fmt.Errorf("%w: it takes %d bytes, at most %d fit; for self-play, set a smaller selfplay.block", errTooLong,
			len(body), maxItem)
	}
	if err := o.roll(); err != nil {
		return err
	}
	number, upTo, err := o.write(recordItem, body, item)
	if err != nil {
		return err
	}
	if err := o.sync(upTo); err != nil {
		return err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, ok := o.entries[number]; ok { // Done may have removed it
		o.fresh = append(o.fresh, number)
	}
	return nil
}

// errTooLong is the error of an item that does not fit in a message.
var errTooLong = errors.New("the result is too long for a farm's message")

// maxItem is the maximum size of an item. It leaves space for the other fields of a message.
const maxItem = farm.MaxBody - 64<<10

// write appends the record of an item, and returns the number of the record. The record is on disk after the call
// sync(upTo).
func (o *Outbox) write(kind byte, body []byte, item farm.Item) (number uint64, upTo int64, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.files) == 0 {
		return 0, 0, errClosed
	}
	number = o.next
	s := o.files[len(o.files)-1]
	offset := s.size
	if err := o.append(kind, number, body); err != nil {
		return 0, 0, err
	}
	o.next++
	s.live++
	o.entries[number] = &entry{lease: item.Lease, attempt: item.Attempt != nil, segment: s,
		offset: offset + headBytes + kindBytes, length: len(body)}
	return number, o.written, nil
}

// append writes a complete record. After an error it removes the part that it has written.
func (o *Outbox) append(kind byte, number uint64, body []byte) error {
	if o.broken != nil || len(o.files) == 0 {
		return cmp.Or(o.broken, errClosed)
	}
	text := make([]byte, headBytes+kindBytes, headBytes+kindBytes+len(body))
	binary.BigEndian.PutUint32(text, uint32(min(kindBytes+len(body), math.MaxUint32)))
	text[headBytes] = kind
	binary.BigEndian.PutUint64(text[headBytes+1:], number)
	text = append(text, body...)
	binary.BigEndian.PutUint32(text[4:], crc32.Checksum(text[headBytes:], castagnoli))
	s := o.files[len(o.files)-1]
	if _, err := o.file.WriteAt(text, s.size); err != nil {
		if cut := o.file.Truncate(s.size); cut != nil {
			o.broken = fmt.Errorf("outbox: %w", errors.Join(err, cut))
		}
		return fmt.Errorf("outbox: %w", err)
	}
	s.size += int64(len(text))
	o.bytes += int64(len(text))
	o.written += int64(len(text))
	return nil
}

// sync waits until all bytes up to the position upTo are on disk. Concurrent calls share one sync.
func (o *Outbox) sync(upTo int64) error {
	o.syncing.Lock()
	defer o.syncing.Unlock()
	if o.synced >= upTo {
		return nil
	}
	o.mu.Lock()
	file, written := o.file, o.written
	o.mu.Unlock()
	if err := file.Sync(); err != nil {
		o.mu.Lock()
		defer o.mu.Unlock()
		// The kernel may have discarded data that it could not write, so the outbox accepts nothing after
		// this error.
		o.broken = cmp.Or(o.broken, fmt.Errorf("outbox: %w", err))
		return o.broken
	}
	o.synced = written
	return nil
}

// roll starts another file if the last one is longer than segmentBytes.
func (o *Outbox) roll() error {
	o.mu.Lock()
	long := len(o.files) > 0 && o.files[len(o.files)-1].size >= segmentBytes
	o.mu.Unlock()
	if !long {
		return nil
	}
	o.syncing.Lock()
	defer o.syncing.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.files[len(o.files)-1].size < segmentBytes { // another goroutine was first
		return nil
	}
	if err := o.file.Sync(); err != nil {
		o.broken = fmt.Errorf("outbox: %w", err)
		return o.broken
	}
	o.synced = o.written
	return errors.Join(o.begin(), o.removeDone())
}

// removeDone removes files whose items are all done.
func (o *Outbox) removeDone() error {
	var kept []*segment
	var failed error
	for _, s := range o.files {
		if s.live > 0 || s.file == o.file || s.marks && len(kept) > 0 {
			kept = append(kept, s)
			continue
		}
		o.bytes -= s.size
		failed = errors.Join(failed, s.file.Close(), os.Remove(s.name))
	}
	o.files = kept
	if failed != nil {
		return fmt.Errorf("outbox: %w", failed)
	}
	return nil
}

// Full reports whether the outbox is full. The worker then plays no further pair.
func (o *Outbox) Full() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes >= o.max
}

// Left returns the number of items in the outbox, and the total size of its files in bytes.
func (o *Outbox) Left() (items int, bytes int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.entries), o.bytes
}

// Enough reports whether the unpublished items are enough to fill a message of limit bytes.
func (o *Outbox) Enough(limit int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	size := 0
	for _, n := range o.fresh {
		if e := o.entries[n]; e != nil {
			size += e.length
		}
		if size >= limit {
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
	o.mu.Lock()
	defer o.mu.Unlock()
	size := 0
	for at := 0; at < len(o.fresh); {
		number := o.fresh[at]
		e := o.entries[number]
		if e != nil && size > 0 && size+e.length > limit {
			break
		}
		item, ok := o.item(e)
		if !ok {
			o.forget(number)
			o.fresh = slices.Delete(o.fresh, at, at+1)
			continue
		}
		at++
		size += e.length
		items, numbers = append(items, item), append(numbers, number)
	}
	return items, numbers
}

func (o *Outbox) item(e *entry) (item farm.Item, ok bool) {
	if e == nil {
		return item, false
	}
	body := make([]byte, e.length)
	if _, err := e.segment.file.ReadAt(body, e.offset); err != nil {
		return item, false
	}
	return item, farm.Decode(body, &item) == nil
}

// Published records that items are in the coordinator's stream.
func (o *Outbox) Published(numbers []uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	gone := make(map[uint64]bool, len(numbers))
	for _, n := range numbers {
		gone[n] = true
	}
	o.fresh = slices.DeleteFunc(o.fresh, func(n uint64) bool { return gone[n] })
	for _, n := range numbers {
		if e := o.entries[n]; e != nil {
			e.published = true
			if e.attempt { // the coordinator never confirms attempts; the stream has it
				o.done(n)
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

// Done removes the items of leases whose results are stored or no longer wanted.
func (o *Outbox) Done(leases []farm.Held) {
	if len(leases) == 0 {
		return
	}
	gone := lists.Set(leases, keyOf)
	o.syncing.Lock() // removeDone may close files
	defer o.syncing.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	for n, e := range o.entries {
		if !e.attempt && gone[keyOf(e.lease)] {
			o.done(n)
		}
	}
	o.tidy()
}

// tidy removes files whose items are all done. If the outbox is empty, tidy replaces all files by a new file. If
// the disk has no space for a new file, the next call tries again.
func (o *Outbox) tidy() {
	if err := o.removeDone(); err != nil {
		o.broken = cmp.Or(o.broken, err)
	}
	if len(o.files) == 0 || len(o.entries) > 0 || len(o.files) == 1 && o.files[0].size < segmentBytes {
		return
	}
	if o.begin() != nil {
		return
	}
	if err := o.removeDone(); err != nil {
		o.broken = cmp.Or(o.broken, err)
	}
	o.synced = o.written // the removed files need no sync
}

// done writes that an item is finished. It does not wait for the disk. If the record is lost, the worker sends the
// item again, which does no harm.
func (o *Outbox) done(number uint64) {
	if e := o.entries[number]; e != nil && len(o.files) > 0 {
		last := o.files[len(o.files)-1]
		last.marks = last.marks || e.segment != last
	}
	o.forget(number)
	_ = o.append(recordDone, number, nil) // fails on a full disk
}

func (o *Outbox) forget(number uint64) {
	if e := o.entries[number]; e != nil {
		e.segment.live--
		delete(o.entries, number)
	}
}

// Close closes the files. If the process ends without Close, no item is lost.
func (o *Outbox) Close() error {
	o.syncing.Lock()
	defer o.syncing.Unlock()
	o.mu.Lock()
	defer o.mu.Unlock()
	o.broken = cmp.Or(o.broken, errClosed)
	return o.closeFiles()
}

var errClosed = errors.New("outbox: it is closed")

func (o *Outbox) closeFiles() error {
	var failed error
	for _, s := range o.files {
		failed = errors.Join(failed, s.file.Close())
	}
	o.files = o.files[len(o.files):]
	if failed != nil {
		return fmt.Errorf("outbox: %w", failed)
	}
	return nil
}

// A leaseKey identifies a lease.
type leaseKey struct {
	run   string
	pair  int
	epoch farm.Epoch
}

func keyOf(h farm.Held) leaseKey { return leaseKey{h.Run, h.Pair, h.Epoch} }
