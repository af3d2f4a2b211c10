// Package stats turns the numbers of a match into conclusions. A [Tally] counts colour-swapped pairs, a [Series]
// adds the openings, and both return intervals, tests and Elo differences. [SPRT] is the sequential test. It is
// pure, and knows neither engines nor files nor time. Package stats/binomial treats independent games.
//
// The independent observation is the opening. A Series therefore has the test, the interval and the Elo that hold
// even if the pairs of an opening depend on each other. If no opening recurs, its results equal those of the Tally.
//
// Intervals and tests are exact wherever an exact method exists, and carry the name of their method. The reader can
// tell a guarantee (clopper_pearson, blaker, binomial_exact, pair_sign_flip) from an approximation (wald, wilson,
// pair_normal). A number that the games do not determine is an error, whose text is the reason to show. The package
// never returns NaN; infinities occur only as the Elo of a score of 0 or 1.
//
// # Three kinds of statements
//
//   - Intervals and tests hold for a length that was fixed before the first game.
//     [PairDesign] plans it for pairs, binomial.Design for games.
//   - An [SPRT] holds for the stop that it makes itself. [Prefix] gives it the pairs in plan
//     order, [SPRT.Course] forecasts it, and [Prefix.Elo] is the estimate corrected for early
//     stopping.
//   - Only the anytime-valid [Scores.AnytimeInterval] and [Scores.EValue] may be read while
//     the games run.
//
// Half points are scores, never binomial successes. A binomial.Counted records how draws were
// counted, and rejects methods that do not hold for it.
package stats
