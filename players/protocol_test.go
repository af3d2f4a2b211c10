//go:build unix

package players_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/players"
	"gogi/usi"
)

// program is a player of a shell script that answers line by line. Each of its processes
// adds a line to the file "started".
func program(t *testing.T, cases string) (match.Player, func() (started int)) {
	t.Helper()
	dir := t.TempDir()
	note := filepath.Join(dir, "started")
	script := "echo $$ >>started; while read -r line; do case $line in " + cases + " quit) exit;; esac; done"
	return match.Player{Name: "p", Dir: dir, Command: []string{"/bin/sh", "-c", script}, Greeting: time.Minute}, func() int {
		text := testutil.Must(os.ReadFile(note))(t)
		return strings.Count(string(text), "\n")
	}
}

// A UCI engine is recognised, whether it complains of usi or says nothing: long before the
// greeting's time is over, which would be a fault of another kind of note.
func TestAUCIEngineIsRecognised(t *testing.T) {
	t.Parallel()
	for name, cases := range map[string]string{
		"silent":    `uci) echo "id name U"; echo uciok;;`,
		"complains": `usi) echo "Unknown command: usi";; uci) printf "id name U\r\nuciok\r\n";;`,
	} {
		p, started := program(t, cases)
		_, err := (&players.Opener{}).Greet(t.Context(), p, nil)
		fault, ok := errors.AsType[*usi.Fault](err)
		if !ok || fault.Kind != usi.FaultStart || fault.Awaiting != "usiok" || !strings.HasPrefix(fault.Note, "it answers uci, but not usi") {
			t.Errorf("%s: %v", name, err)
		}
		n := started()
		testutil.Check(t, n == 2, "%s: %d processes were started", name, n)
	}
}

// A slow USI engine is greeted like a fast one. It never gets "uci", because an engine with both protocols would then
// change to UCI. The same holds for an engine with neither protocol.
func TestASlowUSIEngineIsNotDisturbed(t *testing.T) {
	t.Parallel()
	// The second process says that it was asked, and the first answers usi only then.
	p, started := program(t, `usi) if [ $(wc -l <started) = 1 ]; then until [ -e asked ]; do sleep 0.05; done; fi; echo "id name $uci"; echo usiok;; uci) uci=UCI; >asked; echo uciok;;`)
	p.Command[2] = "uci=USI; " + p.Command[2]
	engine := testutil.Must((&players.Opener{}).Greet(t.Context(), p, nil))(t)
	if name := engine.Greeting().Name; name != "USI" || started() != 2 {
		t.Errorf("%q is greeted, of %d processes", name, started())
	}
	if err := engine.Close(); err != nil {
		t.Error(err)
	}
}

// TestStartOutsideOfASlot: the handshake starts an engine as slot 0 does.
func TestStartOutsideOfASlot(t *testing.T) {
	t.Parallel()
	p, _ := program(t, `usi) echo "id name $GPU.$SLOT"; echo usiok;;`)
	p.Env = append(p.Env, "GPU={gpu}", "SLOT={slot}")
	engine := testutil.Must((&players.Opener{}).Greet(t.Context(), p, nil))(t)
	if name := engine.Greeting().Name; name != "0.0" {
		t.Errorf("the engine has %q", name)
	}
	testutil.OK(t, engine.Close())
}
