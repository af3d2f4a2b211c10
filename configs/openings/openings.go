// Package openings reads openings from files, series files, handicap names and the sets that
// are built into gogi. Use [Read] for a file or a name, [Listed] for the lines of a series
// file, and [Handicap] for a handicap.
package openings

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gogi/configs/advice"
	"gogi/internal/disk"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/shogi"
	"gogi/usi"
)

// maxOpenings is the largest text, unpacked, that is read; more is taken for a mistake or a zip bomb.
const maxOpenings = 128 << 20

// Read reads a file of openings, one a line: "startpos moves …", "sfen …" with optional moves, or a bare
// SFEN, each with or without "position " before it. It skips blank lines and comments from # on, and
// accepts a byte order mark and CRLF. In an .epd file it skips the text after the SFEN. It unpacks .gz
// and .zip. In a zip it reads the files that end in .sfen, .usi or .epd, else .txt, else all, in the
// order of their names. plies > 0 keeps that many moves of each line.
//
// Read checks every move, and the side to move must have a legal one; the error names the line. It skips
// openings that lead to the position of an earlier one, with a warning. An opening's ID is its number
// among the lines, counted from 1, with the skipped ones. The rules decide when a game from the opening
// would be over; the zero value has no rules.
func Read(file string, plies int, rules match.Rules) ([]match.Opening, []advice.Warning, error) {
	texts, err := openingTexts(file)
	if err != nil {
		return nil, nil, err
	}
	return parseOpenings(file, texts, plies, rules)
}

type openingText struct {
	name string
	data []byte
}

func openingTexts(file string) ([]openingText, error) {
	packed := slices.Contains([]string{".zip", ".gz"}, path.Ext(strings.ToLower(file)))
	longest := 2 * maxLine // a line that is only a little too long is reported below with its number
	if packed {
		longest = maxOpenings
	}
	data, err := readLimited(file, maxOpenings, longest, func() (io.ReadCloser, error) { return disk.Open(file) })
	if err != nil {
		return nil, err
	}
	switch path.Ext(strings.ToLower(file)) {
	case ".zip":
		return unzip(file, data)
	case ".gz":
		data, err = readLimited(file, maxOpenings, 2*maxLine, func() (io.ReadCloser, error) { return gzip.NewReader(bytes.NewReader(data)) })
		if err != nil {
			return nil, err
		}
		file = file[:len(file)-len(".gz")]
	}
	return []openingText{{file, data}}, nil
}

