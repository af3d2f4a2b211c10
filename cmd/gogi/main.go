// Command gogi plays USI shogi engines against each other, stores every game in a SQLite
// database, and reports what the games prove.
//
// Each command has one file here or in the package of its command group (cmd/gogi/db, farm,
// records, stats, tools, tune, votes). A command reads flags, connects packages and chooses the
// exit code.
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
