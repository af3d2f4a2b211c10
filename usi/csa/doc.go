// Package csa implements the client side of the CSA server protocol (CSAサーバプロトコル, versions 1.1 to 1.2.1),
// which shogi-server and floodgate use. A [Client] logs in and plays game after game with any [Player]. If
// the connection breaks, it logs in again. A [Conn] is one connection. A [Summary] is the server's proposal
// of a game.
//
// Scores are in centipawns. In comments to the server they are from Black's view, as floodgate demands.
// Everywhere else they are from the player's own view.
package csa
