package selfplay

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
)

// oldFolder writes blocks in the format of an earlier gogi.
func oldFolder(t *testing.T, path string, p *player, from Source, blocks int) {
	t.Helper()
	own := *p.Plan
	own.Design = match.Design{}
	text := testutil.Must(json.Marshal(settings{settingsVersion, own.Canonical(), *p.Design}))(t)
	testutil.OK(t, os.WriteFile(filepath.Join(path, settingsName), append(text, '\n'), 0o600))
	testutil.OK(t, os.Mkdir(filepath.Join(path, blocksName), 0o700))
	for n := range blocks {
		b, _, err := from.Read(t.Context(), n)
		testutil.OK(t, err)
		name := filepath.Join(path, blocksName, fmt.Sprintf("%08d.block", n))
		testutil.OK(t, os.WriteFile(name, testutil.Must(b.Encode(from.Digest))(t), 0o600))
	}
}

// TestKill: Make is killed at each block in turn. The next Make writes the same files and bytes as an undisturbed one,
// and no others. A panic leaves the folder as a killed process does.
func TestKill(t *testing.T) {
	t.Parallel()
	const blocks = 10
	p, path, old := newPlayer(t), t.TempDir(), t.TempDir()
	source := p.source(t, 2, blocks)
	oldFolder(t, old, p, source, blocks)
	m := testutil.Must(Make(t.Context(), path, source, blocks, testData(t, "psv")))(t)
	testutil.Require(t, m.Statistics.Games == blocks*p.Design.Games && len(m.Shards) >= 2,
		"%d games, %d shards", m.Statistics.Games, len(m.Shards))
	want := files(t, path)
	from := testutil.Must(Old(old))(t)
	for after := range blocks {
		func() {
			defer func() { _ = recover() }()
			killed := from
			killed.Read = func(ctx context.Context, n int) (*Block, string, error) {
				if n == after {
					panic("killed")
				}
				return from.Read(ctx, n)
			}
			_, err := Make(t.Context(), path, killed, blocks, testData(t, "psv"))
			t.Errorf("it was not killed at block %d: %v", after, err)
		}()
		testutil.Fails(t, testutil.Err(os.Stat(filepath.Join(path, manifestName))), "",
			"killed at block %d, it has a manifest", after)
	}
	testutil.Must(Make(t.Context(), path, from, blocks, testData(t, "psv")))(t)
	same(t, files(t, path), want)
}
