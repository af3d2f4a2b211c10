package builtin

import (
	"strconv"
	"testing"

	"gogi/internal/testutil"
	"gogi/usi"
)

// With all weights at their defaults a tunable engine evaluates as any other; each of
// them changes something.
func TestTunableWeights(t *testing.T) {
	e := NewTunable()
	if n := len(New().Options()); len(e.Options()) != n+len(weightKnobs()) || len(weightKnobs()) != 16 {
		t.Fatalf("%d options beside %d", len(e.Options()), n)
	}
	for _, k := range weightKnobs() {
		testutil.OK(t, e.SetOption(usi.Setting{Name: k.name, Value: strconv.Itoa(k.value)}))
	}
	testutil.Equal(t, *e.settings.weights.of(), *handMade(), "the defaults are not the hand-made weights")
	for _, k := range weightKnobs() {
		e := NewTunable()
		e.build()
		testutil.OK(t, e.SetOption(usi.Setting{Name: k.name, Value: strconv.Itoa(k.max)}))
		testutil.Check(t, *e.settings.weights.of() != *handMade(), "%s changes nothing", k.name)
		before := e.search.tables
		if e.build(); e.search.tables == before {
			t.Errorf("%s: the tables are not built anew", k.name)
		}
	}
	testutil.Fails(t, New().SetOption(usi.Setting{Name: "Attack", Value: "0"}), "Attack", "an engine that is not tunable")
}
