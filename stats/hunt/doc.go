// Package hunt finds the version of an engine that lost Elo. The versions are numbered from the good one, 0, to the
// bad one. One of the versions after 0 is the culprit: it and all later versions are weaker. A [Hunt] has the
// posterior probabilities of each culprit and each loss. [Hunt.Next] selects the two versions that play next,
// [Hunt.Add] adds their results, and [Hunt.Answer] names the culprit. The package is pure: the caller plays the
// games.
//
// The method is probabilistic bisection (Horstein 1963, "Sequential transmission using noiseless feedback"; Waeber,
// Frazier, Henderson 2013, "Bisection search with noisy responses"). Ben-Or and Hassidim 2008 show that its number of
// questions is near the limit of information theory. A question here is a block of colour-swapped pairs, and its two
// versions may be any two versions.
package hunt
