package check

import (
	"context"
	"slices"
	"strings"
	"time"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/usi"
)

// consequence returns one sentence on what a problem of an item means for a match.
func consequence(check string) i18n.Message {
	switch check {
	case "usiok", "readyok":
		return i18n.Of("No match can start with this engine, or its start takes long.")
	case "options":
		return i18n.Of("A match rejects options that the engine does not accept.")
	case "defaults":
		return i18n.Of("The engine plays a match with these values unless an option sets others.")
	case "go_nodes", "node_limits":
		return i18n.Of("A match with --nodes gives this player more or fewer nodes than the other player; use a clock.")
	case "go_depth":
		return i18n.Of("A match with --depth does not work, or compares unequal depths; use another limit.")
	case "go_movetime", "go_byoyomi", "go_main_and_byoyomi", "go_increment":
		return i18n.Of("A match with this clock loses games on time, or does not use the engine's strength; use another limit.")
	case "go_infinite", "stop":
		return i18n.Of("An engine that does not answer stop loses the game, and gogi ends its process.")
	case "ponderhit", "ponder_stop":
		return i18n.Of("Play without --ponder, or games are lost.")
	case "legal_moves", "drops":
		return i18n.Of("Each move that is illegal, missing or unreadable loses its game.")
	case "declaration":
		return i18n.Of("The engine plays on after it may declare a win, or a wrong declaration loses the game.")
	case "evaluation":
		return i18n.Of("The engine may play without its evaluation file; its games do not show its strength.")
	case "bounds":
		return i18n.Of("Adjudication and records use the exact scores only.")
	case "mate_scores":
		return i18n.Of("Records and pages show these scores as they are; adjudication by score counts them as won or lost.")
	case "mated":
		return i18n.Of("A match ends a game at a mate and does not ask this; another program may wait for an answer.")
	case "whites_clock":
		return i18n.Of("With clocks that differ, it loses on time as White or plays too fast; use --byoyomi alone, --movetime or --nodes.")
	case "stderr", "repeatable":
		return i18n.Of("The same match may have other moves when it is played again.")
	case "mate_search":
		return i18n.Of("The engine is no mate solver for --mate.")
	case "quit", "end_of_input":
		return i18n.Of("gogi kills the process at the end; files that it writes at its end may be missing.")
	}
	return i18n.Message{}
}

// checkNodeLimits asks for 100 and 1,000 nodes, too, because an engine that looks at its limit rarely exceeds small
// limits by a large factor.
func checkNodeLimits(ctx context.Context, s *subject, f *Finding) {
	kind, ok := s.works("nodes")
	if !ok {
		f.add(Warn, "go nodes is not supported: use --depth, --movetime or a clock")
		return
	}
	for _, limit := range []uint64{100, 1000} {
		reply, err := s.think(ctx, usi.Request{Position: middlegame(), Go: usi.Go{Nodes: limit}, Deadline: kind.until})
		if err != nil {
			s.charge(f, Warn, err, i18n.Verbatim(usi.Go{Nodes: limit}.String()))
			return
		}
		noteNodes(f, limit, reply.Nodes)
	}
	noteNodes(f, kind.with.Nodes, s.nodes)
}

// noteNodes compares the nodes of a search with its limit.
func noteNodes(f *Finding, limit, nodes uint64) {
	asked, took := format.Count(int(limit)), format.Count(int(nodes)) // node counts of a short search
	switch {
	case nodes == 0:
		f.add(Warn, "no number of nodes for %s", asked)
	case !match.KeepsLimit(float64(nodes), float64(limit)):
		f.add(Warn, "%s nodes for %s", took, asked)
	default:
		f.add(Pass, "%s nodes for %s", took, asked)
	}
}

// checkDrops asks for a move in a position in which only drops are legal.
func checkDrops(ctx context.Context, s *subject, f *Finding) {
	position := fromSFEN(onlyDrops)
	request, err := s.swift(position)
	if err != nil {
		f.add(Warn, "undecided: %s", i18n.Because(err))
		return
	}
	reply, err := s.think(ctx, request)
	if err != nil {
		s.charge(f, Fail, err, i18n.Verbatim(onlyDrops))
		return
	}
	if failure, wrong := s.judge(position, reply); !wrong.IsZero() {
		f.add(failure, "%s in %s, where only drops are legal", wrong, onlyDrops)
		return
	}
	f.add(Pass, "%s", reply.Text)
}

