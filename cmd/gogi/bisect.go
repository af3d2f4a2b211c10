package main

import (
	"fmt"
	"io"
	"runtime/debug"
	"slices"
	"strings"

	"gogi/cmd/gogi/cli"
)

// bisects reports whether a command line is for "git bisect run": whether its flag --exit has another value
// than the default. The line may have errors.
func bisects(args []string) bool {
	if len(args) > 0 && args[0] == "complete" {
		return false // this line is for the completion of a shell
	}
	for i, arg := range args {
		flag, value, joined := strings.Cut(arg, "=")
		if flag == "--exit" && !joined && i+1 < len(args) {
			value = args[i+1]
		}
		if flag == "--exit" && value != "default" {
			return true
		}
	}
	return false
}

// mayBisect reports whether a command line that the parser rejected may be for "git bisect run". The flag
// --exit itself may be mistyped.
func mayBisect(args []string) bool {
	return bisects(args) || len(args) > 0 && args[0] != "complete" && slices.ContainsFunc(args, func(arg string) bool {
		return arg == cli.ExitBisect || strings.HasSuffix(arg, "="+cli.ExitBisect)
	})
}

// abortOnCrash makes the Go runtime end the program with SIGABRT after a panic or another fatal error, if the
// command line is for git bisect. Otherwise the exit code of a panic, 2, would mean a bad commit.
func abortOnCrash(args []string) {
	if mayBisect(args) {
		debug.SetTraceback("crash")
	}
}

// bisectCode converts code, the exit code of the command, to an exit code for git bisect. It returns code if it is
// a verdict (judged) or an interrupt. Otherwise it prints a line to stderr and returns BisectAbort.
func bisectCode(judged bool, stderr io.Writer, code int) int {
	if judged || code == cli.Interrupted {
		return code
	}
	fmt.Fprintln(stderr, "bisect: stop: this is no verdict on a commit")
	return cli.BisectAbort
}
