package cli

import (
	"bytes"
	"os"
	"testing"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
)

// TestInterruptIsTold: gogi prints the effect of an interrupt in the user's language. If the terminal has an area that
// is redrawn, the line appears above it.
func TestInterruptIsTold(t *testing.T) {
	t.Parallel()
	var plain bytes.Buffer
	env := &Env{Err: &plain, Language: i18n.Japanese}
	i := &Interrupts{env: env}
	drain := func() i18n.Message {
		return i18n.Of("the pairs in play (%s)", i18n.Number{N: 3, Noun: "game"})
	}
	i.Playing(drain)
	i.handle(os.Interrupt)
	const want = "中断：進行中のペア（3局）が終わったら終了します。もう一度で打ち切り"
	testutil.Check(t, plain.String() == "\n"+want+"\n" && i.Happened(), "%q", plain.String())
	above := ""
	say := func(line string) { above += line }
	env.Above.Store(&say)
	i = &Interrupts{env: env}
	i.Playing(drain)
	plain.Reset()
	i.handle(os.Interrupt)
	testutil.Check(t, above == want && plain.Len() == 0, "above %q, below %q", above, plain.String())
}
