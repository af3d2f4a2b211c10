package web

import (
	"regexp"
	"strings"
	"sync"
)

// knownNote matches the beginning of a note of a game that gogi itself writes, up to the place from which the note may
// have text of an engine. A worker of a farm can send any text as a note, so the expression has no free words: only
// fixed texts, numbers, times, moves and squares. The first call compiles the expression, which takes some milliseconds
// and megabytes. Most commands of gogi do not need it.
var knownNote = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(knownNotes) })

var knownNotes = `^(?:` + strings.Join([]string{
	// arbiter.Referee
	`the king stands on the opponent's king square`, `mate by the last allowed ply`, `could declare at the ply limit`,
	`every move of ` + noteSide + ` gave check`,
	// arbiter.Adjudicator
	`\d{1,9} moves at or below -\d{1,9}`, `\d{1,9} moves of each side within ±\d{1,9}`,
	noteSide + ` mates in \d{1,9} plies or less`,
	noteSide + ` cannot declare: the rule ` + noteRule + ` has no declaration`, // shogi.DeclarationStatus
	noteSide + ` wins by declaration under ` + noteRule +
		`: its king and \d{1,9} other pieces are in the far three ranks, it is not in check, and it has \d{1,9} points of \d{1,9} needed`,
	noteSide + `'s declaration fails under ` + noteRule +
		`(?:[:,] (?:its king is not in the far three ranks|it is in check|` +
		`only \d{1,9} other pieces of \d{1,9} needed are in the far three ranks|it has \d{1,9} points of \d{1,9} needed))*`,
	// runner and arbiter.Referee
	noteMove + `: ` + noteMove + ` is illegal(?:: ` + noteReason + `)?`, `cannot read bestmove`, `had to be stopped`,
	`(?:` + noteCause + `: )?(?:no move within ` + noteTime + `(?:, nor when told to stop)?|(?:no move after|took) ` +
		noteTime + `, ` + noteTime + ` over its limit \(margin ` + noteTime + `\))` +
		// arbiter.TimeLoss
		`(?:; (?:` + noteCause + `: )?(?:it waited ` + noteTime + ` for a CPU, )?(?:it was stopped for ` + noteTime +
		`, )?gogi was ` + noteTime + ` late)?`,
	`(?:` + noteDoing + `: )?` + noteEnd, noteDoing, // usi.Fault with process.Exit
}, "|") + `)(?:$|[ :;,])`

const (
	noteSide   = `(?:[Bb]lack|[Ww]hite)`
	noteRule   = `(?:NoEnteringKing|CSARule24H?|CSARule27H?|TryRule)`
	noteMove   = `(?:[1-9][a-i][1-9][a-i]\+?|[PLNSGBR]\*[1-9][a-i])`
	noteTime   = `-?(?:\d{1,9}h)?(?:\d{1,2}m)?\d{1,9}(?:\.\d{1,9})?(?:ms|µs|ns|s)`
	noteCause  = `(?:slowed by the machine|slowed by gogi|whether its machine slowed it is not known|(?:this move was )?not slowed)`
	noteDoing  = `(?:waiting for (?:usiok|readyok|bestmove after stop)|saying (?:usi|isready|usinewgame|go|stop|ponderhit|gameover|quit)|sending options|thinking|pondering)`
	noteSquare = `(?:[1-9][a-i])`
	notePiece  = `(?:king|rook|bishop|gold|silver|knight|lance|pawn|dragon|horse|promoted silver|promoted knight|promoted lance|tokin)`
	// noteReason matches the sentences of shogi.Position.CheckLegal about a move in USI notation.
	noteReason = `(?:a dropped (?:piece cannot promote|pawn may not mate \(uchifuzume\))|there is no piece on ` +
		noteSquare + `|` +
		noteSide + ` (?:has no ` + notePiece + ` in hand|already has an unpromoted pawn on ` + noteSquare + ` \(nifu\))|` +
		noteSquare + ` is occupied by (?:a ` + noteSide + `|` + noteSide + `'s own) ` + notePiece + `|` +
		`a ` + noteSide + ` ` + notePiece + ` on ` + noteSquare + ` could never move|` +
		`the ` + notePiece + ` on ` + noteSquare + ` belongs to ` + noteSide + `, but ` + noteSide + ` is to move|` +
		`a ` + notePiece + ` cannot (?:promote|move from ` + noteSquare + ` to ` + noteSquare + `)|` +
		`the way of the ` + notePiece + ` from ` + noteSquare + ` to ` + noteSquare + ` is blocked on ` + noteSquare + `|` +
		`neither ` + noteSquare + ` nor ` + noteSquare + ` lies in the three ranks where ` + noteSide + ` promotes|` +
		`the ` + notePiece + ` must promote on ` + noteSquare + `|` +
		`it leaves the ` + noteSide + ` king on ` + noteSquare + ` in check from ` + noteChecker + `(?: and ` + noteChecker +
		`)*)`
	noteChecker = `the ` + notePiece + ` on ` + noteSquare
	noteEnd     = `(?:exit status (?:\d{1,10}|0x[0-9A-F]{1,8})|killed by signal \d{1,3}|ended, exit status unknown|still running|it closed its (?:input|output), and is still running)`
)

// ownNote returns the part of a game's note that gogi itself writes, with "…" in place of the rest.
func ownNote(note string) string {
	known := strings.TrimRight(knownNote().FindString(note), " :;,")
	switch {
	case known == note:
		return note
	case known == "":
		return "…"
	}
	return known + " …"
}
