// Package events follows a run while it is played. A [State] applies events and has the boards, slots,
// counts, faults and rate of the run. A [Hub] sends one stream of events to any number of subscribers.
//
// There are two ways to read a stream:
//
//   - A [Subscription] never delays the run. The Hub ends the subscription of a slow subscriber, which may subscribe
//     again. A Subscription begins with a state event, so it is complete even if single events are missing. Use it for
//     a terminal, a page or metrics.
//   - The function record, an argument of Hub.Follow, gets every event in order. While it runs, the Hub does not read
//     the stream: the sender drops move events, and all other events wait. Use it for a complete record (--json), which
//     may lose only moves.
//
// The package starts no goroutines, reads no clock and does no I/O.
package events
