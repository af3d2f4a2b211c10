package report

import (
	"gogi/internal/format"
)

// Divergence counts how often two engines chose different moves in the same position. While the two games of
// a pair are equal, each ply is such a comparison: each engine has moved once in the same position.
// Measurements elsewhere show the use of deterministic pairs. If 2% of plies differ, they give the same
// verdict at 1.7 times less cost. At 17% they gain nothing.
type Divergence struct {
	Pairs    int      `json:"pairs"`
	Compared int      `json:"plies"`    // positions in which both chose
	Diverged int      `json:"diverged"` // pairs whose games parted
	PerPly   *float64 `json:"per_ply"`
}

// Compare takes the moves of a pair's two games, those of the opening left out.
func (d *Divergence) Compare(one, two []string) {
	d.Pairs++
	for i := range min(len(one), len(two)) {
		d.Compared++
		if one[i] != two[i] {
			d.Diverged++
			break
		}
	}
	if d.Compared > 0 {
		d.PerPly = format.Finite(float64(d.Diverged) / float64(d.Compared))
	}
}
