package keys_test

import (
	"crypto/ed25519"
	"crypto/tls"
	"crypto/x509"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/farm/keys"
	"gogi/internal/testutil"
)

func newKey(t *testing.T, name string, expires time.Time, rights ...keys.Right) (keys.Key, string) {
	t.Helper()
	k, seed, err := keys.New(name, "owner", rights, time.Now(), expires)
	testutil.OK(t, err)
	return k, seed
}

func TestWhatIsNoKey(t *testing.T) {
	for name, test := range map[string]struct {
		name, owner string
		rights      []keys.Right
	}{
		"a dot":          {"a.b", "o", []keys.Right{keys.Work}},
		"a wildcard":     {"*", "o", []keys.Right{keys.Work}},
		"nothing":        {"", "o", []keys.Right{keys.Work}},
		"a path":         {"../x", "o", []keys.Right{keys.Work}},
		"the bus's own":  {"COORDINATOR", "o", []keys.Right{keys.Work}},
		"long":           {strings.Repeat("a", 41), "o", []keys.Right{keys.Work}},
		"no owner":       {"a", "", []keys.Right{keys.Work}},
		"no rights":      {"a", "o", nil},
		"unknown right":  {"a", "o", []keys.Right{"play"}},
		"work and admin": {"a", "o", []keys.Right{keys.Work, keys.Admin}},
	} {
		_, _, err := keys.New(test.name, test.owner, test.rights, time.Now(), time.Time{})
		testutil.Check(t, err != nil, "%s: it is a key", name)
	}
}

