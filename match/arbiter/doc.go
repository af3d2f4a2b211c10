// Package arbiter decides games: the small pure state machines that follow one (Clock,
// Referee, Adjudicator), who is to blame for a move too late (Overstep), and whether a
// pair that somebody tells of can have been played so (Verify), by the same machines.
package arbiter
