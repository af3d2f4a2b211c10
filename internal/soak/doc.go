// Package soak is a test that plays for as long as it is told, with the real program in
// real processes, while everything goes wrong that a farm of machines has to offer:
// engines that fail, kills, suspensions, full disks, second runners, orders, readers
// beside. See docs/CONTRIBUTING.md; make soak runs it.
//
// Three things go on at a time, each with a deck of disturbances that a seed shuffles:
//
//   - undisturbed results: short series of deterministic engines, some of which crash,
//     hang and lie at certain positions, are disturbed by all that must not change a
//     result. At the end of each the stable dump is that of a session nobody disturbed;
//   - lost games: engines, their wrappers and members of a council are killed and
//     stopped. That may lose games, and each one that it lost is explained;
//   - one long session with a page server and readers beside, whose memory is watched.
//
// The seed decides who is disturbed how, in which order and after what time; when exactly
// that falls into a game is the machine's. A disturbance counts when there is evidence
// that it happened. All of them are done once before any is done again, and the soak goes
// on beyond its time until each has happened: how fast the machine is decides nothing.
package soak
