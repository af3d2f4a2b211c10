// Package farm defines how many machines play one run together: the messages, the tasks and the interfaces
// between the parts of a farm. A coordinator has the plan of the run, grants leases of pairs, verifies the
// results and stores them. Workers play the granted pairs with package runner. A pair can be granted if it is
// neither stored nor leased.
//
// Workers publish results in a durable, ordered stream. Every other message is a request with an answer. The
// sender repeats a request if no answer comes. If several messages of the stream have the same pair under a
// valid lease, the first one counts. So the stream alone determines the content of the database.
//
// The package imports neither NATS nor SQLite. [Transport], [Bus] and the stores of farm/coordinator are
// interfaces; farm/nats and results implement them, and farm/site connects them.
package farm
