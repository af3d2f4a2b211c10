package convert

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi/kifu/packed"
)

const (
	// The first fixture of package packed: the start position, 2g2f, Black wins.
	psv = "58a451220ceb67227e9653221caf447824c22b119e53221ceb6f223e9651220c00008e0701000100"
	hcp = "58a449210cd757217e8e4d212caf427814c2ab109e4d212cd75f213e8e49210c"
	// A game of pack_wire_contract.rs in rsshogi.
	pack  = "013b1e0a00150aecff0a632c010a0900009f2a007d810000"
	moves = "7g7f 3c3d 8h2b+ 3a2b B*4e"
)

func bytesOf(t *testing.T, text string) []byte {
	t.Helper()
	return testutil.Must(hex.DecodeString(text))(t)
}

func kind(t *testing.T, name string) Kind {
	t.Helper()
	return testutil.Must(KindOf(name, ""))(t)
}

func inspected(t *testing.T, format string, data []byte) (lines []string, found Found) {
	t.Helper()
	var out bytes.Buffer
	found = testutil.Must(Inspect(&out, "file", bytes.NewReader(data), kind(t, format)))(t)
	lines = strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	for _, line := range lines {
		testutil.Check(t, json.Valid([]byte(line)), "%s is no JSON", line)
	}
	return lines, found
}

func TestInspectSamples(t *testing.T) {
	t.Parallel()
	good := bytesOf(t, psv)
	illegal, broken := bytes.Clone(good), bytes.Clone(good)
	illegal[34], illegal[35] = 0, 0x1e // 7g1a
	broken[38] = 5
	lines, found := inspected(t, "psv", bytes.Join([][]byte{good, illegal, broken, good[:7]}, nil))
	for i, want := range []string{
		`{"offset":0,"sfen":"lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1","move":"2g2f","score":0,"winner":"black"}`,
		`"error":"7g1a is illegal: a pawn cannot move from 7g to 1a"}`,
		`{"offset":80,"error":"byte 118: the result is 5: expected -1, 0 or 1"}`,
		`{"offset":120,"error":"byte 127: the input ends after 7 bytes of a sample of psv at byte 120: expected 40"}`,
	} {
		testutil.Check(t, strings.HasSuffix(lines[i], want), "%s\nexpected %s", lines[i], want)
	}
	testutil.Equal(t, found, (Found{Good: 1, Bad: 3}))
	if lines, _ := inspected(t, "hcp", bytesOf(t, hcp)); len(lines) != 1 || strings.Contains(lines[0], "move") {
		t.Error(lines)
	}
}

func TestInspectGames(t *testing.T) {
	t.Parallel()
	lines, found := inspected(t, "pack", bytesOf(t, pack+"013b1e00003b1e00008100000181"+"0000"))
	testutil.Require(t, len(lines) == 3 && found == (Found{Good: 2, Bad: 1}), "%q, %+v", lines, found)
	var first Game
	if err := json.Unmarshal([]byte(lines[0]), &first); err != nil || first.Reason == nil ||
		*first.Reason != packed.ReasonResign || !bytes.Contains(first.Record, []byte(`"B*4e"`)) {
		t.Errorf("%s, %v", lines[0], err)
	}
	testutil.Contains(t, lines[1], `"offset":24,"error":"byte 29: move 2: 7g7f is illegal`)
	lines, found = inspected(t, "hcpe3", bytesOf(t, hcp+"0100"+"09"+"00"+"3b1e19000100"+"3b1e0300"))
	testutil.Check(t, found.Good == 1 &&
		strings.Contains(lines[0], `"end":"declaration","candidates":[[{"move":"7g7f","visits":3}]]`), "%v", lines)
}

func TestInspectTextsAndBooks(t *testing.T) {
	t.Parallel()
	lines, found := inspected(t, "usi", []byte("startpos moves 7g7f 3c3d\nstartpos moves 7g7f 7g7f\nstartpos\n"))
	testutil.Check(t, found.Good == 2 && found.Bad == 1 && strings.Contains(lines[1], `"error":`) &&
		strings.Contains(lines[0], "3c3d"),
		"%q, %+v", lines, found)
	lines, found = inspected(t, "db",
		[]byte("sfen lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1\n7g7f 3c3d 10 20 30\n7i7f none none none\n"))
	if found.Good != 0 || found.Bad != 1 || found.Book == nil || len(found.Book.Entries) != 1 ||
		!strings.Contains(lines[0], `{"move":"7g7f","ponder":"3c3d","score":10,"depth":20,"count":30}`) ||
		!strings.Contains(lines[0], "a silver cannot") {
		t.Errorf("%q, %+v", lines, found)
	}
	_, err := Inspect(&bytes.Buffer{}, "file", strings.NewReader("x"), kind(t, "ybb"))
	testutil.Check(t, err != nil, "anything is a ybb")
}

