// Package live follows a run while it is played. A State applies events and
// knows the boards, slots, counts, faults and rate; a Hub hands one stream of
// events to any number of subscribers.
//
// There are two ways to read a stream, and they differ in who waits:
//
//   - A Subscription of the Hub never makes anybody wait. One that is slow is
//     cut, sees why, and may subscribe again. It begins with a state event, so
//     nothing is missing from its picture, though single events may be: this is
//     for whatever shows the run (a terminal, a page, metrics).
//   - The one recorder that Hub.Follow calls gets every event of the stream, in
//     order. As long as it does not return, the stream is not read on, move
//     events are dropped by the sender and all else waits for it: this is for
//     the complete record on stdout, which must lose nothing but moves.
//
// So a run is held up by a recorder that its user asked for, as it is by a full
// disk, and never by anybody who only looks.
//
// The package starts no goroutines, asks no clock and does no I/O.
package live