// scoreLines has the scores and the notes of an engine's info lines.
type scoreLines struct {
	exact, bounds int
	zero          int      // exact scores of 0 centipawns
	notes         []string // info strings that report a failure
}

// readScores reads the lines of a dialogue.
func readScores(lines []string) *scoreLines {
	var s scoreLines
	for _, line := range lines {
		if !strings.HasPrefix(line, "info ") {
			continue
		}
		info := usi.ParseInfo(line)
		if note, failed := usi.FailureNote(line); failed && !slices.Contains(s.notes, note) {
			s.notes = append(s.notes, note)
		}
		switch {
		case !info.HasScore:
		case info.Score.Bound != usi.Exact:
			s.bounds++
		default:
			s.exact++
			if info.Score == (usi.Score{}) {
				s.zero++
			}
		}
	}
	return &s
}

// checkEvaluation searches two positions, one of which is won, and looks at all scores and notes of the engine since
// its start.
func checkEvaluation(ctx context.Context, s *subject, f *Finding) {
	heard, _ := s.dialogue(ctx, f, middlegame(), fromSFEN(uneven))
	if heard == nil {
		return
	}
	s.scores = readScores(heard)
	for _, note := range s.scores.notes[:min(3, len(s.scores.notes))] {
		f.add(Warn, "info string %s", note)
	}
	switch n := s.scores.exact; {
	case n == 0:
		f.add(Warn, "undecided: no exact score in its info lines")
	case s.scores.zero == n:
		f.add(Warn, "all %s scores are 0, also a rook ahead: is its evaluation file missing?", format.Count(n))
	default:
		f.add(Pass, "%s scores, %s of them 0", format.Count(n), format.Count(s.scores.zero))
	}
}

// checkBounds reports whether the engine prints scores that are only bounds.
func checkBounds(_ context.Context, s *subject, f *Finding) {
	switch c := s.scores; {
	case c == nil || c.exact+c.bounds == 0:
		f.add(Warn, "undecided: no score in its info lines")
	case c.bounds > 0 && c.exact == 0:
		f.add(Warn, "all %s scores are bounds", format.Count(c.bounds))
	case c.bounds > 0:
		f.add(Pass, "%s of %s scores are bounds (lowerbound, upperbound)", format.Count(c.bounds),
			format.Count(c.exact+c.bounds))
	default:
		f.add(Pass, "none in %s scores of short searches", format.Count(c.exact))
	}
}

// dialogue starts a process, searches positions with the quickest kind of search that worked, and returns all lines and
// the last bestmove line. It returns nil after a fault, which it adds to the finding.
func (s *subject) dialogue(ctx context.Context, f *Finding, positions ...usi.Position) (heard []string, answer string) {
	if _, err := s.swift(positions[0]); err != nil {
		f.add(Warn, "undecided: %s", i18n.Because(err))
		return nil, ""
	}
	d, err := s.raw(ctx)
	if err != nil {
		s.charge(f, Fail, err, i18n.Verbatim("usi"))
		return nil, ""
	}
	for _, p := range positions {
		r, err := s.swift(p)
		if err == nil && r.Go.Infinite {
			r.Go = usi.Go{Clock: true, UseByoyomi: true, Byoyomi: time.Second} // the dialogue sends no stop
		}
		if err == nil {
			answer, err = d.search(r, s.waits)
		}
		if err != nil {
			s.charge(f, Warn, err, i18n.Of("%s in %s", r.Go, p))
			d.proc.Kill()
			_ = d.close() // the fault is already in the finding
			return nil, ""
		}
	}
	if err := d.close(); err != nil {
		f.add(Fail, "%s", i18n.Because(err))
		return nil, ""
	}
	return append([]string{}, d.heard...), answer
}

// checkMateScores checks how the engine writes the score of a mate in three plies. If it writes centipawns, a mate in
// one ply shows the scale.
func checkMateScores(ctx context.Context, s *subject, f *Finding) {
	three, ok := s.lastScore(ctx, f, mateInThree)
	if !ok {
		return
	}
	v, text := judgeMateScore(three)
	f.add(v, "%s", text)
	if !inCentipawns(three) {
		return
	}
	if one, ok := s.lastScore(ctx, f, mateInOne); ok {
		f.add(Warn, "%s", mateScaleWords(one, three))
	}
}

