package farm_test

import (
	"crypto/ed25519"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/internal/testutil"
	"gogi/match"
)

// TestATokenIsOfOneLease: a token covers every part of a lease, its worker and its farm.
func TestATokenIsOfOneLease(t *testing.T) {
	t.Parallel()
	secret := farm.Secret{1, 2, 3}
	lease := farm.Held{Run: "ab", Pair: 7, Epoch: 1<<32 | 5, Take: 1}
	lease.Token = secret.Token("w1", lease)
	testutil.Require(t, secret.Granted("w1", lease), "a token is refused that was given")
	for name, change := range map[string]func(*farm.Held){
		"run":    func(h *farm.Held) { h.Run = "abc" },
		"pair":   func(h *farm.Held) { h.Pair = 8 },
		"epoch":  func(h *farm.Held) { h.Epoch++ },
		"take":   func(h *farm.Held) { h.Take = 0 },
		"audit":  func(h *farm.Held) { h.Audit = true },
		"points": func(h *farm.Held) { h.Points = 1 },
		"token":  func(h *farm.Held) { h.Token = h.Token[:len(h.Token)-1] },
		"none":   func(h *farm.Held) { h.Token = nil },
	} {
		forged := lease
		if change(&forged); secret.Granted("w1", forged) {
			t.Errorf("another %s passes with the same token", name)
		}
	}
	testutil.Check(t, !secret.Granted("w2", lease), "the token of one worker passes for another")
	other := (farm.Secret{9})
	testutil.Check(t, !other.Granted("w1", lease), "the token of one farm passes in another")
	a, b := secret.Token("bw", farm.Held{Run: "a"}), secret.Token("w", farm.Held{Run: "a"})
	testutil.Check(t, !reflect.DeepEqual(a, b), "names run into each other")
}

// TestABatchIsSigned: Open returns a sealed batch unchanged, and rejects everything else.
func TestABatchIsSigned(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(nil)
	testutil.OK(t, err)
	keys := func(worker string) ed25519.PublicKey { return map[string]ed25519.PublicKey{"w": public}[worker] }
	sign := func(text []byte) ([]byte, error) { return ed25519.Sign(private, text), nil }
	ended := time.Date(2026, 11, 3, 4, 5, 6, 7000, time.UTC)
	batch := farm.Batch{Worker: "w", Session: "s", Items: []farm.Item{
		{Lease: farm.Held{Run: "r", Pair: 3, Epoch: 9, Token: []byte{1}}, Pair: []byte{4, 5}},
		{Lease: farm.Held{Run: "r", Pair: 4}, Attempt: &match.Attempt{Pair: 4, Ended: ended, Why: "cut"}},
	}}
	body := testutil.Must(farm.Seal(&batch, sign))(t)
	got, signed, err := farm.Open(body, keys)
	testutil.Require(t, err == nil && reflect.DeepEqual(*got, batch) && len(signed.Signature) == ed25519.SignatureSize,
		"opened %+v, %v", got, err)
	for i := range body {
		flipped := append([]byte{}, body...)
		flipped[i] ^= 0x40
		if b, _, err := farm.Open(flipped, keys); err == nil && !reflect.DeepEqual(*b, batch) {
			t.Fatalf("a flipped bit in byte %d is opened as %+v", i, b)
		}
	}
	batch.Worker = "stranger"
	if body, err = farm.Seal(&batch, sign); err != nil {
		t.Fatal(err)
	}
	if _, _, err := farm.Open(body, keys); !errors.Is(err, farm.ErrSignature) {
		t.Errorf("a batch in another's name: %v", err)
	}
	plain, err := farm.Encode(batch)
	testutil.OK(t, err)
	unbound := func(text []byte) ([]byte, error) {
		return ed25519.Sign(private, []byte(strings.TrimPrefix(string(text), "gogi batch 1\x00"))), nil
	}
	batch.Worker = "w"
	if body, err = farm.Seal(&batch, unbound); err != nil {
		t.Fatal(err)
	}
	if _, _, err := farm.Open(body, keys); !errors.Is(err, farm.ErrSignature) {
		t.Errorf("a signature of the bare text passes for one of a batch: %v", err)
	}
	if _, _, err := farm.Open(plain, keys); err == nil {
		t.Error("an unsigned batch is opened")
	}
}

// TestDecodeIsBounded: a message that is too long is rejected before it is parsed.
func TestDecodeIsBounded(t *testing.T) {
	t.Parallel()
	long := testutil.Must(farm.Encode(farm.Held{Run: strings.Repeat("x", farm.MaxBody)}))(t)
	err := farm.Decode(long, &farm.Held{})
	testutil.Check(t, err != nil && strings.Contains(err.Error(), "at most"), "a body of %d bytes: %v", len(long), err)
	many := testutil.Must(farm.Encode(farm.Beat{Held: make([]farm.Held, farm.MaxItems+1)}))(t)
	testutil.Fails(t, farm.Decode(many, &farm.Beat{}), "", "a list above the bound is read")
}

// TestATaskIsSignedWhole: Check rejects a task with any changed part, or signed by another key.
func TestATaskIsSignedWhole(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(nil)
	testutil.OK(t, err)
	other, _, err := ed25519.GenerateKey(nil)
	testutil.OK(t, err)
	task := farm.Task{Run: "ab", Name: "n", Plan: []byte("plan"), Owner: "o"}
	testutil.OK(t, task.Sign(func(text []byte) ([]byte, error) { return ed25519.Sign(private, text), nil }))
	testutil.OK(t, task.Check(public), "as signed")
	for name, change := range map[string]func(*farm.Task){
		"run": func(t *farm.Task) { t.Run = "cd" }, "name": func(t *farm.Task) { t.Name = "m" },
		"plan": func(t *farm.Task) { t.Plan = []byte("plam") }, "owner": func(t *farm.Task) { t.Owner = "p" },
		"approved": func(t *farm.Task) { t.Approved = true }, "signature": func(t *farm.Task) { t.Signature = nil },
	} {
		changed := task
		change(&changed)
		testutil.Is(t, changed.Check(public), farm.ErrSignature, "%s changed", name)
	}
	for name, key := range map[string]ed25519.PublicKey{"another key": other, "no key": nil} {
		testutil.Is(t, task.Check(key), farm.ErrSignature, name)
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
