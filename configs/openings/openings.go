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
	"gogi/internal/lists"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/shogi"
	"gogi/usi"
)

// maxOpenings is the largest size of an unpacked text in bytes. A larger text is probably a mistake or a zip
// bomb.
const maxOpenings = 128 << 20

// Read returns the openings of a file with one opening per line. A line is "startpos moves …", "sfen …" with
// optional moves, or a bare SFEN, each with or without "position " before it. Read skips blank lines and
// comments from # on, and accepts a byte order mark and CRLF. In an .epd file it skips the text after the
// SFEN. It unpacks .gz and .zip. In a zip it reads the files that end in .sfen, .usi or .epd. If there are
// none, it reads the .txt files, and if there are no .txt files, all files. It reads the files in the order
// of their names. With plies > 0, Read uses only the first plies moves of each opening.
//
// Read checks every move. It returns an error with the line number if a move is illegal, or if the side to
// move has no legal move at the end. If an opening leads to the same position as an earlier opening, Read
// skips the later one and returns a warning. The ID of an opening is its number among the openings of the
// file, counted from 1, including skipped openings. The rules decide whether a game would already be over
// after the opening; the zero value has no rules.
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
	longest := 2 * maxLine // a line that is a little longer than maxLine is reported below with its number
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
		data, err = readLimited(file, maxOpenings, 2*maxLine, func() (io.ReadCloser, error) {
			return gzip.NewReader(bytes.NewReader(data))
		})
		if err != nil {
			return nil, err
		}
		file = file[:len(file)-len(".gz")]
	}
	return []openingText{{file, data}}, nil
}

// readLimited returns all bytes of the reader that open returns. It returns an error if there are more than
// limit bytes, or if a line is much longer than longest.
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
			return nil, openingsError(name,
				fmt.Errorf("more than %d MiB of text in all: expected a file of openings", maxOpenings>>20))
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

// textFiles returns the files of an archive that have openings. It omits other files, such as read-me files,
// and folders.
func textFiles(all []*zip.File) []*zip.File {
	all = slices.DeleteFunc(slices.Clone(all), func(f *zip.File) bool {
		return f.FileInfo().IsDir() || strings.HasPrefix(f.Name, "__MACOSX/")
	})
	slices.SortFunc(all, func(a, b *zip.File) int { return strings.Compare(a.Name, b.Name) })
	for _, endings := range [][]string{{".sfen", ".usi", ".epd"}, {".txt"}} {
		some := lists.Filter(all, func(f *zip.File) bool {
			return slices.Contains(endings, path.Ext(strings.ToLower(f.Name)))
		})
		if len(some) > 0 {
			return some
		}
	}
	return all
}

func parseOpenings(file string, texts []openingText, plies int, rules match.Rules) ([]match.Opening, []advice.Warning,
	error) {
	book := book{rules: rules, plies: plies, seen: map[uint64]int{}}
	for _, t := range texts {
		if kind := otherKind(t.data); kind != "" {
			return nil, nil, openingsError(t.name,
				fmt.Errorf(`this is %s: expected lines such as "startpos moves 7g7f 3c3d"`, kind))
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

// pgnGame matches the first line of a game in PGN: a tag, a comment before a tag, or moves of chess.
var pgnGame = regexp.MustCompile(`^\x{FEFF}?\s*(?:[;%][^\n]*\s+)*(?:\[[A-Za-z]+ +"|1\.+\s*[a-hNBRQKO])`)

// otherKind returns the name of a file's format, such as PGN, if the beginning of data shows that it is no file of
// openings. Otherwise it returns "".
func otherKind(data []byte) string {
	head := data[:min(len(data), 1024)]
	switch {
	case bytes.IndexByte(head, 0) >= 0:
		return "a binary file or UTF-16 text"
	case pgnGame.Match(head):
		return "a file of games in PGN, which gogi does not read"
	}
	return ""
}

// maxLine is the largest length of a line, in bytes. It is enough for some 200,000 moves.
const maxLine = 1 << 20

// blockSize is the number of bytes that one goroutine checks at a time, which takes some milliseconds.
const blockSize = 64 << 10

// book collects the openings of one or more texts and finds duplicates.
type book struct {
	rules    match.Rules
	plies    int // 0: all
	openings []match.Opening
	count    int            // lines with an opening
	seen     map[uint64]int // index of the first opening that leads to a position, by the key of the position
	repeated []string       // the first few lines that were skipped
	left     int            // number of lines that were skipped
}

// block is a part of a text, with only whole lines, and the openings in it.
type block struct {
	name  string
	data  []byte
	first int // line number of the first line
	epd   bool

	openings []match.Opening // openings of the block; their IDs are line numbers
	finals   []uint64        // keys of the positions to which the openings lead
	err      error           // error of the first wrong line; openings has the openings before this line
}

// read adds the openings of a text to the book. It checks blocks of the text in parallel and adds their
// openings in the order of the text.
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
			if b.add(&blocks[i]); blocks[i].err != nil {
				return blocks[i].err
			}
		}
	}
	return nil
}

