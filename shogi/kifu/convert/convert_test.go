package convert

import (
	"bytes"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi/kifu/packed"
)

// TestUnknownEnd: a game that ends with an unknown word is converted as interrupted, with a warning that has its line.
func TestUnknownEnd(t *testing.T) {
	from, to := testutil.Must(KindOf("kif", ""))(t), testutil.Must(KindOf("csa", ""))(t)
	var out bytes.Buffer
	done := testutil.Must(Convert(&out, to, "a.kifu", strings.NewReader("   1 ７六歩(77)\n   2 対局終了\n"), from,
		packed.Options{}))(t)
	testutil.Require(t, done.Written == 1 && done.Skipped == 0 && len(done.Warnings) == 1, "%+v", done)
	testutil.Contains(t, done.Warnings[0].Error(), `a.kifu: game 1, line 2: the end "対局終了" is unknown`)
	testutil.Contains(t, out.String(), "+7776FU\n%CHUDAN\n")
}
