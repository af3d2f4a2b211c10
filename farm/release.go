package farm

import (
	"cmp"
	"crypto/ed25519"
	"encoding/hex"
	"errors"
	"fmt"
	"time"
)

// A Release is a signed version of gogi for the workers of one kind of machine. The farm stores the program
// as an artefact and only forwards it. Each worker checks the signature with the maintainers' key, which does
// not come from the farm.
type Release struct {
	SHA256    string `cbor:"sha256" json:"sha256"` // hex, of the program
	Size      int64  `cbor:"size" json:"size"`     // bytes
	OS        string `cbor:"os" json:"os"`         // as GOOS
	Arch      string `cbor:"arch" json:"arch"`     // as GOARCH
	Version   string `cbor:"version" json:"version"`
	Signature []byte `cbor:"signature" json:"signature"` // see Sign
}

// releaseDomain makes a release's signature invalid for any other kind of message.
const releaseDomain = "gogi release 1\x00"

// MaxReleases is the largest number of releases in an Update, and of earlier releases that the farm
// remembers.
const MaxReleases = 32

// maxProgram is the largest size of a release, in bytes. It is far above the real size.
const maxProgram = 1 << 30

// check returns an error if a field is missing or out of range. It does not check the signature.
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
	return cmp.Or(word("os", r.OS), word("arch", r.Arch), word("version", r.Version))
}

// Sign signs the release with the maintainers' key, and stores the signature in the release.
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

// Check returns an error if the release is invalid, or ErrSignature if the maintainers' key did not sign it.
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

// An Update is the request of an admin to install releases on the workers, to cancel an update, or to end its
// trial (the verb update). The answer is an UpdateStatus. An Update without fields changes nothing.
type Update struct {
	// Releases are the programs that workers get from now on, one for each kind of machine.
	Releases []Release `cbor:"releases,omitempty"`
	// Known are SHA-256 hashes of earlier releases that workers get again, in addition to Releases.
	Known []string `cbor:"known,omitempty"`
	Off   bool     `cbor:"off,omitempty"` // cancel the update: each worker keeps its program
	All   bool     `cbor:"all,omitempty"` // end the trial: all workers get the update
	Why   string   `cbor:"why,omitempty"` // the reason for Off or All
}

// Check returns an error if the fields contradict each other or exceed their bounds.
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

// A Stage is the step that an update has reached: none, a trial, all workers, or stopped.
type Stage string

// These are the stages of an update. A trial runs on a few workers. It ends in StageAll, or in StageHeld if
// these workers do worse than others.
const (
	StageNone Stage = "" // no update.
	// TrialStatus.First gets the update, and all workers of a kind of machine whose trial has passed.
	StageTrial Stage = "trial"
	StageAll   Stage = "all"  // the update is for every worker.
	StageHeld  Stage = "held" // no more workers are updated. UpdateStatus.Why has the reason.
)

// A Rollout is the latest order to update the workers, and the stage of this update.
type Rollout struct {
	Stage    Stage     `cbor:"stage" json:"stage"`
	Why      string    `cbor:"why" json:"why,omitempty"` // the reason for the stage.
	By       string    `cbor:"by" json:"by,omitempty"`   // the key that gave the order.
	At       time.Time `cbor:"at" json:"at"`             // the time of the order, by the coordinator's clock.
	Releases []Release `cbor:"releases" json:"releases"`
	Known    []Release `cbor:"known" json:"known"` // earlier releases, the latest first
}

// An UpdateStatus is the current state of an update.
type UpdateStatus struct {
	Rollout

	Have []string `cbor:"have" json:"have"` // connected workers that run a wanted program.
	Want []string `cbor:"want" json:"want"` // connected workers that run another program and will get a wanted one.
	None []string `cbor:"none" json:"none"` // connected workers without a release for their kind of machine.
	// Trials has one trial for each of Releases, or is empty if no trial was requested. Need is the number of pairs
	// that each trial needs.
	Trials []TrialStatus `cbor:"trials" json:"trials"`
	Need   int           `cbor:"need" json:"need"` // number of pairs that each trial needs
}

// A TrialStatus is the progress of a release's trial. It compares the workers that got the release first with
// the other workers on the same kind of machine.
type TrialStatus struct {
	SHA256 string   `cbor:"sha256" json:"sha256"`
	First  []string `cbor:"first" json:"first"`   // names of the workers that get the release first.
	Passed bool     `cbor:"passed" json:"passed"` // the trial is over and found no fault
	// pairs or blocks that workers in First have played with the release since the order
	Pairs int `cbor:"pairs" json:"pairs"`
	// Tries counts the pairs or blocks received since the order, including attempts. Failed counts the pairs or
	// blocks in which an engine failed. Both count the workers in First with the release. OthersTries and
	// OthersFailed count the same for the other workers without the release.
	Tries  int `cbor:"tries" json:"tries"`
	Failed int `cbor:"failed" json:"failed"` // number of those in which an engine failed
	// number of pairs or blocks of the other workers since the order
	OthersTries  int `cbor:"others_tries" json:"others_tries"`
	OthersFailed int `cbor:"others_failed" json:"others_failed"` // number of those in which an engine failed
}
