package games

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"gogi/internal/disk"
	"gogi/match"
	"gogi/shogi/kifu"
)

// sink is the destination of exported games. It receives each whole game as text and writes it.
type sink interface {
	put(row match.Row, record *kifu.Record, text []byte) error
	// close publishes the written games under their final names. discard deletes them.
	close() error
	discard() error
}

// part is an output file that gets its name only when it is complete. If the output is a device or a pipe, part writes
// to it directly.
type part struct {
	file *os.File
	as   *disk.Part // nil: the output is a device or a pipe
}

// newPart starts to write a file. It overwrites an incomplete file that a killed process left under that
// name. If path is a link, it writes to the link's target. It does not replace a device or a pipe. It rejects
// a database as output, because the games may come from this database.
func newPart(path string) (*part, error) {
	at, err := os.Stat(path)
	switch {
	case err == nil && !at.Mode().IsRegular():
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		return &part{file: file}, disk.CannotWrite(path, err)
	case err == nil:
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return nil, err
		}
		if err := disk.CheckOutput(path); err != nil {
			return nil, err
		}
	}
	as, err := disk.NewPart(path)
	if err != nil {
		return nil, err
	}
	if at != nil {
		if err := as.File.Chmod(at.Mode().Perm()); err != nil { // a private file stays private
			return nil, errors.Join(err, as.Discard())
		}
	}
	return &part{as.File, as}, nil
}

// Whole calls write with a new file, and gives the file the name path only when it is complete. Other programs
// therefore never see an incomplete file under this name.
func Whole(path string, write func(w io.Writer) error) error {
	p, err := newPart(path)
	if err != nil {
		return err
	}
	if err := write(p.file); err != nil {
		return errors.Join(err, p.discard())
	}
	return p.publish(false)
}

// publish gives the file its final name. If sync is true, it first waits until the data is on the disk.
func (p *part) publish(sync bool) error {
	if p.as == nil {
		return p.file.Close()
	}
	return p.as.Publish(sync)
}

func (p *part) discard() error {
	if p.as == nil {
		return p.file.Close()
	}
	return p.as.Discard()
}

// folder writes each game to its own file.
type folder struct {
	dir, ext, run string
}

func newFolder(dir, ext, run string) (*folder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return &folder{dir, ext, run}, nil
}

func (f *folder) put(row match.Row, record *kifu.Record, text []byte) error {
	p, err := newPart(filepath.Join(f.dir, FileName(f.run, row, record)+f.ext))
	if err != nil {
		return err
	}
	if _, err := p.file.Write(text); err != nil {
		return errors.Join(err, p.discard())
	}
	return p.publish(false)
}

func (f *folder) close() error   { return nil }
func (f *folder) discard() error { return nil }

// FileName returns the name of a game's file without extension. The name has floodgate's form (event, players
// and time). It also has the pair and leg, which make it unique in a run.
func FileName(run string, row match.Row, record *kifu.Record) string {
	parts := []string{run, record.Black, record.White}
	for i := range parts {
		parts[i] = plain(parts[i])
	}
	if !record.Started.IsZero() {
		parts = append(parts, record.Started.Local().Format("20060102150405"))
	}
	return strings.Join(append(parts, fmt.Sprintf("%d.%d", row.Pair, row.Leg)), "+")
}

// longest is the largest length of each part of a file name. A file system accepts a name of three such
// parts.
const longest = 60

// plain returns a name with only characters that every file system accepts. It keeps ASCII characters, and
// letters of scripts without capitals, such as Japanese. It replaces all others by "_".
func plain(name string) string {
	name = strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-' {
			return c
		}
		if c >= utf8.RuneSelf && c != utf8.RuneError && unicode.In(c, unicode.Lo, unicode.Lm) {
			return c
		}
		return '_'
	}, norm.NFC.String(name))
	end := min(len(name), longest)
	for end < len(name) && !utf8.RuneStart(name[end]) {
		end--
	}
	return strings.TrimLeft(name[:end], ".")
}

// stream writes all games to one text.
type stream struct {
	w       *bufio.Writer
	part    *part  // nil: the text goes to a given writer
	between []byte // written between two games
	begun   bool   // the text has a game already
}

func newStream(w io.Writer, between []byte) *stream {
	return &stream{w: bufio.NewWriterSize(w, 1<<16), between: between}
}

func newFile(path string, between []byte) (*stream, error) {
	p, err := newPart(path)
	if err != nil {
		return nil, err
	}
	s := newStream(p.file, between)
	s.part = p
	return s, nil
}

func (s *stream) put(_ match.Row, _ *kifu.Record, text []byte) error {
	if len(text) == 0 {
		return nil
	}
	if s.begun {
		if _, err := s.w.Write(s.between); err != nil {
			return err
		}
	}
	s.begun = true
	_, err := s.w.Write(text)
	return err
}

func (s *stream) close() error {
	err := s.w.Flush()
	if s.part == nil {
		return err
	}
	if err != nil {
		return errors.Join(err, s.part.discard())
	}
	return s.part.publish(true)
}

func (s *stream) discard() error {
	if s.part == nil {
		return s.w.Flush() // all games written before are complete
	}
	return s.part.discard()
}
