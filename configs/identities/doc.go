// Package identities knows what an engine is and how it is set up: the files that decide how
// it plays, by their hashes, the options that it is sent, and where its files are laid out
// on a machine that is given a plan by another.
package identities
