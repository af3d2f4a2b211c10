// Package runner plays pairs of games. [Run] takes pairs from a [Source], plays them in slots, and gives the
// results to a [Sink]. It uses players only through the interface [Player]. It therefore plays engine
// processes, councils and the fake players of tests in the same way. Package players implements engines and
// councils.
//
// A slot is one goroutine that plays one pair after the other. It keeps its players open between games,
// because a start may load gigabytes. A lost game is a normal result (with a Termination). A game that could
// not be played is an error.
package runner
