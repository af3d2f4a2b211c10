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

// TestVariantsAreOnePlan: neither the order of the variants nor the variant in use changes the digest.
func TestVariantsAreOnePlan(t *testing.T) {
	base := variantPlan(t)
	digest, name := base.Digest(), base.Players[0].Identity.String()
	for _, v := range base.Players[0].Identity.Variants {
		p := variantPlan(t)
		p.Players[0].Identity = p.Players[0].Identity.WithVariant(v, "/cache/"+v.ISA)
		again := p.Players[0].Identity.WithVariant(v, "/cache/"+v.ISA)
		if files := again.Files; len(files) != 2 ||
			files[0] != (match.FileHash{Role: match.BinaryRole, Path: "/cache/" + v.ISA, SHA256: v.SHA256}) {
			t.Errorf("%v", files)
		}
		slices.Reverse(p.Players[0].Identity.Variants)
		if err := p.Check(); err != nil || p.Digest() != digest || p.Players[0].Identity.String() != name {
			t.Errorf("%s: %s instead of %s, %s instead of %s, %v", v, p.Digest(), digest, p.Players[0].Identity, name, err)
		}
	}
	testutil.Equal(t, len(base.Players[0].Identity.Files), 1, "the plan was changed")
}

// TestVariantsHash: the canonical text has the SHA-256 of the list of variants.
func TestVariantsHash(t *testing.T) {
	p := variantPlan(t)
	text := "variants\nlinux\tamd64\tx86-64-v3\t" + strings.Repeat("a", 64) + "\t1000\nlinux\tarm64\tarmv8.2\t" +
		strings.Repeat("b", 64) + "\t1000\n"
	sum := sha256.Sum256([]byte(text))
	if want := `"binary":"` + hex.EncodeToString(sum[:]) + `"`; !strings.Contains(string(p.Canonical()), want) {
		t.Errorf("no %s in %s", want, p.Canonical())
	}
	f := p.Players[0].Identity.Covered()
	testutil.Check(t, len(f) == 2 && f[1].Role == "EvalDir/nn.bin", "%v", f)
}

// TestASourceIsOnePlan: the binary that a machine builds does not change the digest. Every field of the source does.
func TestASourceIsOnePlan(t *testing.T) {
	with := func(source match.Source, sum string) *match.Plan {
		p := variantPlan(t)
		p.Players[0].Identity.Variants, p.Players[0].Identity.Source = nil, &source
		if sum != "" {
			p.Players[0].Identity = p.Players[0].Identity.WithVariant(match.Variant{SHA256: sum}, "/cache/"+sum)
		}
		return p
	}
	base := with(source(), "")
	testutil.OK(t, base.Check())
	for _, sum := range []string{"aa", "bb"} {
		built := with(source(), sum)
		testutil.Equal(t, built.Digest(), base.Digest(), "the digest with a binary")
		testutil.Equal(t, built.Players[0].Identity.String(), base.Players[0].Identity.String(), "the name of the identity")
	}
	text := sha256.Sum256([]byte("source\nhttps://git.example/engine\n" + strings.Repeat("c", 40) + "\n" +
		hexSum(source().Recipe) + "\n12345\n"))
	testutil.Contains(t, string(base.Canonical()), `"binary":"`+hex.EncodeToString(text[:])+`"`, "the canonical text")
	for name, change := range map[string]func(s *match.Source){
		"Repository": func(s *match.Source) { s.Repository += "2" }, "Commit": func(s *match.Source) {
			s.Commit = strings.Repeat("d", 40)
		},
		"Recipe": func(s *match.Source) { s.Recipe += "#" }, "Bench": func(s *match.Source) { s.Bench++ },
	} {
		s := source()
		if change(&s); with(s, "").Digest() == base.Digest() {
			t.Errorf("%s is not covered", name)
		}
	}
	for want, spoil := range map[string]func(i *match.Identity){
		`commit "CCC`:  func(i *match.Identity) { i.Source.Commit = strings.Repeat("C", 40) },
		`commit "main`: func(i *match.Identity) { i.Source.Commit = "main" },
		"a recipe":     func(i *match.Identity) { i.Source.Recipe = "" }, "the node count": func(i *match.Identity) {
			i.Source.Bench = 0
		},
		"excludes": func(i *match.Identity) { i.Fixed = "1" },
	} {
		id := with(source(), "").Players[0].Identity
		spoil(&id)
		testutil.Fails(t, id.Check(), want, "%s", want)
	}
}

// TestRepositories: Check accepts only URLs for which git runs no other program and asks for no password.
func TestRepositories(t *testing.T) {
	for _, url := range []string{
		"ext::sh -c true", "--upload-pack=true", "-uhttps://host/x", "ssh://host/x", "git@host:x", "http://host/x", "/etc",
		"etc", "file://host/etc", "file:etc",
		"https://user@host/x", "https://user:password@host/x", "https:///x", "https://host/x y",
		"https://host/" + strings.Repeat("x", 300), "",
	} {
		s := source()
		s.Repository = url
		testutil.Fails(t, match.Identity{Source: &s}.Check(), "expected https://HOST/PATH", "%s", url)
	}
	for _, url := range []string{"https://git.example/engine.git", "file:///srv/git/engine"} {
		s := source()
		s.Repository = url
		testutil.OK(t, match.Identity{Source: &s}.Check())
	}
}

func hexSum(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

func TestIdentityCheck(t *testing.T) {
	for want, spoil := range map[string]func(i *match.Identity){
		"expected an operating system": func(i *match.Identity) { i.Variants[0].OS = "" },
		"and an architecture":          func(i *match.Identity) { i.Variants[0].Arch = "" },
		`for "linux amd64 a b"`:        func(i *match.Identity) { i.Variants[0].ISA = "a b" },
		`hash "aa"`:                    func(i *match.Identity) { i.Variants[0].SHA256 = "aa" },
		"expected a SHA-256":           func(i *match.Identity) { i.Variants[0].SHA256 = strings.Repeat("A", 64) },
		"has 0 bytes":                  func(i *match.Identity) { i.Variants[0].Size = 0 },
		"two variants are for linux":   func(i *match.Identity) { i.Variants[1] = i.Variants[0] },
		"given by hand exclude":        func(i *match.Identity) { i.Fixed = "1" },
		"its binary 99 is none of its varian": func(i *match.Identity) {
			i.Files = append(i.Files, match.FileHash{Role: "binary", SHA256: "99"})
		},
	} {
		p := variantPlan(t)
		spoil(&p.Players[0].Identity)
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), "engine A") {
			t.Errorf("%s: %v", want, err)
		}
	}
}
