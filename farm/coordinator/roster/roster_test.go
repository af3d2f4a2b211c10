package roster_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/parttest"
	"gogi/farm/coordinator/roster"
	"gogi/internal/testutil"
	"gogi/internal/version"
	"gogi/match/trust"
)

// TestWhoMayBegin: a worker needs a key, a known protocol and no quarantine, and an older process of it is rejected.
func TestWhoMayBegin(t *testing.T) {
	f := parttest.New()
	f.Join(t, "red1", 2)
	bad := f.Roster.Worker("blue1", "blue")
	f.Roster.Quarantine(bad, "blue1", "it lies", "ben")
	hello := func(session string, start uint64, protocol int) farm.Hello {
		return farm.Hello{Session: session, Start: start, Protocol: protocol, Slots: 1}
	}
	for _, test := range []struct {
		name  string
		hello farm.Hello
		owner string
		why   string
		exit  int
	}{
		{"red2", hello("s", 1, farm.Protocol), "red", "", 0},
		{"red1", hello("s", 2, farm.Protocol), "red", "", 0},         // a newer process
		{"red1", hello("red1-1", 1, farm.Protocol), "red", "", 0},    // the same process again
		{"red1", hello("s", 0, farm.Protocol), "", "start 1", 4},     // an older process
		{"ann", hello("s", 1, farm.Protocol), "", "no valid key", 4}, // a key without the right
		{"red2", hello("s", 1, farm.Oldest-1), "", "newer gogi", 5},
		{"red2", hello("", 1, farm.Protocol), "", "session", 4},
		{"blue1", hello("s", 1, farm.Protocol), "", "it lies", 4},
	} {
		owner, refusal := f.Roster.Admit(test.name, &test.hello)
		got := farm.Refusal{}
		if refusal != nil {
			got = *refusal
		}
		ok := owner == test.owner && got.Exit == test.exit && strings.Contains(got.Why, test.why)
		testutil.Check(t, ok, "%s %+v: owner %q, %+v", test.name, test.hello, owner, got)
	}
}

// TestNoTrustInQuarantine: the farm trusts no worker in quarantine, whatever its level, and no key with the right run.
func TestNoTrustInQuarantine(t *testing.T) {
	f := parttest.New()
	f.Roster.Worker("red1", "red").Trust = trust.Owner
	for _, name := range []string{"red1", "ben"} {
		testutil.Check(t, f.Roster.Trusted(name), "%s is not trusted", name)
		f.Roster.Quarantine(f.Roster.Worker(name, ""), name, "it lies", "farm")
		testutil.Check(t, !f.Roster.Trusted(name), "%s is trusted in quarantine", name)
	}
}

// TestTrustOfAnOwner: while one key of an owner is in quarantine, its verified workers count as untrusted and earn no
// slots. A worker to whom the farm gave the level owner keeps it.
func TestTrustOfAnOwner(t *testing.T) {
	f := parttest.New()
	verified, own, other := f.Roster.Worker("red1", "red"), f.Roster.Worker("red3", "red"),
		f.Roster.Worker("blue1", "blue")
	verified.Trust, own.Trust, other.Trust = trust.Verified, trust.Owner, trust.Verified
	verified.Played = 30
	f.Join(t, "red1", 100)
	bad := f.Roster.Worker("red2", "red")

	check := func(levels [3]trust.Level, trusted bool, earned, slots int, suspect string) {
		t.Helper()
		got := [3]trust.Level{f.Roster.Level(verified), f.Roster.Level(own), f.Roster.Level(other)}
		testutil.Equal(t, got, levels, "levels")
		testutil.Equal(t, f.Roster.Trusted("red1"), trusted, "trusted")
		testutil.Equal(t, f.Roster.Earned(verified), earned, "earned")
		testutil.Equal(t, f.Roster.Slots(f.Roster.Sessions["red1"]), slots, "slots")
		testutil.Equal(t, f.Roster.Suspect("red"), suspect, "suspect")
	}
	check([3]trust.Level{trust.Verified, trust.Owner, trust.Verified}, true, 30, 100, "")
	f.Roster.Quarantine(bad, "red2", "it lies", "farm")
	check([3]trust.Level{trust.Untrusted, trust.Owner, trust.Verified}, false, 0, 8, "red2")
	testutil.Equal(t, f.Barred["red2"], "it lies", "barred")
	f.Roster.Pardon(bad, "red2")
	check([3]trust.Level{trust.Verified, trust.Owner, trust.Verified}, true, 30, 100, "")
	testutil.Equal(t, f.Barred["red2"], "", "barred after the pardon")
	verified.Trust = trust.Untrusted
	testutil.Equal(t, f.Roster.Slots(f.Roster.Sessions["red1"]), 38, "slots of an untrusted worker with 30 pairs")
}

