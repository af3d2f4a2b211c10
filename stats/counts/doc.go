// Package counts says what a number of wins of a number of games proves: exact
// and approximate intervals for the win rate ([IntervalMethod]), tests against a
// rate ([BinomialTest]), the corrections for several of them ([Correction]), the
// games that a test takes ([Design]), and the image of a rate in Elo ([Elo]).
//
// The games are taken for independent, each won or lost: what became of the
// draws is said by a [DrawRule]. Games that come in pairs and openings are package
// stats' business, which rests on this one.
//
// Intervals and tests are exact wherever an exact one exists, and carry the name
// of their method. All are pure functions. What the counts do not determine, and
// what is no count, gets an error, never NaN.
package counts
