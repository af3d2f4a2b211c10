// Package wine is tests that play with the program built for Windows, under Wine, and
// compare with what it does here. `make wine` runs them; docs/windows.md says what they
// cannot show.
package wine
