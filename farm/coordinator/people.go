package coordinator

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"gogi/farm"
	"gogi/results"
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

// registry returns the keys of the farm for changing them. It returns a rejection if this farm's keys cannot be
// changed through the coordinator.
func (c *Coordinator) registry() (Registry, error) {
	if r, ok := c.config.Keys.(Registry); ok {
		return r, nil
	}
	return nil, refuse("the keys of this farm cannot be changed through the coordinator")
}

// SignUp stores a sign-up (the request of a person for a key), which waits for an admin. The caller has
// verified that the sender holds the secret half of the new key, and of the key s.By if s.By is not "".
// SignUp rejects a name that is in use. It also rejects a person who already has a key, unless s.By is a key
// of that person.
func (c *Coordinator) SignUp(ctx context.Context, s farm.SignUp) error {
	known, err := c.registry()
	if err != nil {
		return err
	}
	c.people.Lock()
	defer c.people.Unlock()
	waiting, err := c.waitingSignUps(ctx)
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
			return refuse("a key %s exists: choose another name", s.Name)
		case k.Owner == s.Owner && by.Owner != s.Owner:
			return refuse("the person %s is known here: log in with a key of %s to add another key", s.Owner, s.Owner)
		}
	}
	for _, w := range waiting {
		switch {
		case w.Name == s.Name || w.Public == s.Public:
			return refuse("a sign-up of %s waits for an admin", w.Name)
		case w.Owner == s.Owner && by.Owner != s.Owner:
			return refuse("a sign-up of the person %s waits for an admin: add more keys when it is approved", s.Owner)
		}
	}
	if len(waiting) >= maxSignUps {
		return refuse("%d sign-ups wait: try again when an admin has looked at them", len(waiting))
	}
	s.At = time.Now().UTC().Round(0)
	what := fmt.Sprintf("signed up: %s, may %s", s.Owner, strings.Join(s.Rights, ", "))
	var revision uint64
	return c.save(ctx, bucketSignUps, s.Name, s, &revision, keyAction(s.By, s.Name, what))
}

// mayAsk returns a rejection if a sign-up asks for rights that only an admin can give, uses a name of the farm
// itself, or has a note that is too long. Otherwise it returns nil.
func mayAsk(s *farm.SignUp) error {
	switch {
	case !slices.Equal(s.Rights, []string{rightWork}) && !slices.Equal(s.Rights, []string{rightSubmit}):
		return refuse("a sign-up for the rights %s: expected %s or %s", strings.Join(s.Rights, ", "), rightWork, rightSubmit)
	case slices.ContainsFunc([]string{"farm", "coordinator", "console"},
		func(own string) bool { return s.Name == own || s.Owner == own }):
		return refuse("the names farm, coordinator and console belong to the farm")
	case len(s.Note) > maxNote:
		return refuse("a note of %d bytes: expected at most %d", len(s.Note), maxNote)
	}
	return nil
}

// keyAction returns an action about the key called name. by is the name of the key that acts, "farm", or "" for a
// person without a key.
func keyAction(by, name, what string) farmstate.Action {
	return farmstate.Action{At: time.Now(), By: by, On: onKey, Name: name, What: what}
}

// waitingSignUps returns the sign-ups that wait, ordered by name. It deletes those that are too old.
func (c *Coordinator) waitingSignUps(ctx context.Context) (list []farm.SignUp, err error) {
	var old []string
	err = c.config.State.Each(ctx, bucketSignUps, func(name string, body []byte, _ uint64) error {
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
			err = c.config.State.Delete(ctx, bucketSignUps, name, keyAction("farm", name, "the sign-up was too old"))
		}
	}
	return list, err
}

