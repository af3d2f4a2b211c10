package nats

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"gogi/farm"
	"gogi/farm/keys"
	"gogi/internal/testutil"
)

// TestServerConf requires that nats-server's own parser reads the file, with the settings that Outside.Examine requires
// and with the subjects of each valid key. A revoked key is not in it.
func TestServerConf(t *testing.T) {
	now := time.Now()
	key := func(name string, rights ...keys.Right) keys.Key {
		k, _, err := keys.New(name, "ann", rights, now, time.Time{})
		testutil.OK(t, err)
		return k
	}
	work, submit, revoked, coordinator := key("rack1", keys.Work), key("ann", keys.Submit), key("old", keys.Work),
		key("c", keys.Admin)
	revoked.Revoked = now
	c := ServerConf{
		Name: "n1", Listen: "0.0.0.0:4222", Monitor: "127.0.0.1:8222", Store: filepath.Join(t.TempDir(), "a b"),
		Cluster: "0.0.0.0:6222",
		Routes:  []string{"nats://n2:6222", "nats://n3:6222"}, Coordinator: coordinator.Public,
		Keys: []keys.Key{work, submit, revoked},
	}
	file := filepath.Join(t.TempDir(), "nats.conf")
	testutil.OK(t, os.WriteFile(file, []byte(c.Text(now.Add(time.Second))), 0o600))
	o := testutil.Must(server.ProcessConfigFile(file))(t)
	testutil.Check(t, o.SyncAlways && o.MaxPayload == farm.MaxBody && o.JetStream && o.StoreDir == c.Store &&
		o.Port == 4222 && o.HTTPPort == 8222,
		"%+v", o)
	testutil.Check(t, o.Cluster.Name == "gogi" && o.Cluster.Port == 6222 && len(o.Routes) == 2, "%+v, routes %v",
		o.Cluster, o.Routes)

	testutil.Equal(t, len(o.Nkeys), 3, "keys")
	for _, user := range o.Nkeys {
		i := slices.IndexFunc(c.Keys, func(k keys.Key) bool { return k.Public == user.Nkey })
		if i < 0 {
			testutil.Check(t, user.Nkey == coordinator.Public && user.Permissions == nil, "%+v", user)
			continue
		}
		want := c.Keys[i].Subjects()
		testutil.Slices(t, user.Permissions.Publish.Allow, want.Publish, c.Keys[i].Name)
		testutil.Slices(t, user.Permissions.Subscribe.Allow, want.Subscribe, c.Keys[i].Name)
	}
}

// TestServerConfOfOneServer requires a file without a cluster, and with TLS if there is a certificate.
func TestServerConfOfOneServer(t *testing.T) {
	c := ServerConf{Name: "n", Listen: "h:1", Monitor: "h:2", Store: "s", Coordinator: "U"}
	testutil.Equal(t, c.Text(time.Now()), `server_name: "n"
listen: "h:1"
http: "h:2"
max_payload: 1048576
jetstream { store_dir: "s", sync_interval: always }
authorization {
  timeout: 10
  users: [
    { nkey: U } # the coordinator, which needs all subjects
  ]
}
`)
	c.Cert, c.Key = "a.crt", "a.key"
	testutil.Contains(t, c.Text(time.Now()), `tls { cert_file: "a.crt", key_file: "a.key" }`, "with a certificate")
}
