// Package rating turns the games of many players into ratings: Bradley–Terry
// models with draws, first-move effects, and handicaps. Games of more than two
// players are package orders'.
//
// Games come in added up, as [crosstable.Count] rows. [Rate] fits even games,
// [CompareHandicaps] handicap games.
// Ratings are Elo points with mean 0: 400/ln 10 times the natural logarithm of
// a strength, less the mean. Strengths themselves sum to 50 per player.
//
// Players for whom the games do not determine a rating are set aside with the
// reason, and groups of players that the games do not connect are an error:
// [crosstable.Connect] tells both without fitting. An error's text is the reason
// to show beside the gap. Everything random takes a seed, and repeats with it.
package rating
