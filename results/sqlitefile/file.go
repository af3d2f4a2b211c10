// Package sqlitefile reads the rows of an SQLite database file without SQLite. Use it for a damaged file. It
// reads each page independent of damage in other pages. Pages of the write-ahead log ([ReadLog]) replace
// pages of the file. The package changes nothing and takes no lock, so no other process may write to the
// file.
//
// The package returns rows of every page that looks like a page with rows, even if no tree contains the page.
// So the caller must decide whether a row is valid. The section numbers in comments are those of
// sqlite.org/fileformat2.html.
package sqlitefile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"gogi/internal/disk"
)

// headerSize is the size of the header of the first page in bytes (1.3).
const headerSize = 100

// File is an SQLite database file that is open for reading.
type File struct {
	main     *os.File
	log      *Log
	pageSize int
	pages    int
}

// Open opens a database file, and its write-ahead log if there is one. If the header has no valid page size, it
// uses pageSize.
func Open(path string, pageSize int) (*File, error) {
	main, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{main: main, pageSize: pageSize}
	err = f.readHeader()
	if err == nil {
		if f.log, err = ReadLog(path + "-wal"); err != nil {
			err = fmt.Errorf("the log cannot be read, and it may hold pairs: %w", err)
		}
	}
	if err != nil {
		return nil, errors.Join(err, main.Close())
	}
	if f.log.pageSize == f.pageSize {
		for page := range f.log.places {
			f.pages = max(f.pages, page)
		}
	}
	return f, nil
}

func (f *File) readHeader() error {
	info, err := f.main.Stat()
	if err != nil {
		return err
	}
	header := make([]byte, headerSize)
	if _, err := f.main.ReadAt(header, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if size := pageSizeOf(int(binary.BigEndian.Uint16(header[16:]))); size > 0 {
		f.pageSize = size
	}
	f.pages = int((info.Size() + int64(f.pageSize) - 1) / int64(f.pageSize))
	return nil
}

// pageSizeOf returns the page size for the number n in a header (1.3.2), or 0 if n is invalid.
func pageSizeOf(n int) int {
	switch {
	case n == 1:
		return 1 << 16
	case n >= 512 && n&(n-1) == 0:
		return n
	}
	return 0
}

// Close closes the file.
func (f *File) Close() error { return errors.Join(f.main.Close(), f.log.Close()) }

// Log returns the write-ahead log of the file.
func (f *File) Log() *Log { return f.log }

// Pages returns the number of pages. Pages are numbered from 1.
func (f *File) Pages() int { return f.pages }

// page returns the latest version of a page.
func (f *File) page(n int) ([]byte, error) {
	text := make([]byte, f.pageSize)
	if at, ok := f.log.places[n]; ok && f.log.pageSize == f.pageSize {
		_, err := f.log.file.ReadAt(text, at)
		return text, err
	}
	if n < 1 {
		return nil, fmt.Errorf("there is no page %d", n)
	}
	read, err := f.main.ReadAt(text, int64(n-1)*int64(f.pageSize))
	if errors.Is(err, io.EOF) && read > 0 {
		err = nil // the file ends within the page
	}
	return text, err
}
