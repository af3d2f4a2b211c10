// Package wine tests the Windows build of gogi under Wine, and compares its results with those of this
// system. `make wine` runs it. docs/install.md lists what Wine cannot show.
package wine
