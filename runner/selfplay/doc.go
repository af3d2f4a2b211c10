// Package selfplay makes training data of self-play. [Stored] returns the blocks of a stored run
// of match.DesignSelfplay and [Old] those of a folder of an earlier gogi; [Make] filters and
// shuffles their positions and writes them in any format of package shogi/kifu/packed.
//
// A block is the games of one pair. It depends only on the plan, its seed and the number of the
// pair, if the player is deterministic. The data are the blocks from 0 up to the first that is
// missing, so that short games do not choose what is learned.
package selfplay
