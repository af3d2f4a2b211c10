// Package selfplay makes training data: an engine, or a council, plays against itself. A
// [Generator] plays blocks, and a [Folder] stores them.
//
// A block is a number of games that one process plays one after the other. It depends only on
// the plan, the design and its number, if the player is deterministic. The data are the blocks
// from 0 up to the first gap, in order, so that short games do not choose what is learned.
// [Data] filters, shuffles and writes training files from the blocks in any format of package
// shogi/kifu/packed.
package selfplay
