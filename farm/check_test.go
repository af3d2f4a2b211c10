package farm_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/internal/testutil"
	"gogi/match"
)

// TestWhatWorkersCannotMean sets each field of a worker's messages outside its range, which is an error.
func TestWhatWorkersCannotMean(t *testing.T) {
	long, held := strings.Repeat("x", 300), farm.Held{Run: "r", Pair: 1, Token: make([]byte, 12)}
	many := make([]string, 10_001)
	hello := func(change func(*farm.Hello)) error {
		h := farm.Hello{Session: "s", Slots: 4, Start: uint64(time.Date(2060, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli()),
			Labels: map[string]string{"os": "linux"}, NPS: 1e6, Version: "1", Artefacts: []string{"a"}}
		change(&h)
		return h.Check()
	}
	ask := func(change func(*farm.Ask)) error {
		a := farm.Ask{Session: "s", Want: 10, Open: []string{"r"}, Known: []string{"r"}}
		change(&a)
		return a.Check()
	}
	beat := func(change func(*farm.Beat)) error {
		b := farm.Beat{Session: "s", Held: []farm.Held{held}, Outbox: []farm.Held{held}, Sent: []farm.Held{held},
			Back: []farm.Back{{Held: held, Why: "w"}}, Load: 1, NPS: 1}
		change(&b)
		return b.Check()
	}
	item := func(change func(*farm.Item)) error {
		it := farm.Item{Lease: held, Pair: []byte{1}}
		change(&it)
		return it.Check()
	}
	for _, err := range []error{hello(func(*farm.Hello) {}), ask(func(*farm.Ask) {}), beat(func(*farm.Beat) {}),
		item(func(*farm.Item) {})} {
		testutil.Check(t, err == nil, "what is right is refused: %v", err)
	}
	for name, test := range map[string]struct {
		err  error
		says string
	}{
		"no session":     {hello(func(h *farm.Hello) { h.Session = "" }), "session"},
		"long session":   {hello(func(h *farm.Hello) { h.Session = long }), "300 bytes"},
		"no slots":       {hello(func(h *farm.Hello) { h.Slots = 0 }), "0 slots: expected 1 to 10000"},
		"negative slots": {hello(func(h *farm.Hello) { h.Slots = -1 }), "-1 slots"},
		"many slots":     {hello(func(h *farm.Hello) { h.Slots = 10_001 }), "10001 slots"},
		"last start":     {hello(func(h *farm.Hello) { h.Start = math.MaxUint64 }), "start"},
		"nan nps":        {hello(func(h *farm.Hello) { h.NPS = math.NaN() }), "NaN"},
		"negative nps":   {hello(func(h *farm.Hello) { h.NPS = -1 }), "-1"},
		"infinite nps":   {hello(func(h *farm.Hello) { h.NPS = math.Inf(1) }), "Inf"},
		"version":        {hello(func(h *farm.Hello) { h.Version = long }), "version"},
		"reference":      {hello(func(h *farm.Hello) { h.Reference = long }), "reference"},
		"label":          {hello(func(h *farm.Hello) { h.Labels["os"] = long }), "label os"},
		"label's name":   {hello(func(h *farm.Hello) { h.Labels[long] = "1" }), "label"},
		"many artefacts": {hello(func(h *farm.Hello) { h.Artefacts = many }), "artefacts"},
		"long artefact":  {hello(func(h *farm.Hello) { h.Artefacts[0] = long }), "artefacts"},
		"negative want":  {ask(func(a *farm.Ask) { a.Want = -1 }), "-1 pairs"},
		"endless want":   {ask(func(a *farm.Ask) { a.Want = math.MaxInt }), "pairs are wanted"},
		"ask's session":  {ask(func(a *farm.Ask) { a.Session = long }), "session"},
		"open":           {ask(func(a *farm.Ask) { a.Open = many }), "open runs"},
		"known":          {ask(func(a *farm.Ask) { a.Known = many }), "known runs"},
		"refused":        {ask(func(a *farm.Ask) { a.Refuse = []string{long} }), "refused runs"},
		"built":          {ask(func(a *farm.Ask) { a.Benches = []farm.Bench{{Engine: long}} }), "built engines"},
		"beat's session": {beat(func(b *farm.Beat) { b.Session = long }), "session"},
		"nan load":       {beat(func(b *farm.Beat) { b.Load = math.NaN() }), "load"},
		"negative load":  {beat(func(b *farm.Beat) { b.Load = -0.5 }), "load"},
		"beat's nps":     {beat(func(b *farm.Beat) { b.NPS = math.Inf(-1) }), "nodes a second"},
		"held":           {beat(func(b *farm.Beat) { b.Held[0].Pair = -1 }), "pair -1"},
		"outbox":         {beat(func(b *farm.Beat) { b.Outbox[0].Take = -1 }), "take -1"},
		"sent":           {beat(func(b *farm.Beat) { b.Sent[0].Run = long }), "run"},
		"token":          {beat(func(b *farm.Beat) { b.Held[0].Token = make([]byte, 1000) }), "1000 bytes: expected 12"},
		"back":           {beat(func(b *farm.Beat) { b.Back[0].Pair = -1 }), "pair -1"},
		"reason":         {beat(func(b *farm.Beat) { b.Back[0].Why = strings.Repeat("x", 5000) }), "5000 bytes"},
		"nothing":        {item(func(it *farm.Item) { it.Pair = nil }), "a pair or an attempt"},
		"both":           {item(func(it *farm.Item) { it.Attempt = &match.Attempt{} }), "a pair or an attempt"},
		"an old block": {item(func(it *farm.Item) { it.Pair, it.Block = nil, []byte{0xa0} }),
			"update the worker's program"},
		"item's lease": {item(func(it *farm.Item) { it.Lease.Pair = math.MaxInt }), "lease of pair"},
		"attempt's reason": {item(func(it *farm.Item) {
			it.Pair, it.Attempt = nil, &match.Attempt{Why: strings.Repeat("x", 1<<17), Ended: time.Unix(1, 0)}
		}), "131072 bytes"},
	} {
		testutil.Check(t, test.err != nil && strings.Contains(test.err.Error(), test.says),
			"%s: %v, expected %q", name, test.err, test.says)
	}
}
