// Package affinity chooses the logical CPUs for the engines of each slot; a slot runs one game at a time.
// [Read] reads the [Topology] of a machine: which CPUs share cores, caches and memory. [Topology.Lay] returns
// a [Layout], which gives every slot its own cores. Package usi/process binds an engine to its CPUs before
// the engine starts. Only Read uses the file system.
//
// A layout is always fair. The two players of a game have the same cores; if both think at the same time,
// they have equal numbers of cores of one kind. All slots are comparable. If there are enough cores, each
// slot has whole cores, because two hardware threads of one core slow each other down. If possible, each slot
// has one cache and one memory node. See docs/faults.md.
package affinity