// wholeLines returns the first lines of a text, about blockSize bytes.
func wholeLines(text []byte) []byte {
	if len(text) > blockSize {
		if end := bytes.IndexByte(text[blockSize:], '\n'); end >= 0 {
			return text[:blockSize+end+1]
		}
	}
	return text
}

// read reads the lines of a block, up to the first wrong line. It uses at most plies moves of each line; 0: all.
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

// openingReader reads and checks lines with openings, one after the other.
type openingReader struct {
	referee *arbiter.Referee
	plies   int
}

// read returns the opening of a line, and the key of the position after its moves. It checks the moves.
func (r *openingReader) read(text string) (match.Opening, uint64, error) {
	name, start, moves, err := shogi.ReadLine(text)
	if err != nil {
		return match.Opening{}, 0, err
	}
	o := match.Opening{Start: "startpos", Moves: moves}
	if name != o.Start {
		o.Start = strings.Clone(strings.TrimPrefix(name, "sfen ")) // a copy, so that the text of the whole line can be freed
	}
	if r.plies > 0 && len(o.Moves) > r.plies {
		o.Moves = slices.Clone(o.Moves[:r.plies])
	}
	if err := r.referee.Restart(start, o.Moves); err != nil {
		return match.Opening{}, 0, err
	}
	return o, r.referee.Position().Key(), nil
}

// add adds the openings of a block to the book. It skips those that lead to the position of an earlier
// opening.
func (b *book) add(k *block) {
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

// samePlace reports whether two checked openings lead to the same position. add calls it for positions with the
// same 64-bit key, because two different positions can have the same key.
func samePlace(a, b match.Opening) bool { return finalPlace(a) == finalPlace(b) }

// finalPlace returns the board, the side to move and the hands after an opening's moves, in SFEN.
func finalPlace(o match.Opening) string {
	p, _ := o.Position() // no error, because Read checked the opening
	for _, m := range o.Moves {
		p.Apply(m)
	}
	sfen := p.SFEN()
	return sfen[:strings.LastIndexByte(sfen, ' ')]
}

// epdPosition returns the SFEN at the beginning of a line of an .epd file.
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

// Handicap returns the only opening of a match with a handicap. For an unknown name it returns an error with
// the most similar names.
func Handicap(name string) ([]match.Opening, []advice.Warning, error) {
	h, ok := shogi.FindHandicap(name)
	if ok {
		return []match.Opening{{ID: h.Name, Start: h.SFEN}}, nil, nil
	}
	names := lists.Map(shogi.Handicaps(), func(h shogi.Handicap) string { return h.Name })
	near := usi.Nearest(name, names, 3)
	if len(near) == 0 {
		near = names
	}
	return nil, nil, fmt.Errorf("openings.handicap: there is no handicap %q: expected one such as %s", name,
		strings.Join(near, ", "))
}

// Listed returns the openings in lines. The notation and the checks are those of [Read]. Errors use name for
// the source of the lines.
func Listed(name string, lines []string, plies int, rules match.Rules) ([]match.Opening, []advice.Warning, error) {
	text := openingText{name, []byte(strings.Join(lines, "\n"))}
	return parseOpenings(name, []openingText{text}, plies, rules)
}
