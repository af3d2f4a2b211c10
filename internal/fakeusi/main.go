// Command fakeusi is package fakeengine as a program of its own, for tests that need a
// file to start.
package main

import (
	"os"

	"gogi/internal/fakeengine"
)

func main() { os.Exit(fakeengine.Main(os.Args[1:])) }
