// Package events follows a run while it is played. A [State] applies events and knows the
// boards, slots, counts, faults and rate. A [Hub] sends one stream of events to any number of
// subscribers.
//
// There are two ways to read a stream:
//
//   - A [Subscription] never delays the run. The Hub cuts a slow one, which sees the reason
//     and may subscribe again. A Subscription begins with a state event, so its picture is
//     complete, although single events may be missing. Use it for a terminal, a page or
//     metrics.
//   - The one recorder that calls Hub.Follow gets every event in order. Until it returns, the
//     Hub reads no more of the stream: the sender drops move events, and everything else
//     waits. Use it for a complete record (--json), which must lose nothing but moves.
//
// The package starts no goroutines, reads no clock and does no I/O.
package events
