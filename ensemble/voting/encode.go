package voting

import (
	"encoding/json"
	"math"
	"strconv"
)

// Encode is the record as json.Marshal writes it, byte for byte, in a fraction of the
// time: a council writes one with every move. As there, a number that is not
// finite is an error.
func (r *Record) Encode() ([]byte, error) {
	w := encoder{out: make([]byte, 0, 1024+256*len(r.Ballots))}
	w.out = append(w.out, '{')
	w.head(r)
	w.decided(r)
	w.other("veto", r.Veto, len(r.Veto) == 0)
	w.other("shadow", r.Shadow, len(r.Shadow) == 0)
	w.floats("w_before", r.Before)
	w.floats("w_after", r.After)
	w.int("leader", r.Leader)
	w.bool("early", r.Early)
	w.ballots(r.Ballots)
	w.key("nodes")
	w.out = strconv.AppendUint(w.out, r.Nodes, 10)
	w.float("wall_ms", r.WallMS)
	w.int("alive", r.Alive)
	w.other("events", r.Events, len(r.Events) == 0)
	w.out = append(w.out, '}')
	if w.err != nil {
		return nil, w.err
	}
	return w.out, nil
}

// head writes the fields that are known before the vote.
func (w *encoder) head(r *Record) {
	w.int("v", r.Version)
	w.text("type", r.Type)
	w.text("council", r.Council)
	w.int("ply", r.Ply)
	w.int("own", r.Own)
	w.text("side", r.Side)
	w.text("sfen", r.SFEN)
	w.text("rule", r.Rule)
	w.key("seed")
	w.out = append(strconv.AppendUint(append(w.out, '"'), r.Seed, 10), '"')
	w.text("stop", r.Stop)
	w.list("ties", len(r.Ties), r.Ties == nil, func(i int) { w.quote(string(r.Ties[i])) })
	w.text("declaration", r.Declaration)
	w.float("resign_quorum", r.ResignQuorum)
	w.list("members", len(r.Members), r.Members == nil, func(i int) { w.quote(r.Members[i]) })
	w.other("scales", r.Scales, len(r.Scales) == 0)
	w.other("clamps", r.Clamps, len(r.Clamps) == 0)
}

// decided writes the result of the vote.
func (w *encoder) decided(r *Record) {
	w.text("played", r.Played)
	w.textIfAny("ponder", r.Ponder)
	w.text("by", string(r.By))
	w.textIfAny("tie", string(r.Tie))
	w.text("split", r.Split)
	w.key("counts")
	w.out = append(w.out, '{')
	for _, e := range r.Counts {
		w.int(e.Key, e.Value)
	}
	w.out = append(w.out, '}')
	w.sums("wsum", r.Sums)
	if len(r.Values) > 0 {
		w.sums("values", r.Values)
	}
	w.bool("top_tie", r.TopTie)
	w.bool("differs_from_plurality", r.Differs)
	w.textIfAny("vetoed", r.Vetoed)
}

func (w *encoder) sums(key string, list Ordered[float64]) {
	w.key(key)
	w.out = append(w.out, '{')
	for _, e := range list {
		w.float(e.Key, e.Value)
	}
	w.out = append(w.out, '}')
}

func (w *encoder) floats(key string, list []float64) {
	w.list(key, len(list), list == nil, func(i int) { w.number(list[i]) })
}

func (w *encoder) ballots(list []BallotRecord) {
	w.list("ballots", len(list), list == nil, func(i int) { w.ballot(&list[i]) })
}

func (w *encoder) ballot(b *BallotRecord) {
	w.out = append(w.out, '{')
	w.int("m", b.Member)
	w.text("name", b.Name)
	w.text("kind", string(b.Kind))
	w.textIfAny("mv", b.Move)
	w.textIfAny("pd", b.Ponder)
	if b.CP != nil {
		w.int("cp", *b.CP)
	}
	w.textIfAny("mate", b.Mate)
	w.textIfAny("bound", b.Bound)
	w.intIfAny("d", b.Depth)
	w.intIfAny("sd", b.SelDepth)
	if b.Nodes > 0 {
		w.key("n")
		w.out = strconv.AppendUint(w.out, b.Nodes, 10)
	}
	w.float("ms", b.MS)
	w.float("arr", b.Arrived)
	w.textIfAny("src", string(b.Source))
	w.textIfAny("text", b.Text)
	w.textIfAny("pv", b.PV)
	w.other("ranked", b.Ranked, len(b.Ranked) == 0)
	w.other("vote", b.Detail, len(b.Detail) == 0)
	w.out = append(w.out, '}')
}

// encoder writes JSON as encoding/json does. It stores its first error; its output is then invalid.
type encoder struct {
	out []byte
	err error
}

// key begins a part of an object.
func (w *encoder) key(name string) {
	w.comma()
	w.quote(name)
	w.out = append(w.out, ':')
}

// comma stands before every part of an object or array but the first.
func (w *encoder) comma() {
	if last := w.out[len(w.out)-1]; last != '{' && last != '[' {
		w.out = append(w.out, ',')
	}
}

// quote writes a string. encoding/json writes strings that need an escape, or are not ASCII; it also
// makes < > & safe for HTML.
func (w *encoder) quote(s string) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&' {
			w.marshal(s)
			return
		}
	}
	w.out = append(append(append(w.out, '"'), s...), '"')
}

func (w *encoder) marshal(v any) {
	text, err := json.Marshal(v)
	if err != nil && w.err == nil {
		w.err = err
	}
	w.out = append(w.out, text...)
}

func (w *encoder) text(key, s string) {
	w.key(key)
	w.quote(s)
}

func (w *encoder) textIfAny(key, s string) {
	if s != "" {
		w.text(key, s)
	}
}

func (w *encoder) int(key string, n int) {
	w.key(key)
	w.out = strconv.AppendInt(w.out, int64(n), 10)
}

func (w *encoder) intIfAny(key string, n int) {
	if n != 0 {
		w.int(key, n)
	}
}

func (w *encoder) bool(key string, b bool) {
	w.key(key)
	w.out = strconv.AppendBool(w.out, b)
}

func (w *encoder) float(key string, f float64) {
	w.key(key)
	w.number(f)
}

// number writes in full the usual numbers here: integers and thousandths of no great size. encoding/json
// writes others with an exponent, or rejects them.
func (w *encoder) number(f float64) {
	if size := math.Abs(f); size == 0 || size >= 1e-6 && size < 1e21 {
		w.out = strconv.AppendFloat(w.out, f, 'f', -1, 64)
		return
	}
	w.marshal(f)
}

// list writes an array, null for a nil one.
func (w *encoder) list(key string, n int, null bool, part func(int)) {
	w.key(key)
	if null {
		w.out = append(w.out, "null"...)
		return
	}
	w.out = append(w.out, '[')
	for i := range n {
		w.comma()
		part(i)
	}
	w.out = append(w.out, ']')
}

// other writes a part that few records have, unless it is empty.
func (w *encoder) other(key string, v any, empty bool) {
	if !empty {
		w.key(key)
		w.marshal(v)
	}
}
