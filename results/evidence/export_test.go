package evidence

import "gogi/match"

// KnownOf returns n known pairs of a plan without games.
func KnownOf(plan *match.Plan, n int) *Known {
	k := &Known{plan: plan}
	for id := range n {
		k.Pairs = append(k.Pairs, id)
	}
	return k
}
