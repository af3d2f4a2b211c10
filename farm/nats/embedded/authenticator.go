package embedded

import (
	"encoding/base64"
	"maps"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"gogi/farm/keys"
	"gogi/farm/nats"
)

// A keyring finds a key by its public part.
type keyring interface {
	Find(public string) (keys.Key, bool)
}

// An authenticator decides which connections the server accepts, and which rights they have. It looks up each
// key in the ring, so it rejects a key from the moment of its revocation. It stores the numbers of accepted
// connections.
type authenticator struct {
	keys        keyring
	coordinator string // public key
	disconnect  func(id uint64) error
	opened      chan struct{} // closed when connections other than the coordinator's may connect.
	open        func()        // closes opened

	mu   sync.Mutex
	come map[string]map[uint64]bool // accepted connections by public key. sweep removes closed ones.
}

// connectionsOfOneKey is the maximum number of connections of a key. Closed connections count until the next sweep.
const connectionsOfOneKey = 64

func newAuthenticator(k keyring, coordinator string) *authenticator {
	d := &authenticator{keys: k, coordinator: coordinator, opened: make(chan struct{}), come: map[string]map[uint64]bool{}}
	d.open = sync.OnceFunc(func() { close(d.opened) })
	return d
}

// Check implements server.Authentication: it reports whether the server accepts a connection. The server calls it
// before it reads anything else from the connection.
func (d *authenticator) Check(c server.ClientAuthentication) bool {
	public := c.GetOpts().Nkey
	if c.Kind() != server.CLIENT || !signed(c, public) {
		return false
	}
	if public == d.coordinator {
		c.RegisterUser(&server.User{Username: nats.CoordinatorName})
		return true
	}
	<-d.opened
	d.mu.Lock() // until the connection is in come, so that shut cannot miss it
	defer d.mu.Unlock()
	k, ok := d.keys.Find(public)
	if !ok || k.Valid(time.Now()) != nil {
		return false
	}
	if len(d.come[public]) >= connectionsOfOneKey {
		return false
	}
	if d.come[public] == nil {
		d.come[public] = map[uint64]bool{}
	}
	d.come[public][c.GetID()] = true
	c.RegisterUser(&server.User{Username: k.Name, Permissions: permissions(k), ConnectionDeadline: k.Expires})
	return true
}

// signed reports whether the connection has signed this server's challenge with the key.
func signed(c server.ClientAuthentication, public string) bool {
	signature, err := base64.RawURLEncoding.DecodeString(c.GetOpts().Sig)
	return err == nil && len(c.GetNonce()) > 0 && keys.Verifies(public, c.GetNonce(), signature)
}

func permissions(k keys.Key) *server.Permissions {
	s := k.Subjects()
	return &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: s.Publish},
		Subscribe: &server.SubjectPermission{Allow: s.Subscribe},
	}
}

// shut closes all connections that use a key.
func (d *authenticator) shut(public string) {
	d.mu.Lock()
	ids := d.come[public]
	delete(d.come, public)
	d.mu.Unlock()
	for id := range ids {
		_ = d.disconnect(id) // fails if it is closed already
	}
}

// sweep closes the connections of keys that are no longer valid, and removes closed connections from the list.
// alive returns the set of open connections.
func (d *authenticator) sweep(alive func() (map[uint64]bool, error), now time.Time) error {
	known := d.connections() // this call comes before alive, so that sweep does not remove a new connection
	for public := range known {
		if k, ok := d.keys.Find(public); !ok || k.Valid(now) != nil {
			d.shut(public)
		}
	}
	living, err := alive()
	if err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for public, ids := range known {
		for id := range ids {
			if !living[id] {
				delete(d.come[public], id)
			}
		}
		if len(d.come[public]) == 0 {
			delete(d.come, public)
		}
	}
	return nil
}

func (d *authenticator) connections() map[string]map[uint64]bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := make(map[string]map[uint64]bool, len(d.come))
	for public, ids := range d.come {
		all[public] = maps.Clone(ids)
	}
	return all
}
