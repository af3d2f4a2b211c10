// Command truth-engine is the engine of gogi-lab engine --truth FILE as a program of its own. It starts faster than
// gogi-lab and gogi hashes it faster, so that thousands of short matches need less time. The environment variable
// TRUTH_LIE names a player that wins all games, as on the machine of a worker that cheats.
package main

import (
	"fmt"
	"os"
	"runtime/debug"

	"gogi/lab/truth"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "truth-engine:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	debug.SetGCPercent(400) // it lives for some seconds and has little memory
	law := new(truth.Law)   // until the option Law names one
	switch {
	case len(args) == 0:
	case len(args) == 2 && args[0] == "--truth":
		var err error
		if law, err = truth.Read(args[1]); err != nil {
			return err
		}
	default:
		return fmt.Errorf("arguments %q: expected --truth FILE, or none and the option Law", args)
	}
	e := truth.NewEngine(law)
	e.Lie(os.Getenv("TRUTH_LIE"))
	return e.Serve(os.Stdin, os.Stdout)
}
