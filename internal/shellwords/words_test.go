package shellwords_test

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gogi/internal/lists"
	"gogi/internal/shellwords"
	"gogi/internal/testutil"
)

func TestSplitWords(t *testing.T) {
	for _, test := range []struct {
		in   string
		want []string
	}{
		{"", nil},
		{" \t\n ", nil},
		{"./engine --flag", []string{"./engine", "--flag"}},
		{"  a   b  ", []string{"a", "b"}},
		{`'a b' c`, []string{"a b", "c"}},
		{`"a b" c`, []string{"a b", "c"}},
		{`a\ b c`, []string{"a b", "c"}},
		{`a'b'"c"d`, []string{"abcd"}},
		{`'' ""`, []string{"", ""}},
		{`'a\b'`, []string{`a\b`}},
		{`"a\"b\\c\d\$"`, []string{`a"b\c\d$`}},
		{"a\\\nb \"c\\\nd\"", []string{"ab", "cd"}},
		{`$HOME ~ * a;b|c #d`, []string{"$HOME", "~", "*", "a;b|c", "#d"}},
		{"エンジン 二 枚", []string{"エンジン", "二", "枚"}},
	} {
		got, err := shellwords.Split(test.in)
		testutil.Check(t, err == nil, "%q: %v", test.in, err)
		testutil.Diff(t, test.want, got, "%q", test.in)
	}
}

func TestSplitWordsErrors(t *testing.T) {
	for in, want := range map[string]string{
		`a 'b`:  `the quote ' is never closed: expected another one`,
		`a "b`:  `the quote " is never closed: expected another one`,
		`a "b\`: `the quote " is never closed: expected another one`,
		`a \`:   `a backslash at the end: expected a character after it`,
	} {
		_, err := shellwords.Split(in)
		testutil.Check(t, err != nil && err.Error() == want, "%q: %v, want %s", in, err, want)
	}
}

func TestQuotedWordsComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.String(), 1, 5).Draw(t, "words")
		quoted := lists.Map(words, shellwords.Quote)
		got, err := shellwords.Split(strings.Join(quoted, " "))
		testutil.Require(t, err == nil && cmp.Diff(words, got) == "", "%q came back as %q, %v", words, got, err)
	})
}

// TestAShellReadsQuotedWords: a shell reads a quoted word unchanged.
func TestAShellReadsQuotedWords(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no sh: ", err)
	}
	for _, word := range []string{"", "a b", "it's", "''", `$HOME "x" \ *`, "two\nlines", "-plain/word.1,2:3@4=5%6", "~",
		"a#b", "#a", "日本"} {
		out, err := exec.Command("sh", "-c", "printf %s "+shellwords.Quote(word)).Output()
		testutil.Check(t, err == nil && string(out) == word, "%q: %q, %v", word, out, err)
	}
}

func FuzzSplitWords(f *testing.F) {
	for _, seed := range []string{"", "a b", `'a`, `"a\`, `a\`, `"\$" '\'`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		words, err := shellwords.Split(s)
		total := len(strings.Join(words, ""))
		testutil.Check(t, total <= len(s) && (err == nil || words == nil), "%q became %q, %v", s, words, err)
	})
}