func TestRingKeepsAndRevokes(t *testing.T) {
	dir := t.TempDir()
	ring := testutil.Must(keys.Open(dir))(t)
	k, _ := newKey(t, "w1", time.Time{}, keys.Work)
	testutil.OK(t, ring.Add(k))
	again, _ := newKey(t, "w1", time.Time{}, keys.Work)
	testutil.Check(t, ring.Add(again) != nil, "a name is given twice")
	again = k
	again.Name = "w2"
	testutil.Check(t, ring.Add(again) != nil, "a key is given twice")
	now := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	testutil.OK(t, ring.Revoke("w1", "lost", now))
	testutil.OK(t, ring.Revoke("w1", "again", now.Add(time.Hour)))
	testutil.Is(t, ring.Revoke("nobody", "", now), keys.ErrUnknown, "an unknown key")
	for name, r := range map[string]*keys.Ring{"the ring": ring, "a new one": reopened(t, dir)} {
		got, ok := r.Find(k.Public)
		if err := got.Valid(now); !ok || err == nil || !strings.Contains(err.Error(), "lost") || !got.Revoked.Equal(now) {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	testutil.OK(t, os.WriteFile(filepath.Join(dir, "bad.toml"), []byte("name = \"other\""), 0o600))
	testutil.Check(t, ring.Refresh() != nil, "a damaged key is read")
	if _, ok := ring.Named("w1"); !ok {
		t.Error("a damaged file has changed the others")
	}
}

func reopened(t *testing.T, dir string) *keys.Ring {
	t.Helper()
	return testutil.Must(keys.Open(dir))(t)
}

func TestExpiry(t *testing.T) {
	at := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	k, _ := newKey(t, "w1", at, keys.Work)
	testutil.OK(t, k.Valid(at.Add(-time.Second)), "before")
	testutil.Check(t, k.Valid(at) != nil, "it is valid at its end")
}

func TestSigning(t *testing.T) {
	k, seed := newKey(t, "w1", time.Time{}, keys.Work)
	sign, public, err := keys.Sign(seed)
	testutil.Require(t, err == nil && public == k.Public, "%v, or another key", err)
	signature := testutil.Must(sign([]byte("text")))(t)
	testutil.Check(t, ed25519.Verify(k.Ed25519(), []byte("text"), signature) &&
		keys.Verifies(public, []byte("text"), signature),
		"it does not verify")
	testutil.Check(t, !keys.Verifies(public, []byte("texts"), signature) && !keys.Verifies("U", []byte("text"), signature),
		"something else verifies")
	if _, _, err := keys.Sign("SUAB"); err == nil {
		t.Error("a damaged seed signs")
	}
}

func TestCreds(t *testing.T) {
	k, seed := newKey(t, "w1", time.Time{}, keys.Work)
	ca := testutil.Must(keys.NewAuthority(time.Now()))(t)
	c := keys.Creds{Name: "w1", URL: "tls://farm.example:7422", Coordinator: k.Public, Seed: seed, CA: ca.PEM}
	file := filepath.Join(t.TempDir(), "w1.creds")
	testutil.OK(t, c.Write(file))
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v", err, info.Mode())
	}
	if got, err := keys.ReadCreds(file); err != nil || got != c {
		t.Errorf("%+v, %v", got, err)
	}
	testutil.OK(t, os.Chmod(file, 0o640))
	testutil.Fails(t, testutil.Err(keys.ReadCreds(file)), "0640", "a file that others read")
	for name, change := range map[string]func(*keys.Creds){
		"no CA, far away": func(c *keys.Creds) { c.CA = "" },
		"a CA of nothing": func(c *keys.Creds) { c.CA = "x" },
		"no coordinator":  func(c *keys.Creds) { c.Coordinator = "" },
		"no seed":         func(c *keys.Creds) { c.Seed = "" },
		"no name":         func(c *keys.Creds) { c.Name = "" },
	} {
		bad := c
		change(&bad)
		testutil.Check(t, bad.Write(filepath.Join(t.TempDir(), "x")) != nil, "%s: written", name)
	}
	c.CA, c.URL = "", "nats://127.0.0.1:7422"
	testutil.OK(t, c.Write(filepath.Join(t.TempDir(), "x")), "without TLS on loopback")
}

// TestCertificates: a certificate is valid for a clock that is at most 48 h behind, and only for its own authority.
func TestCertificates(t *testing.T) {
	dir, now := t.TempDir(), time.Now()
	ca := testutil.Must(keys.OpenAuthority(dir, now))(t)
	same, err := keys.OpenAuthority(dir, now)
	testutil.Require(t, err == nil && same.PEM == ca.PEM, "%v, or another authority", err)
	cert := testutil.Must(same.Server([]string{"farm.example", "10.0.0.1", "::1"}, now))(t)
	other, err := keys.NewAuthority(now)
	testutil.OK(t, err)
	for name, test := range map[string]struct {
		ca   string
		host string
		at   time.Time
		good bool
	}{
		"as made":               {ca.PEM, "farm.example", now, true},
		"an address":            {ca.PEM, "10.0.0.1", now, true},
		"an address of v6":      {ca.PEM, "::1", now, true},
		"another name":          {ca.PEM, "evil.example", now, false},
		"another authority":     {other.PEM, "farm.example", now, false},
		"a clock 47 h behind":   {ca.PEM, "farm.example", now.Add(-47 * time.Hour), true},
		"a clock 49 h behind":   {ca.PEM, "farm.example", now.Add(-49 * time.Hour), false},
		"a clock a year beyond": {ca.PEM, "farm.example", now.Add(366 * 24 * time.Hour), false},
	} {
		roots := x509.NewCertPool()
		roots.AppendCertsFromPEM([]byte(test.ca))
		host := test.host
		if net.ParseIP(host) != nil {
			host = "[" + host + "]" // the form in which package x509 takes addresses
		}
		_, err := cert.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: host, CurrentTime: test.at})
		testutil.Check(t, (err == nil) == test.good, "%s: %v", name, err)
	}
	testutil.OK(t, os.Remove(filepath.Join(dir, "ca-key.pem")))
	testutil.Fails(t, testutil.Err(keys.OpenAuthority(dir, now)), "", "an authority that workers have pinned is replaced")
}

func TestTLSIsNew(t *testing.T) {
	ca := testutil.Must(keys.NewAuthority(time.Now()))(t)
	c, err := ca.TLS([]string{"localhost"})
	testutil.Check(t, err == nil && c.MinVersion == tls.VersionTLS13, "%v, %v", c, err)
}

// TestAWorkerHasFewSubjects: a worker has only the subjects that it needs, under its own name. No right includes a
// subject of JetStream.
func TestAWorkerHasFewSubjects(t *testing.T) {
	k, _ := newKey(t, "w1", time.Time{}, keys.Work)
	s := k.Subjects()
	if want := []string{"hello.w1", "lease.w1", "beat.w1", "res.w1.*", "ev.*.w1", "art.w1"}; !slices.Equal(s.Publish,
		want) {
		t.Errorf("publishes %v", s.Publish)
	}
	if want := []string{"_INBOX_w1.>", "ctl.*", "work.w1", "ctl.w.w1"}; !slices.Equal(s.Subscribe, want) {
		t.Errorf("hears %v", s.Subscribe)
	}
	for _, r := range keys.All {
		k, _ := newKey(t, "x", time.Time{}, r)
		for _, subject := range slices.Concat(k.Subjects().Publish, k.Subjects().Subscribe) {
			testutil.Check(t, !strings.HasPrefix(subject, "$") && subject != ">" && !strings.HasPrefix(subject, "*"), "%s: %s",
				r, subject)
		}
	}
}
