// Package recount plays every move of a stored run again and counts its games anew,
// apart from everything that reports: who won, what it was worth, which pairs they make.
// What a report says is held against it.
//
// Of each pair it asks: is it the one of its number in the plan, by its players, seed
// and opening; can its games have been played under the plan (arbiter.Verify says what
// that takes); is what is counted of them, the row, what the moves and the rules say. Of
// the run: is the book the plan's, which is known once all of it was played; do the sums
// of a report agree. A legal game that nobody played passes: against that there is only
// playing it again.
package recount
