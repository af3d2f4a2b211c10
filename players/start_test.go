//go:build unix

package players_test

import (
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/players"
)

// TestStartOutsideOfASlot: the handshake starts an engine as slot 0 does.
func TestStartOutsideOfASlot(t *testing.T) {
	t.Parallel()
	script := `while read -r line; do case $line in usi) echo "id name $GPU.$SLOT"; echo usiok;; quit) exit;; esac; done`
	p := match.Player{Name: "p", Command: []string{"/bin/sh", "-c", script}, Env: []string{"GPU={gpu}", "SLOT={slot}"},
		Greeting: time.Minute}
	engine := testutil.Must((&players.Opener{}).Greet(t.Context(), p, nil))(t)
	testutil.Equal(t, engine.Greeting().Name, "0.0", "the engine's name")
	testutil.OK(t, engine.Close())
}
