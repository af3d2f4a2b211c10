// Package terminal shows a run that another process plays: its slots, one board, the results, faults and warnings. Keys
// pause, resume or end the run. [Watch] is the loop that waits and draws. It always restores the terminal. [Lines] is a
// pure function from a [View] and a size to the lines of the screen.
//
// Text from other programs and users can be hostile. The package removes unprintable characters from it before it
// enters a line, so none reaches the terminal.
package terminal
