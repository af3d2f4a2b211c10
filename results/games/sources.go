package games

import (
	"archive/zip"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gogi/internal/lists"
	"gogi/match"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/convert"
	"gogi/shogi/kifu/packed"
	"gogi/shogi/kifu/text"
)

// sources reads the games of files. It can read them any number of times, always in the same order.
type sources struct {
	paths   []string
	spooled string // path of the copy of the input "-"; "" if the input is not used
}

// newSources checks that all files exist. It copies the input "-" to a file, so that it can be read again.
func newSources(ctx context.Context, paths []string, in io.Reader) (*sources, error) {
	s := &sources{}
	for _, path := range paths {
		if path == "-" {
			if err := s.spool(ctx, in); err != nil {
				return nil, errors.Join(fmt.Errorf("the standard input: %w", err), s.close())
			}
		} else if err := readable(path); err != nil {
			return nil, errors.Join(err, s.close())
		}
		s.paths = append(s.paths, path)
	}
	return s, nil
}

// readable returns nil if path is a folder, or a file that gogi can read more than once. Otherwise it returns an
// error.
func readable(path string) error {
	at, err := os.Stat(path)
	if err == nil && !at.IsDir() && !at.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file: what comes from a pipe is read from the standard input, as -", path)
	}
	return err
}

// spool copies the input "-" to a temporary file. If ctx is cancelled, spool stops the copying.
func (s *sources) spool(ctx context.Context, in io.Reader) error {
	if s.spooled != "" {
		return errors.New("it is named twice")
	}
	file, err := os.CreateTemp("", "gogi-import-")
	if err != nil {
		return err
	}
	s.spooled = file.Name()
	_, err = io.Copy(file, &ended{in, ctx})
	return errors.Join(err, file.Close())
}

// ended is a reader that returns the cause of the cancellation when its context is cancelled.
type ended struct {
	io.Reader
	ctx context.Context //nolint:containedctx // context of one copy operation
}

func (e *ended) Read(p []byte) (int, error) {
	if err := context.Cause(e.ctx); err != nil {
		return 0, err
	}
	return e.Reader.Read(p)
}

func (s *sources) close() error {
	if s.spooled == "" {
		return nil
	}
	return os.Remove(s.spooled)
}

// Each calls game for each game in files, folders and archives of any known format, in order. It stores nothing.
// For the path "-" it reads from in. Each calls refused for games and files that it cannot read. It stops if game
// returns an error or ctx is cancelled.
func Each(ctx context.Context, paths []string, in io.Reader, refused func(Refusal),
	game func(*kifu.Record, Refusal) error) error {
	s, err := newSources(ctx, paths, in)
	if err != nil {
		return err
	}
	return errors.Join(s.each(ctx, refused, game), s.close())
}

// found is a function that is called for each game that a reader reads, with the place of the game.
type found func(r *kifu.Record, at Refusal) error

