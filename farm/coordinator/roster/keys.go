package roster

import (
	"crypto/ed25519"
	"fmt"
	"slices"

	"gogi/farm"
)

// These are the rights of a key.
const (
	Work    = "work"
	Submit  = "submit"
	Approve = "approve" // approve and reject tests of other owners
	Run     = "run"     // set the priority and the share of any test, stop it and pause it
	Admin   = "admin"   // everything except work
)

// A Key is the public half of the key of a worker or an owner, with its rights.
type Key struct {
	Name, Owner string
	Public      ed25519.PublicKey
	Rights      []string
}

// May reports whether the key has a right.
func (k Key) May(right string) bool {
	return slices.Contains(k.Rights, right) || right != Work && slices.Contains(k.Rights, Admin)
}

// Deny returns the rejection of a request because the key lacks the necessary right. The arguments are the
// forbidden action, as in fmt.Sprintf.
func (k Key) Deny(format string, values ...any) error {
	return farm.Refusef("%s may not %s", k.Name, fmt.Sprintf(format, values...))
}

// withheld replaces a text that its reader may not read.
const withheld = "the reason is only for the machine's owner, the test's owner and keys with the right approve, run or admin"

// Text returns what a worker wrote about its engines, if the key may read it, and otherwise the constant withheld. Such a
// text can have the output of a build, or paths of the machine. owners are the owners of the machine and of the test. The
// zero Key is that of a reader without a key.
func (k Key) Text(why string, owners ...string) string {
	if k.May(Approve) || k.May(Run) || k.Name != "" && slices.Contains(owners, k.Owner) {
		return why
	}
	return withheld
}

// Labels returns the labels of a machine that the key may read. The people of the machine's owner and keys that may submit,
// approve or run tests read all labels, because tests can require labels. Other readers see only the labels that gogi finds
// itself. A label of the machine's owner can be a host name.
func (k Key) Labels(all map[string]string, owner string) map[string]string {
	if k.May(Submit) || k.May(Approve) || k.May(Run) || k.Name != "" && k.Owner == owner {
		return all
	}
	found := map[string]string{}
	for _, name := range []string{"os", "arch", "isa", "isas", "cores", "builds"} {
		if value, ok := all[name]; ok {
			found[name] = value
		}
	}
	return found
}

// Keys gives access to the current keys. Its methods may be called by several goroutines.
type Keys interface {
	// Key returns the valid key with a name. ok is false if the key is revoked, expired or unknown.
	Key(name string) (key Key, ok bool)
}

// A Registry is a Keys to which an admin can add keys through the coordinator, and in which an admin can
// revoke them.
type Registry interface {
	Keys
	// Known returns the keys of all people and machines, also those that are revoked or expired.
	Known() []Key
	// Enrol adds the key of a sign-up. It does nothing if the same key is there.
	Enrol(s farm.SignUp) error
	// Revoke revokes a key, and closes its connections.
	Revoke(name, why string) error
}
