// Package farm defines how a run is played on many machines: the messages, the tasks and the interfaces
// between their parts. A coordinator holds the plan, grants leases of pairs, verifies the results and stores
// them. Workers play the granted pairs with package runner. The pairs that remain to be played are a set
// difference: plan − stored − held.
//
// Results go through a durable, ordered stream. Every other message is a request with an answer. The sender
// repeats a request if no answer comes. The first message of the stream that carries a pair under a valid
// lease counts, so the database is a function of the stream.
//
// The package imports neither NATS nor SQLite. [Transport], [Bus] and the stores of farm/coordinator are
// interfaces; farm/nats and results implement them, and farm/site connects them.
package farm
