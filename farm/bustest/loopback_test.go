package bustest_test

import (
	"bytes"
	"errors"
	"testing"

	"gogi/farm"
	"gogi/farm/bustest"
	"gogi/internal/testutil"
)

// TestFaultsHappen requires each fault as often as it is set.
func TestFaultsHappen(t *testing.T) {
	t.Parallel()
	broker := bustest.NewMemoryBroker()
	bus, w := broker.Open(), broker.Connect("w")
	broker.Set(bustest.Faults{Double: 3, Swap: 4, LoseAck: 5})
	for i := range 12 {
		if err := w.Publish(t.Context(), "res.w.0", string(rune('a'+i)), []byte{byte(i)}); (i%5 == 4) !=
			errors.Is(err, farm.ErrAway) {
			t.Fatalf("publication %d: %v", i, err)
		}
	}
	all := testutil.Must(bus.Results(t.Context(), 100))(t)
	var got []byte
	for i, d := range all {
		got = append(got, d.Body[0])
		testutil.Check(t, d.Sequence == uint64(i+1), "message %d has number %d", i, d.Sequence)
	}
	want := []byte{0, 1, 2, 3, 2, 4, 5, 5, 7, 6, 8, 8, 9, 10, 11, 11}
	testutil.Check(t, bytes.Equal(got, want), "the stream is %v, expected %v", got, want)
	broker.Partition("w", true)
	testutil.Is(t, w.Publish(t.Context(), "res.w.0", "z", nil), farm.ErrAway, "from behind a partition")
	c := broker.Count()
	testutil.Check(t, c.Doubled == 4 && c.Swapped == 3 && c.AcksLost == 2 && c.Away == 1 && c.Published == 12, "%+v", c)
	if n := broker.Wipe(); n != 16 || broker.Waiting() != 0 {
		t.Errorf("%d messages wiped, %d left", n, broker.Waiting())
	}
}
