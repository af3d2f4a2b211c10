// Package words says what a run that is being played has to tell in a line, in every
// tongue. Its English is what terminals showed before there was another one.
package words

import (
	"gogi/internal/foreign"
	"gogi/internal/format"
	"gogi/internal/phrases"
	"gogi/match"
)

// Summary is how far a run is.
type Summary struct {
	Run     string
	Phase   match.RunPhase // told only where it is not playing
	Ended   int            // games
	Games   int            // planned
	First   string         // the first player's name; "": Results are of several players
	Results phrases.Said   // First's, see Results, or the leaders'; nothing: no game has ended
	Rate    float64        // games a second
	Left    string         // time to the end, such as 2h05m; – where nobody knows
	Faults  int
}

// Said is the summary in a line.
func (s Summary) Said() phrases.Said {
	run := phrases.Verbatim(s.Run)
	if s.Phase != match.RunPlaying && s.Phase != "" {
		run = phrases.Of("%s   %s", s.Run, phrases.Of(string(s.Phase)))
	}
	games := phrases.Of("%d/%d games", s.Ended, s.Games)
	switch {
	case s.Results.IsZero():
	case s.First == "":
		games = phrases.Of("%s   %s", games, s.Results)
	default:
		games = phrases.Of("%s   %s %s", games, s.First, s.Results)
	}
	return phrases.Of("%s   %s   %.1f/s   ETA %s   faults %d", run, games, s.Rate, s.Left, s.Faults)
}

// Results are wins, draws and losses with the score, a share from 0 to 1.
func Results(wins, draws, losses int, score float64) phrases.Said {
	return phrases.Of("%d–%d–%d (%s)", wins, draws, losses, format.Percent(score))
}

// Slot is a game in play in a line; score is its latest evaluation in words.
func Slot(number int, b *match.Board, score string) phrases.Said {
	return phrases.Of("slot %-3d pair %d.%d   %s – %s   ply %-4d %s", number, b.Pair, b.Leg, b.Black, b.White, b.Ply, score)
}

// More is how many there are beside those that were told.
func More(n int) phrases.Said { return phrases.Of("and %d more", n) }

// Done is what a session has played, in what time, at how many games a second.
func Done(run string, games int, took string, rate float64) phrases.Said {
	return phrases.Of("%s: %d games in %s, %.1f games/s", run, games, took, rate)
}

// Fault is what failed, of whom ("" is nobody), in which pair (nil: none), and where the
// files about it are ("": there are none, or the note names them).
func Fault(kind, engine string, pair *int, note, bundle string) phrases.Said {
	what := phrases.Of(format.Words(kind))
	if engine != "" {
		what = phrases.Of("%s %s", engine, what)
	}
	if pair != nil {
		what = phrases.Of("%s in pair %d", what, *pair)
	}
	note = foreign.Printable(note, 300)
	if bundle == "" {
		return phrases.Of("fault: %s: %s", what, note)
	}
	return phrases.Of("fault: %s: %s; kept in %s", what, note, foreign.Printable(bundle, 4000))
}

// Mates is what came of the questions to a mate solver.
func Mates(q match.Questions) phrases.Said {
	return phrases.Of("mates: the solver was asked %s times, claimed %s; of these %s proven, %s refuted, %s not proven; failed %s",
		format.Count(q.Asked), format.Count(q.Claimed), format.Count(q.Proven), format.Count(q.Refuted), format.Count(q.Unproven), format.Count(q.Failed))
}

// MoreFaults is told once, after the last fault that is told one by one.
func MoreFaults() phrases.Said {
	return phrases.Of("fault: more are counted, and listed in the report")
}

// Warning is a warning of a session in a line.
func Warning(w match.WarningGiven) phrases.Said { return phrases.Of("warning: %s", Warned(w)) }

// Lost is how many games of a session an engine's own faults have lost by its end.
func Lost(engine string, lost int) phrases.Said {
	return phrases.Of("%s lost %s of this session by faults of its own", engine, phrases.Number{N: lost, Noun: "game"})
}

// Warned is what a warning is of: its kind, in tongues other than the note's, and its note,
// which is English, as it was told.
func Warned(w match.WarningGiven) phrases.Said {
	note := phrases.Verbatim(foreign.Printable(w.Note, 600))
	if kind, known := kinds()[w.Kind]; known {
		note = phrases.Of("%.0[1]s%[2]s", kind, note)
	}
	if w.Engine != "" {
		return phrases.Of("%s: %s", w.Engine, note)
	}
	return note
}

// kinds are the phrases of package alarms' kinds, in short.
func kinds() map[string]phrases.Said {
	return map[string]phrases.Said{
		"speed_slot": phrases.Of("slower in one slot than in the others"),
		"speed_time": phrases.Of("the speed has changed since the session began"),
		"memory":     phrases.Of("the process grows from game to game"),
		"copies":     phrases.Of("games repeat"),
		"margin":     phrases.Of("moves come near the end of the margin"),
		"failing":    phrases.Of("games are lost by one fault: stop, and look at the engine with gogi check"),
		"slowed":     phrases.Of("games are lost on time because the machine is slow: play fewer at a time, or limit nodes"),
		"records":    phrases.Of("a file of records could not be written"),
	}
}
