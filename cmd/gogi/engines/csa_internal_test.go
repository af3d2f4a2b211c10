package enginecmd

import (
	"testing"

	"gogi/internal/testutil"
)

func TestCSAAddress(t *testing.T) {
	for server, want := range map[string]string{
		"example.org": "example.org:4081", "example.org:1": "example.org:1", "[::1]:5": "[::1]:5", "::1": "[::1]:4081",
		"[::1]": "[::1]:4081",
		"":      "", ":4081": "",
	} {
		got, err := csaAddress(server)
		testutil.Check(t, got == want && (err == nil) == (want != ""), "%q: %q, %v", server, got, err)
	}
}
