// Package runner plays pairs of games: it takes leases from a Source, plays
// them in slots, and hands the results to a Sink. It knows players only as the
// interface Player, so an engine process, a council and a fake in a test are
// the same to it; they meet their implementations in cmd.
//
// A slot is one goroutine that plays one pair after the other. It keeps its
// players open between games, since a start may load gigabytes. A lost game is
// data (a Result with a Termination); an unplayed game is an error.
package runner
