// Package terminal shows a run that another process plays: its slots, one board at a time, the
// results so far, faults and warnings. Keys pause, resume or end the run. [Watch] is the loop
// that waits and draws; it restores the terminal in every case. [Lines] is a pure function from
// a [View] and a size to the lines of the screen.
//
// All text from other programs and people is hostile. The package cleans it where it enters a
// line, so no unprintable character reaches the terminal.
package terminal
