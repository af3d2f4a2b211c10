// Command fakeusi is package usitest as a program, for tests that need an executable file.
package main

import (
	"os"

	"gogi/usi/usitest"
)

func main() { os.Exit(usitest.Main(os.Args[1:])) }
