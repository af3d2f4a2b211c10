package farm

import (
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// Release is a program that workers of one kind of machine are to run: an artefact, and
// the word of those who made it. A farm hands it on; what counts is the signature, which
// the machine checks with a key that it did not get from the farm.
type Release struct {
	SHA256    string `cbor:"sha256" json:"sha256"` // hex, of the program
	Size      int64  `cbor:"size" json:"size"`     // bytes
	OS        string `cbor:"os" json:"os"`         // as GOOS
	Arch      string `cbor:"arch" json:"arch"`     // as GOARCH
	Version   string `cbor:"version" json:"version"`
	Signature []byte `cbor:"signature" json:"signature"` // see Sign
}

// releaseDomain keeps a signature of a release from being one of anything else.
const releaseDomain = "gogi release 1\x00"

// MaxReleases bounds an Update, and what is remembered of earlier ones.
const MaxReleases = 32

// maxProgram is far more bytes than the program has.
const maxProgram = 1 << 30

// check refuses what is no release.
func (r *Release) check() error {
	sum, err := hex.DecodeString(r.SHA256)
	switch {
	case err != nil || len(sum) != 32 || hex.EncodeToString(sum) != r.SHA256:
		return fmt.Errorf("release: SHA-256 %.80q: expected 64 digits from 0 to 9 and a to f", r.SHA256)
	case r.Size < 1 || r.Size > maxProgram:
		return fmt.Errorf("release %.12s: %d bytes: expected 1 to %d", r.SHA256, r.Size, maxProgram)
	case r.OS == "" || r.Arch == "" || r.Version == "":
		return fmt.Errorf("release %.12s: expected an os, an arch and a version", r.SHA256)
	}
	return first(word("os", r.OS), word("arch", r.Arch), word("version", r.Version))
}

// Sign signs it by the maintainers' key.
func (r *Release) Sign(sign Signer) error {
	text, err := r.signed()
	if err != nil {
		return err
	}
	if r.Signature, err = sign(text); err != nil {
		return fmt.Errorf("farm: signing release %.12s: %w", r.SHA256, err)
	}
	return nil
}

// Check refuses what is no release, or was not signed by the maintainers' key
// (ErrSignature).
func (r *Release) Check(maintainers ed25519.PublicKey) error {
	text, err := r.signed()
	if err != nil {
		return err
	}
	if len(maintainers) != ed25519.PublicKeySize || !ed25519.Verify(maintainers, text, r.Signature) {
		return fmt.Errorf("release %.12s for %s %s: %w", r.SHA256, r.OS, r.Arch, ErrSignature)
	}
	return nil
}

func (r *Release) signed() ([]byte, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	whole := *r
	whole.Signature = nil
	body, err := Encode(whole)
	return append([]byte(releaseDomain), body...), err
}

// Update is what adm.NAME.update takes; the answer is an UpdateStatus. With none of its
// fields it only asks.
type Update struct {
	// Releases are the programs that are wanted from now on, one for a kind of machine.
	Releases []Release `cbor:"releases,omitempty"`
	// Known are SHA-256 of releases that were wanted before.
	Known []string `cbor:"known,omitempty"`
	Off   bool     `cbor:"off,omitempty"` // no other program is wanted than each worker has
	All   bool     `cbor:"all,omitempty"` // the trial ends: all workers are told
	Why   string   `cbor:"why,omitempty"` // of off and all
}

// Check refuses what is no update.
func (u *Update) Check() error {
	if len(u.Releases)+len(u.Known) > MaxReleases {
		return fmt.Errorf("%d releases: expected at most %d", len(u.Releases)+len(u.Known), MaxReleases)
	}
	if u.Off && (u.All || len(u.Releases)+len(u.Known) > 0) {
		return errors.New("an update that is off wants no releases")
	}
	for i := range u.Releases {
		if err := u.Releases[i].check(); err != nil {
			return err
		}
	}
	if len(u.Why) > MaxWhy {
		return fmt.Errorf("a reason of %d bytes: expected at most %d", len(u.Why), MaxWhy)
	}
	return words("known releases", u.Known, MaxReleases)
}

// Stage is how far an update has come.
type Stage string

// The stages. A trial is of a few workers; it ends with all, or stands still when they
// do worse than the others.
const (
	StageNone  Stage = ""      // there is none
	StageTrial Stage = "trial" // of TrialStatus.First, and of kinds of machines whose trial has passed
	StageAll   Stage = "all"   // every worker is told
	StageHeld  Stage = "held"  // nobody is told any more: UpdateStatus.Why
)

// A Rollout is the latest order of an update and how far it has come. A coordinator stores it.
type Rollout struct {
	Stage    Stage     `cbor:"stage" json:"stage"`
	Why      string    `cbor:"why" json:"why,omitempty"` // the reason of the stage
	By       string    `cbor:"by" json:"by,omitempty"`   // the key that gave the order
	At       time.Time `cbor:"at" json:"at"`             // of the order, by the coordinator's clock
	Releases []Release `cbor:"releases" json:"releases"`
	Known    []Release `cbor:"known" json:"known"` // earlier releases, the latest first
}

// UpdateStatus is an update as of now.
type UpdateStatus struct {
	Rollout

	Have []string `cbor:"have" json:"have"` // workers that are here with a program that is wanted
	Want []string `cbor:"want" json:"want"` // workers that are here with another, and are to have one
	None []string `cbor:"none" json:"none"` // workers that are here and of no kind that has a release
	// Trials are one for each of Releases, none where none was asked for; Need is how many
	// pairs each needs.
	Trials []TrialStatus `cbor:"trials" json:"trials"`
	Need   int           `cbor:"need" json:"need"`
}

// TrialStatus is how a release does on the workers that have it first, of the one kind of
// machine that it is for.
type TrialStatus struct {
	SHA256 string   `cbor:"sha256" json:"sha256"`
	First  []string `cbor:"first" json:"first"` // workers that are told first, by name
	Passed bool     `cbor:"passed" json:"passed"`
	Pairs  int      `cbor:"pairs" json:"pairs"` // pairs and blocks that counted since the order, of First with the release
	// Since the order, of First with the release and of others of the kind without: units
	// that came, attempts at them too, and those in which an engine failed.
	Tries        int `cbor:"tries" json:"tries"`
	Failed       int `cbor:"failed" json:"failed"`
	OthersTries  int `cbor:"others_tries" json:"others_tries"`
	OthersFailed int `cbor:"others_failed" json:"others_failed"`
}
