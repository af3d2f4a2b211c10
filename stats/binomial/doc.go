// Package binomial calculates what a number of wins in a number of games proves: intervals for the win rate
// ([NewInterval]), tests against a rate ([Exact]), corrections for several tests ([Correction]), the games that a
// test needs ([Design]), and the Elo of a rate ([Elo]). For games in pairs with openings use package stats.
//
// The games must be independent, each won or lost; a [DrawRule] states how draws were counted. Intervals and tests
// are exact wherever an exact method exists, and carry the name of their method. All functions are pure. Counts
// that are invalid or do not determine a result are an error, never NaN.
package binomial
