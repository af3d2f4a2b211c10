// Package games exports games from a store to files of any format, and imports games from files into a store.
// Start with [Export] and [Import]; [Formats] lists the formats, including those of training data. The
// package holds only one game in memory at a time.
package games