// TestNeeds: a worker needs every label of a test, and the level of trust.
func TestNeeds(t *testing.T) {
	f := parttest.New()
	f.Roster.Worker("red1", "red").Trust = trust.Verified
	labels := map[string]string{"os": "linux", "cores": "8"}
	for _, test := range []struct {
		needs map[string]string
		meets bool
	}{
		{nil, true}, {map[string]string{"os": "linux"}, true}, {map[string]string{"os": "linux", "cores": "16"}, false},
		{map[string]string{"trust": "verified"}, true}, {map[string]string{"trust": "owner"}, false},
		{map[string]string{"trust": "untrusted"}, true},
	} {
		testutil.Equal(t, f.Roster.Meets(test.needs, "red1", labels), test.meets, "%v", test.needs)
	}
	testutil.Check(t, !f.Roster.Meets(map[string]string{"trust": "untrusted"}, "new", labels),
		"a worker that nobody knows is trusted")
}

// TestRefusals: the status lists the connected workers that refuse a test. Only the owners of the test and of the
// machine, and keys that may approve, read the reasons.
func TestRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := parttest.New()
		f.Roster.Join("blue1", "blue", farm.Hello{Session: "s"})
		s := f.Roster.SessionOf("blue1", "s")
		s.Refuses, s.Why = []string{"run1", "run2"}, []string{"/secret: no such file"}
		gold := roster.Key{Name: "gus", Owner: "gold", Rights: []string{roster.Submit}}
		list := func(run string, who roster.Key) string {
			return strings.Join(f.Roster.Refusals(time.Now(), run, "red", who), "\n")
		}
		testutil.Equal(t, list("run1", f.Keys["ben"]), "blue1: /secret: no such file", "for an approver")
		testutil.Equal(t, list("run1", f.Keys["ann"]), "blue1: /secret: no such file", "for the owner of the test")
		testutil.Check(t, !strings.Contains(list("run1", gold), "secret"), "anyone reads %q", list("run1", gold))
		testutil.Equal(t, list("run2", f.Keys["ben"]), "blue1: it gave no reason", "without a reason")
		testutil.Equal(t, list("run3", f.Keys["ben"]), "", "of another test")
		time.Sleep(2 * time.Minute)
		testutil.Equal(t, list("run1", f.Keys["ben"]), "", "of a worker that has left")
	})
}

// TestUnimportantChangesAreStoredSlowly: errors of workers are stored at most once in a minute, and four workers at a
// time. A change of the trust is stored at once.
func TestUnimportantChangesAreStoredSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := parttest.New()
		for i := range 6 {
			f.Roster.Worker(fmt.Sprint("w", i), "red").Failed(time.Now(), "farm", "an error")
		}
		stored := func(want int) {
			t.Helper()
			f.Roster.KeepChanged(t.Context(), time.Now())
			testutil.Equal(t, f.State.Puts["workers"], want, "stored workers")
		}
		stored(4)
		stored(6)
		w := f.Roster.Workers["w0"]
		w.Failed(time.Now(), "farm", "an error") // the same error again
		time.Sleep(2 * time.Minute)
		stored(6)
		w.Failed(time.Now(), "farm", "another error")
		stored(7)
		w.Failed(time.Now(), "farm", "a third error")
		stored(7)
		time.Sleep(time.Minute)
		stored(8)
		testutil.OK(t, f.Roster.Keep(t.Context(), "w0", w))
		testutil.Equal(t, f.State.Puts["workers"], 9, "stored workers")
	})
}

// TestCountsAreStored: the counts of a worker are stored after every 16 pairs and audits, and at the end.
func TestCountsAreStored(t *testing.T) {
	f := parttest.New()
	w := f.Roster.Worker("red1", "red")
	for range 40 {
		w.Played++
		f.Roster.KeepCounts(t.Context(), "red1", w)
	}
	testutil.Equal(t, f.State.Puts["workers"], 3, "stored after 1, 17 and 33 pairs")
	f.Roster.Close(t.Context())
	f.Roster.Close(t.Context())
	testutil.Equal(t, f.State.Puts["workers"], 4, "stored at the end")
}

