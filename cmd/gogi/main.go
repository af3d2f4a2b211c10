// Command gogi plays USI shogi engines against each other in long parallel
// series, stores every game, and says exactly what the results prove.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	// Capacity 4: the runtime never waits, and nobody presses more often.
	interrupts := make(chan os.Signal, 4)
	signal.Notify(interrupts, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	os.Exit(run(context.Background(), os.Args[1:], &environment{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, interrupts: interrupts,
	}))
}
