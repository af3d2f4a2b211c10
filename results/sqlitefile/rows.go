package sqlitefile

import (
	"encoding/binary"
	"math"
)

// Place is the place of a row: its page, the index of its cell in the page, and the kind of page that the
// reader assumed.
type Place struct {
	Page, Cell int
	kind       byte
}

// Row is a row of a table, or an entry of an index. A table WITHOUT ROWID is stored like an index, so its
// rows are also entries.
type Row struct {
	Place Place
	Table bool  // the row has a rowid
	Rowid int64 // of a table's row
	// Values are int64, float64, string, []byte or nil. The rowid column is nil, a REAL column may have an
	// integer, and columns that were added later may be missing. Values is nil if the payload is not a row.
	Values  []any
	Payload []byte // the input of Decode
}

// These are the kinds of pages that have rows (1.6). Interior pages of a table have no rows.
const (
	indexInterior = 0x02
	indexLeaf     = 0x0a
	tableLeaf     = 0x0d
)

// maxPayload is the largest size of a row that is read, in bytes. gogi's rows are far smaller, and a damaged
// length must not allocate much memory.
const maxPayload = 64 << 20

// Rows calls yield for all data that may be a row, page by page. The stored kind of a page and its number of rows
// may be damaged. Rows therefore ignores both, and reads each page once for every kind of page. Much of the data
// that yield gets is not a row, and a row may come more than once. Rows skips a page that it cannot read.
func (f *File) Rows(yield func(Row)) {
	for n := 1; n <= f.pages; n++ {
		page, err := f.page(n)
		if err != nil {
			continue
		}
		for _, kind := range []byte{tableLeaf, indexLeaf, indexInterior} {
			f.cells(page, n, kind, yield)
		}
	}
}

// head returns the offset of the page header in page n. It is 0, except for the first page.
func head(n int) int {
	if n == 1 {
		return headerSize
	}
	return 0
}

// cells reads a page as a page of the given kind and calls yield for its rows. The list of pointers to the
// rows ends where the first row starts.
func (f *File) cells(page []byte, n int, kind byte, yield func(Row)) {
	at := head(n) + 8
	if kind == indexInterior {
		at += 4
	}
	rows := len(page)
	for cell := 0; at+2 <= rows; at, cell = at+2, cell+1 {
		offset := int(binary.BigEndian.Uint16(page[at:]))
		if offset < at+2 || offset >= len(page) {
			continue
		}
		if row, ok := f.row(page, Place{n, cell, kind}, offset); ok {
			if row.Values != nil {
				rows = min(rows, offset)
			}
			yield(row)
		}
	}
}

// Loose calls yield for all data that may be the payload of a row, at any offset of a page. It therefore also
// finds rows without a pointer, and rows after damaged bytes. It finds only rows whose payload is on one page and
// has a header of least to most bytes. The rowids of these rows are unknown.
func (f *File) Loose(least, most int, yield func(Row)) {
	for n := 1; n <= f.pages; n++ {
		page, err := f.page(n)
		if err != nil {
			continue
		}
		for at := head(n) + 8; at < len(page); at++ {
			if size := int(page[at]); size < least || size > most {
				continue
			}
			if values, length := decodeFirst(page[at:]); length > 0 {
				yield(Row{Values: values, Payload: page[at : at+length]})
			}
		}
	}
}

// Row reads the row at a place again. ok is false if the page cannot be read or has no such row.
func (f *File) Row(at Place) (found Row, ok bool) {
	page, err := f.page(at.Page)
	if err != nil {
		return found, false
	}
	f.cells(page, at.Page, at.kind, func(r Row) {
		if r.Place == at {
			found, ok = r, true
		}
	})
	return found, ok
}

func (f *File) row(page []byte, at Place, offset int) (row Row, ok bool) {
	r := reader{text: page, at: offset}
	if at.kind == indexInterior {
		r.skip(4) // number of the page to its left
	}
	size := r.varint()
	row = Row{Place: at, Table: at.kind == tableLeaf}
	if row.Table {
		row.Rowid = int64(r.varint())
	}
	if r.failed || size == 0 || size > maxPayload {
		return row, false
	}
	if row.Payload, ok = f.payload(&r, int(size), row.Table); ok {
		row.Values, _ = Decode(row.Payload)
	}
	return row, ok
}

