// Package packed reads and writes positions and games in the binary formats that shogi
// evaluations are trained with:
//
//   - PackedSfen, 32 bytes, YaneuraOu's code of a position; psv, 40 bytes, a PackedSfen
//     with score, move, move number and result. Source: YaneuraOu, sfen_packer.cpp.
//   - HCP, 32 bytes, Apery's code of a position; hcpe, 38 bytes, an HCP with score, move
//     and result; hcpe2, the same with the kind of end; hcpe3, a game with candidates.
//     Sources: cshogi, position.cpp; dlshogi, cppshogi.h.
//   - pack, a game as moves and scores. Source: rsshogi, training-binaries.md and
//     pack_wire_contract.rs.
//
// All numbers are little endian, all bit streams begin with the lowest bit. A [Sample] is
// a position with what was played there, a [kifu.Record] a game. Readers take what others
// wrote: they allocate no more than one game needs, never panic, and every [Error] says at
// which byte of the input what was expected. They do not ask whether a sample's move is
// legal; [Sample.Legal] does. A game is played through as it is read, so an illegal move is
// an error there.
package packed
