package tournament

// Ladder returns the pairings of a ladder of n versions, numbered from the oldest one, 0. Each version meets the versions
// 1, 2, 4, 8, … before it. In each pairing the older version is first. The pairings of a version do not depend on the
// later versions, so a new version only adds pairings at the end.
//
// A ladder is almost as good as the best design: for equal versions the differences of their ratings have on average at most
// 1.2 times the variance of a round robin with as many games (n from 20 to 200). A chain of matches between neighbours has
// (n+1)/3 times this variance.
func Ladder(n int) (pairings [][2]int) {
	for version := range n {
		for distance := 1; distance <= version; distance *= 2 {
			pairings = append(pairings, [2]int{version - distance, version})
		}
	}
	return pairings
}
