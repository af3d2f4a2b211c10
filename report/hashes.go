package report

import "slices"

// hashes counts distinct hashes of moves. It takes 9 to 11 bytes a game, and the garbage collector does not read
// them. With a map a report of a million games spent a tenth of its time here.
type hashes struct {
	sorted []uint64 // distinct, in ascending order
	recent []uint64 // as they came
}

// recentHashes is the least number of hashes that are sorted at once.
const recentHashes = 4096

func (h *hashes) add(hash uint64) {
	h.recent = append(h.recent, hash)
	if len(h.recent) >= max(recentHashes, len(h.sorted)/8) {
		h.distinct()
	}
}

// distinct returns the number of distinct hashes.
func (h *hashes) distinct() int {
	if len(h.recent) == 0 {
		return len(h.sorted)
	}
	slices.Sort(h.recent)
	h.sorted = slices.Compact(merged(h.sorted, h.recent))
	h.recent = h.recent[:0]
	return len(h.sorted)
}

// merged returns the elements of two sorted lists in ascending order. It reuses the memory of a.
func merged(a, b []uint64) []uint64 {
	i, j := len(a)-1, len(b)-1
	all := append(a, b...)
	for at := len(all) - 1; j >= 0; at-- {
		if i >= 0 && a[i] > b[j] {
			all[at], i = a[i], i-1
		} else {
			all[at], j = b[j], j-1
		}
	}
	return all
}