func converted(t *testing.T, to, from string, data []byte, o packed.Options) ([]byte, Done) {
	t.Helper()
	var out bytes.Buffer
	done, err := Convert(&out, kind(t, to), "file", bytes.NewReader(data), kind(t, from), o)
	testutil.OK(t, err, "%s to %s", from, to)
	return out.Bytes(), done
}

func TestConvert(t *testing.T) {
	t.Parallel()
	game := bytesOf(t, pack)
	text, _ := converted(t, "usi", "pack", game, packed.Options{})
	testutil.Equal(t, string(text), "position startpos moves "+moves+"\n", "%q", text)
	// JSON lines and hcpe3 store all fields of a pack.
	for _, by := range []string{"jsonl", "hcpe3"} {
		there, _ := converted(t, by, "pack", game, packed.Options{})
		if back, done := converted(t, "pack", by, there, packed.Options{}); !bytes.Equal(back, game) || done.Written != 1 {
			t.Errorf("by %s: %x, %+v", by, back, done)
		}
	}
	both, _ := converted(t, "csa", "pack", append(bytes.Clone(game), game...), packed.Options{})
	testutil.Check(t, strings.Count(string(both), "\n/\n") == 1, "%s", both)
	samples, done := converted(t, "psv", "pack", game, packed.Options{})
	testutil.Check(t, len(samples) == 5*40 && done.Training.Positions == 5 && done.Training.Games == 1 && done.Read == 1,
		"%d bytes, %+v", len(samples), done)
	hcpe, _ := converted(t, "hcpe", "psv", samples, packed.Options{})
	direct, _ := converted(t, "hcpe", "pack", game, packed.Options{})
	testutil.Check(t, bytes.Equal(hcpe, direct), "%x\nexpected %x", hcpe, direct)
	positions, _ := converted(t, "hcp", "psv", bytesOf(t, psv), packed.Options{})
	testutil.Check(t, bytes.Equal(positions, bytesOf(t, hcp)), "%x", positions)
}

// TestConvertRefuses: games and samples that the target cannot store are skipped and reported. Conversions from a
// format without the needed data are errors.
func TestConvertRefuses(t *testing.T) {
	t.Parallel()
	out, done := converted(t, "psv", "usi", []byte("startpos moves 7g7f\nstartpos moves 7g7f 7g7f\n"), packed.Options{})
	if len(out) != 0 || done.Read != 2 || done.Skipped != 2 || len(done.Refused) != 2 ||
		!errors.Is(done.Refused[0], packed.ErrNoOutcome) {
		t.Errorf("%+v", done)
	}
	broken := bytesOf(t, psv+psv)
	broken[38] = 9
	if out, done = converted(t, "hcpe", "psv", broken, packed.Options{}); len(out) != 38 || done.Skipped != 1 ||
		done.Written != 1 {
		t.Errorf("%+v", done)
	}
	for _, c := range [][2]string{{"pack", "psv"}, {"usi", "hcpe"}, {"psv", "hcp"}, {"db", "psv"}} {
		if _, err := Convert(&bytes.Buffer{}, kind(t, c[0]), "file", bytes.NewReader(nil), kind(t, c[1]),
			packed.Options{}); err == nil {
			t.Errorf("%s to %s", c[1], c[0])
		}
	}
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		"a.hcpe": "hcpe", "A.HCPE3": "hcpe3", "a.psv": "psv", "a.csa": "csa", "a.kif": "kif", "a.sfen": "sfen", "a.db": "db",
		"x/y.ybb": "ybb",
	} {
		k, err := KindOf("", file)
		testutil.Check(t, err == nil && k.Name == want, "%s is %s, %v", file, k.Name, err)
	}
	for name, want := range map[string]string{"a.bin": "may be training data", "a": "does not tell the format"} {
		testutil.Fails(t, testutil.Err(KindOf("", name)), want)
	}
	testutil.Fails(t, testutil.Err(KindOf("xyz", "")), "hcpe3")
}
