package text

import (
	"fmt"
	"slices"
	"strings"

	"gogi/shogi"
	"gogi/shogi/kifu"
)

// These words describe the end of a game. They are the same as in package match, which this package cannot
// import. TestWordsAreThoseOfMatch compares them.
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
	unknown           = "unknown" // a record has a winner but no reason
)

const draw = "draw"

// knownEnd reports whether word is one of gogi's words for the end of a game, as in package match.
func knownEnd(word string) bool {
	return slices.ContainsFunc(floodgateWords, func(w [2]string) bool { return w[0] == word })
}

// outcome is the result and the winner of a game, as the file describes them.
type outcome struct{ result, winner string }

// lost returns the outcome that the side to move loses; won returns the outcome that it wins.
func lost(result string, side shogi.Colour) outcome { return outcome{result, side.Opponent().String()} }
func won(result string, side shogi.Colour) outcome  { return outcome{result, side.String()} }
func drawn(result string) outcome                   { return outcome{result, draw} }

// noted parses gogi's own comment with the result: "WORD winner=WHO", optionally followed by " note=TEXT". ok
// is false for any other comment.
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

func (o outcome) set(r *kifu.Record) { r.Result, r.Winner = o.result, o.winner }

// loserMoves reports whether the side to move has lost.
func loserMoves(r *kifu.Record, side shogi.Colour) bool {
	return r.Winner == side.Opponent().String()
}

// byRepetition returns the word for perpetual check if the moves end with one, else it returns other. Some formats
// have only one word for perpetual check and for other illegal acts.
func byRepetition(r *kifu.Record, start shogi.Position, other string) string {
	h := shogi.NewHistory(start)
	for i := range r.Moves {
		h.Push(r.Moves[i].Move)
	}
	if k := h.Repetition(); k == shogi.RepetitionBlackLoses || k == shogi.RepetitionWhiteLoses {
		return perpetualCheck
	}
	return other
}

// unescaped reverses the escapes in comments and notes.
func unescaped(text string) string { return unescaper.Replace(text) }

//nolint:gochecknoglobals // a replacer is compiled once, and never changes
var unescaper = strings.NewReplacer(`\\`, `\`, `\n`, "\n", `\c`, ",")

// maxComment is the largest length of a comment in bytes. gogi rejects a game with a longer comment.
const maxComment = 64 << 10

// addLine adds a line to a comment. It returns an error if the comment becomes too long.
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

// longer returns an error if the game already has the largest number of moves that gogi reads.
func longer(moves []kifu.Move) error {
	if len(moves) >= kifu.MaxPlies {
		return fmt.Errorf("the game has more than %d plies", kifu.MaxPlies)
	}
	return nil
}

// settleTimes marks the first moves without a time as moves of the opening, which takes no time. It does this
// only if the record has times at all. The time of all other moves without a time stays unknown.
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
