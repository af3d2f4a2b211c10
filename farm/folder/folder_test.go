package folder

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"gogi/farm"
	"gogi/internal/testutil"
)

// TestALostState: gogi does not serve a farm that was served before and has lost its state.
func TestALostState(t *testing.T) {
	dir := t.TempDir()
	s := testutil.Must(OpenState(t.Context(), dir))(t)
	testutil.OK(t, s.Close())
	testutil.OK(t, WriteFile(filepath.Join(dir, URLFile), "tls://x\n"))
	s = testutil.Must(OpenState(t.Context(), dir))(t)
	testutil.OK(t, s.Close())
	testutil.OK(t, os.Remove(filepath.Join(dir, StateFile)))
	testutil.Fails(t, testutil.Err(OpenState(t.Context(), dir)), "state.db not found", "a state that is gone")
}

// TestSecretsAreSecret: only the owner can read the new secrets, and a second start uses them again. gogi rejects
// secrets that others can read or that are damaged.
func TestSecretsAreSecret(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "farm")
	s, err := Open(dir, time.Now())
	testutil.OK(t, err)
	for _, name := range []string{secretFile, seedFile} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	again, err := Open(dir, time.Now())
	testutil.Check(t, err == nil && again.Secret == s.Secret && again.Public == s.Public && s.Secret != (farm.Secret{}),
		"it is another farm the second time: %v", err)
	testutil.OK(t, os.Chmod(filepath.Join(dir, seedFile), 0o640))
	testutil.Fails(t, testutil.Err(Open(dir, time.Now())), "can be read by others", "a seed that others read")
	testutil.OK(t, os.Chmod(filepath.Join(dir, seedFile), 0o600))
	testutil.OK(t, os.WriteFile(filepath.Join(dir, secretFile), []byte("ab\n"), 0o600))
	testutil.Fails(t, testutil.Err(Open(dir, time.Now())), "damaged", "half a secret")
	lock := testutil.Must(s.Lock())(t)
	defer lock.Close()
	testutil.Fails(t, testutil.Err(s.Lock()), "", "two coordinators serve one folder")
}
