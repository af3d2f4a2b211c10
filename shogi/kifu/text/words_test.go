package text

import (
	"fmt"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
)

// TestWordsOfTheAssociation has the examples of the rule for moves of equal pieces, with the words of
// https://www.shogi.or.jp/faq/kihuhyouki.html: the squares of the pieces, their target, and the word for each piece. In
// the last line one of two pieces goes straight up: 上 decides, or two pieces have it, or two pieces come from the
// right.
func TestWordsOfTheAssociation(t *testing.T) {
	for _, c := range []struct{ piece, from, to, words string }{
		{"G", "93 72", "82", "上 寄"}, {"G", "43 31", "32", "上 引"}, {"G", "56 45", "55", "上 寄"}, {"S", "89 77", "88", "上 引"},
		{"S", "49 27", "38", "上 引"},
		{"G", "92 72", "81", "左 右"}, {"G", "32 12", "22", "左 右"}, {"S", "65 45", "56", "左 右"}, {"G", "89 79", "78", "左 直"},
		{"S", "39 29", "38", "直 右"},
		{"G", "63 53 43", "52", "左 直 右"}, {"+P", "79 89 99 98 87", "88", "右 直 左上 寄 引"},
		{"S", "29 17 39 37", "28", "直 右 左上 左引"},
		{"+R", "91 84", "82", "引 上"}, {"+R", "23 52", "43", "寄 引"}, {"+R", "55 15", "35", "左 右"},
		{"+R", "99 89", "88", "左 右"}, {"+R", "28 19", "17", "左 右"},
		{"+B", "91 81", "82", "左 右"}, {"+B", "95 63", "85", "寄 引"}, {"+B", "11 34", "12", "引 上"},
		{"+B", "99 59", "77", "左 右"}, {"+B", "47 18", "29", "左 右"},
		{"G", "53 43 42", "52", "直 右上 寄"}, {"G", "53 42", "52", "上 寄"}, {"S", "53 61", "52", "上 引"},
	} {
		from := strings.Fields(c.from)
		var board [10][10]string // by rank and file
		for _, square := range from {
			board[square[1]-'0'][square[0]-'0'] = c.piece
		}
		var ranks []string
		for rank := 1; rank <= 9; rank++ {
			text := ""
			for file := 9; file >= 1; file-- {
				if board[rank][file] == "" {
					text += "1"
				} else {
					text += board[rank][file]
				}
			}
			ranks = append(ranks, text)
		}
		p := testutil.Must(shogi.ParseSFEN(strings.Join(ranks, "/") + " b - 1"))(t)
		for i, word := range strings.Fields(c.words) {
			square := func(s string) shogi.Square { return shogi.NewSquare(int(s[0]-'0'), int(s[1]-'0')) }
			testutil.Equal(t, relativeWords(&p, shogi.NewMove(square(from[i]), square(c.to))), word,
				fmt.Sprintf("%s from %s to %s", c.piece, from[i], c.to))
		}
	}
}

// TestShiftJISForms: characters that JIS X 0208 has, and that Unicode's tables map to two characters, keep their bytes.
// The bytes are those of JIS X 0208 in Shift_JIS.
func TestShiftJISForms(t *testing.T) {
	for text, want := range map[string]string{
		"\u301c": "\x81\x60", "\uff5e": "\x81\x60", "\u2212": "\x81\x7c", "\uff0d": "\x81\x7c", "\u2016": "\x81\x61",
		"\u2225": "\x81\x61",
		"\u2014": "\x81\x5c", "\u2015": "\x81\x5c", "\u00a2": "\x81\x91", "\u00a3": "\x81\x92", "\u00ac": "\x81\xca",
	} {
		out, lost := ShiftJIS([]byte(text))
		testutil.Check(t, string(out) == want && lost == 0, "%q becomes %q, %d lost", text, out, lost)
		again, lost := ShiftJIS(fromShiftJIS(out))
		testutil.Check(t, string(again) == want && lost == 0, "%q is read and written as %q, %d lost", text, again, lost)
	}
	out, lost := ShiftJIS([]byte("☗1"))
	testutil.Check(t, string(out) == "?1" && lost == 1, "a character that Shift_JIS does not have becomes %q, %d lost",
		out, lost)
}
