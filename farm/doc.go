// Package farm plays a run on many machines. A coordinator holds the plan, grants
// leases of pairs, verifies what comes back and stores it; workers play what they
// were granted with package runner, as one machine does. A pair is a function of its
// plan and its number, so a task is a number, and what is left to do is a set
// difference: plan − stored − held.
//
// What must not be lost (results) goes through a durable, ordered stream; everything
// else is asked for and answered, and asked again when no answer came. The first
// message of the stream that carries a pair under a valid lease counts, so that the
// store is a function of the stream.
//
// The package knows neither NATS nor SQLite: Transport, Bus and Store say what it
// needs, farm/bus and results give it, and they meet in the command.
package farm
