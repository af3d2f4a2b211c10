// Package games exports games from a store into files of any format, and imports files of games
// into a store. Start at [Export] and [Import]; [Formats] lists the formats, including those of
// training data. It holds one game in memory at a time.
package games
