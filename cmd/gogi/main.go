// Command gogi plays USI shogi engines against each other in long parallel
// series, stores every game, and says exactly what the results prove.
package main

import (
	"context"
	"gogi/internal/verb"
	"os"
)

func main() {
	abortOnCrash(os.Args[1:])
	os.Exit(run(context.Background(), os.Args[1:], &verb.Env{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