// readLimited reads all that open gives, which must not be more than limit, nor have a line
// much longer than longest.
func readLimited(name string, limit, longest int, open func() (io.ReadCloser, error)) (data []byte, err error) {
	r, err := open()
	if err != nil {
		return nil, openingsError(name, err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	var parts [][]byte
	for size, line := 0, 0; ; {
		part := make([]byte, 1<<20)
		n, err := io.ReadFull(r, part)
		part = part[:n]
		if end := bytes.LastIndexByte(part, '\n'); end >= 0 {
			line = -end - 1
		}
		size, line, parts = size+n, line+n, append(parts, part)
		switch {
		case size > limit:
			return nil, openingsError(name, fmt.Errorf("more than %d MiB of text in all: expected a file of openings", maxOpenings>>20))
		case line > longest:
			return nil, openingsError(name, fmt.Errorf("a line has more than %d bytes: expected a file of openings", longest))
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return slices.Concat(parts...), nil
		case err != nil:
			return nil, openingsError(name, err)
		}
	}
}

func openingsError(name string, err error) error {
	return fmt.Errorf("openings %s: %w", name, disk.Reason(err))
}

func unzip(name string, data []byte) ([]openingText, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, openingsError(name, err)
	}
	var texts []openingText
	room := maxOpenings
	for _, f := range textFiles(archive.File) {
		inner := name + "(" + f.Name + ")"
		data, err := readLimited(inner, room, 2*maxLine, f.Open)
		if err != nil {
			return nil, err
		}
		room -= len(data)
		texts = append(texts, openingText{inner, data})
	}
	if len(texts) == 0 {
		return nil, openingsError(name, errors.New("there is no file in it"))
	}
	return texts, nil
}

// textFiles picks the files of openings out of an archive that may have read-me files and folders, too.
func textFiles(all []*zip.File) []*zip.File {
	all = slices.DeleteFunc(slices.Clone(all), func(f *zip.File) bool {
		return f.FileInfo().IsDir() || strings.HasPrefix(f.Name, "__MACOSX/")
	})
	slices.SortFunc(all, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	for _, endings := range [][]string{{".sfen", ".usi", ".epd"}, {".txt"}} {
		var some []*zip.File
		for _, f := range all {
			if slices.Contains(endings, path.Ext(strings.ToLower(f.Name))) {
				some = append(some, f)
			}
		}
		if len(some) > 0 {
			return some
		}
	}
	return all
}

func parseOpenings(file string, texts []openingText, plies int, rules match.Rules) ([]match.Opening, []advice.Warning, error) {
	book := book{rules: rules, plies: plies, seen: map[uint64]int{}}
	for _, t := range texts {
		if kind := otherKind(t.data); kind != "" {
			return nil, nil, openingsError(t.name, fmt.Errorf(`this is %s: expected lines such as "startpos moves 7g7f 3c3d"`, kind))
		}
		if err := book.read(t); err != nil {
			return nil, nil, err
		}
	}
	if len(book.openings) == 0 {
		return nil, nil, fmt.Errorf(`openings %s: there are none: expected lines such as "startpos moves 7g7f 3c3d"`, file)
	}
	return book.openings, book.warnings(file), nil
}

// pgnTag matches the first line of a game in PGN.
var pgnTag = regexp.MustCompile(`^\x{FEFF}?\s*\[[A-Za-z]+ "`)

// otherKind names the kind of a file whose beginning shows that it has no openings, or "".
func otherKind(data []byte) string {
	head := data[:min(len(data), 1024)]
	switch {
	case bytes.IndexByte(head, 0) >= 0:
		return "a binary file or UTF-16 text"
	case pgnTag.Match(head):
		return "a file of games in PGN"
	}
	return ""
}

// maxLine is the longest line of openings, in bytes: some 200,000 moves.
const maxLine = 1 << 20

// blockSize is how many bytes of a text are read at a time by one goroutine: long
// enough for some milliseconds of work.
const blockSize = 64 << 10

// book gathers openings.
type book struct {
	rules    match.Rules
	plies    int // 0: all
	openings []match.Opening
	count    int            // lines with an opening
	seen     map[uint64]int // final positions by their keys: which opening led there first
	repeated []string       // lines that were left out, the first few
	left     int            // how many those are
}

// block is a part of a text, whole lines, with its openings.
type block struct {
	name  string
	data  []byte
	first int // the number of its first line
	epd   bool

	openings []match.Opening // their IDs are numbers of lines
	finals   []uint64        // the keys of the positions that they lead to
	err      error           // error of the first wrong line; openings are those before it
}

// read takes the blocks of a text, as many at once as there are processors, in their order.
func (b *book) read(t openingText) error {
	epd := strings.HasSuffix(strings.ToLower(strings.TrimSuffix(t.name, ")")), ".epd")
	rest, line := bytes.TrimPrefix(t.data, []byte("\ufeff")), 1
	for len(rest) > 0 {
		blocks := make([]block, 0, runtime.GOMAXPROCS(0))
		for len(rest) > 0 && len(blocks) < cap(blocks) {
			data := wholeLines(rest)
			blocks = append(blocks, block{name: t.name, data: data, first: line, epd: epd})
			rest, line = rest[len(data):], line+bytes.Count(data, []byte("\n"))
		}
		var all sync.WaitGroup
		for i := range blocks {
			all.Go(func() { blocks[i].read(b.rules, b.plies) })
		}
		all.Wait()
		for i := range blocks {
			if b.take(&blocks[i]); blocks[i].err != nil {
				return blocks[i].err
			}
		}
	}
	return nil
}

// wholeLines returns the beginning of a text, about blockSize bytes.
func wholeLines(text []byte) []byte {
	if len(text) > blockSize {
		if end := bytes.IndexByte(text[blockSize:], '\n'); end >= 0 {
			return text[:blockSize+end+1]
		}
	}
	return text
}

// read reads the lines of a block up to the first that is wrong.
func (k *block) read(rules match.Rules, plies int) {
	reader := openingReader{referee: arbiter.BlankReferee(rules), plies: plies}
	n := k.first
	for line := range bytes.Lines(k.data) {
		if k.err = k.line(&reader, line, n); k.err != nil {
			return
		}
		n++
	}
}

func (k *block) line(reader *openingReader, line []byte, n int) error {
	if len(line) > maxLine {
		return fmt.Errorf("openings %s:%d: the line has %d bytes: expected at most %d", k.name, n, len(line), maxLine)
	}
	line, _, _ = bytes.Cut(line, []byte("#"))
	if line = bytes.TrimSpace(line); len(line) == 0 {
		return nil
	}
	text := string(line)
	if k.epd {
		text = epdPosition(text)
	}
	o, final, err := reader.read(text)
	if err != nil {
		return fmt.Errorf("%s:%d: %w", k.name, n, err)
	}
	o.ID = strconv.Itoa(n)
	k.openings, k.finals = append(k.openings, o), append(k.finals, final)
	return nil
}

// openingReader checks one line after the other.
type openingReader struct {
	referee *arbiter.Referee
	plies   int
}

// read reads a line and plays it through, to the key of the position at its end.
func (r *openingReader) read(text string) (match.Opening, uint64, error) {
	name, start, moves, err := shogi.ReadLine(text)
	if err != nil {
		return match.Opening{}, 0, err
	}
	o := match.Opening{Start: "startpos", Moves: moves}
	if name != o.Start {
		o.Start = strings.Clone(strings.TrimPrefix(name, "sfen ")) // apart from the line with its moves
	}
	if r.plies > 0 && len(o.Moves) > r.plies {
		o.Moves = slices.Clone(o.Moves[:r.plies])
	}
	if err := r.referee.Restart(start, o.Moves); err != nil {
		return match.Opening{}, 0, err
	}
	return o, r.referee.Position().Key(), nil
}

// take keeps the openings of a block that lead somewhere new.
func (b *book) take(k *block) {
	for i, o := range k.openings {
		b.count++
		if first, met := b.seen[k.finals[i]]; met && samePlace(b.openings[first], o) {
			b.leaveOut(o.ID)
			continue
		}
		b.seen[k.finals[i]] = len(b.openings)
		o.ID = strconv.Itoa(b.count)
		b.openings = append(b.openings, o)
	}
}

// samePlace reports whether two checked openings lead to one position. Their positions have the same key.
func samePlace(a, b match.Opening) bool { return finalPlace(a) == finalPlace(b) }

// finalPlace returns the board, the side and the hands that an opening leads to.
func finalPlace(o match.Opening) string {
	p, _ := o.Position() // it has been read before
	for _, m := range o.Moves {
		p.Apply(m)
	}
	sfen := p.SFEN()
	return sfen[:strings.LastIndexByte(sfen, ' ')]
}

// epdPosition cuts a line of an .epd file down to its SFEN.
func epdPosition(text string) string {
	text, _, _ = strings.Cut(text, ";")
	words := strings.Fields(text)
	keep := min(3, len(words))
	if len(words) > 3 {
		if _, err := strconv.Atoi(words[3]); err == nil {
			keep = 4
		}
	}
	return strings.Join(words[:keep], " ")
}

func (b *book) leaveOut(line string) {
	if b.left++; len(b.repeated) < 5 {
		b.repeated = append(b.repeated, line)
	}
}

func (b *book) warnings(file string) []advice.Warning {
	if b.left == 0 {
		return nil
	}
	lines := strings.Join(b.repeated, ", ")
	if b.left > len(b.repeated) {
		lines += ", …"
	}
	return []advice.Warning{advice.Of("openings %s: %d of %d lines lead to the position of an earlier one and are left out (lines %s)",
		file, b.left, b.count, lines)}
}

// Handicap returns the one opening of a handicap series; a name that there is not is an error
// with the nearest ones.
func Handicap(name string) ([]match.Opening, []advice.Warning, error) {
	h, ok := shogi.FindHandicap(name)
	if ok {
		return []match.Opening{{ID: h.Name, Start: h.SFEN}}, nil, nil
	}
	var names []string
	for _, h := range shogi.Handicaps() {
		names = append(names, h.Name)
	}
	near := usi.Nearest(name, names, 3)
	if len(near) == 0 {
		near = names
	}
	return nil, nil, fmt.Errorf("openings.handicap: there is no handicap %q: expected one such as %s", name, strings.Join(near, ", "))
}

// Listed reads lines of openings; errors use name for their source. The rest is as in [Read].
func Listed(name string, lines []string, plies int, rules match.Rules) ([]match.Opening, []advice.Warning, error) {
	text := openingText{name, []byte(strings.Join(lines, "\n"))}
	return parseOpenings(name, []openingText{text}, plies, rules)
}
