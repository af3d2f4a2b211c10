// Command gogi-lab has the calculations of gogi that serve papers and research: regressions, rank sums, Plackett–Luce
// strengths, coverage of intervals, and the strength of players from an engine's evaluations of their games. gogi needs
// none of them to play and judge matches. The commands are in package commands, the calculations in lab.
package main

import (
	"context"
	"os"

	labcmd "gogi/cmd/gogi-lab/commands"
	"gogi/cmd/gogi/cli"
)

func main() {
	os.Exit(labcmd.Program().Run(context.Background(), os.Args[1:],
		&cli.Env{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
