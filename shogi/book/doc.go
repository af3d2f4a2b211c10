// Package book reads, writes and queries opening books. [Open] reads a file of any format into a [Book]:
// positions with moves, and the values that the format stores for them. [Format.Write] writes a Book to a
// file, and [ConvertLines] converts the formats with one opening in each line. The formats are:
//
//   - db, YaneuraOu's text (#YANEURAOU-DB2016 1.00), and ybb, the same in binary. Sources:
//     YaneuraOu's book.cpp; its script collection, 04-ybb.md.
//   - apery, Apery's book.bin: hashes of positions with moves. Source: Apery's book.cpp.
//   - usi and sfen, lists of move sequences and of positions, one on each line, as in the files with
//     the openings of a match.
//
// No format can store all data of a Book; Format.Keeps describes the data of a move that a format stores.
// Readers never panic, and their errors name the line or the byte and the expected value. They check the
// legality of moves only for formats that require playing the moves to find the positions.
package book
