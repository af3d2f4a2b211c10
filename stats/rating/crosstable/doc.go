// Package crosstable sums games by player and opponent, and checks the result before a model is fitted. [New]
// makes a [Table] from [Count] rows. [Table.Connection] checks whether the games connect the players, so that
// ratings exist. [Table.Cycles] finds three players who beat each other in a circle.
//
// Points are Black's unless a player is named. A draw is half a point.
package crosstable
