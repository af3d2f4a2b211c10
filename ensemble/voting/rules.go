package voting

import (
	"slices"
)

// The names of the rules.
const (
	Majority    = "majority"    // most ballots (plurality, 単純多数決)
	Adoption    = "adoption"    // weights by adopted votes (採用実績)
	Evaluation  = "evaluation"  // weights by evaluations (局面評価値)
	Weighted    = "weighted"    // weights given beforehand
	Optimistic  = "optimistic"  // the member with the best evaluation (楽観的合議)
	Pessimistic = "pessimistic" // the member with the worst
	Borda       = "borda"       // points by rank in the MultiPV lists
	LinearPool  = "linear_pool" // mean of the win probabilities in the MultiPV lists
	LogPool     = "log_pool"    // the same of their log odds
)

// kind is a row of the table of rules: with the rule's own file it is all that this package knows of it.
type kind struct {
	name  string
	begin func(standing) Rule // the rule before its first game
	keys  []string            // of Spec, in the order of its fields
	lists bool                // it reads MultiPV lists; without them it counts ballots, or little more
}

// kinds is the table of rules, in the order in which they are listed.
func kinds() []kind {
	growing := []string{"initial", "tally", "reset", "overrides", "decay", "cap", "placebo"}
	pooling := []string{"weights", "impute", "min_depth"}
	return []kind{
		{name: Majority, begin: newMajority},
		{name: Adoption, begin: newAdoption, keys: append([]string{"reward", "order", "book", "absent", "ponder"}, growing...)},
		{name: Evaluation, begin: newEvaluation, keys: append([]string{"mode", "searched", "window", "max", "scale", "apply"}, growing...)},
		{name: Weighted, begin: newMajority, keys: []string{"weights"}},
		{name: Optimistic, begin: newByScore},
		{name: Pessimistic, begin: newByScore},
		{name: Borda, begin: newBorda, keys: []string{"weights", "min_depth"}, lists: true},
		{name: LinearPool, begin: newPool, keys: pooling, lists: true},
		{name: LogPool, begin: newPool, keys: pooling, lists: true},
	}
}

// kindOf finds a rule's row.
func kindOf(name string) (kind, bool) {
	table := kinds()
	i := slices.IndexFunc(table, func(k kind) bool { return k.name == name })
	if i < 0 {
		return kind{}, false
	}
	return table[i], true
}

// RuleNames lists the rules.
func RuleNames() []string {
	var names []string
	for _, k := range kinds() {
		names = append(names, k.name)
	}
	return names
}

// ReadsLists reports whether the rule counts the lines of MultiPV lists: from members that give one line only
// it knows little more than simple majority.
func (s *Spec) ReadsLists() bool {
	k, _ := kindOf(s.Name)
	return k.lists
}
