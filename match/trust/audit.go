package trust

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"gogi/match"
)

// Level is how far a worker is trusted.
type Level string

// The levels.
const (
	Untrusted Level = "untrusted" // of somebody who is not known
	Verified  Level = "verified"  // its audits have agreed often enough
	Owner     Level = "owner"     // of the farm's own
)

// How many pairs are audited, and how many agreements make a worker verified.
const (
	ShareTrusted   = 0.02
	ShareUntrusted = 0.20
	NewPairs       = 20 // of a new worker, which are all audited
	AgreeToVerify  = 200
)

// Auditor draws the pairs that are played a second time, by a worker of another owner;
// the second playing is not counted. Nobody without the secret can tell a pair that
// is drawn from one that is not.
type Auditor struct{ Secret []byte }

// Audits reports whether a pair is audited that a worker of some level plays as its
// n-th, from 0, of a run, which is named by its digest. A pair that is drawn at a
// smaller share is drawn at a greater one, too.
func (a Auditor) Audits(run string, pair int, level Level, n int) bool {
	if n < NewPairs {
		return true
	}
	share := ShareTrusted
	if level == Untrusted {
		share = ShareUntrusted
	}
	return a.draw(run, pair) < share
}

// draw is uniform in [0, 1): the first 53 bits of HMAC-SHA256 (RFC 2104) of the run and
// the pair, written as run|pair.
func (a Auditor) draw(run string, pair int) float64 {
	h := hmac.New(sha256.New, a.Secret)
	_, _ = fmt.Fprintf(h, "%s|%d", run, pair) // a hash takes everything
	return float64(binary.BigEndian.Uint64(h.Sum(nil))>>11) / (1 << 53)
}

// Difference is where two playings of a pair part, nil where they are the same game
// for game. It says nothing about who is wrong, and nothing at all where the players
// are not deterministic: then only statistics can.
type Difference struct {
	Leg  int
	Ply  int // the first ply that differs, from 1; the last and one where only the ends differ
	What string
}

// String is the difference in words.
func (d *Difference) String() string {
	return fmt.Sprintf("game %d of the pair differs from ply %d on: %s", d.Leg+1, d.Ply, d.What)
}

// Compare compares two playings of one pair by players that are deterministic, at fixed
// nodes or depth and with one thread: equal move for move and in how each game ended.
// Times, marks, slots and notes are the machine's own.
func Compare(a, b *match.PairResult) *Difference {
	if a.Pair.ID != b.Pair.ID || len(a.Games) != len(b.Games) {
		return &Difference{What: "they are not of the same pair", Ply: 1}
	}
	for leg := range a.Games {
		if d := compareGame(&a.Games[leg], &b.Games[leg]); d != nil {
			d.Leg = leg
			return d
		}
	}
	return nil
}

func compareGame(a, b *match.Result) *Difference {
	x, y := a.Record.Moves, b.Record.Moves
	for i := range min(len(x), len(y)) {
		if x[i].Move != y[i].Move {
			return &Difference{Ply: i + 1, What: fmt.Sprintf("%s and %s", x[i].Move, y[i].Move)}
		}
	}
	ply := min(len(x), len(y)) + 1
	switch {
	case len(x) != len(y):
		return &Difference{Ply: ply, What: fmt.Sprintf("it has %d and %d plies", len(x), len(y))}
	case a.Outcome != b.Outcome || a.Termination != b.Termination:
		return &Difference{Ply: ply, What: fmt.Sprintf("%s (%s) and %s (%s)", a.Outcome, a.Termination, b.Outcome, b.Termination)}
	}
	return nil
}

// Standing is what audits have said of a worker.
type Standing struct {
	Level   Level
	Agreed  int // audits in which another played the same games
	Refuted int // in which a third sided with the other
	Open    int // that wait for a third, or that a third did not decide
}
