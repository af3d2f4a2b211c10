// Package book reads, writes and queries opening books. [Open] reads a file into a [Book], the common form: positions
// with moves, and the values that the format has for them. A [Format] writes one, and [ConvertLines] converts files
// of lines. The formats are:
//
//   - db, YaneuraOu's text (#YANEURAOU-DB2016 1.00), and ybb, the same in binary. Sources:
//     YaneuraOu's book.cpp; its script collection, 04-ybb.md.
//   - apery, Apery's book.bin: hashes of positions with moves. Source: Apery's book.cpp.
//   - usi and sfen, lists of move sequences and of positions, one on each line, as in the files with
//     the openings of a match.
//
// No format can store all data of a Book; Format.Keeps describes what it stores of a move. Readers never panic, and
// their errors name the line or the byte and the expected value. They check the legality of moves only if the format
// needs the moves to be played.
package book
