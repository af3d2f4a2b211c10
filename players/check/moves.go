package check

import (
	"context"
	"strings"
	"time"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/shogi"
	"gogi/usi"
)

// These limits end the item on legal moves: the number of moves, the time, and the number of faults.
const (
	checkedMoves  = 50
	checkedTime   = 12 * time.Second
	checkedFaults = 3
	leastAnswers  = 20 // fewer correct answers prove nothing
)

type moveCheck struct {
	s         *subject
	f         *Finding
	until     time.Time
	asked     int
	resigns   int
	faults    int // faults so far; the item ends at checkedFaults
	wrong     int // of the answers, those that are wrong or missing
	undecided int // searches that prove nothing, because the machine was busy
}

// checkLegalMoves checks the moves in tricky positions and in games of the engine against itself.
func checkLegalMoves(ctx context.Context, s *subject, f *Finding) {
	m := &moveCheck{s: s, f: f, until: time.Now().Add(checkedTime)}
	for _, t := range trickyPositions() {
		m.ask(ctx, fromSFEN(t.sfen), t.why)
	}
	for start := (usi.Position{Start: "startpos"}); m.unfinished(ctx); start = middlegame() {
		m.play(ctx, start)
	}
	m.sum()
	if s.engine != nil {
		s.checkSettled(ctx, f)
	}
}

func (m *moveCheck) unfinished(ctx context.Context) bool {
	return ctx.Err() == nil && m.asked < checkedMoves && m.faults < checkedFaults && time.Now().Before(m.until)
}

func (m *moveCheck) play(ctx context.Context, p usi.Position) {
	history, err := p.History()
	if err != nil {
		m.fault(i18n.Because(err))
		return
	}
	for m.unfinished(ctx) && history.Repetition() == shogi.RepetitionNone && len(history.Position().LegalMoves(nil)) > 0 {
		p.Moves = history.Moves()
		move := m.ask(ctx, p, i18n.Of("a game against itself"))
		if move == shogi.NoMove {
			return
		}
		history.Push(move)
	}
}

// ask returns the engine's move in a position, or NoMove if it does not return a legal move. why describes the
// position in findings.
func (m *moveCheck) ask(ctx context.Context, p usi.Position, why i18n.Message) shogi.Move {
	if !m.unfinished(ctx) {
		return shogi.NoMove
	}
	request, err := m.s.swift(p)
	if err != nil {
		m.fault(i18n.Because(err))
		m.faults = checkedFaults
		return shogi.NoMove
	}
	m.asked++
	reply, err := m.s.think(ctx, request)
	if err != nil {
		if m.s.charge(m.f, Fail, err, where(p, why)) {
			m.faults++
			m.wrong++
		} else {
			m.undecided++
		}
		return shogi.NoMove
	}
	if v, wrong := m.s.judge(p, reply); v == Fail {
		m.wrong++
		m.fault(i18n.Of("%s in %s", wrong, where(p, why)))
		return shogi.NoMove
	}
	if reply.Answer == usi.AnswerResign {
		m.resigns++
	}
	return reply.Move
}

func (m *moveCheck) fault(wrong i18n.Message) {
	m.faults++
	m.f.add(Fail, "%s", wrong)
}

func where(p usi.Position, why i18n.Message) i18n.Message {
	if sfen, ok := strings.CutPrefix(p.Start, "sfen "); ok {
		return i18n.Of("%s (%s)", sfen, why)
	}
	return i18n.Of("%s, ply %d", why, len(p.Moves)+1)
}

// sum adds the number of correct answers. With too few answers it warns that the item proves nothing, unless there was
// a fault.
func (m *moveCheck) sum() {
	answers := m.asked - m.undecided
	text := i18n.Of("%d of %d answers", answers-m.wrong, answers)
	if m.faults == 0 {
		text = i18n.Of("all of %d answers", answers)
	}
	if m.resigns > 0 {
		text = i18n.Of("%s, %d of them resign", text, m.resigns)
	}
	if m.asked < checkedMoves && m.faults < checkedFaults {
		text = i18n.Of("%s (no more in %s)", text, format.Span(checkedTime))
	}
	switch {
	case m.asked == 0:
	case m.faults == 0 && answers < leastAnswers:
		m.f.add(Warn, "undecided: %s; at least %d are needed", text, leastAnswers)
	case m.resigns > 0 && m.resigns == answers:
		m.f.add(Fail, "%s: it resigns in every position", text)
	default:
		m.f.add(Pass, "%s", text)
	}
}

