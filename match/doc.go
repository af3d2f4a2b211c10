// Package match is the vocabulary of an experiment: a Plan of resolved values,
// the Pairs that it consists of, the Games in them, and their Results. What decides
// a game while it is played stands in package arbiter.
//
// The pair is the unit of everything: two games from one opening with colours
// swapped (or one game, where a series does not swap colours). Pairs are a
// function of the plan and its seed alone, numbered densely from 0, so what is
// missing of a run is a set difference, and resuming is the same as starting.
package match
