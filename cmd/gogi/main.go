// Command gogi plays USI shogi engines against each other, stores every game in an SQLite database, and
// reports what the games prove.
//
// The grammar in cli.go lists the commands. match and init are in this package; each other command is in the
// package of its group (cmd/gogi/db, engines, farm, records, runs, stats, tools, tune, votes). A command
// reads flags, connects packages and chooses the exit code.
package main

import (
	"context"
	"gogi/cmd/gogi/cli"
	"os"
)

func main() {
	abortOnCrash(os.Args[1:])
	os.Exit(run(context.Background(), os.Args[1:], &cli.Env{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
