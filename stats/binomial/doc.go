// Package binomial calculates how much a number of wins in a number of games proves. It has intervals for the
// win rate ([NewInterval]), tests against a rate ([Exact]), corrections for several tests ([Correction]), the
// number of games that a test needs ([Design]), and the Elo difference for a rate ([Elo]). For games in pairs
// with openings use package stats.
//
// The games must be independent, and each game is won or lost. A [DrawRule] states how draws were counted.
// Intervals and tests are exact if an exact method exists, and their result names the method. No function has
// side effects. If counts are invalid or do not determine a result, a function returns an error, never NaN.
package binomial
