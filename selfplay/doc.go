// Package selfplay makes training data: an engine, or a council, plays against itself.
//
// The unit is a block, a number of games that one process plays one after the other. A
// block is a function of the plan, the design and its number alone, as far as the player
// repeats itself, whoever plays it, wherever and when. Blocks are kept in a Folder, each
// under its name when it is whole; the data are the blocks from 0 on without a gap, in
// their order, so that games that end soon do not choose what is learned. What is written
// to train with is cut, sifted and shuffled from the blocks afterwards, any number of times
// and in any format of package packed.
package selfplay
