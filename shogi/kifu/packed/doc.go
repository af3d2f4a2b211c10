// Package packed reads and writes positions and games in the binary formats of shogi training data. A
// [Sample] is a position with the move that was played; a [Game] is a whole game. [Formats] lists the
// formats, and [OfFile] recognises the format of a file:
//
//   - PackedSfen, 32 bytes, YaneuraOu's code of a position; psv, 40 bytes, a PackedSfen with score, move,
//     move number and result. Source: YaneuraOu, sfen_packer.cpp.
//   - HCP, 32 bytes, Apery's code of a position; hcpe, 38 bytes, an HCP with score, move and result;
//     hcpe2, the same with the kind of end; hcpe3, a game with candidates. Sources: cshogi, position.cpp;
//     dlshogi, cppshogi.h.
//   - pack, a game as moves and scores. Source: rsshogi, training-binaries.md and pack_wire_contract.rs.
//
// All numbers are little endian, and all bit streams begin with the lowest bit. Readers allocate no more
// memory than one game needs and never panic; every [Error] names the byte of the input and the expected
// value. Readers play a game while they read it, so an illegal move in a game is an error. They do not check
// the move of a sample; [Sample.Legal] does.
package packed
