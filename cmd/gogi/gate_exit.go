package main

import "gogi/internal/verb"

// The exit codes of a gate.
const (
	exitGateFailed       = 10
	exitGateInconclusive = 11
)

// gateExit returns the exit code of a gate's verdict.
func gateExit(verdict string) error {
	switch verdict {
	case "pass":
		return nil
	case "fail":
		return &verb.Exit{Code: exitGateFailed}
	}
	return &verb.Exit{Code: exitGateInconclusive}
}
