// Package runner plays pairs of games. [Run] takes pairs from a [Source], plays them in slots, and gives the results
// to a [Sink]. It uses players only through the interface [Player]. So it plays an engine process, a council and a
// fake player of a test in the same way. Package players implements engines and councils.
//
// A slot is one goroutine that plays one pair after the other. It keeps its players open between games, because a
// start may load gigabytes. A lost game is data (a Result with a Termination); an unplayed game is an error.
package runner
