package selfplay

import (
	"gogi/ensemble/voting"
	"gogi/shogi"
	"gogi/shogi/kifu/packed"
)

// VoteCounts returns the moves for which the members of a council voted, as candidates. Visits is the number
// of votes for the move. detail is kifu.Move.Detail. VoteCounts returns nil if detail has no votes.
func VoteCounts(detail []byte) (list []packed.Candidate) {
	record, err := voting.ParseRecord(detail)
	if err != nil {
		return nil
	}
	for _, c := range record.Counts {
		m, err := shogi.ParseMove(c.Key)
		if err == nil && c.Value > 0 {
			list = append(list, packed.Candidate{Move: m, Visits: uint16(min(c.Value, 1<<16-1))}) //nolint:gosec // in range
		}
	}
	return list
}
