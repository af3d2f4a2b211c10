package farm

import (
	"crypto/ed25519"
	"errors"
	"reflect"
	"testing"
	"time"

	"gogi/match"
)

func keyPair(t *testing.T) (ed25519.PublicKey, Signer) {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	return public, func(text []byte) ([]byte, error) { return ed25519.Sign(private, text), nil }
}

func TestTaskIsSignedWhole(t *testing.T) {
	public, sign := keyPair(t)
	other, _ := keyPair(t)
	task, err := SignTask(sign, Task{Run: "ab", Name: "n", Plan: []byte("plan"), Owner: "o"})
	if err != nil {
		t.Fatal(err)
	}
	if err := task.Check(public); err != nil {
		t.Errorf("as signed: %v", err)
	}
	for name, change := range map[string]func(*Task){
		"run": func(t *Task) { t.Run = "cd" }, "name": func(t *Task) { t.Name = "m" }, "plan": func(t *Task) { t.Plan = []byte("plam") },
		"owner": func(t *Task) { t.Owner = "p" }, "approved": func(t *Task) { t.Approved = true },
		"signature": func(t *Task) { t.Signature = nil },
	} {
		changed := task
		change(&changed)
		if err := changed.Check(public); !errors.Is(err, ErrUnsigned) {
			t.Errorf("%s changed: %v, want ErrUnsigned", name, err)
		}
	}
	for name, key := range map[string]ed25519.PublicKey{"another key": other, "no key": nil} {
		if err := task.Check(key); !errors.Is(err, ErrUnsigned) {
			t.Errorf("%s: %v, want ErrUnsigned", name, err)
		}
	}
}

func TestBatchComesBackAsItWas(t *testing.T) {
	public, sign := keyPair(t)
	ended := time.Date(2026, 11, 22, 8, 0, 0, 123456789, time.UTC)
	batch := Batch{Worker: "w", Session: "s", Items: []Item{
		{Lease: Held{Run: "ab", Pair: 7, Epoch: 1<<32 | 3, Token: []byte{1, 2}}, Attempt: &match.Attempt{Pair: 7, Ended: ended, Why: "crashed"}},
		{Lease: Held{Run: "ab", Pair: 8, Take: 1, Audit: true}, Pair: []byte("packed")},
	}}
	signed, err := SignBatch(sign, batch)
	if err != nil {
		t.Fatal(err)
	}
	got, err := signed.Open(public)
	if err != nil || !reflect.DeepEqual(got, batch) {
		t.Errorf("got %+v, %v", got, err)
	}
	signed.Batch[len(signed.Batch)-1] ^= 1
	if _, err := signed.Open(public); !errors.Is(err, ErrUnsigned) {
		t.Errorf("one bit changed: %v, want ErrUnsigned", err)
	}
}

func TestSignaturesOfOneKindAreNoneOfAnother(t *testing.T) {
	public, sign := keyPair(t)
	task := Task{Run: "ab"}
	body, err := Encode(task)
	if err != nil {
		t.Fatal(err)
	}
	task.Signature, _ = sign(body) // a challenge that somebody chose
	if err := task.Check(public); !errors.Is(err, ErrUnsigned) {
		t.Errorf("%v, want ErrUnsigned", err)
	}
}

func TestDecodeRefuses(t *testing.T) {
	for name, body := range map[string][]byte{
		"nothing":     {},
		"a tail":      {0xa0, 0x00},
		"a key twice": {0xa2, 0x64, 'w', 'a', 'n', 't', 1, 0x64, 'w', 'a', 'n', 't', 2},
		"JSON":        []byte(`{"want":1}`),
		"endless":     {0xbf, 0xff},
	} {
		var ask Ask
		if err := Decode(body, &ask); err == nil {
			t.Errorf("%s: no error, %+v", name, ask)
		}
	}
	var ask Ask
	if err := Decode([]byte{0xa1, 0x63, 'n', 'e', 'w', 1}, &ask); err != nil {
		t.Errorf("a key of a later version: %v", err)
	}
}
