// Package csa implements the client side of the CSA server protocol (CSAサーバプロトコル, versions 1.1 to 1.2.1),
// which shogi-server and floodgate use. A [Client] logs in, plays game after game with any [Player], and logs
// in again if the connection breaks. A [Conn] is one connection. A [Summary] is the server's proposal of a
// game.
//
// Scores are in centipawns. In comments to the server they are from Black's point of view, as floodgate
// demands, and from the player's own point of view everywhere else.
package csa
