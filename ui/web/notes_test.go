package web

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match/arbiter"
	"gogi/shogi"
	"gogi/usi/process"
)

// TestOwnNotes: a reader without the token sees the whole notes that gogi writes without a text of an engine.
func TestOwnNotes(t *testing.T) {
	t.Parallel()
	notes := []string{
		"", "the king stands on the opponent's king square", "mate by the last allowed ply", "could declare at the ply limit",
		"every move of Black gave check",
		"5 moves at or below -1200", "8 moves of each side within ±50", "had to be stopped",
	}
	for _, side := range []shogi.Colour{shogi.Black, shogi.White} {
		for rule := shogi.NoEnteringKing; rule <= shogi.TryRule; rule++ {
			notes = append(notes, shogi.DeclarationStatus{Side: side, Rule: rule, Win: true, Pieces: 11, Points: 31,
				Needed: 31}.Why(),
				shogi.DeclarationStatus{Side: side, Rule: rule, InCheck: true, Pieces: 3, Points: 7, Needed: 28}.Why())
		}
	}
	for _, o := range []arbiter.TimeLoss{
		{Took: 3*time.Minute + 1500*time.Millisecond, Limit: time.Second, Margin: 20 * time.Millisecond},
		{Took: 2 * time.Second, Limit: time.Second, Silent: true},
		{Took: 2 * time.Second, Limit: time.Second, Stall: true},
		{Took: 2 * time.Second, Limit: time.Second, Stall: true, Silent: true},
		{Took: 1200 * time.Millisecond, Limit: time.Second,
			Delays: arbiter.Delays{Known: true, Waited: 700 * time.Millisecond, Stopped: time.Second, Late: time.Millisecond}},
		{Took: 1200 * time.Millisecond, Limit: time.Second, Delays: arbiter.Delays{Late: 900 * time.Millisecond}},
	} {
		notes = append(notes, o.String())
	}
	for _, e := range []process.Exit{{Status: 7}, {Status: -1}, {Running: true}, {Running: true, Deaf: true},
		{Running: true, Mute: true}, {Status: 0xC0000001}} {
		notes = append(notes, e.String(), "thinking: "+e.String(), "saying isready: "+e.String())
	}
	for _, note := range notes {
		testutil.Equal(t, ownNote(note), note)
	}
}

// TestReasonsOfIllegalMoves: a reader without the token sees the whole reason why a move is illegal. All moves in
// positions with every kind of reason have one.
func TestReasonsOfIllegalMoves(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for _, sfen := range []string{
		"4k4/P8/4P4/9/9/9/4p4/1L7/4K3R b P 1", "7lk/9/8S/9/9/9/9/7L1/8K b P 1", "4k4/9/9/4r4/9/9/3n5/9/4K4 b P 1",
	} {
		position := testutil.Must(shogi.ParseSFEN(sfen))(t)
		for number := range 1 << 16 {
			move := shogi.Move(number)
			if _, err := shogi.ParseMove(move.String()); err != nil {
				continue // an engine cannot send it
			}
			if err := position.CheckLegal(move); err != nil {
				_, reason, _ := strings.Cut(err.Error(), " is illegal: ")
				kind := noteDetail.ReplaceAllString(reason, "_")
				if seen[kind]++; seen[kind] <= 50 {
					note := move.String() + ": " + err.Error()
					testutil.Equal(t, ownNote(note), note)
				}
			}
		}
	}
	testutil.Equal(t, len(seen), 16, "kinds of reasons: %v", slices.Sorted(maps.Keys(seen)))
}

// noteDetail matches the parts of a reason that differ between moves.
var noteDetail = regexp.MustCompile(`\b(?:` + notePiece + `|` + noteSquare + `|black|white)\b`)

// TestForeignNotes: a reader without the token sees no text of an engine or of a worker.
func TestForeignNotes(t *testing.T) {
	t.Parallel()
	for note, want := range map[string]string{
		process.Exit{Status: 7, Stderr: "secret=1"}.String():                             "exit status 7 …",
		"thinking: " + process.Exit{Status: 7, Stderr: "secret=1"}.String():              "thinking: exit status 7 …",
		process.Exit{Signal: syscall.SIGABRT}.String():                                   "killed by signal 6 …",
		`cannot read bestmove "secret"`:                                                  "cannot read bestmove …",
		"black mates in 7 plies or less: claimed by secret, proven by the rules":         "black mates in 7 plies or less …",
		"waiting for readyok: silent for 60s":                                            "waiting for readyok …",
		"secret":                                                                         "…",
		"every move of secret gave check":                                                "…",
		"had to be stoppedsecret":                                                        "…",
		"a secret, had to be stopped":                                                    "…",
		"mate by the last allowed ply; secret":                                           "mate by the last allowed ply …",
		"7g7f: 7g7f is illegal: there is a secret on 7g":                                 "7g7f: 7g7f is illegal …",
		"7g7f: 7g7f is illegal: the secret on 7g belongs to white, but black is to move": "7g7f: 7g7f is illegal …",
		"7g7f: 7g7f is illegal: black king cannot mate on move 7g; secret":               "7g7f: 7g7f is illegal …",
		"took 2s, 1s over its limit (margin secret)":                                     "…",
		"Black wins by declaration under secret: its king and 11 other pieces":           "…",
		"white's declaration fails under CSARule27: secret":                              "white's declaration fails under CSARule27 …",
		"saying secret: exit status 1":                                                   "…",
		"had to be stopped\nsecret":                                                      "…",
	} {
		testutil.Equal(t, ownNote(note), want, "%s", note)
		testutil.Check(t, !strings.Contains(ownNote(note), "secret"), "%s", note)
	}
}
