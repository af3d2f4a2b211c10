package web

import (
	"fmt"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/internal/shellwords"
	"gogi/report/review"
	"gogi/shogi"
)

// reviewView is the review of a game for its page at one ply.
type reviewView struct {
	*review.Review
	Now        *review.Move // the move that led to the position; nil: it was not reviewed
	Mark       i18n.Message
	Lines      []reviewLine // the engine's variations in place of that move
	Prev, Next int          // plies of the nearest marked moves; 0: none
	Counts     []reviewCount
	Win        string // Black's win probability after the move
	Thresholds [3]string
}

// reviewLine is a variation with its value.
type reviewLine struct {
	Value string // from Black's view
	Moves []string
}

// reviewCount has the marks of one player.
type reviewCount struct {
	Name                         string
	Blunders, Mistakes, Slighter int
}

// addReview adds the stored review of a game to its page.
func (s *Server) addReview(in voice, g *storedGame, b *gameBody) error {
	b.ReviewBy = sanitize.Printable(fmt.Sprintf("gogi review %s %s --engine CMD", shellwords.Quote(g.info.Name), g.name()),
		shownLine)
	found, err := review.Load(review.Path(s.config.Store.Path(), g.info.Name, g.row.Pair, g.row.Leg))
	if err != nil || found == nil || found.Fits(&g.record) != nil {
		return err
	}
	v := &reviewView{Review: found, Now: found.At(b.Ply)}
	for i, loss := range found.Marks {
		v.Thresholds[i] = fmt.Sprint(loss)
	}
	for i := range found.Moves {
		m := &found.Moves[i]
		if m.Mark == review.NoMark {
			continue
		}
		line := &b.Moves[m.Ply-1]
		line.Mark, line.MarkName, line.Loss = m.Mark, m.Mark.Message(), m.Loss
		if m.Ply < b.Ply {
			v.Prev = m.Ply
		}
		if m.Ply > b.Ply && v.Next == 0 {
			v.Next = m.Ply
		}
	}
	for _, side := range []shogi.Colour{shogi.Black, shogi.White} {
		name := [2]string{g.row.Black, g.row.White}[side]
		v.Counts = append(v.Counts, reviewCount{
			name, found.Count(side.String(), review.Blunder), found.Count(side.String(), review.Mistake),
			found.Count(side.String(), review.Inaccuracy),
		})
	}
	if v.Now != nil {
		v.addNow(in, g, b.Ply)
	}
	b.Review = v
	return nil
}

// addNow adds the data of the move that led to the position.
func (v *reviewView) addNow(in voice, g *storedGame, ply int) {
	p, last := g.at(ply - 1)
	v.Mark = v.Now.Mark.Message()
	win := v.Now.After
	if v.Now.Side == "white" {
		win = 100 - win
	}
	v.Win = fmt.Sprintf("%.0f%%", win)
	for _, l := range v.Now.Lines {
		value := l.Value
		if p.Side() == shogi.White {
			value = value.Turned()
		}
		line := reviewLine{Value: format.Minus(value.String())}
		at, before := p, shogi.NoSquare
		if last != shogi.NoMove {
			before = last.To()
		}
		for _, m := range l.PV {
			if at.CheckLegal(m) != nil {
				break
			}
			line.Moves = append(line.Moves, in.moveText(&at, m, before))
			before = m.To()
			at.Apply(m)
		}
		v.Lines = append(v.Lines, line)
	}
}
