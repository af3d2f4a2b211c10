package tune

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
)

// TestReadsEveryFormat: the lines come from the descriptions of the formats: the dataclass of ParamLib.py, the forms of
// fishtest and OpenBench, and the readme of tune.py.
func TestReadsEveryFormat(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []Param
	}{
		"params, CRLF, comment": {"LMR_BASE, int, 1024, 0, 4096, 204.8, 0.002 // by depth\r\n\r\n", []Param{
			{Name: "LMR_BASE", Kind: Int, Start: 1024, Max: 4096, CEnd: 204.8, REnd: 0.002, Comment: "by depth"}}},
		"python floats": {"A,int,28.0,0.0,64.0,3.2,0.002",
			[]Param{{Name: "A", Kind: Int, Start: 28, Max: 64, CEnd: 3.2, REnd: 0.002}}},
		"not used after a comment, without a space": {"A,float,0.5,0,1,0.05,0.002 //x[[NOT USED]]\nB,int,1,0,9,1,0.002",
			[]Param{
				{Name: "A", Kind: Float, Start: 0.5, Max: 1, CEnd: 0.05, REnd: 0.002, Comment: "x", Unused: true},
				{Name: "B", Kind: Int, Start: 1, Max: 9, CEnd: 1, REnd: 0.002}}},
		"not used without a comment": {"A,int,5,0,9,1,0.002 [[NOT USED]]\nB,int,1,0,9,1,0.002", []Param{
			{Name: "A", Kind: Int, Start: 5, Max: 9, CEnd: 1, REnd: 0.002, Unused: true},
			{Name: "B", Kind: Int, Start: 1, Max: 9, CEnd: 1, REnd: 0.002}}},
		"fishtest": {"tune_a,20,-10,50,3,0.002",
			[]Param{{Name: "tune_a", Kind: Int, Start: 20, Min: -10, Max: 50, CEnd: 3, REnd: 0.002}}},
		"OpenBench": {"a, float, 0.25, 0.0, 1.0, 0.05, 0.002",
			[]Param{{Name: "a", Kind: Float, Start: 0.25, Max: 1, CEnd: 0.05, REnd: 0.002}}},
		"tune": {"\ufeff#set file search.cpp\n#context LMR // a\n x = 5 @;\n#param LMR_1 int 5 0 10 1 0.002\n", []Param{
			{Name: "LMR_1", Kind: Int, Start: 5, Max: 10, CEnd: 1, REnd: 0.002}}},
	} {
		got, err := ReadParams(strings.NewReader(c.text), name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		testutil.Diff(t, c.want, got, "%s", name)
	}
}

func TestRefusesWithAPlace(t *testing.T) {
	for text, want := range map[string]string{
		"SPSA_CORR_PCV_WEIGHT,int,9536,0,32768,163,1638.4": "line 1: \"SPSA_CORR_PCV_WEIGHT\": delta 1638.4 looks like the old meaning",
		"A,int,5,0,9,1,0.002\nA,int,5,0,9,1,0.002":         "\"A\" is there twice",
		"A,int,5,0,9,1,0.002\na,int,5,0,9,1,0.002":         "\"a\" is there twice",
		"A,int,5,0,9":                      "5 fields",
		"A,word,5,0,9,1,0.002":             "want int or float",
		"A,int,x,0,9,1,0.002":              "value \"x\" is no number",
		"A,int,5,0,9,nan,0.002":            "step \"nan\" is no number",
		"A,int,5,0,9,0,0.002":              "step 0 never changes the value",
		"A,int,10,0,9,1,0.002":             "start 10 is outside 0 … 9",
		"A,int,5,9,0,1,0.002":              "min 9 is not below max 0",
		"A,int,5,0.5,9,1,0.002":            "are integers",
		"":                                 "no parameter",
		"A,int,5,0,9,1,0.002 [[NOT USED]]": "no parameter to tune",
		strings.Repeat("x", 70000):         "line 1: longer than",
		"A,int,5,0,9,1,0.002\n" + strings.Repeat("x", 70000): "line 2: longer than",
	} {
		_, err := ReadParams(strings.NewReader(text), "f.params")
		testutil.Check(t, err != nil && strings.Contains(err.Error(), want) && strings.Contains(err.Error(), "f.params"),
			"%.40q: %v, want %q", text, err, want)
	}
	unused, err := ReadParams(strings.NewReader("A,int,5,0,9,0,0.002 [[NOT USED]]\nB,int,5,0,9,1,0.002"), "")
	testutil.Check(t, err == nil && unused[0].Unused, "step 0 of an unused parameter: %v", err)
	line := Rescale("SPSA_CORR_PCV_WEIGHT,int,9536,0,32768,163,1638.4 //x")
	if p, err := ReadParams(strings.NewReader(line), ""); err != nil || p[0].CEnd != 1638.4 || p[0].REnd != 0.002 ||
		p[0].Comment != "x" {
		t.Errorf("rescaled %q: %v, %v", line, p, err)
	}
}

// TestRoundTrip: ReadParams reads any parameter unchanged from each format that can hold it.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Param{
			Name: rapid.StringMatching(`[A-Za-z_][A-Za-z0-9_]{0,20}`).Draw(t, "name"), Kind: Int,
			Min: float64(rapid.IntRange(-1000, 1000).Draw(t, "min")), CEnd: rapid.Float64Range(0.5, 300).Draw(t, "c"),
			REnd: rapid.Float64Range(1e-5, 0.09).Draw(t, "r"),
		}
		p.Max = p.Min + float64(rapid.IntRange(1, 5000).Draw(t, "range"))
		p.Start = math.Round(p.Min + rapid.Float64Range(0, 1).Draw(t, "at")*(p.Max-p.Min))
		if rapid.Bool().Draw(t, "float") {
			p.Kind, p.Start, p.Max = Float, p.Start+0.25, p.Max+0.5
		}
		for _, write := range []func(*bytes.Buffer) error{
			func(b *bytes.Buffer) error { return WriteParams(b, []Param{p}, nil) },
			func(b *bytes.Buffer) error { return WriteOpenBench(b, []Param{p}, nil) },
			func(b *bytes.Buffer) error { return WriteFishtest(b, []Param{p}, nil) },
		} {
			var b bytes.Buffer
			testutil.OK(t, write(&b))
			text := b.String()
			got, err := ReadParams(&b, "x")
			testutil.OK(t, err, "%q", text)
			testutil.Diff(t, p, got[0], "%q", text)
		}
	})
}

func FuzzReadParams(f *testing.F) {
	f.Add("A,int,5,0,9,1,0.002 //x [[NOT USED]]\nB, float, 1, 0, 2, .1, .002")
	f.Add("#context X\n#param A int 5 0 9 1 0.002")
	f.Add("a,20,-10,50,3,0.002")
	f.Fuzz(func(t *testing.T, text string) {
		params, err := ReadParams(strings.NewReader(text), "f")
		if err != nil {
			return
		}
		var b bytes.Buffer
		testutil.OK(t, WriteParams(&b, params, nil))
		written := b.String()
		again, err := ReadParams(&b, "again")
		testutil.Require(t, err == nil && len(again) == len(params), "%q was written as %q: %d, %v", text, written,
			len(again), err)
	})
}
