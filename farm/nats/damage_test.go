package nats_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/keys"
	"gogi/internal/testutil"
)

// TestADamagedStream: the file of the stream is damaged, cut or lost while the coordinator is down. Messages may be
// lost; leases replace them. Later messages are delivered.
func TestADamagedStream(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]func(text []byte) []byte{
		"the first byte":   func(text []byte) []byte { text[0] ^= 0x55; return text },
		"a byte within":    func(text []byte) []byte { text[len(text)/2] ^= 0x55; return text },
		"the last byte":    func(text []byte) []byte { text[len(text)-1] ^= 0x55; return text },
		"half of it":       func(text []byte) []byte { return text[:len(text)/2] },
		"all of it":        func([]byte) []byte { return nil },
		"noise at its end": func(text []byte) []byte { return append(text, incompressible(1000)...) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := open(t, nil)
			way := w.dial(t, w.key(t, "w1", time.Time{}, keys.Work))
			publish := func(from, to int) {
				t.Helper()
				for i := from; i < to; i++ {
					var err error
					for err = farm.ErrAway; errors.Is(err, farm.ErrAway) && t.Context().Err() == nil; { // the client reconnects
						err = way.Publish(t.Context(), "res.w1.0", fmt.Sprint(i), []byte(fmt.Sprint("message ", i)))
					}
					testutil.OK(t, err)
				}
			}
			publish(0, 10)
			for range 6 {
				all := testutil.Must(w.bus.Results(t.Context(), 1))(t)
				testutil.OK(t, all[0].Ack(t.Context()))
			}
			if _, err := w.bus.Results(t.Context(), 1); err != nil { // the coordinator stops before it acknowledges this one
				t.Fatal(err)
			}
			testutil.OK(t, w.bus.Close())
			damaged := 0
			err := filepath.WalkDir(filepath.Join(w.config.Dir, "jetstream"), func(path string, e fs.DirEntry, err error) error {
				if err != nil || e.IsDir() || filepath.Ext(path) != ".blk" ||
					filepath.Base(filepath.Dir(filepath.Dir(path))) != "RESULTS_0" {
					return err
				}
				text, err := os.ReadFile(path)
				if err == nil && len(text) > 0 {
					damaged++
					err = os.WriteFile(path, damage(text), 0o600)
				}
				return err
			})
			testutil.Require(t, err == nil && damaged != 0, "%v, %d files damaged", err, damaged)
			w.start(t)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			publish(10, 13)
			for seen := ""; seen != "message 12"; {
				all, err := w.bus.Results(ctx, 1)
				testutil.OK(t, err, "after %q", seen)
				seen = string(all[0].Body)
				t.Log(seen, all[0].Sequence, all[0].Again)
				testutil.OK(t, all[0].Ack(ctx))
			}
		})
	}
}
