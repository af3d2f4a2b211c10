package usitest

import (
	"flag"
	"os"
)

// childWord is the first argument that makes a test binary run the engine.
const childWord = "fakeengine"

// atATime is the number of parallel tests. Tests wait for engines and for time to pass, so more tests than CPUs can
// run.
const atATime = "8"

// RunTests implements TestMain for a package whose tests start Command. If Command started this process, RunTests
// runs the engine; otherwise it runs the tests. It does not return. m is the *testing.M.
func RunTests(m interface{ Run() int }) {
	if len(os.Args) > 1 && os.Args[1] == childWord {
		os.Exit(Main(os.Args[2:]))
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise a child built with -race takes a second to exit
	flag.Parse()
	if err := flag.Set("test.parallel", atATime); err != nil {
		panic(err) // this is not a test binary
	}
	os.Exit(m.Run())
}

// Command returns the command line that starts this test binary as the engine with arguments. The binary's
// TestMain must call RunTests.
func Command(args ...string) []string {
	return append([]string{os.Args[0], childWord}, args...)
}
