// Package dist tests the archives that users download. It runs `make dist` twice in two
// folders, checks that both make the same bytes, and runs what it unpacks. The tests run with
// GOGI_DIST=required and are skipped otherwise.
package dist
