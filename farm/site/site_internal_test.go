package site

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/match"
)

// memory is a farm.Bus of which only the buckets are there.
type memory struct {
	farm.Bus
	kept map[string][]byte
}

func (m *memory) Keep(_ context.Context, bucket, name string, body []byte, _ uint64) (uint64, error) {
	m.kept[bucket+"/"+name] = body
	return 1, nil
}

func (m *memory) Kept(_ context.Context, bucket string, see func(string, []byte, uint64) error) error {
	for k, body := range m.kept {
		if name, ok := strings.CutPrefix(k, bucket+"/"); ok {
			if err := see(name, body, 1); err != nil {
				return err
			}
		}
	}
	return nil
}

// boot is a count of boots as it is kept.
func boot(t *testing.T, n uint32) []byte {
	t.Helper()
	body, err := farm.Encode(map[string]uint32{"boot": n})
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// TestALostJournal is built anew from the copy, all of it or what is missing, and what a
// journal has wins over the copy; but for a count of boots that has gone back.
func TestALostJournal(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	first := &memory{kept: map[string][]byte{}}
	k, err := openKept(ctx, first, dir)
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string][]byte{"tests/d.1": []byte("plan"), "workers/w1": []byte("trusted"), "farm/boot": boot(t, 5)} {
		bucket, name, _ := strings.Cut(name, "/")
		if _, err := k.Keep(ctx, bucket, name, body, 0); err != nil {
			t.Fatal(err)
		}
	}
	first.kept["workers/w1"] = []byte("doubted") // and the copy was not written any more
	first.kept["farm/boot"] = boot(t, 6)
	if _, err := openKept(ctx, first, dir); err != nil {
		t.Fatal(err)
	}
	whole := map[string][]byte{"tests/d.1": []byte("plan"), "workers/w1": []byte("doubted"), "farm/boot": boot(t, 6)}
	for name, test := range map[string]struct{ has, want map[string][]byte }{
		"all is lost":             {nil, whole},
		"the tests are":           {map[string][]byte{"workers/w1": []byte("doubted"), "farm/boot": boot(t, 6)}, whole},
		"the count is":            {map[string][]byte{"workers/w1": []byte("doubted"), "tests/d.1": []byte("plan")}, whole},
		"the count has gone back": {map[string][]byte{"farm/boot": boot(t, 2)}, whole},
		"nothing is": {
			map[string][]byte{"tests/d.1": []byte("other"), "workers/w1": []byte("new"), "farm/boot": boot(t, 9)},
			map[string][]byte{"tests/d.1": []byte("other"), "workers/w1": []byte("new"), "farm/boot": boot(t, 9)},
		},
	} {
		copied := filepath.Join(t.TempDir(), "copy")
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		bus := &memory{kept: maps.Clone(test.has)}
		if bus.kept == nil {
			bus.kept = map[string][]byte{}
		}
		if _, err := openKept(ctx, bus, copied); err != nil || !maps.EqualFunc(bus.kept, test.want, bytes.Equal) {
			t.Errorf("%s: %v, %q, expected %q", name, err, bus.kept, test.want)
		}
	}
}

// TestSecretsAreSecret: they are made for their owner only, kept, and refused otherwise.
func TestSecretsAreSecret(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "farm")
	s, err := OpenState(dir, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{secretFile, seedFile} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	again, err := OpenState(dir, time.Now())
	if err != nil || again.Secret != s.Secret || again.Public != s.Public || s.Secret == (farm.Secret{}) {
		t.Errorf("it is another farm the second time: %v", err)
	}
	if err := os.Chmod(filepath.Join(dir, seedFile), 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenState(dir, time.Now()); err == nil || !strings.Contains(err.Error(), "can be read by others") {
		t.Errorf("a seed that others read: %v", err)
	}
	if err := os.Chmod(filepath.Join(dir, seedFile), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, secretFile), []byte("ab\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenState(dir, time.Now()); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("half a secret: %v", err)
	}
	lock, err := s.lock()
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if _, err := s.lock(); err == nil {
		t.Error("two coordinators serve one folder")
	}
}

func TestSettings(t *testing.T) {
	for text, want := range map[string]string{
		"[farm]\nlisten = \":1\"\nlease = \"2s\"\n[artefacts]\nmax_bytes = \"1.5GB\"\n[quota.ann]\nrunning = 2": "",
		"[farm]\nlissten = \":1\"":          "no key of a farm",
		"[farm]\nlease = \"1ms\"":           "farm.lease",
		"[tls]\ncert = \"x\"":               "expected cert, key and ca",
		"[jetstream]\nurl = \"nats://x\"":   "jetstream.monitor",
		"[jetstream]\nmax_bytes = \"-1GB\"": "no size",
		"[jetstream]\nmax_bytes = \"20%\"":  "no size",
		"[schedule]\nowner_max = 1.5":       "owner_max",
		"[backup]\nevery = \"1h\"":          "backup",
		"[quota.\"A b\"]\nrunning = 1":      "quota",
		"[quota.ann]\nqueued = -1":          "negative",
	} {
		file := filepath.Join(t.TempDir(), "farm.toml")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := ReadSettings(file)
		if err == nil {
			err = s.Complete()
		}
		switch {
		case want == "" && (err != nil || s.Farm.Lease != 2*time.Second || s.Artefacts.MaxBytes != 3<<29 || s.quota("ann").Running != 2 || s.quota("ben").Running != 0):
			t.Errorf("%v, %+v", err, s)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}

// TestWhatIsAudited: only players that repeat themselves, whole councils of them.
func TestWhatIsAudited(t *testing.T) {
	one := match.Player{Name: "e", Options: []match.Option{{Name: "threads", Value: "1"}}, Limits: match.Limits{Nodes: 1}}
	with := func(change func(*match.Player)) match.Player { p := one; change(&p); return p }
	for name, test := range map[string]struct {
		player match.Player
		ponder match.PonderMode
		want   bool
	}{
		"nodes, one thread":      {one, match.PonderOff, true},
		"the built-in engine":    {with(func(p *match.Player) { p.Options, p.Builtin = nil, true }), match.PonderOff, true},
		"threads by default":     {with(func(p *match.Player) { p.Options = nil }), match.PonderOff, false},
		"two threads":            {with(func(p *match.Player) { p.Options = []match.Option{{Name: "Threads", Value: "2"}} }), match.PonderOff, false},
		"a clock":                {with(func(p *match.Player) { p.Limits = match.Limits{MoveTime: time.Second} }), match.PonderOff, false},
		"its own end":            {with(func(p *match.Player) { p.Limits = match.Limits{Self: true} }), match.PonderOff, false},
		"pondering":              {one, match.PonderStandard, false},
		"a council":              {match.Player{Limits: match.Limits{Nodes: 1}, Council: &match.Council{Members: []match.Player{one, one}, Own: []bool{false, true}}}, match.PonderOff, true},
		"a council with a doubt": {match.Player{Limits: match.Limits{Nodes: 1}, Council: &match.Council{Members: []match.Player{one, with(func(p *match.Player) { p.Options = nil })}, Own: []bool{false, false}}}, match.PonderOff, false},
	} {
		plan := &match.Plan{Ponder: test.ponder, Players: []match.Player{one, test.player}}
		if got := newAuditor(farm.Secret{}).Exact(plan); got != test.want {
			t.Errorf("%s: %v, expected %v", name, got, test.want)
		}
	}
}
