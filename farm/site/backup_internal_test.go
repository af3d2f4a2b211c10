package site

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gogi/farm/folder"
	"gogi/farm/nats/embedded"
	"gogi/internal/testutil"
)

// TestBackupsByDefault: a farm without settings makes a backup at its first start and then each day, also after a
// restart. It keeps seven backups. In a folder that the user names, all backups stay.
func TestBackupsByDefault(t *testing.T) {
	var c Config
	c.Log, c.Start = slog.New(slog.DiscardHandler), embedded.Start
	c.Farm.State, c.Farm.Listen = filepath.Join(t.TempDir(), "farm"), "127.0.0.1:0"
	testutil.OK(t, c.Complete())
	testutil.Require(t, c.Backup.Every == 24*time.Hour && c.Backup.Dir == filepath.Join(c.Farm.State, "backups") &&
		c.Backup.Keep == 7,
		"%+v", c.Backup)
	s := testutil.Must(Open(t.Context(), c))(t)
	defer s.Close()
	now := time.Now()
	s.backUp(t.Context(), now)
	s.backUp(t.Context(), now.Add(time.Hour))
	first := folder.Backups(c.Backup.Dir)
	testutil.Require(t, len(first) == 1, "%v", first)
	s.triedBackup = time.Time{} // as another process
	s.backUp(t.Context(), now.Add(time.Hour))
	if got := folder.Backups(c.Backup.Dir); !slices.Equal(got, first) {
		t.Errorf("a restart makes a backup: %v", got)
	}
	for i := range 9 {
		name := filepath.Join(c.Backup.Dir, fmt.Sprintf("farm-2001010%dT000000.000Z.tar", i))
		testutil.OK(t, os.WriteFile(name, nil, 0o600))
		testutil.OK(t, os.WriteFile(name+".sha256", nil, 0o600))
	}
	s.backUp(t.Context(), now.Add(25*time.Hour))
	got := folder.Backups(c.Backup.Dir)
	testutil.Check(t, len(got) == 7 && slices.Contains(got, first[0]) &&
		filepath.Base(got[0]) == "farm-20010104T000000.000Z.tar", "kept %v", got)
	var own Settings
	own.Backup.Dir = "elsewhere"
	if testutil.OK(t, own.Complete()); own.Backup.Keep != 0 {
		t.Error("backups in a folder of the user are deleted")
	}
}
