// Package affinity chooses the logical CPUs for the engines of each slot; a slot runs one game at a time.
// [Read] reads the [Topology] of a machine from a file system: how CPUs share cores, caches and memory.
// [Topology.Lay] returns a [Layout], which gives every slot its own cores. Package usi/process binds an
// engine to its CPUs before the engine starts. Only Read uses the file system.
//
// A layout is always fair. The two players of a game have the same cores, or the same number of cores of one
// kind if both think at once. Slots are comparable. Each has whole cores, because two hardware threads of one
// core slow each other down, and one cache and one memory node if possible. See docs/faults.md.
package affinity
