package worker

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"gogi/farm"
	"gogi/internal/disk"
)

// Outbox keeps what was finished until it is told to be stored: files to which is only
// ever appended. What Append has accepted survives the end of the process at any time.
// Its methods may be called by many goroutines.
//
// A file is a row of records: the length of the rest (4 bytes), its CRC-32C (4), what
// it is (1), its number (8), and for an item its CBOR. Numbers grow. A record that was
// not written whole ends its file: nothing is ever appended to a file of before.
type Outbox struct {
	dir string
	max int64

	syncing sync.Mutex // held while the disk is waited for; before mu
	synced  int64      // of written

	mu      sync.Mutex
	file    *os.File // the last of segments
	written int64    // bytes since Open, in all files
	broken  error    // the disk's; nothing is accepted any more
	next    uint64   // number
	entries map[uint64]*entry
	fresh   []uint64 // not published in this session, in order
	files   []*segment
	bytes   int64  // of all files
	begun   uint64 // the number of the latest file that was begun, or tried to be
}

// segment is one of the files.
type segment struct {
	name string
	file *os.File // for reading
	live int      // entries in it
	size int64
	// marks says that records in it are about items of earlier files: it goes after them.
	marks bool
}

// entry is an item that is not done with.
type entry struct {
	lease     farm.Held
	attempt   bool
	segment   *segment
	offset    int64 // of the item's CBOR
	length    int
	published bool
}

const (
	recordItem = 'i'
	recordDone = 'd'
	headBytes  = 8 // length, CRC
	kindBytes  = 9 // kind, number

	// segmentBytes is when another file is begun; an item can make it longer.
	segmentBytes = 8 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// OpenOutbox reads what is left in a directory, which is made where there is none.
// dropped is how many bytes could not be read: the torn end of a process that was
// killed, or damage. Beyond maximum bytes Full is true.
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
	slices.Sort(names) // numbers of one length
	for _, name := range names {
		n, err := o.read(name)
		if err != nil {
			return nil, 0, fmt.Errorf("outbox: %w", err)
		}
		dropped += n
	}
	o.fresh = slices.Sorted(keysOf(o.entries))
	if err := o.removeDone(); err != nil {
		return nil, 0, err
	}
	return o, dropped, o.begin()
}

