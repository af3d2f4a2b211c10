package upkeep

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gogi/internal/phrases"
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
		which, err := c.s.Which()
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, r := range rows {
			if which(r) {
				got = append(got, r.Pair)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.s, diff)
		}
	}
	for _, s := range []Selection{{}, {Pairs: "x"}, {Pairs: "5-3"}, {Pairs: "-1"}, {Pairs: "1-2-3"}, {Pairs: "1-"}, {Worker: "w", Pairs: "a-b"}} {
		if _, err := s.Which(); err == nil || !strings.Contains(err.Error(), "expected") {
			t.Errorf("%+v: %v", s, err)
		}
	}
}

func TestVoidedForms(t *testing.T) {
	t.Parallel()
	v := Voided{Run: "r", Pairs: []int{1, 2, 3, 7}, Why: "slow", By: "me", Remarks: []phrases.Said{phrases.Verbatim("counted \x1b[2Janew")}}
	var text strings.Builder
	v.Print(&text, phrases.English)
	if text.String() != "4 pairs of run r voided, and missing again: the run plays them anew\n  pairs 1-3, 7\n  counted anew\n" {
		t.Errorf("%q", text.String())
	}
	v.DryRun = true
	text.Reset()
	v.Print(&text, phrases.English)
	if !strings.HasPrefix(text.String(), "4 pairs of run r would be voided\n") {
		t.Errorf("%q", text.String())
	}
	v.Pairs = nil
	for i := range 20 {
		v.Pairs = append(v.Pairs, 2*i)
	}
	if got := ranges(v.Pairs); got != "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, and 8 more" {
		t.Error(got)
	}
	text.Reset()
	v.Pairs = []int{9}
	if err := v.JSON(&text); err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal([]byte(text.String()), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"version": 1., "run": "r", "pairs": []any{9.}, "why": "slow", "by": "me", "dry_run": true, "remarks": []any{"counted \x1b[2Janew"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
