package tables

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"gogi/match"
	"gogi/shogi"
)

// OptionsText returns the options of both players as a text for the database: one list for each player, with names
// and values alternately. Without options it returns nil, which is NULL.
func OptionsText(options [2][]match.Option) (any, error) {
	if len(options[0])+len(options[1]) == 0 {
		return nil, nil
	}
	text, err := json.Marshal([2][]string{Flat(options[0]), Flat(options[1])})
	return string(text), err
}

// Flat returns options as one list: name, value, name, value, …
func Flat(options []match.Option) []string {
	words := []string{}
	for _, o := range options {
		words = append(words, o.Name, o.Value)
	}
	return words
}

// Options parses the text that OptionsText writes.
func Options(value any) (options [2][]match.Option, err error) {
	text, ok := value.(string)
	if !ok {
		return options, nil // NULL
	}
	var words [2][]string
	if err := json.Unmarshal([]byte(text), &words); err != nil {
		return options, fmt.Errorf("its options: %w", err)
	}
	for i := range words {
		if options[i], err = Paired(words[i]); err != nil {
			return options, err
		}
	}
	return options, nil
}

// Paired returns the options in a list of alternating names and values, such as Flat returns.
func Paired(words []string) (options []match.Option, err error) {
	if len(words)%2 != 0 {
		return nil, errors.New("its options: a name has no value")
	}
	for w := range slices.Chunk(words, 2) {
		options = append(options, match.Option{Name: w[0], Value: w[1]})
	}
	return options, nil
}

// Identity is the form of a match.Identity in the database and in dumps.
type Identity struct {
	Files    []FileHash    `json:"files"`
	Fixed    string        `json:"fixed,omitempty"` // identity that does not come from files
	Variants []Variant     `json:"variants,omitempty"`
	Source   *match.Source `json:"source,omitempty"`
}

// PlayerFacts is the form of a player's identity in the table engines of the database. It also has facts that
// dumps leave out.
type PlayerFacts struct {
	Identity

	InEffect [][]string `json:"in_effect,omitempty"` // match.Player.InEffect, each list in the form of Flat
}

// PlayerFactsOf converts the facts of a player to the stored form.
func PlayerFactsOf(p *match.Player) PlayerFacts {
	facts := PlayerFacts{Identity: IdentityOf(p.Identity)}
	for _, options := range p.InEffect() {
		facts.InEffect = append(facts.InEffect, Flat(options))
	}
	return facts
}

// Options returns the options in effect. It returns nil if they are unknown or cannot be read.
func (f *PlayerFacts) Options() (list [][]match.Option) {
	for _, words := range f.InEffect {
		options, err := Paired(words)
		if err != nil {
			return nil
		}
		list = append(list, options)
	}
	return list
}

// Variant is the form of a match.Variant in the database and in dumps.
type Variant struct {
	OS     string `json:"os"`
	Arch   string `json:"arch"`
	ISA    string `json:"isa,omitempty"` // level of the instruction set, such as x86-64-v3
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"`
}

// FileHash is the form of a match.FileHash in the database and in dumps.
type FileHash struct {
	Role   string `json:"role"`
	Path   string `json:"path,omitempty"`
	SHA256 string `json:"sha256"`
}

// IdentityOf converts an identity to the stored form. An identity without files gets an empty list, because
// nil would be null in JSON.
func IdentityOf(id match.Identity) Identity {
	out := Identity{Files: []FileHash{}, Fixed: id.Fixed, Source: id.Source}
	for _, f := range id.Files {
		out.Files = append(out.Files, FileHash(f))
	}
	for _, v := range id.Variants {
		out.Variants = append(out.Variants, Variant(v))
	}
	return out
}

// Match converts the stored form to an identity.
func (id Identity) Match() match.Identity {
	out := match.Identity{Fixed: id.Fixed, Source: id.Source}
	for _, f := range id.Files {
		out.Files = append(out.Files, match.FileHash(f))
	}
	for _, v := range id.Variants {
		out.Variants = append(out.Variants, match.Variant(v))
	}
	return out
}

// usualStart is the SFEN of the usual start position.
var usualStart = func() string {
	p := shogi.StartPos()
	return p.SFEN()
}()

// StartText returns the start position of a record as a text for the database. The usual position is the empty text,
// which saves 63 bytes a game.
func StartText(sfen string) string {
	if sfen == usualStart {
		return ""
	}
	return sfen
}

// Start returns the start position for a text that StartText or an older gogi wrote.
func Start(text string) string {
	if text == "" {
		return usualStart
	}
	return text
}

// MovesText returns moves as a text for the database: in USI notation, separated by spaces.
func MovesText(moves []shogi.Move) string {
	var room [128]byte // for the usual variation
	return string(AppendMoves(room[:0], moves))
}

// AppendMoves appends the text that MovesText returns.
func AppendMoves(text []byte, moves []shogi.Move) []byte {
	for i, m := range moves {
		if i > 0 {
			text = append(text, ' ')
		}
		text = m.Append(text)
	}
	return text
}

// Moves parses the text that MovesText writes.
func Moves(text string) ([]shogi.Move, error) {
	var moves []shogi.Move
	for word := range strings.FieldsSeq(text) {
		m, err := shogi.ParseMove(word)
		if err != nil {
			return nil, err
		}
		moves = append(moves, m)
	}
	return moves, nil
}
