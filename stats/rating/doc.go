// Package rating calculates ratings of many players: Bradley–Terry models with draws,
// first-move effects and handicaps. [Rate] fits even games, [CompareHandicapTable] fits handicap
// games. For games of more than two players use package stats/rating/plackettluce.
//
// Games come in as [crosstable.Count] rows. Ratings are Elo points with mean 0: 400/ln 10 times
// the natural logarithm of a strength, minus the mean. Strengths sum to 50 for each player.
//
// The fit sets aside players whose rating the games do not determine, with the reason. Groups of
// players that no game connects are an error; [crosstable.Table.Connection] checks both without a fit.
// All randomness comes from a seed.
package rating
