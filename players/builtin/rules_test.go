package builtin

import (
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi"
)

// mates reports by brute force whether the side to move can mate within plies if each of its moves gives check.
func mates(p *shogi.Position, plies int) bool {
	for _, m := range p.LegalMoves(nil) {
		if !p.GivesCheck(m) {
			continue
		}
		next := *p
		next.Apply(m)
		if mated(&next, plies-1) {
			return true
		}
	}
	return false
}

func mated(p *shogi.Position, plies int) bool {
	for _, m := range p.LegalMoves(nil) {
		next := *p
		next.Apply(m)
		if plies < 2 || !mates(&next, plies-1) {
			return false
		}
	}
	return true
}

func TestMatesAreFound(t *testing.T) {
	for sfen, plies := range map[string]int{
		"4k4/9/4P4/9/9/9/9/9/9 b G 1":           1,
		"6spk/5N3/9/4l4/7n1/9/9/9/9 b 2R 1":     3,
		"4+R3p/5p2k/7gn/9/7N1/9/9/9/9 b BG 1":   3,
		"4+R4/5pk2/7n1/4+R1g2/9/9/9/9/9 b 2G 1": 5,
		"6sk1/9/4n3S/5ps2/8G/9/9/9/9 b BS 1":    5,
		"9/8k/4s3g/4l1SG1/9/9/9/9/9 b BG 1":     5,
	} {
		p := parse(t, sfen)
		testutil.Require(t, mates(&p, plies) && (plies <= 2 || !mates(&p, plies-2)), "%s is no mate in %d plies", sfen, plies)
		for _, p := range []shogi.Position{p, turned(t, &p)} {
			r := think(t, New(), "sfen "+p.SFEN(), usi.Go{Nodes: 25_000})
			best := r.Best()
			if best.Score != (usi.Score{Mate: 1, Value: plies}) || len(best.PV) != plies {
				t.Errorf("%s: %v, want mate in %d", p.SFEN(), best, plies)
				continue
			}
			end := p
			for _, m := range best.PV {
				testutil.OK(t, end.CheckLegal(m))
				end.Apply(m)
			}
			if end.HasLegalMove() {
				t.Errorf("%s: %v is no mate", p.SFEN(), best.PV)
			}
			next := p
			next.Apply(r.Move)
			if plies == 1 {
				continue
			}
			if r := think(t, New(), "sfen "+next.SFEN(), usi.Go{Nodes: 25_000}); r.Best().Score !=
				(usi.Score{Mate: -1, Value: plies - 1}) {
				t.Errorf("%s: %v, want to be mated in %d", next.SFEN(), r.Best(), plies-1)
			}
		}
	}
}

func TestResignsOnlyWhenMated(t *testing.T) {
	r := think(t, New(), "sfen 4k4/4G4/4P4/9/9/9/9/9/9 w - 1", usi.Go{Nodes: 100})
	testutil.Check(t, r.Answer == usi.AnswerResign && r.Text == "resign" && r.Nodes == 0, "mated: %+v", r)
	r = think(t, New(), "sfen 4k4/9/4P4/9/9/9/9/9/4K4 w RB2G2S2N2L9Prb2g2s2n2l8p 1", usi.Go{Nodes: 100})
	testutil.Equal(t, r.Answer, usi.AnswerMove, "in play: %+v", r)
	r = think(t, New(), "sfen lnsgk4/9/9/9/9/9/9/9/4K4 b - 1", usi.Go{Nodes: 100})
	testutil.Equal(t, r.Answer, usi.AnswerMove, "lost but not mated: %+v", r)
}

// TestDeclares uses two positions of the fixtures, which were checked there against other engines.
func TestDeclares(t *testing.T) {
	const win27 = "sfen +R+B1K+P+P+P2/+P+P+P+P+P4/9/9/9/9/9/4k4/9 b R4GN 1"
	const win24 = "sfen 9/4K4/9/9/9/9/9/4+p+p+p+p+p/2+p+p+pk1+b+r w r4gn3l 1"
	for _, c := range []struct {
		position, rule string
		want           usi.Answer
	}{
		{win27, "CSARule27", usi.AnswerWin},
		{win27, "CSARule24", usi.AnswerMove},
		{win27, "NoEnteringKing", usi.AnswerMove},
		{win24, "CSARule27", usi.AnswerWin},
		{win24, "CSARule24", usi.AnswerWin},
		{win24, "CSARule24H", usi.AnswerWin},
		{win24, "TryRule", usi.AnswerMove},
	} {
		r := think(t, engine(t, "EnteringKingRule="+c.rule), c.position, usi.Go{Nodes: 100})
		testutil.Equal(t, r.Answer, c.want, "%s %s: %+v", c.rule, c.position, r)
	}
}

