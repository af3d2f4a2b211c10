package match

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url" //nolint:depguard // it parses texts and does no I/O
	"path"
	"slices"
	"strings"
)

// BinaryRole is the value of FileHash.Role for the engine's program file.
const BinaryRole = "binary"

// BookRole is the value of FileHash.Role for a player's opening book that gogi reads itself, not the engine.
const BookRole = "book"

// FileHash has the SHA-256 of one file that affects how an engine plays.
type FileHash struct {
	Role   string `json:"Role"`   // binary, EvalDir/nn.bin, BookFile, engine_options.txt, …
	Path   string `json:"Path"`   // absolute; not part of the identity
	SHA256 string `json:"SHA256"` // lower-case hexadecimal
}

// Variant is one of several binaries of an engine. They were built from the same source for different machines.
// All variants count as one player.
type Variant struct {
	OS   string `json:"OS"`   // as GOOS: linux, windows, darwin, …
	Arch string `json:"Arch"` // as GOARCH: amd64, arm64, …
	// the smallest instruction set that it needs: x86-64-v3, armv8.2, …; "": nothing beyond Arch
	ISA    string `json:"ISA"`
	SHA256 string `json:"SHA256"` // lower-case hexadecimal
	Size   int64  `json:"Size"`   // bytes
}

// String returns the machine that the variant is for, such as "linux amd64 x86-64-v3".
func (v Variant) String() string { return strings.TrimSpace(v.OS + " " + v.Arch + " " + v.ISA) }

// Source is the source code from which each machine builds its own binary of an engine.
type Source struct {
	Repository string `json:"repository"` // https://HOST/PATH, or file:///PATH of a folder on each machine
	Commit     string `json:"commit"`     // 40 digits of lower-case hexadecimal
	Recipe     string `json:"recipe"`     // text of the recipe by which machines build it; see farm.ParseRecipe
	Bench      uint64 `json:"bench"`      // number of nodes that the bench of every build must print
}

// hash returns the SHA-256 of a text with one line for each field; the line of the recipe has its SHA-256. The
// text begins with the line "source", so that no binary has the same hash. Stored digests depend on this hash,
// so its definition never changes.
func (s Source) hash() string {
	recipe := sha256.Sum256([]byte(s.Recipe))
	sum := sha256.Sum256(fmt.Appendf(nil, "source\n%s\n%s\n%x\n%d\n", s.Repository, s.Commit, recipe, s.Bench))
	return hex.EncodeToString(sum[:])
}

// check returns an error if a field is wrong. It allows only URLs that git fetches without a login and without
// running a program.
func (s Source) check() error {
	u, err := url.Parse(s.Repository)
	switch {
	case err != nil || len(s.Repository) > 256 || strings.ContainsAny(s.Repository, " \t\n") || u.User != nil ||
		(u.Scheme != "https" || u.Host == "") && (u.Scheme != "file" || u.Host != "" || !path.IsAbs(u.Path)):
		return fmt.Errorf("repository %.300q: expected https://HOST/PATH without a user, or file:///PATH", s.Repository)
	case len(s.Commit) != 40 || strings.Trim(s.Commit, "0123456789abcdef") != "":
		return fmt.Errorf("commit %.80q: expected 40 digits of hexadecimal, as git rev-parse prints them", s.Commit)
	case s.Recipe == "" || s.Bench == 0:
		return errors.New("a source needs a recipe and the node count of its bench")
	}
	return nil
}

// Identity identifies an engine by hashes of its binary and of the files that it reads. It does not cover the
// engine's options. The zero value means that the identity is unknown.
type Identity struct {
	Files []FileHash `json:"Files"`
	// an identity that the user gave, or the version of the built-in engine; it replaces the files
	Fixed string `json:"Fixed"`
	// Variants has all binaries that may be used. The identity covers all of them together, in any order,
	// instead of the binary in Files. The binary in Files is the variant in use on this machine; it is absent
	// if no variant is in use.
	Variants []Variant `json:"Variants,omitempty"`
	// Source is the source code of a binary that each machine builds for itself. The identity covers it instead
	// of the binary in Files, which is the build of this machine, or absent. Nil means that machines get the binary.
	Source *Source `json:"Source,omitempty"`
}

// String returns a short form of the identity for readers: the text that the user gave as identity, or the first 16
// digits of the program's SHA-256 and, if the identity covers more than this file, of the hash over all files. For
// example: "sha256:93d9292d86f1ca6b id:1a393f8b0e8c5d22". It is "unknown" without both.
func (i Identity) String() string {
	id, sum := i.ID(), i.SHA256()
	switch {
	case i.Fixed != "":
		return i.Fixed
	case id == "":
		return "unknown"
	case sum == "":
		return "id:" + id
	case len(i.Covered()) == 1:
		return "sha256:" + sum[:min(16, len(sum))]
	}
	return "sha256:" + sum[:min(16, len(sum))] + " id:" + id
}

// SHA256 returns the SHA-256 of the engine's program file in lower-case hexadecimal, as sha256sum prints it. It returns
// "" if the user gave the identity, and for engines whose machines may have different programs (Source and Variants).
func (i Identity) SHA256() string {
	if n := slices.IndexFunc(i.Files, func(f FileHash) bool { return f.Role == BinaryRole }); n >= 0 && i.Fixed == "" &&
		i.Source == nil && len(i.Variants) == 0 {
		return i.Files[n].SHA256
	}
	return ""
}

