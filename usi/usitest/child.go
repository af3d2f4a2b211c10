package usitest

import (
	"flag"
	"os"
)

// childWord, as the first argument, makes a test binary the engine.
const childWord = "fakeengine"

// atATime is the number of parallel tests: they wait for engines and for times to pass, not for a CPU.
const atATime = "8"

// RunTests is the TestMain of a package whose tests start Command. It makes this process the engine if
// Command started it; else it runs the tests. It does not return. m is the *testing.M.
func RunTests(m interface{ Run() int }) {
	if len(os.Args) > 1 && os.Args[1] == childWord {
		os.Exit(Main(os.Args[2:]))
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // else a child built with -race takes a second to exit
	flag.Parse()
	if err := flag.Set("test.parallel", atATime); err != nil {
		panic(err) // this is no test binary
	}
	os.Exit(m.Run())
}

// Command starts this test binary, whose TestMain is RunTests, as the engine with arguments.
func Command(args ...string) []string {
	return append([]string{os.Args[0], childWord}, args...)
}