func keysOf(m map[uint64]*entry) func(func(uint64) bool) {
	return func(yield func(uint64) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// read takes up the records of a file.
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

// record is the one at an offset, without its head; nil where there is no whole one.
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

// take applies a record; offset is where its kind stands.
func (o *Outbox) take(s *segment, offset int64, rest []byte) {
	number := binary.BigEndian.Uint64(rest[1:])
	o.next = max(o.next, number+1)
	switch rest[0] {
	case recordItem:
		var item farm.Item
		if farm.Decode(rest[kindBytes:], &item) != nil {
			return // of a version that wrote otherwise: its lease expires
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

// begin begins another file. Where it cannot, the one of before goes on.
func (o *Outbox) begin() error {
	last := uint64(0)
	if n := len(o.files); n > 0 {
		if _, err := fmt.Sscanf(filepath.Base(o.files[n-1].name), "%016x.out", &last); err != nil {
			return fmt.Errorf("outbox: %s is none of its files: %w", o.files[n-1].name, err)
		}
	}
	o.begun = max(o.begun, last) + 1 // of a try that failed something may be left
	name := filepath.Join(o.dir, fmt.Sprintf("%016x.out", o.begun))
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("outbox: %w", err)
	}
	if err := syncDir(o.dir); err != nil {
		return errors.Join(err, f.Close(), os.Remove(name))
	}
	o.file, o.files = f, append(o.files, &segment{name: name, file: f})
	return nil
}

func syncDir(dir string) error {
	if err := disk.SyncDir(dir); err != nil {
		return fmt.Errorf("outbox: %w", err)
	}
	return nil
}

// Append keeps an item; it is on the disk when it returns nil.
func (o *Outbox) Append(item farm.Item) error {
	body, err := farm.Encode(item)
	if err != nil {
		return err
	}
	if len(body) > maxItem {
		return fmt.Errorf("%w: it takes %d bytes, at most %d fit; of self-play, set a smaller selfplay.block", errTooLong, len(body), maxItem)
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
	if _, ok := o.entries[number]; ok { // it may have been dropped meanwhile
		o.fresh = append(o.fresh, number)
	}
	return nil
}

// errTooLong is of an item that no message carries.
var errTooLong = errors.New("the result is too long for a farm's message")

// maxItem leaves room for what is around it in a message.
const maxItem = farm.MaxBody - 64<<10

// write appends an item's record, and says up to where has to be synced.
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
	o.entries[number] = &entry{lease: item.Lease, attempt: item.Attempt != nil, segment: s, offset: offset + headBytes + kindBytes, length: len(body)}
	return number, o.written, nil
}

// append writes a record whole, or takes back what it wrote of it.
func (o *Outbox) append(kind byte, number uint64, body []byte) error {
	if o.broken != nil || len(o.files) == 0 {
		return cmp.Or(o.broken, errClosed)
	}
	text := make([]byte, headBytes+kindBytes, headBytes+kindBytes+len(body))
	binary.BigEndian.PutUint32(text, uint32(min(kindBytes+len(body), math.MaxUint32))) //nolint:gosec // bounded by maxItem
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

// sync waits until everything up to a point is on the disk. Many wait for one.
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
		// What the kernel could not write it may have forgotten: nothing after it counts.
		o.broken = cmp.Or(o.broken, fmt.Errorf("outbox: %w", err))
		return o.broken
	}
	o.synced = written
	return nil
}

// roll begins another file where the last is long.
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
	if o.files[len(o.files)-1].size < segmentBytes { // somebody else was first
		return nil
	}
	if err := o.file.Sync(); err != nil {
		o.broken = fmt.Errorf("outbox: %w", err)
		return o.broken
	}
	o.synced = o.written
	return errors.Join(o.begin(), o.removeDone())
}

// removeDone removes files of which nothing is needed.
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

// Full says that no pair should be begun whose result would have to wait here.
func (o *Outbox) Full() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.bytes >= o.max
}

// Left is what is not done with: how many items, and in how many bytes of files.
func (o *Outbox) Left() (items int, bytes int64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.entries), o.bytes
}

// Enough says that the items that may be published fill a message of limit bytes.
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

// Waiting is how many items have not been published.
func (o *Outbox) Waiting() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.fresh)
}

// Batch is the first items that were not published, at most limit bytes of them, but at
// least one, with their numbers. What cannot be read any more is given up.
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

// Published says that items are in the coordinator's stream.
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
			if e.attempt { // nobody tells of attempts: the stream has it
				o.done(n)
			}
		}
	}
}

// Leases are those of what is finished: waiting to be published, and published.
func (o *Outbox) Leases() (waiting, published []farm.Held) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, n := range slices.Sorted(keysOf(o.entries)) {
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

// Done forgets what belongs to leases: stored, or not wanted.
func (o *Outbox) Done(leases []farm.Held) {
	if len(leases) == 0 {
		return
	}
	gone := map[leaseKey]bool{}
	for _, l := range leases {
		gone[keyOf(l)] = true
	}
	o.syncing.Lock() // files may be closed
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

// tidy removes what is not needed, and makes an empty outbox small: if the disk has no room
// for another file, then the next time.
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
	o.synced = o.written // nobody needs it
}

// done notes that an item is done with. The note is not waited for: without it the item
// is published once more.
func (o *Outbox) done(number uint64) {
	if e := o.entries[number]; e != nil && len(o.files) > 0 {
		last := o.files[len(o.files)-1]
		last.marks = last.marks || e.segment != last
	}
	o.forget(number)
	_ = o.append(recordDone, number, nil) // a full disk takes no note
}

func (o *Outbox) forget(number uint64) {
	if e := o.entries[number]; e != nil {
		e.segment.live--
		delete(o.entries, number)
	}
}

// Close closes the files. Nothing is lost by not calling it.
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

// leaseKey tells leases apart.
type leaseKey struct {
	run   string
	pair  int
	epoch farm.Epoch
}

func keyOf(h farm.Held) leaseKey { return leaseKey{h.Run, h.Pair, h.Epoch} }
