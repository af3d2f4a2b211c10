package site

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/internal/testutil"
	"gogi/match"
)

func TestSettings(t *testing.T) {
	for text, want := range map[string]string{
		"[farm]\nlisten = \":1\"\nlease = \"2s\"\n[artefacts]\nmax_bytes = \"1.5GB\"\n[quota.ann]\nrunning = 2": "",
		"[farm]\nlissten = \":1\"":        "not a key of a farm",
		"[farm]\nlease = \"1ms\"":         "farm.lease",
		"[tls]\ncert = \"x\"":             "expected cert, key and ca",
		"[jetstream]\nurl = \"nats://x\"": "jetstream.monitor",
		"[jetstream]\ntakeover = \"10s\"": "needs an external NATS cluster",
		"[jetstream]\nurl = \"nats://x\"\nmonitor = \"http://x\"\ntakeover = \"10ms\"":               "at least 15s",
		"[jetstream]\nurl = \"nats://x\"\nmonitor = \"http://x\"\ntakeover = \"15s\"\nreplicas = -1": "jetstream.replicas",
		"[jetstream]\nmax_bytes = \"-1GB\"":                                                          "not a size",
		"[jetstream]\nmax_bytes = \"20%\"":                                                           "not a size",
		"[schedule]\nowner_max = 1.5":                                                                "owner_max",
		"[backup]\nevery = \"-1h\"":                                                                  "backup",
		"[quota.\"A b\"]\nrunning = 1":                                                               "quota",
		"[quota.ann]\nqueued = -1":                                                                   "negative",
	} {
		file := filepath.Join(t.TempDir(), "farm.toml")
		testutil.OK(t, os.WriteFile(file, []byte(text), 0o600))
		s, err := ReadSettings(file)
		if err == nil {
			err = s.Complete()
		}
		switch {
		case want == "" && (err != nil || s.Farm.Lease != 2*time.Second || s.Artefacts.MaxBytes != 3<<29 ||
			s.quota("ann").Running != 2 || s.quota("ben").Running != 0):
			t.Errorf("%v, %+v", err, s)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: %v, expected %q", text, err, want)
		}
	}
}

// TestWhatIsAudited: audits need players that repeat their games. In a council all members must do so.
func TestWhatIsAudited(t *testing.T) {
	one := match.Player{Name: "e", Options: []match.Option{{Name: "threads", Value: "1"}}, Limits: match.Limits{Nodes: 1}}
	with := func(change func(*match.Player)) match.Player { p := one; change(&p); return p }
	for name, test := range map[string]struct {
		player match.Player
		ponder match.PonderMode
		want   bool
	}{
		"nodes, one thread":   {one, match.PonderOff, true},
		"the built-in engine": {with(func(p *match.Player) { p.Options, p.Builtin = nil, true }), match.PonderOff, true},
		"threads by default":  {with(func(p *match.Player) { p.Options = nil }), match.PonderOff, false},
		"two threads": {with(func(p *match.Player) { p.Options = []match.Option{{Name: "Threads", Value: "2"}} }),
			match.PonderOff, false},
		"a clock": {with(func(p *match.Player) { p.Limits = match.Limits{MoveTime: time.Second} }),
			match.PonderOff, false},
		"its own end": {with(func(p *match.Player) { p.Limits = match.Limits{Self: true} }), match.PonderOff,
			false},
		"pondering": {one, match.PonderStandard, false},
		"a council": {match.Player{Limits: match.Limits{Nodes: 1},
			Council: &match.Council{Members: []match.Player{one, one}, Own: []bool{false, true}}}, match.PonderOff, true},
		"a council with a doubt": {match.Player{Limits: match.Limits{Nodes: 1},
			Council: &match.Council{Members: []match.Player{one, with(func(p *match.Player) { p.Options = nil })},
				Own: []bool{false, false}}}, match.PonderOff, false},
	} {
		plan := &match.Plan{Ponder: test.ponder, Players: []match.Player{one, test.player}}
		testutil.Equal(t, newAuditor(farm.Secret{}).Exact(plan), test.want, "%s", name)
	}
}
