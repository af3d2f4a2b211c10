// Package selfplay makes training data of self-play. [Stored] returns the blocks of a stored run of match.DesignSelfplay, and
// [Old] those of a folder of an earlier gogi. [Make] filters and shuffles their positions and writes them in any
// format of package shogi/kifu/packed.
//
// A block is the games of one pair. With a deterministic player it depends only on the plan, its seed and the pair number.
// The data are the blocks from 0 up to the first missing one, so that short games have no greater chance to be included.
package selfplay
