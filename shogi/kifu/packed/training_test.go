package packed

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// record returns a game from words such as "7g7f=10" (a move with its score), "3c3d" (without a score) and "2g2f=o" (an
// opening move).
func record(t *testing.T, winner, result, text string) *kifu.Record {
	t.Helper()
	start := shogi.StartPos()
	r := &kifu.Record{Start: start.SFEN(), Winner: winner, Result: result}
	for _, word := range strings.Fields(text) {
		move, score, scored := strings.Cut(word, "=")
		m := testutil.Must(shogi.ParseMove(move))(t)
		k := kifu.Move{Move: m, Opening: score == "o"}
		if scored && score != "o" {
			k.Score, k.HasScore = number(t, score), true
		}
		r.Moves = append(r.Moves, k)
	}
	return r
}

const trained = "7g7f=o 3c3d=o 2g2f=12 8c8d 2f2e=999997 8d8e=-40000 6i7h=-999990"

// encoded returns a record in a format.
func encoded(t *testing.T, format string, r *kifu.Record, o Options) (blocks [][]byte, tally Tally, err error) {
	t.Helper()
	tally, err = formatOf(t, format).Encode(r, o, func(b []byte, positions int) error {
		testutil.Check(t, positions >= 1, "%d positions", positions)
		blocks = append(blocks, bytes.Clone(b))
		return nil
	})
	return blocks, tally, err
}

func TestEncodeSamples(t *testing.T) {
	t.Parallel()
	r := record(t, "white", "resignation", trained)
	for _, c := range []struct {
		options Options
		want    string // ply:score:result of each sample in psv
		tally   Tally
	}{
		{Options{}, "3:12:-1 5:32000:-1 6:-32000:1 7:-32000:-1",
			Tally{Games: 1, Positions: 4, Opening: 2, Unscored: 1, Clamped: 3}},
		{Options{NoMate: true}, "3:12:-1", Tally{Games: 1, Positions: 1, Opening: 2, Unscored: 1, Mates: 3}},
		{Options{Unscored: true}, "3:12:-1 4:0:1 5:32000:-1 6:-32000:1 7:-32000:-1",
			Tally{Games: 1, Positions: 5, Opening: 2, Clamped: 3}},
		{Options{Opening: true}, "3:12:-1 5:32000:-1 6:-32000:1 7:-32000:-1",
			Tally{Games: 1, Positions: 4, Unscored: 3, Clamped: 3}},
		{Options{Opening: true, Unscored: true}, "1:0:-1 2:0:1 3:12:-1 4:0:1 5:32000:-1 6:-32000:1 7:-32000:-1",
			Tally{Games: 1, Positions: 7, Clamped: 3}},
	} {
		blocks, tally, err := encoded(t, "psv", r, c.options)
		testutil.Check(t, err == nil && tally == c.tally, "%+v: %+v, %v: expected %+v", c.options, tally, err, c.tally)
		var got []string
		for _, b := range blocks {
			s := testutil.Must(ParsePSV(b))(t)
			testutil.Check(t, s.Outcome == WhiteWins && s.Legal() == nil, "%+v", s)
			got = append(got, fmt.Sprintf("%d:%d:%d", s.Position.Ply(), s.Score, int8(b[38])))
		}
		testutil.Equal(t, strings.Join(got, " "), c.want, "%+v: %v", c.options, got)
	}
}

// TestUnused: an option is unused for a format if, and only if, it never changes what Encode does.
func TestUnused(t *testing.T) {
	t.Parallel()
	r := record(t, "white", "resignation", trained)
	set := map[string]func(*Options){
		"no-mate": func(o *Options) { o.NoMate = true }, "unscored": func(o *Options) { o.Unscored = true },
		"opening": func(o *Options) { o.Opening = true }, "played": func(o *Options) { o.Played = true },
	}
	for _, f := range Formats() {
		for name, change := range set {
			changes := false
			for _, other := range set {
				var without Options
				other(&without)
				with := without
				change(&with)
				a, _, err := encoded(t, f.Name, r, without)
				b, _, err2 := encoded(t, f.Name, r, with)
				changes = changes || (err == nil) != (err2 == nil) || !slices.EqualFunc(a, b, bytes.Equal)
			}
			var o Options
			change(&o)
			testutil.Check(t, changes == (len(o.Unused(f.Name)) == 0), "%s with %s: it changes something: %t, unused: %q",
				f.Name, name, changes, o.Unused(f.Name))
		}
	}
	all := Options{NoMate: true, Unscored: true, Opening: true, Played: true}
	testutil.Equal(t, fmt.Sprint(all.Unused("csa"), all.Unused("pack")),
		"[no-mate unscored opening played] [no-mate played]")
}

