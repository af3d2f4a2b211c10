// Package csa is the client side of the CSA server protocol (CSAサーバプロトコル,
// versions 1.1 to 1.2.1), which shogi-server and floodgate speak, and a Client
// that plays games over it with any Player.
//
// A Conn is one connection: it splits what the server says into Messages and
// keeps the line alive. A Summary is the server's proposal of a game. A Client
// logs in, plays game after game, and logs in again when the connection breaks.
//
// Scores are in centipawns. In the comments that are sent they are from Black's
// side, as floodgate wants them; everywhere else from the player's own side.
package csa