// lastScore returns the last line with an exact score of a search. ok is false if the dialogue failed.
func (s *subject) lastScore(ctx context.Context, f *Finding, sfen string) (last usi.Info, ok bool) {
	heard, _ := s.dialogue(ctx, f, fromSFEN(sfen))
	for _, line := range heard {
		if info := usi.ParseInfo(line); strings.HasPrefix(line, "info ") && info.HasScore && info.MultiPV == 1 &&
			info.Score.Bound == usi.Exact {
			last = info
		}
	}
	return last, heard != nil
}

// inCentipawns reports whether the score of a mate is centipawns.
func inCentipawns(i usi.Info) bool {
	return i.HasScore && i.Score.Mate == 0 && i.Score.Value >= wonScore
}

// mateScaleWords names the scale that the scores for a mate in one ply and in three show.
func mateScaleWords(one, three usi.Info) i18n.Message {
	if inCentipawns(one) && one.Score.Value == three.Score.Value+2 {
		return i18n.Of("its mates are %d less the plies", one.Score.Value+1)
	}
	return i18n.Of("score %s for a mate in 1 ply: its mates are no number less the plies", one.Score)
}

// wonScore is a score in centipawns that only a mate or a won game explains: ten rooks.
const wonScore = 10_000

// judgeMateScore judges the last score for a mate in three plies. USI counts plies.
func judgeMateScore(last usi.Info) (Verdict, i18n.Message) {
	score := last.Score
	switch {
	case !last.HasScore:
		return Warn, i18n.Of("undecided: no exact score for a mate in 3 plies")
	case score.Mate > 0 && score.Value == 3:
		return Pass, i18n.Of("score %s for a mate in 3 plies: it counts plies", score)
	case score.Mate > 0 && score.Value == 2:
		return Warn, i18n.Of("score %s for a mate in 3 plies: it counts moves, and USI counts plies", score)
	case score.Mate > 0:
		return Warn, i18n.Of("score %s for a mate in 3 plies", score)
	case inCentipawns(last):
		return Warn, i18n.Of("score %s for a mate in 3 plies: it writes mates as centipawns", score)
	}
	return Warn, i18n.Of("undecided: it did not find a mate in 3 plies (score %s)", score)
}

// checkMated asks for a move in a mated position.
func checkMated(ctx context.Context, s *subject, f *Finding) {
	heard, answer := s.dialogue(ctx, f, fromSFEN(matedPosition))
	switch {
	case heard == nil:
	case answer == "bestmove resign":
		f.add(Pass, "%s", answer)
	default:
		f.add(Warn, "%s, where USI expects bestmove resign", answer)
	}
}

// These clocks tell an engine that reads White's clock from one that reads Black's.
const (
	muchTime   = 60 * time.Second
	littleTime = 500 * time.Millisecond
)

// checkWhitesClock lets the engine move as White with little time, and with much time, while Black has the other time.
func checkWhitesClock(ctx context.Context, s *subject, f *Finding) {
	if _, ok := s.works("byoyomi"); !ok {
		f.add(Warn, "undecided: go with a clock does not work")
		return
	}
	position := usi.Position{Start: "startpos", Moves: middlegame().Moves[:1]}
	var took [2]time.Duration
	for i, clock := range []usi.Go{
		{Clock: true, BTime: muchTime, WTime: littleTime, UseByoyomi: true},
		{Clock: true, BTime: littleTime, WTime: muchTime, UseByoyomi: true},
	} {
		reply, err := s.think(ctx, usi.Request{Position: position, Go: clock, Deadline: littleTime + s.waits.overrun})
		if err != nil {
			s.charge(f, Fail, err, i18n.Verbatim(clock.String()))
			return
		}
		took[i] = reply.Elapsed
	}
	v, text := judgeClocks(took[0], took[1])
	f.add(v, "%s", text)
}

// judgeClocks judges White's times with little and with much time on its own clock.
func judgeClocks(little, much time.Duration) (Verdict, i18n.Message) {
	text := i18n.Of("%s with %s on White's clock, %s with %s", format.Span(little), format.Span(littleTime),
		format.Span(much), format.Span(muchTime))
	switch {
	case little > littleTime && little > 2*much:
		return Fail, i18n.Of("as White it reads Black's clock: %s", text)
	case little > 2*much:
		return Warn, i18n.Of("as White it seems to read Black's clock: %s", text)
	case 2*little < much:
		return Pass, i18n.Of("%s", text)
	}
	return Warn, i18n.Of("undecided: %s", text)
}