// checkDeclaration checks that the engine declares a win (nyugyoku sengen) when the rule allows it, and not
// otherwise.
func checkDeclaration(ctx context.Context, s *subject, f *Finding) {
	may, ok := s.declares(ctx, declarable, f)
	if !ok {
		return
	}
	if may {
		f.add(Pass, "sends bestmove win with 28 points")
	} else {
		f.add(Warn, "does not declare a win with 28 points under the 27-point rule")
	}
	mayNot, ok := s.declares(ctx, undeclarable, f)
	switch {
	case mayNot:
		f.add(Fail, "declares a win that loses: Black has 27 points and needs 28")
	case ok:
		f.add(Pass, "does not with 27")
	}
}

// declares reports whether the engine answers a position with a declaration; ok is false without an answer.
func (s *subject) declares(ctx context.Context, sfen string, f *Finding) (win, ok bool) {
	request, err := s.swift(fromSFEN(sfen))
	if err != nil {
		f.add(Warn, "%s", i18n.Because(err))
		return false, false
	}
	reply, err := s.think(ctx, request)
	if err != nil {
		s.charge(f, Fail, err, i18n.Verbatim(sfen))
		return false, false
	}
	return reply.Answer == usi.AnswerWin, true
}

// checkRepeatable compares searches of one position: twice in one process, with other searches between, and
// once in a fresh process.
func checkRepeatable(ctx context.Context, s *subject, f *Finding) {
	kind, ok := s.works("nodes")
	if !ok {
		kind, ok = s.works("depth")
	}
	if !ok {
		f.add(Warn, "undecided: neither go nodes nor go depth works")
		return
	}
	first, again, err := s.searchTwice(ctx, kind)
	if err != nil {
		s.charge(f, Fail, err, i18n.Verbatim(kind.with.String()))
		return
	}
	fresh, err := s.searchFresh(ctx, kind)
	if err != nil {
		s.charge(f, Fail, err, i18n.Verbatim(kind.with.String()))
		return
	}
	s.compare(f, kind, first, again, fresh)
}

func (s *subject) compare(f *Finding, kind goKind, first, again, fresh usi.Reply) {
	between, within := differences(first, fresh), differences(first, again)
	if len(between) > 0 {
		f.add(Warn, "two fresh processes differ: %s", between)
	}
	switch {
	case len(within) == 0:
	case len(between) > 0: // a fresh process would not help
		f.add(Warn, "in a second game of the process: %s", within)
	default:
		f.add(Warn, "in a second game of the process: %s; --restart game avoids that", within)
	}
	if len(between) == 0 && len(within) == 0 {
		f.add(Pass, "%s: the same move, score and nodes in a second game and in a fresh process", kind.with)
		return
	}
	if o, ok := s.offers("Threads"); ok && len(between) > 0 && o.Default != "1" {
		f.add(Warn, "Threads is %s by default, and only one thread repeats itself", o.Default)
	}
}

func (s *subject) searchFresh(ctx context.Context, kind goKind) (usi.Reply, error) {
	if err := s.end(); err != nil {
		return usi.Reply{}, err
	}
	return s.think(ctx, usi.Request{Position: middlegame(), Go: kind.with, Deadline: kind.until})
}

func (s *subject) searchTwice(ctx context.Context, kind goKind) (first, again usi.Reply, err error) {
	if first, err = s.searchFresh(ctx, kind); err != nil {
		return first, again, err
	}
	for _, sfen := range []string{trickyPositions()[0].sfen, declarable} { // the game between the two searches
		if _, err = s.think(ctx, usi.Request{Position: fromSFEN(sfen), Go: kind.with, Deadline: kind.until}); err != nil {
			return first, again, err
		}
	}
	if _, err = s.settle(ctx); err != nil {
		return first, again, err
	}
	again, err = s.think(ctx, usi.Request{Position: middlegame(), Go: kind.with, Deadline: kind.until})
	return first, again, err
}

func differences(a, b usi.Reply) i18n.Row {
	var row i18n.Row
	differ := func(x, y string, how i18n.Message) {
		if x != y {
			how.Args = []any{x, y}
			row = append(row, how)
		}
	}
	differ(a.Text, b.Text, i18n.Of("move %s and %s"))
	differ(a.Best().Score.String(), b.Best().Score.String(), i18n.Of("score %s and %s"))
	differ(format.Count(int(a.Nodes)), format.Count(int(b.Nodes)), i18n.Of("nodes %s and %s"))
	return row
}
