package nats

import (
	"encoding/base64"
	"maps"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"gogi/farm/keys"
)

// authenticator decides who comes in, as what. It holds no copy of a key: a revoked one is
// refused from that moment on, and whoever has come in with it is known by its number.
type authenticator struct {
	keys        keyring
	coordinator string // public key
	disconnect  func(id uint64) error
	opened      chan struct{}
	open        func()

	mu   sync.Mutex
	come map[string]map[uint64]bool // connections by public key; closed ones are swept out
}

func newDoor(k keyring, coordinator string) *authenticator {
	d := &authenticator{keys: k, coordinator: coordinator, opened: make(chan struct{}), come: map[string]map[uint64]bool{}}
	d.open = sync.OnceFunc(func() { close(d.opened) })
	return d
}

// Check is asked by the server about each connection, before anything else is read.
func (d *authenticator) Check(c server.ClientAuthentication) bool {
	public := c.GetOpts().Nkey
	if c.Kind() != server.CLIENT || !signed(c, public) {
		return false
	}
	if public == d.coordinator {
		c.RegisterUser(&server.User{Username: coordinatorName})
		return true
	}
	<-d.opened
	d.mu.Lock() // until it is known as come in: nobody is revoked in between unseen
	defer d.mu.Unlock()
	k, ok := d.keys.Find(public)
	if !ok || k.Valid(time.Now()) != nil {
		return false
	}
	if d.come[public] == nil {
		d.come[public] = map[uint64]bool{}
	}
	d.come[public][c.GetID()] = true
	c.RegisterUser(&server.User{Username: k.Name, Permissions: permissions(k), ConnectionDeadline: k.Expires})
	return true
}

// signed says whether the connection has signed this server's challenge with the key.
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

// shut closes all connections of a key that the ring no longer lets in.
func (d *authenticator) shut(public string) {
	d.mu.Lock()
	ids := d.come[public]
	delete(d.come, public)
	d.mu.Unlock()
	for id := range ids {
		_ = d.disconnect(id) // it may have gone by itself
	}
}

// sweep shuts out whom the ring lets in no more, whoever changed it, and forgets the
// connections that are not alive.
func (d *authenticator) sweep(alive func() (map[uint64]bool, error), now time.Time) error {
	known := d.connections() // before asking who is alive: one that comes meanwhile stays
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
