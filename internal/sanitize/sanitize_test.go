package sanitize_test

import (
	"encoding/json"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"gogi/internal/sanitize"
	"gogi/internal/testutil"
)

func TestLastLine(t *testing.T) {
	for _, test := range []struct {
		name, raw string
		cut       bool
		want      string
	}{
		{"nothing", "", false, ""},
		{"blank lines", "\n\r\n  \n", false, ""},
		{"lines", "a\nb\r\nc\rd\n", false, "a | b | c | d"},
		{"UTF-8", "評価関数がありません", false, "評価関数がありません"},
		{"Shift_JIS", "\x95]\x89\xbf\x8a\xd6\x90\x94", false, "評価関数"},
		{"each line its own", "評価\n\x95]\x89\xbf", false, "評価 | 評価"},
		{"neither", "a\xff\xfeb", false, "a\uFFFDb"},
		{"cut UTF-8", "評価"[1:], true, "価"},
		{"cut Shift_JIS", "\x95]\x89\xbf\x8a\xd6"[1:], true, "]価関"},
		{"colours", "\x1b[1;31merror\x1b[0m: \x1b]0;title\x07x\x1b(B", false, "error: x"},
		{"title never ended", "x\x1b]0;title", false, "x"},
		{"controls", "a\x00b\x07c\u009b\u200e\u202ed\te", false, "abcd e"},
		{"wide space", "a\u3000b", false, "a\u3000b"},
	} {
		t.Run(test.name, func(t *testing.T) {
			testutil.Equal(t, sanitize.LastLine([]byte(test.raw), test.cut, 1000), test.want)
		})
	}
}

func TestLastLineIsTrimmed(t *testing.T) {
	got := sanitize.LastLine([]byte(strings.Repeat("駒", 1200)+"終"), false, 1000)
	testutil.Check(t, utf8.RuneCountInString(got) == 1000+1 && strings.HasPrefix(got, "…駒") &&
		strings.HasSuffix(got, "駒終"),
		"%d characters: %s", utf8.RuneCountInString(got), got)
}

func FuzzLastLine(f *testing.F) {
	f.Add([]byte("\x1b[1;31m評価\x95]\n\xff"), true)
	f.Fuzz(func(t *testing.T, raw []byte, cut bool) {
		got := sanitize.LastLine(raw, cut, 1000)
		testutil.Check(t, utf8.ValidString(got) &&
			!strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }),
			"%q", got)
	})
}

func TestDecodeAndPrintable(t *testing.T) {
	testutil.Equal(t, sanitize.Decode([]byte("\x83\x65\x83\x58\x83\x67")), "テスト", "Shift_JIS decoded")
	got := sanitize.Decode([]byte("ok \xff\xfe"))
	testutil.Check(t, !strings.Contains(got, "\xff") && strings.HasPrefix(got, "ok "), "garbage decoded to %q", got)
	for text, want := range map[string]string{
		"\x1b[31;1mred\x1b[0m text":           "red text",
		"a\r\nb\tc":                           "a b c",
		"title \x1b]0;pwned\x07 gone":         "title  gone",
		"right\u202eto left":                  "rightto left",
		"\x1b[2J\x1b[1;1Hcleared \x9b31mx":    "cleared \ufffd31mx",
		"long " + strings.Repeat("x", 10_000): "long " + strings.Repeat("x", 95) + "…",
	} {
		testutil.Equal(t, sanitize.Printable(text, 100), want, "%q became", text)
	}
}

// TestEscape: characters that control a terminal, or that it does not show, are escaped. All others stay.
func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"総当り é 🏳️‍🌈 −1.5 a\\b":  "総当り é 🏳️‍🌈 −1.5 a\\b",
		"a\x1b[31mb\a\x7f":      `a\u001b[31mb\u0007\u007f`,
		"one\ntwo\tthree\r":     `one\u000atwo\u0009three\u000d`,
		"\u009b1m\u2028\u2029":  `\u009b1m\u2028\u2029`,
		"a\u202eb\u2066c\u200f": `a\u202eb\u2066c\u200f`,
		"\U000e0041":            `\udb40\udc41`,
		"\x80a\xe3\x81":         `\x80a\xe3\x81`,
		"\ufffd":                "\ufffd",
	} {
		testutil.Equal(t, sanitize.Escape(text), want, "%q", text)
	}
}

// TestIsName: a name is shown unchanged, and no two names look alike because of hidden characters.
func TestIsName(t *testing.T) {
	for _, name := range []string{"", "総当り", "a b", "é", "👍", "x$(y)"} {
		testutil.Check(t, sanitize.IsName(name), "%q is refused", name)
	}
	for _, name := range []string{"a\x1bb", "a\nb", "\u202eb", "a\u2066", "\u200b", "\ufffd", "a\xffb", "\u2028",
		"\u0085"} {
		testutil.Check(t, !sanitize.IsName(name), "%q is a name", name)
	}
}

// TestWriter: a text is escaped in the same way however it is split into writes. Its lines and tabs stay.
func TestWriter(t *testing.T) {
	text := "総当り\x1b]0;x\a\tß\n\u202e🎌\xff\xe7\xb7"
	want := "総当り\\u001b]0;x\\u0007\tß\n\\u202e🎌\\xff\\xe7\\xb7"
	for size := 1; size <= len(text); size++ {
		var out strings.Builder
		w := sanitize.NewWriter(&out)
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			if wrote, err := w.Write([]byte(rest[:n])); wrote != n || err != nil {
				t.Fatal(wrote, err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil || out.String() != want {
			t.Errorf("by %d bytes: %q, want %q, %v", size, out.String(), want, err)
		}
	}
	var out strings.Builder
	testutil.Check(t, sanitize.Raw(sanitize.NewWriter(&out)) == io.Writer(&out) && sanitize.Raw(&out) == io.Writer(&out),
		"the raw writer is another one")
}

// TestWriterInJSON: an escape in a string of JSON is the character itself.
func TestWriterInJSON(t *testing.T) {
	name := "\u202e\u009b総\U000e0041\x1b"
	var out strings.Builder
	testutil.OK(t, json.NewEncoder(sanitize.NewWriter(&out)).Encode(name))
	var back string
	if err := json.Unmarshal([]byte(out.String()), &back); err != nil || back != name {
		t.Errorf("%s is %q, want %q, %v", out.String(), back, name, err)
	}
	testutil.Check(t, !strings.ContainsFunc(out.String(), func(r rune) bool { return r == '\u202e' || r == '\u009b' }),
		"%q", out.String())
}

// TestPage: a page loses control characters, and keeps line ends, other text and invalid bytes.
func TestPage(t *testing.T) {
	for raw, want := range map[string]string{
		"<p>評価\r\n\t\xff</p>": "<p>評価\r\n\t\xff</p>", "a\x1b[0mb\x00\u009bc\xff": "a[0mbc\xff", "": "",
	} {
		testutil.Equal(t, string(sanitize.Page([]byte(raw))), want)
	}
}
