package report

import (
	"gogi/internal/format"
)

// Divergence says how often two engines chose differently in the same
// position. As long as the two games of a pair are equal, every ply is such a
// comparison: the same position, once with A to move and once with B. Measured
// elsewhere: where 2% of plies differ, deterministic pairs give the same verdict
// at 1.7 times less cost; at 17% they give nothing.
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
