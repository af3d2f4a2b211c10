package text

import (
	"encoding/json"
	"strings"
	"testing"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/match"
)

func TestSelection(t *testing.T) {
	t.Parallel()
	rows := []match.Row{{Pair: 0}, {Pair: 3, Worker: "w"}, {Pair: 4, Worker: "x"}, {Pair: 5, Worker: "w"}, {Pair: 50, Worker: "w"}}
	for _, c := range []struct {
		s    Selection
		want []int
	}{
		{Selection{Worker: "w"}, []int{3, 5, 50}}, {Selection{Pairs: "3-5"}, []int{3, 4, 5}}, {Selection{Pairs: "0"}, []int{0}},
		{Selection{Worker: "w", Pairs: "4-49"}, []int{5}}, {Selection{Worker: "nobody"}, nil},
	} {
		which := testutil.Must(c.s.Which())(t)
		var got []int
		for _, r := range rows {
			if which(r) {
				got = append(got, r.Pair)
			}
		}
		testutil.Diff(t, c.want, got, "%+v", c.s)
	}
	for _, s := range []Selection{{}, {Pairs: "x"}, {Pairs: "5-3"}, {Pairs: "-1"}, {Pairs: "1-2-3"}, {Pairs: "1-"}, {Worker: "w", Pairs: "a-b"}} {
		testutil.Fails(t, testutil.Err(s.Which()), "expected", "%+v", s)
	}
}

func TestVoidedForms(t *testing.T) {
	t.Parallel()
	v := Voided{Run: "r", Pairs: []int{1, 2, 3, 7}, Why: "slow", By: "me", Remarks: []i18n.Message{i18n.Verbatim("counted \x1b[2Janew")}}
	var text strings.Builder
	v.Print(&text, i18n.English)
	testutil.Equal(t, text.String(), "4 pairs of run r voided: the next gogi match plays them again\n  pairs 1-3, 7\n  counted anew\n")
	v.DryRun = true
	text.Reset()
	v.Print(&text, i18n.English)
	testutil.Check(t, strings.HasPrefix(text.String(), "4 pairs of run r would be voided\n"), "%q", text.String())
	v.Pairs = nil
	for i := range 20 {
		v.Pairs = append(v.Pairs, 2*i)
	}
	testutil.Equal(t, ranges(v.Pairs), "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, and 8 more")
	text.Reset()
	v.Pairs = []int{9}
	testutil.OK(t, v.JSON(&text))
	var got map[string]any
	testutil.OK(t, json.Unmarshal([]byte(text.String()), &got))
	want := map[string]any{"version": 1., "run": "r", "pairs": []any{9.}, "why": "slow", "by": "me", "dry_run": true, "remarks": []any{"counted \x1b[2Janew"}}
	testutil.Diff(t, want, got)
}
