//go:build !linux

package process

import "time"

// Self measures how long the threads of this program have waited for a CPU. Only Linux has such statistics.
type Self struct{}

// MaxSchedDelay returns 0, because the system has no such statistics.
func (*Self) MaxSchedDelay() time.Duration { return 0 }

// Close does nothing.
func (*Self) Close() {}

// Stopped returns 0, because the system does not show the states of processes in /proc.
func (*Process) Stopped() time.Duration { return 0 }

// stops is empty, see Stopped.
type stops struct{}

func (*stops) close() {}
