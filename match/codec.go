package match

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"time"

	"gogi/shogi"
	"gogi/shogi/kifu"
)

// pairVersion is the newest version of the binary format of a pair. The first byte of EncodePair's text is the
// version. The format of a version never changes. Version 2 adds the machine that played the pair, version 3 the
// options of the pair, and version 4 the questions to a mate solver. EncodePair writes the lowest version that can
// hold all data of the pair, but at least 2.
const (
	pairVersion          = 4
	pairWithoutQuestions = 3
	pairWithoutOptions   = 2
)

// MaxEncodedLegs is the largest number of games in an encoded pair.
const MaxEncodedLegs = 4096

// EncodePair returns a whole pair in binary form, for another process or for storage. Package kifu packs the
// moves. Times are rounded down to microseconds and lose their time zone. The score of a move without
// HasScore and Bound is lost.
func EncodePair(r PairResult) ([]byte, error) {
	w := wire{version: pairWithoutOptions}
	switch {
	case slices.ContainsFunc(r.Games, func(g Result) bool { return g.Questions != Questions{} }):
		w.version = pairVersion
	case len(r.Pair.Options[0])+len(r.Pair.Options[1]) > 0:
		w.version = pairWithoutQuestions
	}
	w.text = []byte{w.version}
	w.pairResult(&r)
	if w.err != nil {
		return nil, fmt.Errorf("match: encoding pair %d: %w", r.Pair.ID, w.err)
	}
	return w.text, nil
}

// DecodePair reads the text of EncodePair, also from an untrusted source. limit is about the largest number of bytes
// that it allocates; it returns an error if the pair needs more. It also returns an error for an unknown outcome or
// termination. It checks only the form of the pair. arbiter.Verify checks whether the pair can have been played.
func DecodePair(text []byte, limit int) (PairResult, error) {
	var r PairResult
	switch {
	case len(text) == 0:
		return r, errors.New("match: decoding a pair: it is empty")
	case text[0] < 1 || text[0] > pairVersion:
		return r, fmt.Errorf("match: decoding a pair: it has format %d, this program knows 1 to %d", text[0], pairVersion)
	}
	w := wire{text: text[1:], version: text[0], reading: true, left: limit}
	w.pairResult(&r)
	if w.err == nil && len(w.text) > 0 {
		w.fail(fmt.Errorf("%d bytes too many", len(w.text)))
	}
	if w.err != nil {
		return PairResult{}, fmt.Errorf("match: decoding a pair: %w", w.err)
	}
	return r, nil
}

func (w *wire) pairResult(r *PairResult) {
	w.pair(&r.Pair)
	list(w, &r.Games, MaxEncodedLegs, w.result)
	list(w, &r.Attempts, math.MaxInt, func(a *Attempt) {
		w.int(&a.Pair)
		w.time(&a.Ended)
		w.string(&a.Why)
	})
	if w.version > 1 {
		w.provenance(&r.Played)
	}
	if w.version > pairWithoutOptions {
		for i := range r.Pair.Options {
			list(w, &r.Pair.Options[i], math.MaxInt, func(o *Option) { w.string(&o.Name, &o.Value) })
		}
	}
	if w.version > pairWithoutQuestions {
		for i := range r.Games {
			q := &r.Games[i].Questions
			w.int(&q.Asked, &q.Claimed, &q.Proven, &q.Refuted, &q.Unproven, &q.Failed)
		}
	}
}

func (w *wire) provenance(p *Provenance) {
	w.string(&p.Worker, &p.Owner)
	w.uint(&p.Epoch)
	w.float(&p.Scale)
	w.bytes(&p.Proof)
}

func (w *wire) pair(p *Pair) {
	w.int(&p.ID, &p.Players[0], &p.Players[1])
	w.uint(&p.Seed)
	w.int(&p.Legs)
	w.string(&p.Opening.ID, &p.Opening.Start)
	list(w, &p.Opening.Moves, math.MaxInt, w.move)
}

func (w *wire) result(g *Result) {
	w.int(&g.Pair, &g.Leg, &g.Players[0], &g.Players[1])
	w.outcome(&g.Outcome)
	w.termination(&g.Termination)
	w.string(&g.Note)
	for c := range g.Sides {
		w.side(&g.Sides[c])
	}
	w.bool(&g.Marked)
	w.int(&g.Slot)
	w.time(&g.Started)
	w.time(&g.Ended)
	w.record(&g.Record)
}

func (w *wire) side(s *Side) {
	w.int(&s.Plies)
	w.uint(&s.Nodes)
	w.duration(&s.Time)
	w.int(&s.DepthSum, &s.DepthPlies)
	w.duration(&s.WorstOverrun)
	w.int(&s.PonderHits, &s.PonderMisses, &s.Incomplete)
}

// record reads or writes a game record. It leaves out the header and the comments, which only imported records have.
func (w *wire) record(r *kifu.Record) {
	w.string(&r.Black, &r.White, &r.Event, &r.Site, &r.Start, &r.Result, &r.Winner)
	w.time(&r.Started)
	w.bytes(&r.Final)
	w.moves(&r.Moves)
}

// wire reads or writes a text. The same calls in the same order do both, so that the layout is defined
// once. It stores its first error, and reads zeros after it.
type wire struct {
	text    []byte // the text written, or the text left to read
	version byte   // version of the layout
	reading bool
	left    int // how much reading may still allocate
	err     error
}

func (w *wire) fail(err error) {
	if w.err == nil {
		w.err = err
	}
	if w.reading {
		w.text = nil
	}
}