func (c *Coordinator) signUps(ctx context.Context, who Key, _ []byte) (any, error) {
	if !who.may(rightAdmin) {
		return nil, deny(who, "see sign-ups")
	}
	c.people.Lock()
	defer c.people.Unlock()
	list, err := c.waitingSignUps(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range list {
		if bad := c.suspects[list[i].Owner]; bad != "" {
			list[i].Note = fmt.Sprintf("%s of this person is in quarantine: %s. %s", bad, c.workers[bad].Quarantine, list[i].Note)
		}
	}
	return list, err
}

// admit makes the key of a sign-up valid.
func (c *Coordinator) admit(ctx context.Context, who Key, o *farm.KeyOrder) (any, error) {
	return c.endSignUp(ctx, who, o, "approved", func(r Registry, s farm.SignUp) error { return r.Enrol(s) })
}

func (c *Coordinator) dismiss(ctx context.Context, who Key, o *farm.KeyOrder) (any, error) {
	return c.endSignUp(ctx, who, o, "rejected", func(Registry, farm.SignUp) error { return nil })
}

func (c *Coordinator) endSignUp(ctx context.Context, who Key, o *farm.KeyOrder, word string, do func(Registry,
	farm.SignUp) error) (any, error) {
	if !who.may(rightAdmin) {
		return nil, deny(who, "approve people and keys")
	}
	known, err := c.registry()
	if err != nil {
		return nil, err
	}
	c.people.Lock()
	defer c.people.Unlock()
	waiting, err := c.waitingSignUps(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(waiting, func(s farm.SignUp) bool { return s.Name == o.Name })
	if i < 0 {
		return nil, refuse("no sign-up of %q waits", o.Name)
	}
	s := waiting[i]
	if err := do(known, s); err != nil {
		return nil, refuse("%v", err)
	}
	what := fmt.Sprintf("%s: %s, may %s%s", word, s.Owner, strings.Join(s.Rights, ", "), also(o.Why))
	return s, c.config.State.Delete(ctx, bucketSignUps, s.Name, keyAction(who.Name, s.Name, what))
}

// revoke makes a key invalid for ever. An admin may revoke every key, and a key may revoke itself.
func (c *Coordinator) revoke(ctx context.Context, who Key, o *farm.KeyOrder) (any, error) {
	switch {
	case !who.may(rightAdmin) && who.Name != o.Name:
		return nil, deny(who, "revoke the key %s", o.Name)
	case o.Why == "":
		return nil, refuse("a revocation needs a reason")
	}
	known, err := c.registry()
	if err != nil {
		return nil, err
	}
	c.people.Lock()
	defer c.people.Unlock()
	if !slices.ContainsFunc(known.Known(), func(k Key) bool { return k.Name == o.Name }) {
		return nil, refuse("there is no key %q", o.Name)
	}
	if err := known.Revoke(o.Name, o.Why); err != nil {
		return nil, err
	}
	return *o, c.config.State.Log(ctx, keyAction(who.Name, o.Name, "revoked: "+o.Why))
}

// played caches the games and the CPU time of all workers, because it takes a walk over all games to count them.
type played struct {
	mu   sync.Mutex
	at   time.Time
	list []results.Played
}

const (
	playedAge  = time.Minute // after this time the games are counted again
	mostPlayed = 5000        // entries in an answer, which must fit in a message
)

// Played returns the games and the CPU time of all workers by month, the latest month first. The counts are at most
// playedAge old. In a farm that does not count, the list is empty.
func (c *Coordinator) Played(ctx context.Context) ([]results.Played, error) {
	c.played.mu.Lock()
	defer c.played.mu.Unlock()
	if c.config.Played != nil && time.Since(c.played.at) > playedAge {
		list, err := c.config.Played(ctx)
		if err != nil {
			return nil, err
		}
		c.played.at, c.played.list = time.Now(), list
	}
	return slices.Clone(c.played.list), nil
}

// playedBy answers with the games of a person's machines by machine and month, or without a name with those of all
// people by month. It leaves out the oldest months if there are too many entries.
func (c *Coordinator) playedBy(ctx context.Context, _ Key, o *farm.KeyOrder) (any, error) {
	list, err := c.Played(ctx)
	if o.Name == "" {
		list = results.SumPlayed(list, func(p *results.Played) { p.Worker = "" })
	} else {
		list = slices.DeleteFunc(list, func(p results.Played) bool { return p.Owner != o.Name })
	}
	return list[:min(len(list), mostPlayed)], err
}
