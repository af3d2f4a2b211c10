package shogi

import (
	"encoding/json"
	"testing"

	"gogi/internal/testutil"
)

func TestDeclaration(t *testing.T) {
	for _, row := range testutil.CSV(t, "declaration.csv") {
		p := mustParse(t, row["sfen"])
		for _, rule := range []DeclarationRule{CSARule24, CSARule24H, CSARule27, CSARule27H} {
			got := p.Declaration(rule)
			testutil.Equal(t, row[rule.String()] == "win", got.Win, "%s: %s, want win", row["name"], got.Why())
		}
		// The 24-point rule also has a draw, which the caller decides like this.
		s := p.Declaration(CSARule24H)
		valid := s.KingInCamp && !s.InCheck && s.Pieces >= campPieces
		verdict := "lose"
		switch {
		case s.Win:
			verdict = "win"
		case valid && s.Points >= s.Needed-7:
			verdict = "draw"
		}
		if want := row["tsshogi_24"]; verdict != want {
			t.Errorf("%s: %s under 24 points, want %s", row["name"], verdict, want)
		}
		for _, rule := range []DeclarationRule{NoEnteringKing, TryRule} {
			if got := p.Declaration(rule); got.Win || got.Needed != 0 {
				t.Errorf("%s: %+v", row["name"], got)
			}
		}
	}
}

// TestHandicapThresholds compares the points that a declaration needs in handicap games with the documentation of
// YaneuraOu.
func TestHandicapThresholds(t *testing.T) {
	for _, c := range []struct {
		handicap string
		rule     DeclarationRule
		needed   [2]int
	}{
		{"two-piece", CSARule27H, [2]int{28, 17}},
		{"two-piece", CSARule24H, [2]int{31, 21}},
		{"two-piece", CSARule27, [2]int{28, 27}},
		{"two-piece", CSARule24, [2]int{31, 31}},
		{"four-piece", CSARule27H, [2]int{28, 15}},
	} {
		h, _ := FindHandicap(c.handicap)
		p := mustParse(t, h.SFEN)
		for _, side := range []Colour{Black, White} {
			p.side = side
			testutil.Equal(t, p.Declaration(c.rule).Needed, c.needed[side], "%s, %v: %v needs", c.handicap, c.rule, side)
		}
	}
}

func TestDeclarationWhy(t *testing.T) {
	for _, c := range []struct {
		sfen string
		rule DeclarationRule
		want string
	}{
		{startSFEN, NoEnteringKing, "black cannot declare: the rule NoEnteringKing has no declaration"},
		{startSFEN, CSARule27,
			"black's declaration fails under CSARule27: its king is not in the far three ranks, only 0 other pieces of 10 needed are in the far three ranks, it has 0 points of 28 needed"},
		{"+R+B1K+P+P+P2/+P+P+P+P+P4/9/9/9/9/9/4k4/9 b R4G 1", CSARule27,
			"black's declaration fails under CSARule27: it has 27 points of 28 needed"},
		{"+R+B1K+P+P+P2/+P+P+P+P+P4/9/9/9/9/9/4k4/9 b R4GN 1", CSARule27,
			"black wins by declaration under CSARule27: its king and 10 other pieces are in the far three ranks, it is not in check, and it has 28 points of 28 needed"},
		{"+B2K2r2/+P+P+P+P+P+P+P+P+P/9/9/9/9/9/4k4/9 b RB4G4S4N 1", CSARule27,
			"black's declaration fails under CSARule27: it is in check"},
	} {
		p := mustParse(t, c.sfen)
		testutil.Equal(t, p.Declaration(c.rule).Why(), c.want)
	}
}

func TestDeclarationRuleNames(t *testing.T) {
	for r := NoEnteringKing; r <= TryRule; r++ {
		if got, err := ParseDeclarationRule(r.String()); err != nil || got != r {
			t.Errorf("%v comes back as %v, %v", r, got, err)
		}
	}
	want := `entering-king rule is "csarule27": expected one of NoEnteringKing, CSARule24, CSARule24H, CSARule27, CSARule27H, TryRule`
	if _, err := ParseDeclarationRule("csarule27"); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	for r := NoEnteringKing; r <= TryRule; r++ {
		var back DeclarationRule
		text, err := json.Marshal(r)
		testutil.Check(t, err == nil && string(text) == `"`+r.String()+`"` && json.Unmarshal(text, &back) == nil && back == r,
			"%v: %s, %v", r, text, err)
	}
	testutil.Fails(t, testutil.Err((TryRule + 1).MarshalText()), "", "a rule that there is not")
	testutil.Contains(t, DeclarationRule(9).String(), "unknown", "rule 9")
}

func TestTryAchieved(t *testing.T) {
	for _, c := range []struct {
		sfen  string
		mover Colour
		want  bool
	}{
		{"4K4/9/9/9/9/9/9/9/k8 w - 1", Black, true},
		{"4K4/9/9/9/9/9/9/9/k8 w - 1", White, false},
		{"K8/9/9/9/9/9/9/9/4k4 b - 1", White, true},
		{"4K4/9/9/9/4r4/9/9/9/k8 b - 1", Black, false},
		{"9/9/9/9/9/9/9/9/k8 w - 1", Black, false},
	} {
		p := mustParse(t, c.sfen)
		testutil.Equal(t, p.TryAchieved(c.mover), c.want, "%s: try of %v", c.sfen, c.mover)
	}
}
