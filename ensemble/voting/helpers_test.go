package voting_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"

	"gogi/ensemble/voting"
	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi"
)

// letters returns the moves that the tests vote for, all legal in the initial position.
func letters() map[string]string {
	return map[string]string{"A": "7g7f", "B": "2g2f", "C": "5g5f", "D": "1g1f"}
}

func mustMove(text string) shogi.Move {
	if named, ok := letters()[text]; ok {
		text = named
	}
	m, err := shogi.ParseMove(text)
	if err != nil {
		panic(err)
	}
	return m
}

// ballots reads a line of votes, one for each member: A (without a score: from a book), A+50, A-30, A#3 (mate in 3
// plies), A#-2, A# (mate of unknown length), r (resigns), rA (resigns, but would have played A), w (declares), !
// (illegal), - (nothing), ~A (late), x (dead).
func ballots(line string) []voting.Ballot {
	list := []voting.Ballot{}
	for i, word := range strings.Fields(line) {
		list = append(list, ballot(i, word))
	}
	return list
}

func ballot(member int, word string) voting.Ballot {
	b := voting.Ballot{Member: member, Kind: voting.KindMove, Source: voting.SourceBestmove}
	kinds := map[byte]voting.Kind{
		'r': voting.KindResign, 'w': voting.KindWin, '!': voting.KindIllegal, '-': voting.KindNone,
		'~': voting.KindLate, 'x': voting.KindDead,
	}
	if kind, ok := kinds[word[0]]; ok {
		b.Kind, word = kind, word[1:]
	}
	if word == "" {
		return b
	}
	b.Move = mustMove(word[:1])
	if word = word[1:]; word == "" {
		b.Source = voting.SourceBook
		return b
	}
	b.HasScore = true
	if word[0] != '#' {
		b.Score.Value = mustInt(word)
		return b
	}
	b.Score.Mate = 1
	if n := strings.TrimPrefix(word, "#"); n != "" {
		b.Score.Value = mustInt(n)
	}
	if b.Score.Value < 0 {
		b.Score.Mate, b.Score.Value = -1, -b.Score.Value
	}
	return b
}

func mustInt(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

// members returns n members with the default scale.
func members(n int) []voting.Voter {
	list := make([]voting.Voter, n)
	for i := range list {
		list[i].Name = fmt.Sprintf("P%d", i+1)
	}
	return list
}

func position(tb testing.TB, sfen string) *shogi.Position {
	tb.Helper()
	p := testutil.Must(shogi.ParseSFEN(sfen))(tb)
	return &p
}

func mustStart() *shogi.Position {
	p := shogi.StartPos()
	return &p
}

// session votes in the initial position again and again.
type session struct {
	tb testing.TB
	*voting.Session
	p *shogi.Position
}

func newSession(tb testing.TB, rule string, n int, settings voting.Settings) *session {
	tb.Helper()
	start := shogi.StartPos()
	return &session{tb, chamber(tb, rule, members(n), settings), &start}
}

func chamber(tb testing.TB, rule string, voters []voting.Voter, settings voting.Settings) *voting.Session {
	tb.Helper()
	spec := testutil.Must(voting.ParseSpec(rule))(tb)
	c := testutil.Must(voting.NewSession(spec, voters, settings))(tb)
	c.NewGame(1)
	return c
}

// vote decides on a line of ballots and learns from the decision.
func (s *session) vote(line string) voting.Decision {
	s.tb.Helper()
	list := ballots(line)
	d := s.Decide(s.p, list)
	s.Observe(s.p, list, &d)
	return d
}

// wants checks the winner of a vote and every member's weight after it.
func (s *session) wants(line, move, weights string) {
	s.tb.Helper()
	d := s.vote(line)
	if d.Move != mustMove(move) {
		s.tb.Errorf("%s: %s: %s was played, want %s", s.Rule(), line, d.Move, letters()[move])
	}
	testutil.Equal(s.tb, strings.Trim(fmt.Sprint(s.Weights()), "[]"), weights, "%s: %s: weights", s.Rule(), line)
}

// turned returns the same position from the other side of the board, with colours swapped.
func turned(sfen string) string {
	fields := strings.Fields(sfen)
	board := []string{}
	for i := 0; i < len(fields[0]); i++ {
		word := fields[0][i : i+1]
		if word == "+" {
			i++
			word += fields[0][i : i+1]
		}
		board = append(board, swapCase(word))
	}
	slices.Reverse(board)
	fields[0] = strings.Join(board, "")
	fields[1] = map[string]string{"b": "w", "w": "b"}[fields[1]]
	fields[2] = swapCase(fields[2])
	return strings.Join(fields, " ")
}

func swapCase(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, text)
}