// TestOutcomes: the outcome is the record's winner. Formats that can store how the game ended have this, too.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		winner, result string
		rule           shogi.DeclarationRule
		hcpe2          byte
		reason         Reason
	}{
		{"black", "checkmate", shogi.CSARule27, 1, ReasonResign},
		{"white", "crash", shogi.CSARule27, 2, ReasonResign},
		{"white", "score_adjudication", shogi.CSARule27, 2, ReasonResign},
		{"draw", "score_adjudication", shogi.CSARule27, 0, ReasonInterrupted},
		{"black", "time_forfeit", shogi.CSARule27, 1, ReasonTime},
		{"black", "stall", shogi.CSARule27, 1, ReasonTime},
		{"white", "illegal_move", shogi.CSARule27, 2, ReasonIllegal},
		{"white", "false_declaration", shogi.CSARule27, 2, ReasonIllegal},
		{"draw", "repetition", shogi.CSARule27, 4, ReasonRepetition},
		{"black", "perpetual_check", shogi.CSARule27, 1, ReasonPerpetual},
		{"draw", "max_plies", shogi.CSARule27, 16, ReasonMaxPlies},
		{"draw", "impasse", shogi.CSARule24, 8, ReasonImpasse24},
		{"black", "declaration", shogi.CSARule27, 9, ReasonDeclaration27}, // Black is to move
		{"black", "declaration", shogi.CSARule24H, 9, ReasonDeclaration24},
		{"white", "declaration", shogi.TryRule, 10, ReasonTry},
		{"white", "a word of a newer version", shogi.CSARule27, 2, ReasonResign},
	} {
		r := record(t, c.winner, c.result, "7g7f=1 3c3d=2")
		hcpe2, _, err := encoded(t, "hcpe2", r, Options{})
		testutil.Check(t, err == nil && len(hcpe2) == 2 && hcpe2[0][36] == c.hcpe2,
			"%s, %s: %x, %v: expected %d", c.winner, c.result, hcpe2, err, c.hcpe2)
		pack, _, err := encoded(t, "pack", r, Options{Rule: c.rule})
		testutil.Check(t, err == nil && Reason(pack[0][len(pack[0])-1]) == c.reason,
			"%s, %s: %x, %v: expected %d", c.winner, c.result, pack, err, c.reason)
	}
	for _, winner := range []string{"", "unfinished"} {
		for _, f := range Formats() {
			if _, err := f.Encode(record(t, winner, "resignation", "7g7f=1"), Options{}, nil); !errors.Is(err, ErrNoOutcome) {
				t.Errorf("%s of %q: %v", f.Name, winner, err)
			}
		}
	}
}

func TestEncodeGames(t *testing.T) {
	t.Parallel()
	r := record(t, "black", "resignation", trained)
	r.Moves[2].Detail = []byte("a vote")
	second := r.Moves[2].Move
	third := testutil.Must(shogi.ParseMove("9g9f"))(t)
	votes := func(detail []byte) []Candidate {
		testutil.Equal(t, string(detail), "a vote", "%q", detail)
		return []Candidate{{second, 2}, {third, 1}}
	}
	for _, c := range []struct {
		options Options
		want    string // number of candidates of each move
	}{
		{Options{}, "0 0 0 0 0"},
		{Options{Votes: votes}, "2 0 0 0 0"},
		{Options{Votes: votes, Played: true}, "2 0 1 1 1"},
		{Options{Played: true, NoMate: true}, "1 0 0 0 0"},
		{Options{Played: true, Unscored: true, Opening: true}, "1 1 1 1 1 1 1"},
	} {
		blocks, tally, err := encoded(t, "hcpe3", r, c.options)
		testutil.Require(t, err == nil && len(blocks) == 1 && tally.Positions == len(strings.Fields(c.want)),
			"%d games, %+v, %v", len(blocks), tally, err)
		g, _, err := formatOf(t, "hcpe3").Games(bytes.NewReader(blocks[0])).Next()
		testutil.OK(t, err)
		got := lists.Map(g.Plies, func(p Ply) string { return fmt.Sprint(len(p.Candidates)) })
		testutil.Check(t, strings.Join(got, " ") == c.want && g.Outcome == BlackWins, "%v, %v: expected %s", got, g.Outcome,
			c.want)
	}
	if _, _, err := encoded(t, "pack", r, Options{}); !errors.Is(err, ErrUnscored) ||
		!strings.HasPrefix(err.Error(), "move 4: ") {
		t.Error(err)
	}
	if blocks, _, err := encoded(t, "pack", r, Options{Unscored: true}); err != nil || len(blocks) != 1 {
		t.Error(err)
	}
	votes = func([]byte) []Candidate { return []Candidate{{shogi.NewMove(0, 1), 1}} }
	if _, _, err := encoded(t, "hcpe3", r, Options{Votes: votes}); err == nil {
		t.Error("an illegal candidate was written")
	}
}

