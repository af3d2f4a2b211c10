package roster

import (
	"crypto/ed25519"
	"fmt"
	"regexp"
	"slices"
	"sync"

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

// Text returns what a worker wrote about its engines, if the key may read it, and otherwise the constant withheld. Such
// a text can have the output of a build, or paths of the machine. owners are the owners of the machine and of the test.
// The zero Key is that of a reader without a key.
func (k Key) Text(why string, owners ...string) string {
	if k.May(Approve) || k.May(Run) || k.Name != "" && slices.Contains(owners, k.Owner) {
		return why
	}
	return withheld
}

// Labels returns the labels of a machine that the key may read. The people of the machine's owner and keys that may
// submit, approve or run tests read all labels, because tests can require labels. Other readers see only the labels
// that gogi finds itself, and only values that gogi can find. A label of the machine's owner can be a host name.
func (k Key) Labels(all map[string]string, owner string) map[string]string {
	if k.readsLabels(owner) {
		return all
	}
	found := map[string]string{}
	for name := range ownLabels() {
		if value, ok := all[name]; ok {
			found[name] = knownLabel(name, value)
		}
	}
	return found
}

// Version returns the version that a machine reports, if the key may read it or if it has the form of a version of
// gogi.
func (k Key) Version(text, owner string) string {
	if k.readsLabels(owner) {
		return text
	}
	return knownVersion(text)
}

func (k Key) readsLabels(owner string) bool {
	return k.May(Submit) || k.May(Approve) || k.May(Run) || k.Name != "" && k.Owner == owner
}

// otherValue replaces what a machine reports about itself and gogi does not know. A machine can send any text.
const otherValue = "other"

// ownLabels has the labels that gogi finds itself, with the values that it can find. The lists of os and arch are those
// of "go tool dist list".
var ownLabels = sync.OnceValue(func() map[string]*regexp.Regexp {
	return map[string]*regexp.Regexp{
		"os":     regexp.MustCompile(`^(?:aix|android|darwin|dragonfly|freebsd|illumos|ios|js|linux|netbsd|openbsd|plan9|solaris|wasip1|windows)$`),
		"arch":   regexp.MustCompile(`^(?:386|amd64|arm|arm64|loong64|mips|mips64|mips64le|mipsle|ppc64|ppc64le|riscv64|s390x|wasm)$`),
		"isa":    regexp.MustCompile(`^` + isa + `$`),
		"isas":   regexp.MustCompile(`^` + isa + `(?:,` + isa + `){0,9}$`),
		"cores":  regexp.MustCompile(`^[0-9]{1,5}$`),
		"builds": regexp.MustCompile(`^(?:bubblewrap|user|user with network|off)$`), // builder.Sandbox.Kind
	}
})

// isa matches an instruction set, see players.Surroundings.
const isa = `(?:x86-64-v[1-9]|armv[89](?:\.[0-9])?)`

// versionForm matches version.Info.String: a release, a version between releases, or a build without a repository, and
// the commit.
var versionForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:v[0-9]{1,5}\.[0-9]{1,5}\.[0-9]{1,5}(?:-(?:alpha|beta|rc)\.?[0-9]{1,5})?(?:-(?:0\.|rc\.?[0-9]{1,5}\.0\.)?[0-9]{14}-[0-9a-f]{12})?(?:\+dirty)?|` +
		`\(devel\)|unknown)(?: [0-9a-f]{40})?$`)
})

// knownLabel returns the value of a label that gogi finds itself, if gogi can find this value.
func knownLabel(name, value string) string {
	if ownLabels()[name].MatchString(value) {
		return value
	}
	return otherValue
}

// knownVersion returns a version if it has the form of a version of gogi.
func knownVersion(text string) string {
	if text == "" || versionForm().MatchString(text) {
		return text
	}
	return otherValue
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
