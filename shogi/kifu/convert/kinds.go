// Package convert prints files of game records, training data and books as JSON lines ([Inspect]), and
// converts files of game records and training data from one format to another ([Convert]). [KindOf] returns
// the format of a file.
package convert

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"gogi/internal/lists"
	"gogi/shogi/book"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/packed"
	"gogi/shogi/kifu/text"
)

// Kind is a file format of game records, of training data or of books.
type Kind struct {
	Name   string
	text   *text.Format   // for records
	packed *packed.Format // for samples or games
	book   *book.Format
}

// kinds returns all formats. Files of opening lines count as records here, although package book can also
// read them.
func kinds() (list []Kind) {
	for _, f := range text.Text() {
		list = append(list, Kind{Name: f.Name, text: &f})
	}
	for _, f := range packed.Formats() {
		list = append(list, Kind{Name: f.Name, packed: &f})
	}
	for _, f := range book.Formats() {
		if !f.HasLines() {
			list = append(list, Kind{Name: f.Name, book: &f})
		}
	}
	return list
}

// Names returns the names of all formats.
func Names() []string { return names(kinds()) }

// GameNames returns the names of the formats whose files have whole games.
func GameNames() []string { return names(lists.Filter(kinds(), Kind.hasRecords)) }

func names(list []Kind) []string { return lists.Map(list, func(k Kind) string { return k.Name }) }

// KindOf returns the format with this name. If the name is "", it returns the format for the extension of
// file.
func KindOf(name, file string) (Kind, error) {
	if name == "" {
		return ofFile(file)
	}
	for _, k := range kinds() {
		if k.Name == name {
			return k, nil
		}
	}
	return Kind{}, fmt.Errorf("no format is called %q: expected one of %s", name, strings.Join(Names(), ", "))
}

func ofFile(file string) (Kind, error) {
	if f, ok := packed.OfFile(file); ok {
		return Kind{Name: f.Name, packed: &f}, nil
	}
	ending := strings.ToLower(filepath.Ext(file))
	if ending == ".bin" {
		return Kind{},
			fmt.Errorf("%s may be training data (psv, hcpe, …) or a book of Apery (apery): expected its format to be given",
				filepath.Base(file))
	}
	if ending == ".sbk" {
		_, err := book.FormatOf("", filepath.Base(file)) // says that gogi does not read such books
		return Kind{}, err
	}
	for _, f := range book.Formats() {
		if !f.HasLines() && slices.Contains(f.Extensions, ending) {
			return Kind{Name: f.Name, book: &f}, nil
		}
	}
	if f, ok := text.OfFile(text.Text(), file); ok {
		return Kind{Name: f.Name, text: &f}, nil
	}
	return Kind{}, fmt.Errorf("the name %s does not tell the format: expected one of %s to be given", filepath.Base(file),
		strings.Join(Names(), ", "))
}

// IsBook reports whether the format is a format of books.
func (k Kind) IsBook() bool { return k.book != nil }

// hasRecords reports whether files of the format have whole games.
func (k Kind) hasRecords() bool { return k.text != nil || k.packed != nil && k.packed.HasGames() }

// games calls yield for each game of a file, and with an error for each game that it cannot read. Before that it calls
// warn for a game with an unknown end. It stops if yield returns an error, or after an error that makes the rest
// unreadable.
func (k Kind) games(name string, in io.Reader, warn func(*text.BadGame), yield func(*kifu.Record, error) error) error {
	if k.text.Read == nil {
		return fmt.Errorf("%s cannot be read: it holds too little", k.Name)
	}
	input := text.NewInput(name, in)
	input.Warn = warn
	r := k.text.Read(input)
	for {
		record, err := r.Next()
		var bad *text.BadGame
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.As(err, &bad):
			return err
		}
		if err := yield(record, err); err != nil {
			return err
		}
	}
}
