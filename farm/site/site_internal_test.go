package site

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/match"
)

// memory is a farm.Bus of which only the buckets are there. What a name has is after its
// revision and a space.
type memory struct {
	farm.Bus
	kept map[string]string
	last uint64
}

func (m *memory) Keep(_ context.Context, bucket, name string, body []byte, revision uint64) (uint64, error) {
	if now, _, _ := strings.Cut(m.kept[bucket+"/"+name], " "); now != "" && now != fmt.Sprint(revision) || now == "" && revision != 0 {
		return 0, farm.ErrStale
	}
	m.last++
	m.kept[bucket+"/"+name] = fmt.Sprintf("%d %s", m.last, body)
	return m.last, nil
}

func (m *memory) Kept(_ context.Context, bucket string, see func(string, []byte, uint64) error) error {
	for k, text := range m.kept {
		name, ok := strings.CutPrefix(k, bucket+"/")
		number, body, _ := strings.Cut(text, " ")
		revision, err := strconv.ParseUint(number, 10, 64)
		if ok && err == nil {
			err = see(name, []byte(body), revision)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// TestALostJournal is built anew from the copy: all of it, what is missing, and what has
// gone back to an earlier state. What a journal has otherwise wins over the copy.
func TestALostJournal(t *testing.T) {
	ctx, dir := t.Context(), t.TempDir()
	first := &memory{kept: map[string]string{}}
	k, err := openKept(ctx, first, dir)
	if err != nil {
		t.Fatal(err)
	}
	submitted, err := k.Keep(ctx, "tests", "d.1", []byte("submitted"), 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{"workers/w1": "trusted", "farm/boot": "5"} {
		bucket, name, _ := strings.Cut(name, "/")
		if _, err := k.Keep(ctx, bucket, name, []byte(body), 0); err != nil {
			t.Fatal(err)
		}
	}
	approved, err := k.Keep(ctx, "tests", "d.1", []byte("approved"), submitted)
	if err != nil || approved != 4 {
		t.Fatal(approved, err)
	}
	first.kept["workers/w1"] = "5 doubted" // and the copy was not written any more
	if _, err := openKept(ctx, first, dir); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct{ has, want map[string]string }{
		"all is lost":           {map[string]string{}, map[string]string{"tests/d.1": "approved", "workers/w1": "doubted", "farm/boot": "5"}},
		"a test is":             {map[string]string{"workers/w1": "5 doubted", "farm/boot": "3 5"}, map[string]string{"tests/d.1": "approved", "workers/w1": "doubted", "farm/boot": "5"}},
		"a test has gone back":  {map[string]string{"workers/w1": "5 doubted", "tests/d.1": "1 submitted"}, map[string]string{"tests/d.1": "approved", "workers/w1": "doubted", "farm/boot": "5"}},
		"a boot has gone back":  {map[string]string{"farm/boot": "1 4"}, map[string]string{"tests/d.1": "approved", "workers/w1": "doubted", "farm/boot": "5"}},
		"it is as it was":       {map[string]string{"tests/d.1": "4 approved", "farm/boot": "9 6"}, map[string]string{"tests/d.1": "approved", "workers/w1": "doubted", "farm/boot": "6"}},
		"it is ahead of a copy": {map[string]string{"tests/d.1": "7 stopped", "workers/w1": "8 new", "farm/boot": "9 6"}, map[string]string{"tests/d.1": "stopped", "workers/w1": "new", "farm/boot": "6"}},
	} {
		copied := filepath.Join(t.TempDir(), "copy")
		if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		for again := range 2 { // the second time there is nothing to do
			bus := &memory{kept: maps.Clone(test.has), last: 2}
			if again == 1 {
				bus.kept = test.has
			}
			if _, err := openKept(ctx, bus, copied); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got := map[string]string{}
			for name, text := range bus.kept {
				_, got[name], _ = strings.Cut(text, " ")
			}
			if !maps.Equal(got, test.want) {
				t.Errorf("%s: %q, expected %q", name, got, test.want)
			}
			test.has = bus.kept
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
