// Package hunt finds the version of an engine that lost Elo. The versions are numbered from 0, which is known
// to be good, to the last one, which is known to be bad. One of the versions after 0 is the culprit: it and
// all later versions are weaker. A [Hunt] calculates, from the games so far, the posterior probability that
// each version is the culprit, and how many Elo it lost. [Hunt.Next] selects the two versions that play next,
// [Hunt.Add] adds their results, and [Hunt.Answer] names the culprit. The package plays no games; the caller
// does.
//
// The method is probabilistic bisection (Horstein 1963, "Sequential transmission using noiseless feedback";
// Waeber, Frazier, Henderson 2013, "Bisection search with noisy responses"). Ben-Or and Hassidim 2008 show
// that its number of questions is near the limit of information theory. In this package a question is a block
// of colour-swapped pairs between any two versions.
package hunt
