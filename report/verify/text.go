package verify

import (
	"fmt"
	"io"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/results/repair"
)

// printed is the largest number of differences in the text. The JSON has all of them.
const printed = 20

// Write writes the result of a verification, as one JSON object or as text in a language.
func Write(w io.Writer, in i18n.Language, asJSON bool, f *Found) error {
	if asJSON {
		return writeJSON(w, f)
	}
	writeText(w, in, f)
	return nil
}

func writeText(w io.Writer, in i18n.Language, f *Found) {
	fmt.Fprintf(w, "%s\n\n", i18n.Say(in, "%s · %s in %s, %s", sanitize.Printable(f.Run, 40),
		i18n.Number{N: f.Games, Noun: "game"}, i18n.Number{N: f.Pairs, Noun: "pair"}, f.replayed()))
	fmt.Fprintln(w, f.openings().In(in))
	if f.Same() {
		fmt.Fprintln(w, i18n.Say(in, "Nothing differs: the moves, the plan and the stored results agree."))
		return
	}
	fmt.Fprintf(w, "\n%s\n", i18n.Say(in, "not as it should be:"))
	for _, d := range f.Differences[:min(len(f.Differences), printed)] {
		fmt.Fprintf(w, "  %s\n", sanitize.Printable(problemText(d).In(in), 500))
	}
	if more := f.More + max(0, len(f.Differences)-printed); more > 0 {
		fmt.Fprintf(w, "  %s\n", i18n.Say(in, "and %s more", format.Count(more)))
	}
}

// problemText returns the text of a difference. It leaves out the name of the run, because the text is about
// one run.
func problemText(d repair.Problem) i18n.Message {
	if d.Pair >= 0 {
		return i18n.Of("pair %d: %s", d.Pair, d.What)
	}
	return i18n.Verbatim(d.What)
}

func (f *Found) replayed() i18n.Message {
	if f.Replayed == f.Pairs {
		return i18n.Of("every move replayed")
	}
	return i18n.Of("%s of them sound", format.Count(f.Replayed))
}

// openings returns text about the openings that were played from the book.
func (f *Found) openings() i18n.Message {
	if f.Book == 0 {
		return i18n.Of("The run has no list of openings, so none was compared.")
	}
	if f.Openings < f.Book {
		return i18n.Of("%s of the book's %s openings were played; only all of them would prove that they\nare the plan's.",
			format.Count(f.Openings), format.Count(f.Book))
	}
	return i18n.Of("All of the book's %s were played.", i18n.Number{N: f.Book, Noun: "opening"})
}

// A Result is the JSON object of gogi db verify and gogi farm audit --verify.
type Result struct {
	Version int  `json:"version"` // 1
	Same    bool `json:"same"`    // nothing differs
	Found
	Differences []Difference `json:"differences"` // differences between the moves, the plan and the stored results
}

// A Difference is one difference in a Result.
type Difference struct {
	Pair *int   `json:"pair,omitempty"` // number of the pair; missing if the difference concerns the whole run
	What string `json:"what"`           // the difference as English text
}

func writeJSON(w io.Writer, f *Found) error {
	list := []Difference{}
	for _, d := range f.Differences {
		out := Difference{What: d.What}
		if d.Pair >= 0 {
			out.Pair = &d.Pair
		}
		list = append(list, out)
	}
	return format.JSON(w, Result{Version: 1, Same: f.Same(), Found: *f, Differences: list})
}
