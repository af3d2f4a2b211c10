// Package book reads, writes and looks into opening books:
//
//   - db, YaneuraOu's text (#YANEURAOU-DB2016 1.00), and ybb, the same in binary. Sources:
//     YaneuraOu's book.cpp; its script collection, 04-ybb.md.
//   - apery, Apery's book.bin: hashes of positions with moves. Source: Apery's book.cpp.
//   - sbk, ShogiGUI's graph of positions in protobuf. Source: sbk.proto (CC0) and
//     sbk-format.md of ShogiHome.
//   - usi and sfen, lists of lines and of positions, one a line, as series files take them
//     for openings.
//
// A [Book] is the common form: positions with moves, and what the format says of them.
// No format keeps all of it: [Format] tells what each one does. Readers take what others
// wrote: they never panic, errors say at which line or byte what was expected. They do not
// ask whether moves are legal, unless the format needs them to be played; [Check] does.
package book
