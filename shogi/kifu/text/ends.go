package text

import (
	"fmt"
	"slices"
	"strings"

	"gogi/shogi"
	"gogi/shogi/kifu"
)

// The words for how a game ended, as package match spells them, which stands above this
// one; TestWordsAreThoseOfMatch compares them.
const (
	checkmate         = "checkmate"
	resignation       = "resignation"
	timeForfeit       = "time_forfeit"
	stall             = "stall"
	illegalMove       = "illegal_move"
	repetition        = "repetition"
	perpetualCheck    = "perpetual_check"
	declaration       = "declaration"
	falseDeclaration  = "false_declaration"
	maxPlies          = "max_plies"
	impasse           = "impasse"
	scoreAdjudication = "score_adjudication"
	mateAdjudication  = "mate_adjudication"
	crash             = "crash"
	notStarted        = "not_started"
	unknown           = "unknown" // for a record with a winner but no reason
)

const draw = "draw"

// knownEnd reports whether a word of a file is one for how a game ended.
func knownEnd(word string) bool {
	return slices.ContainsFunc(floodgateWords, func(w [2]string) bool { return w[0] == word })
}

// outcome is a result as a format's end word has it.
type outcome struct{ result, winner string }

// lost returns an end against the side to move, won one for it.
func lost(result string, side shogi.Colour) outcome { return outcome{result, side.Opponent().String()} }
func won(result string, side shogi.Colour) outcome  { return outcome{result, side.String()} }
func drawn(result string) outcome                   { return outcome{result, draw} }

// noted reads the result in a comment of gogi, "WORD winner=WHO", with optional "note=TEXT" after it.
func noted(text string) (o outcome, note string, ok bool) {
	word, rest, found := strings.Cut(strings.TrimSpace(text), " winner=")
	if !found || !knownEnd(word) {
		return o, "", false
	}
	who, note, _ := strings.Cut(rest, " note=")
	if who != "black" && who != "white" && who != draw {
		return o, "", false
	}
	return outcome{word, who}, unescaped(note), true
}

// set gives a record its end.
func (o outcome) set(r *kifu.Record) { r.Result, r.Winner = o.result, o.winner }

// loserMoves reports whether the side to move has lost.
func loserMoves(r *kifu.Record, side shogi.Colour) bool {
	return r.Winner == side.Opponent().String()
}

// byRepetition returns perpetual check if the moves show one, else the given word. Formats have one word
// for it and for any other illegal act.
func byRepetition(r *kifu.Record, start shogi.Position, otherwise string) string {
	h := shogi.NewHistory(start)
	for i := range r.Moves {
		h.Push(r.Moves[i].Move)
	}
	if k := h.Repetition(); k == shogi.RepetitionBlackLoses || k == shogi.RepetitionWhiteLoses {
		return perpetualCheck
	}
	return otherwise
}

// unescaped is the inverse of the escapes of comments and notes.
func unescaped(text string) string { return unescaper.Replace(text) }

//nolint:gochecknoglobals // a replacer is compiled once, and never changes
var unescaper = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\c`, ",")

// maxComment is the longest comment; a longer one is not part of a game.
const maxComment = 64 << 10

// addLine adds a line to a comment.
func addLine(comment *string, line string) error {
	if len(*comment)+len(line) > maxComment {
		return fmt.Errorf("a comment has more than %d bytes", maxComment)
	}
	if *comment != "" {
		*comment += "\n"
	}
	*comment += line
	return nil
}

// longer refuses a game that is longer than any that can be stored.
func longer(moves []kifu.Move) error {
	if len(moves) >= kifu.MaxPlies {
		return fmt.Errorf("the game has more than %d plies", kifu.MaxPlies)
	}
	return nil
}

// settleTimes decides the meaning of moves without a time. The first ones in a game with times come from
// its opening, which takes no time; for others the time is unknown.
func settleTimes(r *kifu.Record) {
	timed := r.HasLast
	for i := range r.Moves {
		timed = timed || !r.Moves[i].NoTime
	}
	for i := range r.Moves {
		m := &r.Moves[i]
		if !timed || !m.NoTime {
			return
		}
		m.NoTime, m.Opening = false, true
	}
}
