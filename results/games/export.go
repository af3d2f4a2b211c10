package games

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"gogi/internal/fail"
	"gogi/match"
	"gogi/results"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/packed"
	kifutext "gogi/shogi/kifu/text"
	"gogi/usi"
)

// Formats returns all formats to which a game can be exported: the text formats, and the formats of training
// data with the given options. The formats of training data add the counts of each game to tally.
func Formats(o packed.Options, tally *packed.Tally) []kifutext.Format {
	list := kifutext.Text()
	for _, f := range packed.Formats() {
		if f.Bare {
			continue // positions without a result
		}
		list = append(list, kifutext.Format{Name: f.Name, Ext: f.Extension,
			Append: func(dst []byte, r *kifu.Record) ([]byte, error) {
				counts, err := f.Encode(r, o, func(b []byte, _ int) error {
					dst = append(dst, b...)
					return nil
				})
				tally.Add(counts)
				return dst, err
			}})
	}
	return list
}

// Filter selects the games of a run to export. The zero value selects all games.
type Filter struct {
	results.Search

	// LostFrom passes games whose loser once had a score of at least LostFrom centipawns from its own view.
	// If Player is set, the loser must be that player. 0 passes all games.
	LostFrom int
	// Games lists the only games that pass; nil passes all.
	Games []results.GamePlace
}

// Export has the settings of an export.
type Export struct {
	Format   kifutext.Format
	ShiftJIS bool               // write Shift_JIS instead of UTF-8
	Ratings  map[string]float64 // by player, for formats that store ratings
	Filter   Filter
	Shards   *Shards // set to divide training data into several files or to shuffle it; then Format is not used
	Training bool    // Format or Shards write training data: mates that a player writes as centipawns count as mates
}

// The export skips a game for one of these reasons.
const (
	ReasonIllegal  = "an illegal start or move"
	ReasonUnscored = "a move without a score"
	ReasonOutcome  = "no result"
)

// Tally counts the games that the filter selects: the written games, and the skipped games by reason.
type Tally struct {
	Games   int            `json:"games"`           // written games
	Skipped map[string]int `json:"skipped"`         // by reason
	Lost    int            `json:"characters_lost"` // characters that Shift_JIS cannot represent

	Files    int          `json:"files,omitempty"`   // files written with Shards
	Training packed.Tally `json:"training,omitzero"` // counts of the training data written with Shards
}

// Skips returns the number of skipped games.
func (t *Tally) Skips() (n int) {
	for _, k := range t.Skipped {
		n += k
	}
	return n
}

// Run exports the games of a run in the order of their pairs. If to is "-", it writes to out. If to is a
// folder or ends with a slash, it writes one file per game; otherwise it writes one file. A file gets its
// final name when it is complete.
func (e *Export) Run(ctx context.Context, store *results.Store, info *results.RunInfo, to string,
	out io.Writer) (*Tally, error) {
	completer, err := NewCompleter(info)
	if err != nil {
		return nil, err
	}
	if e.Shards != nil {
		return e.runShards(ctx, completer, store, info, to)
	}
	s, err := e.open(info.Name, to, out)
	if err != nil {
		return nil, err
	}
	x := exporter{Export: e, completer: completer, sink: s, tally: &Tally{Skipped: map[string]int{}}}
	if err := x.all(ctx, store, info); err != nil {
		return x.tally, errors.Join(err, s.discard())
	}
	return x.tally, s.close()
}

// open returns the sink that writes the games to a file or folder. The parameter to is its path, or "-" for out.
func (e *Export) open(run, to string, out io.Writer) (sink, error) {
	between := []byte(e.Format.Between)
	if to == "-" || to == "" {
		return newStream(out, between), nil
	}
	if at, err := os.Stat(to); strings.HasSuffix(to, "/") || err == nil && at.IsDir() {
		return newFolder(to, e.ext(), run)
	}
	return newFile(to, between)
}

// ext returns the extension of the exported files. Programs expect Shift_JIS in .kif files and UTF-8 in .kifu files.
func (e *Export) ext() string {
	if e.ShiftJIS && e.Format.Ext == ".kifu" {
		return ".kif"
	}
	return e.Format.Ext
}

type exporter struct {
	*Export

	completer *Completer
	sink      sink
	shards    *packed.Shards // used instead of sink
	tally     *Tally
	text      []byte
	scales    usi.MateScales // of players that write mates as centipawns
}

func (x *exporter) all(ctx context.Context, store *results.Store, info *results.RunInfo) error {
	for name := range x.Ratings {
		if !slices.Contains(info.Players, name) {
			return fail.Usage(fmt.Errorf("--rating %s: run %s has no such player; it has %s", name, info.Name,
				strings.Join(info.Players, ", ")))
		}
	}
	if x.Training {
		var err error
		if x.scales, err = MateScales(ctx, store, info.ID, info.Players); err != nil {
			return err
		}
	}
	if x.Filter.Games == nil {
		return store.Records(ctx, info.ID, x.Filter.Search, x.game)
	}
	for _, place := range x.Filter.Games {
		search := x.Filter.Search
		search.Pairs = &[2]int{place.Pair, place.Pair}
		found := false
		err := store.Records(ctx, info.ID, search, func(row match.Row, record kifu.Record) error {
			if row.Leg != place.Leg {
				return nil
			}
			found = true
			return x.game(row, record)
		})
		if err == nil && !found {
			err = fmt.Errorf("run %s has no game %d.%d, or the filters do not pass it", info.Name, place.Pair, place.Leg)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// game writes one game, or counts the reason why it cannot.
func (x *exporter) game(row match.Row, record kifu.Record) error {
	if !x.Filter.lost(&record) {
		return nil
	}
	if err := x.scales.Rescale(row.Black, row.White, &record); err != nil {
		return err
	}
	x.completer.Complete(row, &record)
	for c, name := range record.Names() {
		if rating, ok := x.Ratings[name]; ok {
			record.Ratings[c] = rating
		}
	}
	if x.shards != nil {
		return x.shard(&record)
	}
	var err error
	if x.text, err = x.Format.Append(x.text[:0], &record); err != nil {
		x.tally.Skipped[reason(err)]++
		return nil // it is counted
	}
	text := x.text
	if x.ShiftJIS {
		var lost int
		text, lost = kifutext.ShiftJIS(text)
		x.tally.Lost += lost
	}
	if err := x.sink.put(row, &record, text); err != nil {
		return err
	}
	x.tally.Games++
	return nil
}

func reason(err error) string {
	switch {
	case errors.Is(err, packed.ErrUnscored):
		return ReasonUnscored
	case errors.Is(err, packed.ErrNoOutcome):
		return ReasonOutcome
	}
	return ReasonIllegal
}

// lost reports whether a game passes the filter LostFrom.
func (f *Filter) lost(r *kifu.Record) bool {
	if f.LostFrom == 0 {
		return true
	}
	loser := map[string]int{"white": 0, "black": 1}
	c, ok := loser[r.Winner]
	if !ok || f.Player != "" && r.Names()[c] != f.Player {
		return false
	}
	side := firstSide(r)
	for i := range r.Moves {
		m := &r.Moves[i]
		if side == c && m.HasScore && m.Score >= f.LostFrom {
			return true
		}
		side = 1 - side
	}
	return false
}

// firstSide returns the side that moves first: 0 for Black, 1 for White.
func firstSide(r *kifu.Record) int {
	if fields := strings.Fields(r.Start); len(fields) > 1 && fields[1] == "w" {
		return 1
	}
	return 0
}
