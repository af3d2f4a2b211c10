package voting

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// TestEncodeIsMarshal: whatever a record holds, its fields of today and of
// tomorrow, Encode writes what encoding/json does.
func TestEncodeIsMarshal(t *testing.T) {
	records := rapid.Make[Record]()
	details := rapid.SampledFrom([]string{"", `{"v":2}`, `[ "<", 1 ]`, "{"})
	floats := rapid.SampledFrom([]float64{0, 1, -2.5, 0.1 + 0.2, 1e-6, 9.9e-7, 1e21, 123456.789, 1e20, -1e-300})
	rapid.Check(t, func(rt *rapid.T) {
		r := records.Draw(rt, "record")
		for i := range r.Ballots {
			r.Ballots[i].Detail = json.RawMessage(details.Draw(rt, "detail"))
			r.Ballots[i].MS = floats.Draw(rt, "ms")
		}
		if rapid.Bool().Draw(rt, "nil") {
			r.Ties, r.Members, r.Before, r.After, r.Ballots = nil, nil, nil, nil, nil
		}
		want, wrong := json.Marshal(&r)
		got, err := r.Encode()
		if (err == nil) != (wrong == nil) || string(got) != string(want) {
			rt.Fatalf("got %s, %v\nwant %s, %v", got, err, want, wrong)
		}
	})
}
