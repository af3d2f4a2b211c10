// Command fakeusi runs the engine of package usitest, for tests that need an executable file.
package main

import (
	"os"

	"gogi/usi/usitest"
)

func main() { os.Exit(usitest.Main(os.Args[1:])) }
