// Package dist tests the archives that users download. It runs `make dist` twice in two folders, checks that
// both results have the same bytes, and runs the unpacked programs. The tests run only with
// GOGI_DIST=required.
package dist