// ID returns 16 hexadecimal digits of the hash over all files of the identity. It is the SHA-256 of no file. ID returns
// "" if the user gave the identity, and without files.
func (i Identity) ID() string {
	files := i.Covered()
	if i.Fixed != "" || len(files) == 0 {
		return ""
	}
	h := sha256.New()
	for _, f := range files {
		h.Write(fmt.Appendf(nil, "%s\t%s\n", f.Role, f.SHA256))
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

// Reference returns a text that never changes for an engine, with which plans of scaled clocks, reviews and books name
// it. Its digits are those of ID. Stored files have the prefix "sha256:" before them, so it stays.
func (i Identity) Reference() string {
	if id := i.ID(); id != "" {
		return "sha256:" + id
	}
	return i.String()
}

// Covered returns the files by which the identity identifies the engine. If the engine has a Source or several
// Variants, they replace the binary: the first element then has the hash of the source or of all variants, and no
// path.
func (i Identity) Covered() []FileHash {
	switch {
	case i.Source != nil:
		return append([]FileHash{{Role: BinaryRole, SHA256: i.Source.hash()}}, i.apart()...)
	case len(i.Variants) > 0:
		return append([]FileHash{{Role: BinaryRole, SHA256: variantsHash(i.Variants)}}, i.apart()...)
	}
	return i.Files
}

// apart returns the files of the identity except the binary.
func (i Identity) apart() []FileHash {
	return slices.DeleteFunc(slices.Clone(i.Files), func(f FileHash) bool { return f.Role == BinaryRole })
}

// WithSource returns a copy of the identity for an engine whose binary each machine builds from the source s. The
// copy has the same files except the binary, and no variants.
func (i Identity) WithSource(s Source) Identity { return Identity{Files: i.apart(), Source: &s} }

// WithVariant returns a copy of the identity of an engine that has several binaries, one for each kind of machine
// (see Variant). In the copy, v is the binary that this machine runs, and path is its file.
func (i Identity) WithVariant(v Variant, path string) Identity {
	i.Files = append([]FileHash{{Role: BinaryRole, Path: path, SHA256: v.SHA256}}, i.apart()...)
	return i
}

// variantsHash returns the SHA-256 of a text with one line for each variant. The lines are sorted by the
// variants' fields. The text begins with the line "variants", so that no binary has the same hash. Stored
// digests depend on this hash, so its definition never changes.
func variantsHash(list []Variant) string {
	h := sha256.New()
	h.Write([]byte("variants\n"))
	for _, v := range slices.SortedFunc(slices.Values(list), Variant.compare) {
		h.Write(fmt.Appendf(nil, "%s\t%s\t%s\t%s\t%d\n", v.OS, v.Arch, v.ISA, v.SHA256, v.Size))
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (v Variant) compare(w Variant) int {
	return cmp.Or(cmp.Compare(v.OS, w.OS), cmp.Compare(v.Arch, w.Arch), cmp.Compare(v.ISA, w.ISA),
		cmp.Compare(v.SHA256, w.SHA256), cmp.Compare(v.Size, w.Size))
}

// Check returns an error if the source or a variant is invalid, if two variants are for the same kind of machine,
// or if the engine has variants and its binary is not one of them. A source, variants and an identity given by the
// user exclude each other.
func (i Identity) Check() error {
	if i.Source != nil {
		if i.Fixed != "" || len(i.Variants) > 0 {
			return errors.New("a source excludes variants and an identity given by hand")
		}
		return i.Source.check()
	}
	seen := map[string]bool{}
	for _, v := range i.Variants {
		switch {
		case v.OS == "" || v.Arch == "" || strings.ContainsAny(v.OS+v.Arch+v.ISA, " \t\n"):
			return fmt.Errorf("a variant is for %q: expected an operating system and an architecture, such as linux and amd64",
				v)
		case !isSHA256(v.SHA256):
			return fmt.Errorf("the variant for %s has the hash %q: expected a SHA-256 in lower-case hexadecimal", v, v.SHA256)
		case v.Size <= 0:
			return fmt.Errorf("the variant for %s has %d bytes", v, v.Size)
		case seen[v.String()]:
			return fmt.Errorf("two variants are for %s", v)
		}
		seen[v.String()] = true
	}
	return i.checkBinary()
}

// checkBinary returns an error if the binary in use is not a variant.
func (i Identity) checkBinary() error {
	if len(i.Variants) == 0 {
		return nil
	}
	if i.Fixed != "" {
		return errors.New("variants and an identity given by hand exclude each other")
	}
	for _, f := range i.Files {
		if f.Role == BinaryRole && !slices.ContainsFunc(i.Variants, func(v Variant) bool { return v.SHA256 == f.SHA256 }) {
			return fmt.Errorf("its binary %s is none of its variants", f.SHA256)
		}
	}
	return nil
}

func isSHA256(text string) bool {
	return len(text) == 2*sha256.Size && strings.Trim(text, "0123456789abcdef") == ""
}
