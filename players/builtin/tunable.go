package builtin

import (
	"gogi/internal/lists"
	"gogi/shogi"
	"gogi/usi"
)

// NewTunable returns an engine with the evaluation's weights as further options:
//
//   - Material.Pawn … Material.Rook: the value of a piece on the board, in centipawns;
//   - Hand.Pawn … Hand.Rook: the additional value of a piece in hand;
//   - Attack, Defence: the value of pieces near the kings, in percent of the usual value.
//
// With the default values it plays like the engine that New returns.
func NewTunable() *Engine {
	e := New()
	e.settings.tunable = true
	return e
}

// A weightKnob is a weight of the evaluation that can be an option.
type weightKnob struct {
	name       string
	value, max int // the default, and the largest value
}

const (
	knobAttack  = "Attack"
	knobDefence = "Defence"
)

// pieceKnobs returns the names in options of the pieces that can be in hand.
func pieceKnobs() map[shogi.PieceType]string {
	return map[shogi.PieceType]string{
		shogi.Pawn: "Pawn", shogi.Lance: "Lance", shogi.Knight: "Knight", shogi.Silver: "Silver", shogi.Gold: "Gold",
		shogi.Bishop: "Bishop", shogi.Rook: "Rook",
	}
}

// weightKnobs returns all weights, in the order of the options.
func weightKnobs() []weightKnob {
	w, premium := handMadeBoard(), handPremiums()
	var list []weightKnob
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		if name, ok := pieceKnobs()[t]; ok {
			list = append(list, weightKnob{"Material." + name, w.material[t], 2000})
		}
	}
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		if name, ok := pieceKnobs()[t]; ok {
			list = append(list, weightKnob{"Hand." + name, premium[t], 500})
		}
	}
	return append(list, weightKnob{knobAttack, 100, 400}, weightKnob{knobDefence, 100, 400})
}

func weightOptions() []usi.Option {
	return lists.Map(weightKnobs(), func(k weightKnob) usi.Option { return spin(k.name, k.value, 0, int64(k.max)) })
}

// knobValues has the values of all weights, in the order of weightKnobs, as differences from the defaults.
type knobValues [16]int

func (v *knobValues) set(name string, value int) {
	for i, k := range weightKnobs() {
		if k.name == name {
			v[i] = value - k.value
		}
	}
}

// of returns the evaluation's weights for these values.
func (v *knobValues) of() *weights {
	w := handMadeBoard()
	premium, i := handPremiums(), 0
	for _, values := range []*[pieceTypes]int{&w.material, &premium} {
		for t := shogi.Pawn; t <= shogi.Gold; t++ {
			if _, ok := pieceKnobs()[t]; ok {
				values[t] += v[i]
				i++
			}
		}
	}
	for _, values := range []*[pieceTypes]int{&w.attack, &w.defence} {
		for t := range values {
			values[t] = values[t] * (100 + v[i]) / 100
		}
		i++
	}
	w.fillHands(premium)
	w.fillSquares()
	return w
}
