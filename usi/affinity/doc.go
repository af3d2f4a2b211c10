// Package affinity chooses the logical CPUs for the engines of each slot. [Read] reads the [Topology] of a
// machine (how CPUs share cores, caches and memory) from a file system, and a [Layout] gives every slot cores
// of its own. Package usi/process sets them before an engine starts. The package is pure except for Read.
//
// A layout is always fair: the two players of a game have the same cores, or as many of the same kind if both
// think at once. Slots are comparable: each has whole cores, because two hardware threads of one core slow
// each other down, and one cache and one memory node if possible. See docs/faults.md.
package affinity
