// Package crosstable holds who scored what against whom: games added up, the
// table of them by players' numbers, and what it says before any model does:
// whether the games connect the players so that ratings exist, and which three
// players beat each other in a circle.
//
// Games come in as [Game] rows or, added up by [CountGames], as [Count] rows. A
// model reads the [Table] of them, and does not change it. Points are Black's
// unless a player is named, and a draw is half a point.
package crosstable
