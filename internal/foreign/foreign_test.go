package foreign_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"gogi/internal/foreign"
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
			if got := foreign.LastLine([]byte(test.raw), test.cut, 1000); got != test.want {
				t.Errorf("%q, want %q", got, test.want)
			}
		})
	}
}

func TestLastLineIsTrimmed(t *testing.T) {
	got := foreign.LastLine([]byte(strings.Repeat("駒", 1200)+"終"), false, 1000)
	if utf8.RuneCountInString(got) != 1000+1 || !strings.HasPrefix(got, "…駒") || !strings.HasSuffix(got, "駒終") {
		t.Errorf("%d characters: %s", utf8.RuneCountInString(got), got)
	}
}

func FuzzLastLine(f *testing.F) {
	f.Add([]byte("\x1b[1;31m評価\x95]\n\xff"), true)
	f.Fuzz(func(t *testing.T, raw []byte, cut bool) {
		got := foreign.LastLine(raw, cut, 1000)
		if !utf8.ValidString(got) || strings.ContainsFunc(got, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 }) {
			t.Errorf("%q", got)
		}
	})
}

func TestDecodeAndPrintable(t *testing.T) {
	if got := foreign.Decode([]byte("\x83\x65\x83\x58\x83\x67")); got != "テスト" {
		t.Errorf("Shift_JIS decoded to %q", got)
	}
	if got := foreign.Decode([]byte("ok \xff\xfe")); strings.Contains(got, "\xff") || !strings.HasPrefix(got, "ok ") {
		t.Errorf("garbage decoded to %q", got)
	}
	for text, want := range map[string]string{
		"\x1b[31;1mred\x1b[0m text":           "red text",
		"a\r\nb\tc":                           "a b c",
		"title \x1b]0;pwned\x07 gone":         "title  gone",
		"right\u202eto left":                  "rightto left",
		"\x1b[2J\x1b[1;1Hcleared \x9b31mx":    "cleared \ufffd31mx",
		"long " + strings.Repeat("x", 10_000): "long " + strings.Repeat("x", 95) + "…",
	} {
		if got := foreign.Printable(text, 100); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
