// Package runner plays pairs of games. [Run] takes pairs from a [Source], plays them in slots,
// and gives the results to a [Sink]. It knows players only as the interface [Player], so an
// engine process, a council and a test's fake are the same to it. Package players implements
// them.
//
// A slot is one goroutine that plays one pair after the other. It keeps its players open
// between games, because a start may load gigabytes. A lost game is data (a Result with a
// Termination); an unplayed game is an error.
package runner
