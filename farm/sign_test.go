package farm_test

import (
	"crypto/ed25519"
	"errors"
	"testing"

	"gogi/farm"
	"gogi/internal/testutil"
)

// TestATaskIsSignedWhole: no part of it can be changed, and no other key's word counts.
func TestATaskIsSignedWhole(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(nil)
	testutil.OK(t, err)
	other, _, err := ed25519.GenerateKey(nil)
	testutil.OK(t, err)
	task := farm.Task{Run: "ab", Name: "n", Plan: []byte("plan"), Owner: "o"}
	testutil.OK(t, task.Sign(func(text []byte) ([]byte, error) { return ed25519.Sign(private, text), nil }))
	if err := task.Check(public); err != nil {
		t.Errorf("as signed: %v", err)
	}
	for name, change := range map[string]func(*farm.Task){
		"run": func(t *farm.Task) { t.Run = "cd" }, "name": func(t *farm.Task) { t.Name = "m" },
		"plan": func(t *farm.Task) { t.Plan = []byte("plam") }, "owner": func(t *farm.Task) { t.Owner = "p" },
		"approved": func(t *farm.Task) { t.Approved = true }, "signature": func(t *farm.Task) { t.Signature = nil },
	} {
		changed := task
		change(&changed)
		if err := changed.Check(public); !errors.Is(err, farm.ErrSignature) {
			t.Errorf("%s changed: %v, want ErrSignature", name, err)
		}
	}
	for name, key := range map[string]ed25519.PublicKey{"another key": other, "no key": nil} {
		if err := task.Check(key); !errors.Is(err, farm.ErrSignature) {
			t.Errorf("%s: %v, want ErrSignature", name, err)
		}
	}
}

func TestSpeaker(t *testing.T) {
	t.Parallel()
	for subject, want := range map[string]string{
		"hello.w": "w", "lease.w": "w", "beat.w": "w", "art.w": "w", "put.o": "o",
		"res.w.0": "w", "adm.o.submit": "o", "ev.4c1d.w": "w",
		"ctl.all": "", "ctl.w.x": "", "hello": "", "hello.w.x": "", "res.w": "", "_INBOX_w.1": "", "": "",
	} {
		testutil.Equal(t, farm.Sender(subject), want, "%q", subject)
	}
}
