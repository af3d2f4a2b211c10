package evidence

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gogi/match"
	"gogi/results"
)

// Known has the known pairs of a plan. A pair is known if other runs have already stored all of its games, so that
// gogi can copy them. The stored games must have the same keys (match.GameKey) as the games of the pair, and their
// players must repeat their games move by move.
type Known struct {
	Pairs []int // in ascending order

	store *results.Store
	plan  *match.Plan
	keys  map[match.Key]results.GameSource // the found games, by key
	runs  map[string]int64                 // number of the source run by its name
	want  keysOf                           // the keys of a pair's games
}

// keysOf is a function that returns the key of each game of a pair of the plan.
type keysOf func(pair *match.Pair) []match.Key

// FindKnown returns the known pairs of a plan, except the pairs in stored, which are already stored in the plan's
// own run. It searches all other runs of the store. All players of the plan must repeat their games and have known
// options in effect. FindKnown uses only games of players for which a run proved that they repeat their games. It
// leaves out pairs that are copies of other stored pairs, games with a fault and games with a move that the
// machine delayed.
func FindKnown(ctx context.Context, store *results.Store, plan *match.Plan, stored map[int]bool) (*Known, error) {
	k := &Known{store: store, plan: plan, keys: map[match.Key]results.GameSource{}, runs: map[string]int64{}}
	canonical, err := match.ParseCanonical(plan.Canonical())
	if err != nil {
		return nil, err
	}
	conditions := canonical.Conditions()
	players := make([]match.Key, len(plan.Players))
	for i := range plan.Players {
		players[i] = plan.Keys(i).Exact
	}
	k.want = func(pair *match.Pair) (keys []match.Key) {
		for leg := range pair.Legs {
			g := pair.Game(leg)
			keys = append(keys, match.GameKey(players[g.Players[0]], players[g.Players[1]], conditions, g.Opening, 0))
		}
		return keys
	}
	wanted := map[match.Key]bool{}
	for id := range plan.Pairs {
		if pair := plan.Pair(id); !stored[id] {
			for _, key := range k.want(&pair) {
				wanted[key] = true
			}
		}
	}
	if err := k.search(ctx, conditions, wanted); err != nil {
		return nil, err
	}
	for id := range plan.Pairs {
		if pair := plan.Pair(id); !stored[id] && len(k.Sources(id)) == pair.Legs {
			k.Pairs = append(k.Pairs, id)
		}
	}
	return k, nil
}

// search finds the games with wanted keys in all other runs with the same conditions.
func (k *Known) search(ctx context.Context, conditions match.Key, wanted map[match.Key]bool) error {
	openings := map[uint64]match.Opening{}
	for _, o := range k.plan.Openings {
		openings[o.Hash()] = o
	}
	return eachRun(ctx, k.store, conditions, func(info *results.RunInfo, plan *match.CanonicalPlan, reused map[int]bool) error {
		if info.Name == k.plan.Run {
			return nil
		}
		players := map[string]match.Key{}
		for at, e := range info.Engines {
			if key := info.Keys(plan, at).Exact; e.Repeats && key != (match.Key{}) {
				players[e.Name] = key
			}
		}
		k.runs[info.Name] = info.ID
		return k.store.Games(ctx, info.ID, func(g match.Row) error {
			black, knownBlack := players[g.Black]
			white, knownWhite := players[g.White]
			opening, inBook := openings[g.OpeningHash]
			if !knownBlack || !knownWhite || !inBook || reused[g.Pair] || g.Marked || g.Termination.IsFault() {
				return nil
			}
			key := match.GameKey(black, white, conditions, opening, 0)
			if _, found := k.keys[key]; wanted[key] && !found {
				k.keys[key] = results.GameSource{Run: info.Name, Pair: g.Pair, Leg: g.Leg}
			}
			return nil
		})
	})
}

// Sources returns, for each game of a pair, a stored game with the same key, in the order of the legs. It leaves
// out games that no run has stored.
func (k *Known) Sources(id int) (list []results.GameSource) {
	pair := k.plan.Pair(id)
	for _, key := range k.want(&pair) {
		if source, found := k.keys[key]; found {
			list = append(list, source)
		}
	}
	return list
}

// Result returns a known pair in the form in which the plan's run stores it. It returns an error if the opening of a
// stored game is not the plan's opening.
func (k *Known) Result(ctx context.Context, id int) (match.PairResult, error) {
	r := match.PairResult{Pair: k.plan.Pair(id)}
	for leg, source := range k.Sources(id) {
		from, err := k.store.Pair(ctx, k.runs[source.Run], source.Pair)
		if err != nil {
			return r, err
		}
		if from.Pair.Opening.String() != r.Pair.Opening.String() {
			return r, fmt.Errorf("pair %d of run %s has another opening with the hash of opening %s", source.Pair, source.Run, r.Pair.Opening.ID)
		}
		g := from.Games[source.Leg]
		g.Pair, g.Leg, g.Players = id, leg, r.Pair.Game(leg).Players
		g.Record.Event = k.plan.Run
		r.Games = append(r.Games, g)
	}
	return r, nil
}

// Sample returns n known pairs at random, or all if there are fewer. The seed of the plan decides the selection.
func (k *Known) Sample(n int) []int {
	drawn := slices.Clone(k.Pairs)
	random := rand.New(rand.NewPCG(k.plan.Seed, 0x6b6e6f776e)) //nolint:gosec // "known" in ASCII; no secret
	random.Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	drawn = drawn[:min(n, len(drawn))]
	slices.Sort(drawn)
	return drawn
}

// Drop removes the pairs of a player from the known pairs. player is the player's index in the plan.
func (k *Known) Drop(player int) {
	k.Pairs = slices.DeleteFunc(k.Pairs, func(id int) bool {
		players := k.plan.Pair(id).Players
		return players[0] == player || players[1] == player
	})
}