// TestAWorkerThatCannotBeRead: it is in quarantine, because it may have been. A stored worker keeps all its fields.
func TestAWorkerThatCannotBeRead(t *testing.T) {
	f := parttest.New()
	good := f.Roster.Worker("red1", "red")
	good.Trust, good.Played, good.Forgiven = trust.Verified, 17, map[string]float64{"run": 1.5}
	testutil.OK(t, f.Roster.Keep(t.Context(), "red1", good))
	f.State.Rows[[2]string{"workers", "red2"}] = []byte("\xff")

	again := parttest.New()
	again.State.Rows = f.State.Rows
	testutil.OK(t, again.Roster.Read(t.Context()))
	read := again.Roster.Workers["red1"]
	testutil.Check(t, read.Trust == trust.Verified && read.Played == 17 && read.Forgiven["run"] == 1.5, "read: %+v", read)
	testutil.Check(t, again.Roster.Barred("red2") && again.Barred["red2"] != "" && again.Roster.Suspect("red") == "red2",
		"the broken worker: %+v", again.Roster.Workers["red2"])
}

// TestLabelsForReaders: readers who have nothing to do with a machine and submit no tests do not see the labels that
// its owner has added.
func TestLabelsForReaders(t *testing.T) {
	all := map[string]string{"os": "linux", "isas": "x86-64-v3", "host": "desk.example"}
	for _, test := range []struct {
		key  roster.Key
		sees string
	}{
		{roster.Key{}, ""}, {roster.Key{Name: "w", Owner: "other", Rights: []string{roster.Work}}, ""},
		{roster.Key{Name: "w", Owner: "me", Rights: []string{roster.Work}}, "desk.example"},
		{roster.Key{Name: "s", Owner: "other", Rights: []string{roster.Submit}}, "desk.example"},
		{roster.Key{Name: "a", Owner: "other", Rights: []string{roster.Approve}}, "desk.example"},
		{roster.Key{Name: "r", Owner: "other", Rights: []string{roster.Run}}, "desk.example"},
	} {
		got := test.key.Labels(all, "me")
		testutil.Check(t, got["os"] == "linux" && got["isas"] == "x86-64-v3" && got["host"] == test.sees, "%+v sees %v",
			test.key, got)
	}
}

// TestFreeLabels: a machine can report any text as its system, its processor and its version. Readers who have nothing
// to do with the machine see only values that gogi finds, and so does the log.
func TestFreeLabels(t *testing.T) {
	stranger := roster.Key{Name: "w", Owner: "other", Rights: []string{roster.Work}}
	for name, values := range map[string][]string{
		"os": {"linux", "windows", "darwin", "freebsd"}, "arch": {"amd64", "arm64", "riscv64", "386"},
		"isa":  {"x86-64-v2", "x86-64-v4", "armv8.2"},
		"isas": {"x86-64-v4,x86-64-v3,x86-64-v2", "armv8.2"}, "cores": {"1", "128"},
		"builds": {"bubblewrap", "user", "user with network", "off"},
	} {
		for _, v := range values {
			testutil.Equal(t, stranger.Labels(map[string]string{name: v}, "me")[name], v, "%s", name)
		}
		for _, v := range []string{"", "desk.example", values[0] + " desk", values[0] + "\n", "desk " + values[0],
			strings.ToUpper(values[0]) + "!"} {
			testutil.Equal(t, stranger.Labels(map[string]string{name: v}, "me")[name], "other", "%s %q", name, v)
			testutil.Equal(t, roster.Key{Name: "a", Owner: "me"}.Labels(map[string]string{name: v}, "me")[name], v,
				"the owner reads %s %q", name, v)
		}
	}
	commit := strings.Repeat("0f", 20)
	for _, v := range []string{"", "v1.3.0", "v1.3.0 " + commit, "v1.3.0-rc.1",
		"v0.0.0-20261129225337-74405a7b4fb8 " + commit, "v1.2.4-0.20261129225337-74405a7b4fb8+dirty", "(devel)", "unknown",
		version.Own().String()} {
		testutil.Equal(t, stranger.Version(v, "me"), v)
	}
	for _, v := range []string{"desk", "v1.3.0-desk", "v1.3.0 desk", "v1.3.0+desk", "v1", "(devel) desk",
		"v1.3.0\nv1.3.0"} {
		testutil.Equal(t, stranger.Version(v, "me"), "other", "%q", v)
		testutil.Equal(t, roster.Key{Name: "a", Owner: "me"}.Version(v, "me"), v, "the owner reads %q", v)
	}
}
