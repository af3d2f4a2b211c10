package cli

import (
	"bytes"
	"testing"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
)

// TestLanguageOf: --lang takes precedence over GOGI_LANG, and GOGI_LANG over the locale. The locale does not change
// output that does not go to a terminal.
func TestLanguageOf(t *testing.T) {
	for _, c := range []struct {
		asked    string
		set      map[string]string
		terminal bool
		want     i18n.Language
	}{
		{"", nil, true, "en"},
		{"", map[string]string{"LANG": "ja_JP.UTF-8"}, true, "ja"},
		{"", map[string]string{"LANG": "ja_JP.UTF-8"}, false, "en"},
		{"", map[string]string{"LANG": "ja"}, true, "ja"},
		{"", map[string]string{"LANG": "ja.eucJP"}, true, "ja"},
		{"", map[string]string{"LANG": "jam_JM.UTF-8"}, true, "en"}, // Jamaican Creole
		{"", map[string]string{"LANG": "en_US.UTF-8", "LC_MESSAGES": "ja_JP.UTF-8"}, true, "ja"},
		{"", map[string]string{"LANG": "ja_JP.UTF-8", "LC_ALL": "C"}, true, "en"},
		{"", map[string]string{"LC_ALL": "ja_JP.UTF-8", "LC_MESSAGES": "C", "LANG": "C"}, true, "ja"},
		{"", map[string]string{"GOGI_LANG": "ja"}, false, "ja"},
		{"", map[string]string{"GOGI_LANG": "en", "LC_ALL": "ja_JP.UTF-8"}, true, "en"},
		{"en", map[string]string{"GOGI_LANG": "ja", "LANG": "ja_JP.UTF-8"}, true, "en"},
		{"ja", map[string]string{"GOGI_LANG": "en"}, false, "ja"},
	} {
		variable := func(name string) string { return c.set[name] }
		testutil.Equal(t, LanguageOf(c.asked, variable, c.terminal), c.want, "%q, %v, terminal %v", c.asked, c.set,
			c.terminal)
	}
	testutil.Check(t, !OnTerminal(&bytes.Buffer{}), "a buffer is no terminal")
}
