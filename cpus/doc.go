// Package cpus says which logical CPUs the engines of a slot run on: it reads how
// the CPUs of a machine share cores, caches and memory, and gives every slot cores
// of its own. It binds nothing: a [Layout] is numbers, and package process sets
// them before an engine starts.
//
// What makes a layout fair, and is never given up: the two players of a game have
// the same cores, or, where both think at once, as many of the same kind. What makes
// games comparable between slots: whole cores, since two hardware threads of one
// core slow each other down; one cache and one memory node, since a way across takes
// longer. See docs/cpus.md.
//
// The package is pure: [Read] takes a file system, and everything else values.
package cpus