func TestTries(t *testing.T) {
	const position = "sfen 9/3K5/9/9/9/9/9/9/k8 b 2r2b 1"
	goal := shogi.NewMove(shogi.NewSquare(6, 2), shogi.NewSquare(5, 1))
	for _, nodes := range []uint64{1, 1000} {
		r := think(t, engine(t, "EnteringKingRule=TryRule"), position, usi.Go{Nodes: nodes})
		if r.Move != goal || r.Best().Score != (usi.Score{Mate: 1, Value: 1}) {
			t.Errorf("%d nodes: %v, %v", nodes, r.Move, r.Best())
		}
	}
	if r := think(t, New(), position, usi.Go{Nodes: 1000}); r.Best().Score.Mate != 0 {
		t.Errorf("without the rule: %v", r.Best())
	}
}

// TestRepetition: repeated applies shogi's repetition rule and scores it for the side to move.
func TestRepetition(t *testing.T) {
	const checked = "sfen lnsg1gsnl/1r5b1/ppppppppp/4k4/9/5R3/PPPPPPPPP/1B7/LNSGKGSNL b - 1 moves "
	const shuffle = " 2h1h 8b9b 1h2h 9b8b"
	for _, c := range []struct {
		position string
		score    int
		ok       bool
	}{
		{"startpos", 0, false},
		{"startpos moves 2h1h 8b9b 1h2h", 0, false},
		{"startpos moves" + shuffle, 0, true},
		{"startpos moves" + shuffle + shuffle + shuffle, 0, true},
		{checked + "4f5f 5d4d 5f4f 4d5d", -ruleWin, true},
		{checked + "4f5f 5d4d 5f4f 4d5d 4f5f", ruleWin, true},
		{checked + "4f5f 5d4d 5f4f 4d5d 4f5f 5d4d 5f4f 4d5d 4f5f 5d4d 5f4f 4d5d", -ruleWin, true},
		// Both occurrences are a check, but one move between them gives no check.
		{checked + "4f5f 5d4d 5f1f 4d5d 1f5f", 0, true},
	} {
		p := testutil.Must(usi.ParsePosition(c.position))(t)
		h := testutil.Must(p.History())(t)
		var l path
		l.reset(h)
		if score, ok := l.repeated(0); score != c.score || ok != c.ok {
			t.Errorf("%s: %d %v, want %d %v", c.position, score, ok, c.score, c.ok)
		}
	}
}

func TestFourthRepetitionIsJudgedFromTheFirst(t *testing.T) {
	l := path{root: 12}
	for i := range 13 {
		l.keys = append(l.keys, uint64(i%4))
		l.checks = append(l.checks, i%2 == 1)
	}
	if score, ok := l.repeated(0); !ok || score != -ruleWin {
		t.Errorf("perpetual check: %d %v", score, ok)
	}
	l.checks[1] = false // only in the oldest round
	if score, ok := l.repeated(0); !ok || score != 0 {
		t.Errorf("fourth occurrence with one quiet move: %d %v", score, ok)
	}
	l.keys[0] = 99 // now it is the third
	if score, ok := l.repeated(0); !ok || score != -ruleWin {
		t.Errorf("third occurrence after checks only: %d %v", score, ok)
	}
}

// TestRepetitionIsSeenInTheSearch: the search scores the move that repeats the position the fourth time as a draw.
func TestRepetitionIsSeenInTheSearch(t *testing.T) {
	const game = "startpos moves 2h1h 8b9b 1h2h 9b8b 2h1h 8b9b 1h2h 9b8b 2h1h 8b9b 1h2h"
	fourth := shogi.NewMove(shogi.NewSquare(9, 2), shogi.NewSquare(8, 2))
	r := think(t, New(), game, usi.Go{Depth: 1, SearchMoves: []shogi.Move{fourth}})
	testutil.Equal(t, r.Best().Score, (usi.Score{}), "the move that repeats: %v", r.Best())
}
