// Package dist is tests of what is given to others: `make dist` twice, in two folders, must
// make the same bytes, and what is unpacked must run. GOGI_DIST=required runs them.
package dist
