package main

import (
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"gogi/internal/fakeengine"
)

// TestMain makes this binary the programs that the tests run as processes.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"gogi":       main,
		"fakeengine": func() { os.Exit(fakeengine.Main(os.Args[1:])) },
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{Dir: "testdata/script"})
}
