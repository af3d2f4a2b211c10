package roster

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/entries"
	"gogi/results/farmstate"
)

// bucketSignUps has the sign-ups that wait for an admin, by the name of the key.
const bucketSignUps = "signups"

// Limits of sign-ups. They are necessary, because every visitor of the pages can send a sign-up.
const (
	maxSignUps = 200
	signUpLife = 30 * 24 * time.Hour // a sign-up that waited longer is deleted
	maxNote    = 500                 // bytes of the note
)

// People is the part of a farm that changes keys: people sign up for keys, and admins admit and revoke them. It has a
// lock of its own, because a change of keys waits for the disk.
type People struct {
	mu      sync.Mutex // is locked while sign-ups and keys change
	state   entries.State
	keys    Keys
	suspect func(owner string) string
}

// NewPeople returns the People of a farm. suspect returns a text about the worker of an owner that is in quarantine,
// or "".
func NewPeople(state entries.State, keys Keys, suspect func(owner string) string) *People {
	return &People{state: state, keys: keys, suspect: suspect}
}

// registry returns the keys of the farm for changing them. It returns a rejection if this farm's keys cannot be
// changed through the coordinator.
func (p *People) registry() (Registry, error) {
	if r, ok := p.keys.(Registry); ok {
		return r, nil
	}
	return nil, farm.Refusef("the keys of this farm cannot be changed through the coordinator")
}

// SignUp stores a sign-up (the request of a person for a key), which waits for an admin. The caller has
// verified that the sender holds the secret half of the new key, and of the key s.By if s.By is not "".
// SignUp rejects a name that is in use. It also rejects a person who already has a key, unless s.By is a key
// of that person.
func (p *People) SignUp(ctx context.Context, s farm.SignUp) error {
	known, err := p.registry()
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting, err := p.waiting(ctx)
	if err != nil {
		return err
	}
	if err := mayAsk(&s); err != nil {
		return err
	}
	by, _ := known.Key(s.By)
	for _, k := range known.Known() {
		switch {
		case k.Name == s.Name:
			return farm.Refusef("a key %s exists: choose another name", s.Name)
		case k.Owner == s.Owner && by.Owner != s.Owner:
			return farm.Refusef("the person %s is known here: log in with a key of %s to add another key", s.Owner, s.Owner)
		}
	}
	for _, w := range waiting {
		switch {
		case w.Name == s.Name || w.Public == s.Public:
			return farm.Refusef("a sign-up of %s waits for an admin", w.Name)
		case w.Owner == s.Owner && by.Owner != s.Owner:
			return farm.Refusef("a sign-up of the person %s waits for an admin: add more keys when it is approved", s.Owner)
		}
	}
	if len(waiting) >= maxSignUps {
		return farm.Refusef("%d sign-ups wait: try again when an admin has looked at them", len(waiting))
	}
	s.At = time.Now().UTC().Round(0)
	what := fmt.Sprintf("signed up: %s, may %s", s.Owner, strings.Join(s.Rights, ", "))
	var revision uint64
	return entries.Save(ctx, p.state, bucketSignUps, s.Name, s, &revision, keyAction(s.By, s.Name, what))
}

// mayAsk returns a rejection if a sign-up asks for rights that only an admin can give, uses a name of the farm
// itself, or has a note that is too long. Otherwise it returns nil.
func mayAsk(s *farm.SignUp) error {
	switch {
	case !slices.Equal(s.Rights, []string{Work}) && !slices.Equal(s.Rights, []string{Submit}):
		return farm.Refusef("a sign-up for the rights %s: expected %s or %s", strings.Join(s.Rights, ", "), Work, Submit)
	case slices.ContainsFunc([]string{"farm", "coordinator", "console"},
		func(own string) bool { return s.Name == own || s.Owner == own }):
		return farm.Refusef("the names farm, coordinator and console belong to the farm")
	case len(s.Note) > maxNote:
		return farm.Refusef("a note of %d bytes: expected at most %d", len(s.Note), maxNote)
	}
	return nil
}

