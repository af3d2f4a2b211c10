package series

import (
	"encoding/json"
	"testing"

	"gogi/internal/testutil"
	"gogi/lab/truth"
)

// TestComparedInEitherOrder: an interval counts whichever player comes first, with the sign of this order.
func TestComparedInEitherOrder(t *testing.T) {
	for text, held := range map[string]bool{
		`{"comparisons":[{"a":"a","b":"b","elo":60,"lo":10,"hi":120}]}`:    true,
		`{"comparisons":[{"a":"b","b":"a","elo":-60,"lo":-120,"hi":-10}]}`: true,
		`{"comparisons":[{"a":"b","b":"a","elo":60,"lo":10,"hi":120}]}`:    false,
	} {
		b := &bench{law: &truth.Law{Players: []truth.Player{{Name: "a", Elo: 100}, {Name: "b"}}}}
		var r rating
		testutil.OK(t, json.Unmarshal([]byte(text), &r))
		b.compared(&r)
		testutil.Equal(t, len(b.claims), 2, text)
		testutil.Equal(t, b.claims[1].Held, held, text)
	}
}
