// Package identity determines an engine's identity and its options: the SHA-256 of every file that
// changes its play, and the options that it is sent. [Complete] adds this to a plan after the handshakes.
// [Settings] returns the options of one engine, and [Place] lays out the files of a plan that another
// machine sent. Quirks of single engines belong here, in the profiles ([ProfileNames]).
package identity
