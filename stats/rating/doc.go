// Package rating calculates ratings of many players by Bradley–Terry models with draws, first-move effects
// and handicaps. [Rate] fits even games, and [CompareHandicapTable] fits handicap games. Package lab/plackettluce
// has games of more than two players.
//
// The input consists of [crosstable.Count] rows. Ratings are in Elo, with mean 0: 400/ln 10 times the natural
// logarithm of a strength, minus the mean. The strengths sum to 50 times the number of players.
//
// The fit excludes players whose rating cannot be determined from the games, and reports the reason. If no
// games connect some groups of players, the fit returns an error. [crosstable.Table.Connection] checks both
// without a fit. All randomness comes from a seed.
package rating