// payload returns the whole payload of a cell, including the parts on overflow pages (1.5).
func (f *File) payload(r *reader, size int, table bool) ([]byte, bool) {
	usable := f.pageSize // gogi's files reserve no bytes at the end of a page (1.3.4)
	most := (usable-12)*64/255 - 23
	if table {
		most = usable - 35
	}
	if size <= most {
		return r.bytes(size)
	}
	least := (usable-12)*32/255 - 23
	here := least + (size-least)%(usable-4)
	if here > most {
		here = least
	}
	payload, ok := r.bytes(here)
	payload = append([]byte(nil), payload...)
	next := int(r.uint32())
	for ok && !r.failed && len(payload) < size {
		page, err := f.page(next)
		if err != nil {
			return nil, false
		}
		next = int(binary.BigEndian.Uint32(page))
		payload = append(payload, page[4:min(usable, 4+size-len(payload))]...)
	}
	return payload, ok && len(payload) == size
}

// Decode returns the values of a row (sqlite.org/fileformat2.html, section 2.1). The payload has a header with the
// types, followed by the values. ok is false if the payload does not end with the last value.
func Decode(payload []byte) (values []any, ok bool) {
	values, length := decodeFirst(payload)
	if length == 0 || length != len(payload) {
		return nil, false
	}
	return values, true
}

// decodeFirst decodes the row at the beginning of payload. It returns the values and the length of the row,
// or 0 if there is no row.
func decodeFirst(payload []byte) (values []any, length int) {
	r := reader{text: payload}
	size := r.varint()
	if r.failed || size > uint64(len(payload)) {
		return nil, 0
	}
	types := reader{text: payload[:size], at: r.at}
	body := reader{text: payload, at: int(size)}
	for types.at < len(types.text) {
		kind := types.varint()
		v, ok := body.value(kind)
		if !ok || types.failed {
			return nil, 0
		}
		values = append(values, v)
	}
	return values, body.at
}

// reader reads bytes from left to right. After a read beyond the end, failed is true and all further values
// are zero.
type reader struct {
	text   []byte
	at     int
	failed bool
}

func (r *reader) skip(n int) { _, _ = r.bytes(n) }

func (r *reader) bytes(n int) ([]byte, bool) {
	if r.failed || n < 0 || n > len(r.text)-r.at {
		r.failed = true
		return nil, false
	}
	r.at += n
	return r.text[r.at-n : r.at], true
}

func (r *reader) uint32() uint32 {
	if b, ok := r.bytes(4); ok {
		return binary.BigEndian.Uint32(b)
	}
	return 0
}

// varint reads a number of one to nine bytes, the most significant byte first (1.6).
func (r *reader) varint() (v uint64) {
	for n := range 9 {
		b, ok := r.bytes(1)
		switch {
		case !ok:
			return 0
		case n == 8:
			return v<<8 | uint64(b[0])
		case b[0] < 0x80:
			return v<<7 | uint64(b[0])
		}
		v = v<<7 | uint64(b[0]&0x7f)
	}
	return v
}

// value reads a value of a serial type (2.1).
func (r *reader) value(kind uint64) (any, bool) {
	widths := [...]int{0, 1, 2, 3, 4, 6, 8, 8, 0, 0}
	switch {
	case kind == 0:
		return nil, true
	case kind == 8, kind == 9:
		return int64(kind - 8), true
	case kind < 8:
		b, ok := r.bytes(widths[kind])
		n := signed(b)
		if kind == 7 {
			return math.Float64frombits(uint64(n)), ok
		}
		return n, ok
	case kind < 12 || kind > maxPayload:
		return nil, false
	}
	b, ok := r.bytes(int(kind-12) / 2)
	if kind%2 == 1 {
		return string(b), ok
	}
	return append([]byte{}, b...), ok
}

// signed decodes a big-endian number of up to eight bytes in two's complement.
func signed(b []byte) (n int64) {
	for i, x := range b {
		if i == 0 {
			n = int64(int8(x))
			continue
		}
		n = n<<8 | int64(x)
	}
	return n
}
