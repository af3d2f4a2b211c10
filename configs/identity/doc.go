// Package identity determines an engine's identity and its options. The identity has the SHA-256 of every
// file that changes the engine's play. The options are those that gogi sends to the engine. [Complete] adds
// this to a plan after the handshakes. [Settings] returns the options of one engine, and [Place] lays out the
// files of a plan that another machine sent. Quirks of single engines belong here, in the profiles
// ([ProfileNames]).
package identity
