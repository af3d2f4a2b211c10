// Package identity determines an engine's identity and its options. The identity has the SHA-256 of every
// file that changes the engine's play. The options are those that gogi sends to the engine. [Complete] adds
// both to a plan after the USI handshakes. [Settings] returns the options of one engine. [Place] prepares the
// engine files for a plan that another machine sent. Option profiles ([ProfileNames]) have the rules for
// particular families of engines.
package identity
