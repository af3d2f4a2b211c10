// Package crosstable adds up games by player and opponent, and checks the result before any
// model is fitted. [New] makes a [Table] from [Count] rows, and [CountGames] makes these rows
// from [Game] rows. [Connect] checks whether the games connect the players, so that ratings
// exist. [Cycles] finds three players that beat each other in a circle.
//
// Points are Black's unless a player is named, and a draw is half a point.
package crosstable