// TestIllegalRecord: a game with an illegal move gives an error and no output.
func TestIllegalRecord(t *testing.T) {
	t.Parallel()
	r := record(t, "black", "resignation", "7g7f=1 3c3d=1 7g7f=1")
	for _, f := range Formats() {
		_, err := f.Encode(r, Options{}, func([]byte, int) error { t.Error("a part was written"); return nil })
		testutil.Fails(t, err, "move 3: ", "%s", f.Name)
	}
}

// kept is a file in memory.
type kept struct {
	bytes.Buffer
	closed, discarded bool
}

func (k *kept) Close() error   { k.closed = true; return nil }
func (k *kept) Discard() error { k.discarded = true; return nil }

func shards(t *testing.T, o ShardOptions, blocks int) (files []*kept) {
	t.Helper()
	o.Create = func(n int) (io.WriteCloser, error) {
		testutil.Equal(t, n, len(files), "shard")
		files = append(files, &kept{})
		return files[n], nil
	}
	o.Scratch = t.TempDir()
	s := testutil.Must(NewShards(o))(t)
	for i := range blocks {
		if err := s.Add([]byte{byte(i), byte(i >> 8)}, 1+i%2); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := s.Close(); err != nil || n != len(files) {
		t.Fatal(n, err)
	}
	for _, f := range files {
		testutil.Check(t, f.closed && !f.discarded, "a shard was not closed")
	}
	return files
}

func TestShards(t *testing.T) {
	t.Parallel()
	const blocks = 1000
	var plain []byte
	for i := range blocks {
		plain = append(plain, byte(i), byte(i>>8))
	}
	var straight, shuffled, again, other []byte
	// The blocks have one and two positions in turn. A shard of 4 positions ends after 1+2+1 = 4 or 2+1+2 = 5, so it
	// has 3 blocks.
	for i, f := range shards(t, ShardOptions{Positions: 4}, blocks) {
		testutil.Require(t, i >= 300 || f.Len() == 6, "shard %d has %d bytes", i, f.Len())
		straight = append(straight, f.Bytes()...)
	}
	for _, f := range shards(t, ShardOptions{Positions: 100, Shuffle: true, Seed: 7}, blocks) {
		shuffled = append(shuffled, f.Bytes()...)
	}
	one := shards(t, ShardOptions{Shuffle: true, Seed: 7}, blocks)
	testutil.Require(t, len(one) == 1, "%d shards", len(one))
	again = one[0].Bytes()
	other = shards(t, ShardOptions{Shuffle: true, Seed: 8}, blocks)[0].Bytes()
	testutil.Check(t, bytes.Equal(straight, plain) && bytes.Equal(shuffled, again) && !bytes.Equal(shuffled, other) &&
		!bytes.Equal(shuffled, plain),
		"the order is not what was asked for")
	testutil.Slices(t, pairsOf(shuffled), pairsOf(plain), "shuffling lost or made something")
	files := shards(t, ShardOptions{}, 0)
	testutil.Check(t, len(files) == 0, "nothing was written into a file")
}

// pairsOf returns the blocks of two bytes in sorted order.
func pairsOf(b []byte) (list []int) {
	for i := 0; i < len(b); i += 2 {
		list = append(list, int(b[i])|int(b[i+1])<<8)
	}
	slices.Sort(list)
	return list
}

// TestAbort: Abort discards the file.
func TestAbort(t *testing.T) {
	t.Parallel()
	f := &kept{}
	s := testutil.Must(NewShards(ShardOptions{Create: func(int) (io.WriteCloser, error) { return f, nil }}))(t)
	err := errors.Join(s.Add([]byte{1}, 1), s.Abort())
	testutil.Check(t, err == nil && !f.closed && f.discarded, "%+v, %v", f, err)
}
