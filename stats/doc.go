// Package stats turns the numbers of a series of games into conclusions: a
// [Tally] of colour-swapped pairs into intervals, tests, and Elo differences.
//
// The independent unit is the opening: a [Series] takes the pairs of two players
// with their openings, tells copies, and has the test, the interval and the Elo
// that hold however much the pairs of an opening have in common. Where no
// opening recurs, that is the tally's by pairs.
//
// What wins of independent games prove by their number alone is package counts'.
//
// Everything is a pure function of counts. Intervals and tests are exact
// wherever an exact one exists, and carry the name of their method, so that a
// reader can tell a guarantee (clopper_pearson, blaker, binomial_exact,
// pair_sign_flip) from an approximation (wald, wilson, pair_normal).
//
// The package refuses to give a number that the games do not determine. Such a
// request gets an error, whose text is the reason to show beside the gap; NaN
// never stands in for "unknown", and infinities occur only as the Elo image of
// a score of 0 or 1. It knows neither engines nor files nor time.
//
// Three kinds of statements must not be mixed up. Intervals and tests hold for a
// length that was fixed before the first game ([PairDesign] plans it for pairs,
// [counts.Design] for games). An [SPRT] holds for the stop that it makes itself;
// [Prefix] feeds it the pairs in plan order, [SPRT.Course] plans it, and
// [Prefix.Elo] is the estimate that allows for the stop. Only the
// anytime-valid [Scores.AnytimeInterval] and [Scores.EValue] may be read while
// the games run.
//
// Half points are scores, never binomial successes: a [counts.Counted] says what became
// of the draws, and refuses methods that do not hold for it.
package stats
