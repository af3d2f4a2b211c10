// Package words makes the one-line messages about a run in play, for the terminal and the pages. Its
// functions, for example [Fault] and [Warning], return them as i18n.Message.
package words

import (
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/match"
)

// Summary is the progress of a run.
type Summary struct {
	Run     string
	Phase   match.RunPhase // printed only if it is not playing
	Ended   int            // games
	Games   int            // planned
	First   string         // the name of the first player; "" if Results has several players
	Results i18n.Message   // results of First (function Results), or of the leaders; zero before the first game has ended
	Rate    float64        // games per second
	Left    string         // time to the end, such as 2h05m, or – if unknown
	Faults  int
}

// Line returns the summary in one line, which fits into 80 columns with names of usual length.
func (s Summary) Line() i18n.Message {
	line := i18n.Of("%s %d/%d", s.Run, s.Ended, s.Games)
	if s.Phase != match.RunPlaying && s.Phase != "" {
		line = i18n.Of("%s %s", line, i18n.Of(string(s.Phase)))
	}
	switch {
	case s.Results.IsZero():
	case s.First == "":
		line = i18n.Of("%s · %s", line, s.Results)
	default:
		line = i18n.Of("%s · %s %s", line, s.First, s.Results)
	}
	if slow(s.Rate) {
		line = i18n.Of("%s · %.1f/min · ETA %s", line, 60*s.Rate, s.Left)
	} else {
		line = i18n.Of("%s · %.1f/s · ETA %s", line, s.Rate, s.Left)
	}
	if s.Faults > 0 {
		line = i18n.Of("%s · faults %d", line, s.Faults)
	}
	return line
}

// Results returns wins, draws and losses with the score, a share from 0 to 1.
func Results(wins, draws, losses int, score float64) i18n.Message {
	return i18n.Of("%d–%d–%d %s", wins, draws, losses, format.Percent(score))
}

// Slot describes a game in play in one line. score is its latest evaluation as text.
func Slot(number int, b *match.Board, score string) i18n.Message {
	return i18n.Of("slot %-3d pair %d.%d   %s – %s   ply %-4d %s", number, b.Pair, b.Leg, b.Black, b.White, b.Ply, score)
}

// More returns the text "and N more", for items that are not listed.
func More(n int) i18n.Message { return i18n.Of("and %d more", n) }

// slow reports whether a rate in games per second is to be printed per minute.
func slow(rate float64) bool { return rate > 0 && rate < 1 }

// Done describes an ended session: games, duration and rate in games per second.
func Done(run string, games int, took string, rate float64) i18n.Message {
	played := i18n.Number{N: games, Noun: "game"}
	if slow(rate) {
		return i18n.Of("%s: %s in %s, %.1f games/min", run, played, took, 60*rate)
	}
	return i18n.Of("%s: %s in %s, %.1f games/s", run, played, took, rate)
}

// Fault describes a fault. engine is "" for a fault of no engine, and pair is nil outside a pair. bundle is the path of
// the crash dump, or "" if there is none or the note names it.
func Fault(kind, engine string, pair *int, note, bundle string) i18n.Message {
	what := i18n.Of(format.Words(kind))
	if engine != "" {
		what = i18n.Of("%s %s", engine, what)
	}
	if pair != nil {
		what = i18n.Of("%s in pair %d", what, *pair)
	}
	note = sanitize.Printable(note, 300)
	if bundle == "" {
		return i18n.Of("fault: %s: %s", what, note)
	}
	return i18n.Of("fault: %s: %s; kept in %s", what, note, sanitize.Printable(bundle, 4000))
}

// Mates describes the counts of a mate solver's answers in one line.
func Mates(q match.Questions) i18n.Message {
	return i18n.Of("mates: gogi asked the solver %s times, it claimed %s; of these %s proven, %s refuted, %s not proven; failed %s",
		format.Count(q.Asked), format.Count(q.Claimed), format.Count(q.Proven), format.Count(q.Refuted),
		format.Count(q.Unproven), format.Count(q.Failed))
}

// MoreFaults returns the line that gogi prints once instead of all further faults.
func MoreFaults() i18n.Message {
	return i18n.Of("fault: more are counted, and listed in the report")
}

// Warning returns a warning of a session in one line.
func Warning(w match.WarningGiven) i18n.Message { return i18n.Of("warning: %s", Warned(w)) }

// Lost describes in one line how many games of a session an engine lost by its own faults.
func Lost(engine string, lost int) i18n.Message {
	return i18n.Of("%s lost %s of this session by faults of its own", engine, i18n.Number{N: lost, Noun: "game"})
}

// Warned returns the text of a warning. The text itself is always English; in other languages its translated
// kind comes first.
func Warned(w match.WarningGiven) i18n.Message {
	note := i18n.Verbatim(sanitize.Printable(w.Note, 600))
	if kind, known := kinds()[w.Kind]; known {
		note = i18n.Of("%.0[1]s%[2]s", kind, note)
	}
	if w.Engine != "" {
		return i18n.Of("%s: %s", w.Engine, note)
	}
	return note
}

// kinds returns short phrases for the kinds of package alarms.
func kinds() map[string]i18n.Message {
	return map[string]i18n.Message{
		"speed_slot": i18n.Of("slower in one slot than in the others"),
		"memory":     i18n.Of("the process grows from game to game"),
		"failing":    i18n.Of("games are lost by one fault: stop, and look at the engine with gogi check"),
		"slowed":     i18n.Of("games are lost on time because the machine is slow: play fewer at a time, or limit nodes"),
		"records":    i18n.Of("a file of records could not be written"),
		"notes":      i18n.Of("an engine reports a failure before its first search"),
	}
}