// keyAction returns an action about the key called name. by is the name of the key that acts, "farm", or "" for a
// person without a key.
func keyAction(by, name, what string) farmstate.Action {
	return farmstate.Action{At: time.Now(), By: by, On: farmstate.OnKey, Name: name, What: what}
}

// waiting returns the sign-ups that wait, ordered by name. It deletes those that are too old.
func (p *People) waiting(ctx context.Context) (list []farm.SignUp, err error) {
	var old []string
	err = p.state.Each(ctx, bucketSignUps, func(name string, body []byte, _ uint64) error {
		var s farm.SignUp
		if err := farm.Decode(body, &s); err != nil {
			return err
		}
		if time.Since(s.At) > signUpLife {
			old = append(old, name)
		} else {
			list = append(list, s)
		}
		return nil
	})
	for _, name := range old {
		if err == nil {
			err = p.state.Delete(ctx, bucketSignUps, name, keyAction("farm", name, "the sign-up was too old"))
		}
	}
	return list, err
}

// SignUps returns the sign-ups that wait. The note of one names the worker of the person that is in quarantine.
func (p *People) SignUps(ctx context.Context, who Key, _ []byte) (any, error) {
	if !who.May(Admin) {
		return nil, who.Deny("see sign-ups")
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	list, err := p.waiting(ctx)
	for i := range list {
		if bad := p.suspect(list[i].Owner); bad != "" {
			list[i].Note = bad + ". " + list[i].Note
		}
	}
	return list, err
}

// Admit makes the key of a sign-up valid.
func (p *People) Admit(ctx context.Context, who Key, o *farm.KeyOrder) (any, error) {
	return p.endSignUp(ctx, who, o, "approved", func(r Registry, s farm.SignUp) error { return r.Enrol(s) })
}

// Dismiss deletes a sign-up.
func (p *People) Dismiss(ctx context.Context, who Key, o *farm.KeyOrder) (any, error) {
	return p.endSignUp(ctx, who, o, "rejected", func(Registry, farm.SignUp) error { return nil })
}

func (p *People) endSignUp(ctx context.Context, who Key, o *farm.KeyOrder, word string, do func(Registry,
	farm.SignUp) error) (any, error) {
	if !who.May(Admin) {
		return nil, who.Deny("approve people and keys")
	}
	known, err := p.registry()
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	waiting, err := p.waiting(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(waiting, func(s farm.SignUp) bool { return s.Name == o.Name })
	if i < 0 {
		return nil, farm.Refusef("no sign-up of %q waits", o.Name)
	}
	s := waiting[i]
	if err := do(known, s); err != nil {
		return nil, farm.Refusef("%v", err)
	}
	what := fmt.Sprintf("%s: %s, may %s%s", word, s.Owner, strings.Join(s.Rights, ", "), farm.Because(o.Why))
	return s, p.state.Delete(ctx, bucketSignUps, s.Name, keyAction(who.Name, s.Name, what))
}

// Revoke makes a key invalid for ever. An admin may revoke every key, and a key may revoke itself.
func (p *People) Revoke(ctx context.Context, who Key, o *farm.KeyOrder) (any, error) {
	switch {
	case !who.May(Admin) && who.Name != o.Name:
		return nil, who.Deny("revoke the key %s", o.Name)
	case o.Why == "":
		return nil, farm.Refusef("a revocation needs a reason")
	}
	known, err := p.registry()
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !slices.ContainsFunc(known.Known(), func(k Key) bool { return k.Name == o.Name }) {
		return nil, farm.Refusef("there is no key %q", o.Name)
	}
	if err := known.Revoke(o.Name, o.Why); err != nil {
		return nil, err
	}
	return *o, p.state.Log(ctx, keyAction(who.Name, o.Name, "revoked: "+o.Why))
}
