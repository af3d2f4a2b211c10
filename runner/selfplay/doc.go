// Package selfplay makes training data of self-play. [Stored] returns the blocks of a stored run of
// match.DesignSelfplay. [Old] returns the blocks in a folder that an earlier version of gogi wrote. [Make] filters
// and shuffles the positions of blocks and writes them in any format of package shogi/kifu/packed.
//
// A block contains the games of one pair. With a deterministic player it depends only on the plan, its seed and the
// pair number. The data are the blocks from 0 up to the first missing block. So the choice of blocks does not prefer
// short games.
package selfplay
