// Package crosstable sums the results of games by player and opponent, and checks whether ratings can be
// fitted to the sums. [New] makes a [Table] from [Count] rows. [Table.Connection] checks whether the games
// connect the players, so that ratings exist. [Table.Cycles] finds three players who beat each other in a
// circle.
//
// Points are Black's points unless a player is named. A draw is half a point.
package crosstable