// spend subtracts n bytes from the memory that reading may still allocate. If fewer than n bytes are left, it sets an
// error and returns false.
func (w *wire) spend(n int) bool {
	if n > w.left {
		w.fail(errors.New("it takes more than what is allowed"))
		return false
	}
	w.left -= n
	return true
}

func (w *wire) uint(v *uint64) {
	if !w.reading {
		w.text = binary.AppendUvarint(w.text, *v)
		return
	}
	var n int
	if *v, n = binary.Uvarint(w.text); n <= 0 {
		*v = 0
		w.fail(io.ErrUnexpectedEOF)
		return
	}
	w.text = w.text[n:]
}

func (w *wire) int64(v *int64) {
	u := uint64(*v)<<1 ^ uint64(*v>>63) // small numbers of either sign are short (zigzag, as in package binary)
	w.uint(&u)
	*v = int64(u>>1) ^ -int64(u&1)
}

func (w *wire) int(list ...*int) {
	for _, v := range list {
		n := int64(*v)
		w.int64(&n)
		*v = int(n)
	}
}

// float reads or writes all 64 bits of a number.
func (w *wire) float(v *float64) {
	bits := math.Float64bits(*v)
	w.uint(&bits)
	*v = math.Float64frombits(bits)
}

func (w *wire) bool(v *bool) {
	n := uint64(0)
	if *v {
		n = 1
	}
	if w.uint(&n); n > 1 {
		w.fail(fmt.Errorf("%d is neither true nor false", n))
	}
	*v = n == 1
}

// bytes reads or writes a byte slice. It reads a copy, or nil for an empty slice.
func (w *wire) bytes(v *[]byte) {
	n := uint64(len(*v))
	w.uint(&n)
	if !w.reading {
		w.text = append(w.text, *v...)
		return
	}
	*v = nil
	switch {
	case n > uint64(len(w.text)):
		w.fail(io.ErrUnexpectedEOF)
	case n > 0 && w.spend(int(n)):
		*v = append([]byte(nil), w.text[:n]...)
		w.text = w.text[n:]
	}
}

func (w *wire) string(list ...*string) {
	for _, v := range list {
		b := []byte(*v)
		w.bytes(&b)
		*v = string(b)
	}
}

// time reads or writes a time as microseconds since 1970, and the zero time as 0. It reads a time in UTC.
func (w *wire) time(v *time.Time) {
	var us int64
	if !v.IsZero() {
		us = v.UnixMicro()
	}
	w.int64(&us)
	if w.reading && us != 0 {
		if *v = time.UnixMicro(us).UTC(); !yearFits(*v) {
			w.fail(fmt.Errorf("the year %d cannot be right", v.Year()))
		}
	}
}

// yearFits reports whether RFC 3339, and so JSON, can represent a time.
func yearFits(t time.Time) bool { return t.Year() >= 0 && t.Year() <= 9999 }

func (w *wire) duration(v *time.Duration) {
	us := v.Microseconds()
	w.int64(&us)
	if us > math.MaxInt64/int64(time.Microsecond) || us < math.MinInt64/int64(time.Microsecond) {
		w.fail(fmt.Errorf("%d microseconds cannot be right", us))
		return
	}
	if w.reading {
		*v = time.Duration(us) * time.Microsecond
	}
}

// outcome reads or writes an outcome as text. A text, unlike a number, keeps its meaning if the constants change.
func (w *wire) outcome(v *Outcome) {
	text, err := v.MarshalText()
	if err == nil {
		w.bytes(&text)
		err = v.UnmarshalText(text)
	}
	if err != nil {
		w.fail(err)
	}
}

func (w *wire) termination(v *Termination) {
	word := v.String()
	w.string(&word)
	var err error
	if *v, err = ParseTermination(word); err != nil {
		w.fail(err)
	}
}

func (w *wire) move(v *shogi.Move) {
	n := uint64(*v)
	if w.uint(&n); n > math.MaxUint16 {
		w.fail(fmt.Errorf("%d is no move", n))
		return
	}
	*v = shogi.Move(n)
}

func (w *wire) moves(v *[]kifu.Move) {
	if !w.reading {
		packed, err := kifu.Pack(*v, math.MaxInt)
		if err != nil {
			w.fail(err)
		}
		w.bytes(&packed)
		return
	}
	var packed []byte
	if w.bytes(&packed); w.err != nil {
		return
	}
	moves, err := kifu.UnpackWithin(packed, w.left/2) // more games and the attempts follow
	if err != nil {
		w.fail(err)
		return
	}
	if w.spend(size(moves)) && len(moves) > 0 {
		*v = moves
	}
}

// size returns about how many bytes of memory the moves take.
func size(moves []kifu.Move) int {
	n := len(moves) * int(reflect.TypeFor[kifu.Move]().Size())
	for i := range moves {
		n += 2*len(moves[i].PV) + len(moves[i].Detail) + len(moves[i].Comment)
	}
	return n
}

// list writes a list, or reads it: first its length, then each element by the function element. most is the largest
// accepted length. list leaves *v nil for length 0. It also rejects a length above the number of bytes left, because
// each element takes at least one byte.
func list[T any](w *wire, v *[]T, most int, element func(*T)) {
	n := uint64(len(*v))
	w.uint(&n)
	if n > uint64(most) || w.reading && n > uint64(len(w.text)) {
		w.fail(fmt.Errorf("a list of %d cannot be right", n))
		return
	}
	if w.reading && n > 0 && w.spend(int(n)*int(reflect.TypeFor[T]().Size())) {
		*v = make([]T, n)
	}
	for i := range *v {
		element(&(*v)[i])
	}
}
