package farm_test

import (
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"

	"gogi/farm"
	"gogi/internal/testutil"
)

// TestReleases: a signed release is accepted. A release with any changed field, or with the signature of another key,
// is rejected.
func TestReleases(t *testing.T) {
	t.Parallel()
	public, private, err := ed25519.GenerateKey(nil)
	testutil.OK(t, err)
	other, _, err := ed25519.GenerateKey(nil)
	testutil.OK(t, err)
	r := farm.Release{SHA256: strings.Repeat("0a", 32), Size: 5, OS: "linux", Arch: "amd64", Version: "v1"}
	testutil.OK(t, r.Sign(func(text []byte) ([]byte, error) { return ed25519.Sign(private, text), nil }))
	testutil.OK(t, r.Check(public))
	for _, key := range []ed25519.PublicKey{other, nil} {
		testutil.Is(t, r.Check(key), farm.ErrSignature, "by another key")
	}
	for what, change := range map[string]func(*farm.Release){
		"sha256": func(r *farm.Release) { r.SHA256 = strings.Repeat("0b", 32) }, "size": func(r *farm.Release) { r.Size++ },
		"os": func(r *farm.Release) { r.OS = "windows" }, "arch": func(r *farm.Release) { r.Arch = "arm64" },
		"version": func(r *farm.Release) { r.Version = "v2" }, "signature": func(r *farm.Release) { r.Signature = nil },
	} {
		changed := r
		change(&changed)
		testutil.Is(t, changed.Check(public), farm.ErrSignature, "%s is changed", what)
	}
	for what, change := range map[string]func(*farm.Release){
		"upper case": func(r *farm.Release) { r.SHA256 = strings.Repeat("0A", 32) }, "a path": func(r *farm.Release) {
			r.SHA256 = "../" + r.SHA256[3:]
		},
		"nothing": func(r *farm.Release) { r.Size = 0 }, "too much": func(r *farm.Release) { r.Size = 1 << 40 },
		"a long word": func(r *farm.Release) { r.Version = strings.Repeat("v", 300) },
	} {
		changed := r
		change(&changed)
		if err := changed.Check(public); err == nil || errors.Is(err, farm.ErrSignature) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
