package match_test

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
)

func variantPlan(t *testing.T) *match.Plan {
	t.Helper()
	p := storedPlan(t)
	p.Players[0].Identity = match.Identity{
		Files:    []match.FileHash{{Role: "EvalDir/nn.bin", Path: "/x/eval/nn.bin", SHA256: "22"}},
		Variants: []match.Variant{variant("linux", "amd64", "x86-64-v3", 'a'), variant("linux", "arm64", "armv8.2", 'b')},
	}
	return p
}

// The order of the variants and the variant in use do not change the plan.
func TestVariantsAreOnePlan(t *testing.T) {
	base := variantPlan(t)
	digest, name := base.Digest(), base.Players[0].Identity.String()
	for _, v := range base.Players[0].Identity.Variants {
		p := variantPlan(t)
		p.Players[0].Identity = p.Players[0].Identity.WithVariant(v, "/cache/"+v.ISA)
		again := p.Players[0].Identity.WithVariant(v, "/cache/"+v.ISA)
		if files := again.Files; len(files) != 2 || files[0] != (match.FileHash{Role: match.BinaryRole, Path: "/cache/" + v.ISA, SHA256: v.SHA256}) {
			t.Errorf("%v", files)
		}
		slices.Reverse(p.Players[0].Identity.Variants)
		if err := p.Check(); err != nil || p.Digest() != digest || p.Players[0].Identity.String() != name {
			t.Errorf("%s: %s instead of %s, %s instead of %s, %v", v, p.Digest(), digest, p.Players[0].Identity, name, err)
		}
	}
	testutil.Equal(t, len(base.Players[0].Identity.Files), 1, "the plan was changed")
}

// The hash over variants, by the rule that is written beside it.
func TestVariantsHash(t *testing.T) {
	p := variantPlan(t)
	text := "variants\nlinux\tamd64\tx86-64-v3\t" + strings.Repeat("a", 64) + "\t1000\nlinux\tarm64\tarmv8.2\t" + strings.Repeat("b", 64) + "\t1000\n"
	sum := sha256.Sum256([]byte(text))
	if want := `"binary":"` + hex.EncodeToString(sum[:]) + `"`; !strings.Contains(string(p.Canonical()), want) {
		t.Errorf("no %s in %s", want, p.Canonical())
	}
	f := p.Players[0].Identity.Covered()
	testutil.Check(t, len(f) == 2 && f[1].Role == "EvalDir/nn.bin", "%v", f)
}

// Every field of a variant decides.
func TestVariantsDecideTheDigest(t *testing.T) {
	digest := variantPlan(t).Digest()
	for name, change := range map[string]func(v *match.Variant){
		"OS": func(v *match.Variant) { v.OS = "darwin" }, "Arch": func(v *match.Variant) { v.Arch = "386" }, "ISA": func(v *match.Variant) { v.ISA = "" },
		"SHA256": func(v *match.Variant) { v.SHA256 = strings.Repeat("c", 64) }, "Size": func(v *match.Variant) { v.Size++ },
	} {
		p := variantPlan(t)
		if change(&p.Players[0].Identity.Variants[0]); p.Digest() == digest {
			t.Errorf("%s is not covered", name)
		}
	}
}

func TestIdentityCheck(t *testing.T) {
	for want, spoil := range map[string]func(i *match.Identity){
		"expected an operating system":        func(i *match.Identity) { i.Variants[0].OS = "" },
		"and an architecture":                 func(i *match.Identity) { i.Variants[0].Arch = "" },
		`for "linux amd64 a b"`:               func(i *match.Identity) { i.Variants[0].ISA = "a b" },
		`hash "aa"`:                           func(i *match.Identity) { i.Variants[0].SHA256 = "aa" },
		"expected a SHA-256":                  func(i *match.Identity) { i.Variants[0].SHA256 = strings.Repeat("A", 64) },
		"has 0 bytes":                         func(i *match.Identity) { i.Variants[0].Size = 0 },
		"two variants are for linux":          func(i *match.Identity) { i.Variants[1] = i.Variants[0] },
		"given by hand exclude":               func(i *match.Identity) { i.Fixed = "1" },
		"its binary 99 is none of its varian": func(i *match.Identity) { i.Files = append(i.Files, match.FileHash{Role: "binary", SHA256: "99"}) },
	} {
		p := variantPlan(t)
		spoil(&p.Players[0].Identity)
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "engine A") {
			t.Errorf("%s: %v", want, err)
		}
	}
}
