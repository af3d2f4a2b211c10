package players

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/match"
)

// TestQuitTimeout: an engine that saves a file after quit has the player's time for it. gogi warns once for each engine
// that it ends earlier.
func TestQuitTimeout(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "saver")
	testutil.WriteProgram(t, program, `#!/bin/sh
while read -r word rest; do
	case $word in
	usi) echo usiok ;;
	quit) sleep "$1"; echo saved > "$2"; exit ;;
	esac
done
`)
	var mu sync.Mutex
	var warnings []string
	o := &Opener{Plan: &match.Plan{}, Warn: func(m i18n.Message) {
		mu.Lock()
		defer mu.Unlock()
		warnings = append(warnings, m.String())
	}}
	file := filepath.Join(dir, "file")
	play := func(name, needs string, quit time.Duration) {
		p := match.Player{Name: name, Dir: dir, Command: []string{program, needs, file}, Greeting: time.Minute,
			Ready: time.Minute, Quit: quit}
		engine := testutil.Must(o.Greet(context.Background(), p, nil))(t)
		testutil.OK(t, engine.Close())
	}
	play("patient", "0.7", time.Minute)
	_, err := os.Stat(file)
	testutil.Check(t, err == nil && len(warnings) == 0, "%v, %q", err, warnings)
	for range 2 {
		play("hasty", "1000", time.Millisecond)
	}
	testutil.Check(t, len(warnings) == 1 &&
		strings.HasPrefix(warnings[0], "engine hasty: still running 1.0 ms after quit"), "%q", warnings)
}