func turnedMove(m shogi.Move) shogi.Move {
	if m == shogi.NoMove {
		return m
	}
	text := []byte(m.String())
	for i, c := range text {
		switch {
		case i > 0 && text[i-1] == '*', i == 0 && text[1] == '*', c == '*', c == '+':
		case c >= 'a':
			text[i] = 'a' + 'i' - c
		default:
			text[i] = '1' + '9' - c
		}
	}
	if text[1] == '*' {
		text[2] = '1' + '9' - m.String()[2]
	}
	return mustMove(string(text))
}

// settings returns values for the keys of each rule. Each differs from the default.
func settings() map[string][]string {
	growing := []string{"initial=0", "initial=2.5", "tally=count", "reset=never", "overrides=count", "decay=0.9",
		"decay=0", "cap=3.5", "placebo=game", "placebo=decision"}
	return map[string][]string{
		voting.Majority: nil, voting.Optimistic: nil, voting.Pessimistic: nil,
		voting.Adoption: append(slices.Clone(growing),
			"reward=voters", "order=before", "order=recent", "order=random", "book=false", "absent=drop", "ponder=true"),
		voting.Evaluation: append(slices.Clone(growing),
			"mode=bonus", "searched=majority", "searched=all", "searched=leader", "window=2", "max=150", "scale=winprob",
			"apply=before"),
		voting.Weighted:   nil,
		voting.Borda:      {"min_depth=0"},
		voting.LinearPool: {"min_depth=0", "impute=0.3"},
		voting.LogPool:    {"min_depth=0", "impute=0"},
	}
}

// drawSpec draws a rule and settings for n members.
func drawSpec(t *rapid.T, n int, names ...string) voting.Spec {
	if len(names) == 0 {
		names = voting.RuleNames()
	}
	name := rapid.SampledFrom(names).Draw(t, "rule")
	parts := []string{}
	if all := settings()[name]; len(all) > 0 {
		parts = rapid.SliceOfNDistinct(rapid.SampledFrom(all), 0, 5, func(s string) string {
			key, _, _ := strings.Cut(s, "=")
			return key
		}).Draw(t, "settings")
	}
	if name == voting.Weighted || slices.Contains([]string{voting.Borda, voting.LogPool}, name) &&
		rapid.Bool().Draw(t, "weighted") {
		weights := make([]string, n)
		for i := range weights {
			weights[i] = strconv.FormatFloat(float64(rapid.IntRange(1, 40).Draw(t, "weight"))/8, 'g', -1, 64)
		}
		parts = append(parts, "weights="+strings.Join(weights, "/"))
	}
	return testutil.Must(voting.ParseSpec(name + ":" + strings.Join(parts, ",")))(t)
}

func drawLaws(t *rapid.T) voting.Settings {
	return voting.Settings{
		Ties: rapid.SliceOfN(rapid.Map(rapid.SampledFrom(voting.TieNames()),
			func(s string) voting.Tie { return voting.Tie(s) }), 0, 4).Draw(t, "ties"),
		Declaration: rapid.SampledFrom([]shogi.DeclarationRule{shogi.NoEnteringKing, shogi.CSARule27}).Draw(t,
			"declaration"),
		ResignQuorum: rapid.SampledFrom([]float64{0, 0.3, 0.8, 1}).Draw(t, "quorum"),
	}
}

