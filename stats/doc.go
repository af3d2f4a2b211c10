// Package stats turns the results of a match into conclusions. A [Tally] counts colour-swapped pairs, and a
// [Series] also knows their openings. Both return intervals, tests and Elo differences. [SPRT] is the
// sequential test. The package is pure: it uses no engines, files or clocks. Package stats/binomial treats
// independent games.
//
// The independent observation is the opening. The test, the interval and the Elo of a Series are therefore
// valid even if the pairs of an opening depend on each other. If each opening was played once, they equal the
// results of the Tally.
//
// Intervals and tests are exact if an exact method exists, and their result names the method. The name shows
// whether the result is a guarantee (clopper_pearson, blaker, binomial_exact, pair_sign_flip) or an
// approximation (wald, wilson, pair_normal). If the games do not determine a number, the function returns an
// error, and its text is the reason to show. The package never returns NaN. It returns an infinity only as
// the Elo of a score of 0 or 1.
//
// # Three kinds of statements
//
//   - Intervals and tests are valid for a length that was fixed before the first game. [PairDesign] plans
//     this length for pairs, binomial.Design for games.
//   - An [SPRT] is valid for the stop that it makes itself. [Prefix] passes the pairs to the SPRT in plan
//     order, [SPRT.Forecast] predicts its length, and [Prefix.Elo] is the estimate corrected for early
//     stopping.
//   - Only the anytime-valid [Scores.AnytimeInterval] and [Scores.EValue] may be read while the games run.
//
// Half points are scores, never binomial successes. A binomial.Counted states how draws were counted, and
// rejects methods that are not valid for this rule.
package stats
