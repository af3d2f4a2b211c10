// Package tournament says who plays whom where results decide it: in a Swiss, a
// knockout, and a design that spends its pairs where the ranking is least certain. It
// is pure: a Schedule is told the results, in any order, and knows the pairs that
// follow from them.
//
// What a pair is, players and opening, depends on the plan and on results of pairs with
// smaller numbers alone, and of these on whole rounds, matches and blocks. So the same
// plan with the same results gives the same pairs however many are played at a time, in
// whatever order they end, and after any kill: nothing of a Schedule is stored, it is
// told what is stored.
//
// docs/tournaments.md has the rules in words, and what standings may be taken for.
package tournament
