// Package screen shows a run that another process plays in a terminal: its slots, one
// board at a time, what the stored games show so far, faults and warnings; keys tell
// the run to pause, go on or end.
//
// What is shown is a pure function of a [View] and a size: [Lines]. Around it is a
// model that events and keys change, and [Watch], the loop that alone waits, draws and
// gives the terminal back, whatever happens.
//
// All text that programs or people outside of this one wrote is hostile: it is cleaned
// where it enters a line, and no character that is not printed reaches the terminal.
package screen