func drawVoters(t *rapid.T, n int) []voting.Voter {
	list := members(n)
	for i := range list {
		list[i].Slope = rapid.SampledFrom([]float64{0, 0, 0.003, 0.0007}).Draw(t, "slope")
		list[i].Intercept = rapid.SampledFrom([]float64{0, 0, -0.1, 0.05}).Draw(t, "intercept")
		list[i].Clamp = rapid.SampledFrom([]float64{0, 0, 200, voting.DefaultClamp}).Draw(t, "clamp")
	}
	return list
}

// drawBallots draws ballots of n members for a few moves of a position.
func drawBallots(t *rapid.T, p *shogi.Position, n int) []voting.Ballot {
	legal := p.LegalMoves(nil)
	few := []shogi.Move{}
	for range min(3, len(legal)) {
		few = append(few, rapid.SampledFrom(legal).Draw(t, "candidate"))
	}
	list := make([]voting.Ballot, n)
	for i := range list {
		list[i] = drawBallot(t, p, i, few)
	}
	return list
}

func drawBallot(t *rapid.T, p *shogi.Position, member int, few []shogi.Move) voting.Ballot {
	b := voting.Ballot{Member: member, Source: voting.SourceBestmove,
		Nodes: uint64(rapid.IntRange(0, 100_000).Draw(t, "nodes"))}
	b.Kind = rapid.SampledFrom([]voting.Kind{
		voting.KindMove, voting.KindMove, voting.KindMove, voting.KindMove, voting.KindMove, voting.KindMove,
		voting.KindResign, voting.KindWin, voting.KindIllegal, voting.KindNone, voting.KindLate, voting.KindDead,
	}).Draw(t, "kind")
	if b.Kind == voting.KindDead || b.Kind == voting.KindNone || b.Kind == voting.KindWin {
		return b
	}
	if b.Kind == voting.KindResign && rapid.Bool().Draw(t, "silent") {
		return b
	}
	b.Move = rapid.SampledFrom(few).Draw(t, "move")
	b.Score, b.HasScore = drawScore(t)
	if b.Source = voting.SourceBestmove; !b.HasScore {
		b.Source = voting.SourceBook
	}
	b.Depth = rapid.IntRange(0, 20).Draw(t, "depth")
	b.PV = drawLine(t, *p, b.Move)
	if len(b.PV) > 1 {
		b.Ponder = b.PV[1]
	}
	for _, m := range few {
		if rapid.Bool().Draw(t, "listed") {
			s, has := drawScore(t)
			b.Ranked = append(b.Ranked, voting.Line{Move: m, Score: s, HasScore: has,
				Depth: rapid.IntRange(0, 10).Draw(t, "depth")})
		}
	}
	return b
}

func drawScore(t *rapid.T) (s usi.Score, has bool) {
	switch rapid.IntRange(0, 9).Draw(t, "score") {
	case 0:
		return s, false
	case 1:
		s = usi.Score{Mate: rapid.SampledFrom([]int{1, -1}).Draw(t, "winner"), Value: rapid.IntRange(0, 20).Draw(t, "plies")}
	default:
		s = usi.Score{Value: 10 * rapid.IntRange(-40, 40).Draw(t, "cp")}
	}
	s.Bound = rapid.SampledFrom([]usi.Bound{usi.Exact, usi.Exact, usi.LowerBound, usi.UpperBound}).Draw(t, "bound")
	return s, true
}

// drawLine draws a variation of up to five legal moves.
func drawLine(t *rapid.T, p shogi.Position, first shogi.Move) []shogi.Move {
	line := []shogi.Move{first}
	for n := rapid.IntRange(1, 5).Draw(t, "plies"); len(line) < n; {
		p.Apply(line[len(line)-1])
		moves := p.LegalMoves(nil)
		if len(moves) == 0 {
			break
		}
		line = append(line, rapid.SampledFrom(moves).Draw(t, "reply"))
	}
	return line
}
