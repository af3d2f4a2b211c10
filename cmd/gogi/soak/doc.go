// Package soak tests the real program in real processes for the time in the variable SOAK, and disturbs them:
// engines fail, processes are killed or suspended, disks fill, a second gogi plays the same run, and other
// programs read the run. `make soak` runs it; docs/research/soak.md describes it.
//
// Three kinds of runs are played at the same time, each with its own list of disturbances in random order:
//
//   - Undisturbed results: short series of deterministic engines, with disturbances that must
//     not change a result. At the end gogi db dump --stable must print the same as for an
//     undisturbed series.
//   - Lost games: the test kills and stops engines, wrappers and members of councils. Every
//     lost game must have an explanation.
//   - One long session with a page server and programs that read it. The test checks that the memory use of these
//     programs does not grow.
//
// A disturbance counts only if there is evidence that it happened. The test uses all disturbances once before
// it repeats one, and continues after its time until each disturbance has happened. So on a slow machine the
// test takes longer, and does not fail.
package soak
