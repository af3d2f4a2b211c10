// Package replay sends the lines of a crash dump to an engine again, and reports whether the failure happens again.
// [Once] replays it once, [Many] several times.
package replay

import (
	"slices"
	"time"

	"gogi/runner/crash"
	"gogi/usi/transcript"
)

// step is one line that the replay sends, or one answer for which it waits.
type step struct {
	send      []byte        // nil if the step waits for an answer
	await     string        // the recorded answer: usiok, readyok, bestmove or checkmate
	after     time.Duration // the recorded delay after the previous step
	searching bool          // the line was sent during a search
}

// steps returns the script of a dialogue: the sent lines, and the answers to wait for. If fast is true, the replay
// sends a line at once after the previous step, except a line during a search. That line keeps its delay, because it
// ends the search.
func steps(lines []transcript.Line, fast bool) []step {
	var list []step
	var last time.Time
	waiting := "" // the answer to the last question
	for _, l := range lines {
		s := step{searching: waiting == bestmove}
		word := crash.Word(l.Text)
		switch {
		case l.Sent && word == "quit":
			continue
		case l.Sent:
			s.send = append(slices.Clone(l.Text), '\n')
			if asks := answerTo(word); asks != "" {
				waiting = asks
			}
		case waiting != "" && (word == waiting || waiting == bestmove && word == "checkmate"):
			s.await, waiting = word, ""
		default:
			continue
		}
		if !last.IsZero() {
			s.after = max(0, l.At.Sub(last))
		}
		if last = l.At; fast && !s.searching {
			s.after = 0
		}
		list = append(list, s)
	}
	return list
}

// answerTo returns the answer to a command, or "".
func answerTo(command string) string {
	switch command {
	case "usi":
		return "usiok"
	case "isready":
		return "readyok"
	case "go":
		return bestmove
	}
	return ""
}

// script returns the lines of a bundle to replay, normally all of them. If lastGame is true, it returns the lines
// before the first isready and those from the last isready on. If lines are missing in the middle, it also leaves out
// the lines before the next isready.
func script(b *crash.Bundle, lastGame bool) []transcript.Line {
	d := b.Dialogue
	if d.Lost == 0 && !lastGame {
		return d.Lines()
	}
	tail := d.Tail
	if d.Lost == 0 {
		tail = d.Lines()
	}
	return append(slices.Clone(preamble(d.Head)), fromReady(tail, lastGame)...)
}

func sentWord(l transcript.Line, word string) bool { return l.Sent && crash.Word(l.Text) == word }

// preamble returns the lines before the first isready.
func preamble(head []transcript.Line) []transcript.Line {
	if i := slices.IndexFunc(head, func(l transcript.Line) bool { return sentWord(l, "isready") }); i >= 0 {
		return head[:i]
	}
	return head
}

// fromReady returns the lines from the first isready on, or from the last isready on if last is true. If the isready of
// a game is missing, fromReady adds one before the first position.
func fromReady(tail []transcript.Line, last bool) []transcript.Line {
	first := -1
	for i, l := range tail {
		if sentWord(l, "isready") && (first < 0 || last) {
			first = i
		}
	}
	if first >= 0 {
		return tail[first:]
	}
	i := slices.IndexFunc(tail, func(l transcript.Line) bool { return sentWord(l, "position") })
	if i < 0 {
		return nil
	}
	at := tail[i].At
	ready := []transcript.Line{
		{At: at, Sent: true, Text: []byte("isready")}, {At: at, Text: []byte("readyok")},
		{At: at, Sent: true, Text: []byte("usinewgame")},
	}
	return append(ready, tail[i:]...)
}