// each calls game for all games, and refused for games and files that it cannot read. It stops if game
// returns an error or ctx is cancelled.
func (s *sources) each(ctx context.Context, refused func(Refusal), game found) error {
	w := walker{ctx: ctx, refused: refused, game: game}
	for _, path := range s.paths {
		var err error
		if path == "-" {
			err = w.file("standard input", s.spooled)
		} else {
			err = w.path(path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

type walker struct {
	ctx     context.Context //nolint:containedctx // a walker exists for one call of each
	refused func(Refusal)
	game    found
}

// path reads a file, or all files of a folder in the order of their names.
func (w *walker) path(path string) error {
	return filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return w.refuse(name, err)
		}
		if entry.IsDir() {
			return nil
		}
		if err := readable(name); err != nil { // opening a pipe could block forever
			return w.refuse(name, err)
		}
		return w.file(name, name)
	})
}

// refuse reports a file that cannot be read. It returns nil, so that the caller continues with the other
// files.
func (w *walker) refuse(name string, why error) error {
	w.refused(Refusal{File: name, Why: why.Error()})
	return nil
}

// file reads a file. The extension of its name shows whether it is an archive.
func (w *walker) file(name, path string) error {
	if strings.EqualFold(filepath.Ext(name), ".zip") {
		return w.zip(name, path)
	}
	file, err := os.Open(path)
	if err != nil {
		return w.refuse(name, err)
	}
	defer func() { _ = file.Close() }() // the file was only read
	return w.text(name, file)
}

// zip reads the files of a ZIP archive in their order.
func (w *walker) zip(name, path string) error {
	archive, err := zip.OpenReader(path)
	if err != nil {
		return w.refuse(name, err)
	}
	defer func() { _ = archive.Close() }() // the archive was only read
	return lists.Each(archive.File, func(f *zip.File) error { return w.entry(name+"/"+f.Name, f) })
}

// maxUnpacked is the largest unpacked size of a file in an archive. It limits the time of reading, not the
// memory.
const maxUnpacked = 64 << 30

// entry reads one file of an archive.
func (w *walker) entry(name string, f *zip.File) error {
	if f.FileInfo().IsDir() {
		return nil
	}
	r, err := f.Open()
	if err != nil {
		return w.refuse(name, err)
	}
	defer func() { _ = r.Close() }() // reading already returned the error of a damaged file
	return w.text(name, &bounded{r, maxUnpacked})
}

// bounded is a reader with a limit. left is the number of bytes that may still be read. A read beyond the limit
// returns an error.
type bounded struct {
	io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if b.left -= int64(n); b.left < 0 {
		return 0, fmt.Errorf("it unpacks to more than %d GiB", maxUnpacked>>30)
	}
	return n, err
}

// text reads games from a stream, which may be compressed or be an archive.
func (w *walker) text(name string, r io.Reader) error {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".gz":
		plain, err := gzip.NewReader(r)
		if err != nil {
			return w.refuse(name, err)
		}
		return w.text(strings.TrimSuffix(name, filepath.Ext(name)), &bounded{plain, maxUnpacked})
	case ".7z", ".xz", ".bz2", ".lzh", ".rar":
		return w.refuse(name, fmt.Errorf("gogi does not read archives of this kind; unpack it first: 7z x %q",
			filepath.Base(name)))
	case ".zip":
		return w.refuse(name, errors.New("gogi does not read archives within archives; unpack the outer one first"))
	}
	if f, ok := packed.OfFile(name); ok {
		return w.packed(name, f, r)
	}
	in := text.NewInput(name, r)
	format, ok := formatOf(name, in)
	if !ok {
		return w.refuse(name, fmt.Errorf("in no format that is known: expected one of %s",
			strings.Join(convert.GameNames(), ", ")))
	}
	return w.games(name, format.Read(in))
}

// formatOf returns the format of a text. It inspects the text even if the extension is that of JKF or JSON
// lines, because these two formats use the same extensions.
func formatOf(name string, in *text.Input) (text.Format, bool) {
	list := text.Text()
	if word, ok := text.Detect(in.Head()); ok {
		f, err := text.Find(list, word)
		return f, err == nil
	}
	if len(in.Head()) == 0 {
		return text.Format{}, false
	}
	return text.OfFile(list, name)
}

func (w *walker) games(name string, r text.Reader) error {
	for n := 1; ; n++ {
		if err := context.Cause(w.ctx); err != nil {
			return err
		}
		record, err := r.Next()
		var bad *text.BadGame
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &bad):
			w.refused(Refusal{File: name, Game: bad.Game, Line: bad.Line, Why: bad.Err.Error()})
			continue
		case err != nil:
			w.refused(Refusal{File: name, Game: n, Why: err.Error()})
			return nil
		}
		if err := w.game(record, Refusal{File: name, Game: n}); err != nil {
			return err
		}
	}
}

func (w *walker) packed(name string, f packed.Format, r io.Reader) error {
	if !f.HasGames() {
		return w.refuse(name, errors.New("it has positions and no games: expected hcpe3 or pack"))
	}
	games := f.Games(r)
	for n := 1; ; n++ {
		if err := context.Cause(w.ctx); err != nil {
			return err
		}
		game, _, err := games.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			w.refused(Refusal{File: name, Game: n, Why: err.Error()})
			continue // the reader returns io.EOF if it cannot continue
		}
		record := game.Record()
		if record.Result == string(match.Resignation) {
			record.Result = "" // writers use this word for every end without a word of its own: an adjudication, a checkmate
		}
		for i := range record.Moves {
			record.Moves[i].NoTime = true
		}
		if err := w.game(&record, Refusal{File: name, Game: n}); err != nil {
			return err
		}
	}
}
