package site

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/roster"
	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/internal/lists"
	"gogi/match"
	"gogi/match/trust"
)

// ring implements roster.Keys.
type ring struct{ *keys.Ring }

// registry implements roster.Registry.
type registry struct {
	ring
	site *Site
}

// Key implements roster.Keys. A standby reads with the rights of an admin, see nats.CoordinatorName.
func (r registry) Key(name string) (roster.Key, bool) {
	if name == nats.CoordinatorName && r.site.shared != nil {
		return roster.Key{Name: name, Owner: "farm", Rights: keys.Words([]keys.Right{keys.Admin})}, true
	}
	return r.ring.Key(name)
}

// Known implements roster.Registry.
func (r registry) Known() (all []roster.Key) {
	return lists.Map(r.Ring.Keys(), keyOf)
}

// Enrol implements roster.Registry.
func (r registry) Enrol(s farm.SignUp) error {
	if k, ok := r.Named(s.Name); ok && k.Public == s.Public {
		return nil // an earlier call has added it
	}
	k := keys.Key{Name: s.Name, Public: s.Public, Owner: s.Owner, Issued: time.Now().UTC().Truncate(time.Second)}
	for _, word := range s.Rights {
		k.Rights = append(k.Rights, keys.Right(word))
	}
	if err := r.Add(k); err != nil {
		return err
	}
	return errors.Join(r.site.enlist(context.Background()), r.site.share())
}

// Revoke implements roster.Registry.
func (r registry) Revoke(name, why string) error {
	if err := r.site.Bus.Revoke(name, why); err != nil {
		return err
	}
	return r.site.share()
}

// Key implements roster.Keys.
func (r ring) Key(name string) (roster.Key, bool) {
	k, ok := r.Named(name)
	if !ok || k.Valid(time.Now()) != nil {
		return roster.Key{}, false
	}
	return keyOf(k), true
}

// Keys returns all valid keys, sorted by name.
func (r ring) Keys() []roster.Key {
	var all []roster.Key
	for _, k := range r.Ring.Keys() {
		if k.Valid(time.Now()) == nil {
			all = append(all, keyOf(k))
		}
	}
	return all
}

func keyOf(k keys.Key) roster.Key {
	return roster.Key{Name: k.Name, Owner: k.Owner, Public: k.Ed25519(), Rights: keys.Words(k.Rights)}
}

// auditor implements audit.Auditor with package trust.
type auditor struct{ trust.Auditor }

// newAuditor returns an auditor that selects pairs at random. It uses a key derived from the farm's secret. The lease
// tokens that workers see reveal nothing about this key, so no worker can predict which pairs are audited.
func newAuditor(secret farm.Secret) auditor {
	h := hmac.New(sha256.New, secret[:])
	h.Write([]byte("gogi audits 1\x00"))
	return auditor{trust.Auditor{Secret: h.Sum(nil)}}
}

// Exact implements audit.Auditor.
func (auditor) Exact(p *match.Plan) bool { return trust.Exact(p) }

// Differ implements audit.Auditor.
func (auditor) Differ(a, b *match.PairResult) string {
	if d := trust.Compare(a, b); d != nil {
		return d.String()
	}
	return ""
}

// Print implements audit.Auditor.
func (auditor) Print(p *match.PairResult) []byte { return trust.Print(p) }

// Verified implements audit.Auditor.
func (auditor) Verified() int { return trust.AgreeToVerify }
