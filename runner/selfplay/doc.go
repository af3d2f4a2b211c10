// Package selfplay makes training data from self-play, in which one engine plays both sides. [Stored] returns
// the blocks of a stored run of match.DesignSelfplay. [Old] returns the blocks in a folder that an earlier
// version of gogi wrote. [Make] filters and shuffles the positions of blocks and writes them in any format of
// package shogi/kifu/packed.
//
// A block contains the games of one pair. With a deterministic player it depends only on the plan, the seed
// and the pair number. The training data come from the blocks from 0 up to the first missing block. Otherwise
// pairs with short games, which finish first, would be preferred.
package selfplay
