// Command truth-engine is the engine of gogi-lab engine --truth FILE as a program of its own. It starts faster than
// gogi-lab and gogi hashes it faster, so that thousands of short matches need less time.
package main

import (
	"fmt"
	"os"

	"gogi/lab/truth"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "truth-engine:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 || args[0] != "--truth" {
		return fmt.Errorf("arguments %q: expected --truth FILE", args)
	}
	law, err := truth.Read(args[1])
	if err != nil {
		return err
	}
	return truth.NewEngine(law).Serve(os.Stdin, os.Stdout)
}
