// Package peers compares the CPU time of gogi with that of other programs that play matches. make bench-peers runs its
// benchmark.
package peers
