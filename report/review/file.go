package review

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gogi/internal/disk"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/usi"
	"gogi/usi/transcript"
)

// Dir returns the folder of the reviews of a run. db is the path of the database.
func Dir(db, run string) string { return filepath.Join(db+"-reviews", transcript.FileName(run)) }

// Path returns the file of the review of a stored game.
func Path(db, run string, pair, leg int) string {
	return filepath.Join(Dir(db, run), fmt.Sprintf("%06d.%d.json", pair, leg))
}

// Load reads a review. It returns nil without an error if the file does not exist.
func Load(path string) (*Review, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	r := &Review{}
	if err := json.Unmarshal(text, r); err != nil || r.Version != 1 {
		return nil, fmt.Errorf("%s: it is no review of this version of gogi; delete it and run gogi review again", path)
	}
	return r, nil
}

// Save writes the review to a file and makes the folder if it does not exist.
func (r *Review) Save(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	text, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		return err
	}
	part, err := disk.NewPart(path)
	if err != nil {
		return err
	}
	if _, err := part.File.Write(append(text, '\n')); err != nil {
		return errors.Join(err, part.File.Close(), os.Remove(part.File.Name()))
	}
	return part.Publish(false)
}

// Fits returns an error if the review belongs to another game than the record.
func (r *Review) Fits(record *kifu.Record) error {
	for i := range r.Moves {
		m := &r.Moves[i]
		if m.Ply < 1 || m.Ply > len(record.Moves) || record.Moves[m.Ply-1].Move != m.Move || r.At(m.Ply) != m {
			return fmt.Errorf("the review is of another game: it has %s as move %d", m.Move, m.Ply)
		}
	}
	return nil
}

// Annotate replaces the evaluations of the record by those of the review, and adds comments to the moves with a mark:
// the mark, the loss and the engine's variations in the notation of KIF.
func (r *Review) Annotate(record *kifu.Record) error {
	if err := r.Fits(record); err != nil {
		return err
	}
	p, _, err := legal(record)
	if err != nil {
		return err
	}
	before := shogi.NoSquare
	for i := range record.Moves {
		m := &record.Moves[i]
		if p.CheckLegal(m.Move) != nil {
			break
		}
		if v := r.At(i + 1); v != nil {
			m.Score, m.HasScore, m.Depth, m.SelDepth, m.Nodes, m.Detail = v.Value.number(), true, 0, 0, 0, nil
			m.PV = []shogi.Move{m.Move}
			if next := r.At(i + 2); next != nil && len(next.Lines) > 0 {
				m.PV = append(m.PV, next.Lines[0].PV...)
			}
			m.Comment = joined(m.Comment, r.comment(&p, before, v))
		}
		before = m.Move.To()
		p.Apply(m.Move)
	}
	return nil
}

// number returns the value as the number that records use, also for mates.
func (v Value) number() int {
	if v.Mate == 0 {
		return v.CP
	}
	s := usi.Score{Mate: 1, Value: v.Mate}
	if v.Mate < 0 {
		s = usi.Score{Mate: -1, Value: -v.Mate}
	}
	return s.Number()
}

// comment returns the comment on a marked move, or "". Values are from Black's view, as those of "評価値" in KIF.
func (r *Review) comment(p *shogi.Position, before shogi.Square, v *Move) string {
	if v.Mark == NoMark {
		return ""
	}
	name := map[Mark]string{Inaccuracy: "緩手", Mistake: "悪手", Blunder: "大悪手"}[v.Mark]
	lines := []string{fmt.Sprintf("%s %s −%.0f%% (%.0f%% → %.0f%%)", v.Mark, name, v.Loss, v.Before, v.After)}
	for i, l := range v.Lines {
		value := l.Value
		if p.Side() == shogi.White {
			value = value.Turned()
		}
		if text := Variation(*p, before, l.PV); len(text) > 0 {
			lines = append(lines, fmt.Sprintf("候補%d %s %s", i+1, value, strings.Join(text, " ")))
		}
	}
	return strings.Join(lines, "\n")
}

// Variation returns the moves of a variation in the notation of KIF, up to the first illegal move. before is the square
// of the last move before the position.
func Variation(p shogi.Position, before shogi.Square, moves []shogi.Move) (list []string) {
	for _, m := range moves {
		if p.CheckLegal(m) != nil {
			break
		}
		sign := "☗"
		if p.Side() == shogi.White {
			sign = "☖"
		}
		list = append(list, sign+kifu.KIFMove(&p, m, before))
		before = m.To()
		p.Apply(m)
	}
	return list
}

func joined(comment, more string) string {
	if comment == "" || more == "" {
		return comment + more
	}
	return comment + "\n" + more
}
