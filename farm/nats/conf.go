package nats

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gogi/farm"
	"gogi/farm/keys"
)

// ServerConf describes the configuration file of an outside NATS server (nats.conf) that serves a farm. Its text allows
// only the coordinator and the valid keys of the farm, each with its own subjects.
type ServerConf struct {
	Name    string // name of the server in its cluster
	Listen  string // HOST:PORT for clients
	Monitor string // HOST:PORT of the monitoring page, which gogi reads
	Store   string // folder of JetStream
	// Cluster is the HOST:PORT for the other servers, and Routes has their addresses, such as nats://n2:6222. Both are
	// empty for a single server.
	Cluster string
	Routes  []string
	// Cert and Key are the files of the TLS certificate for clients. Both are empty for a server without TLS.
	Cert, Key string

	Coordinator string     // public key of the coordinator
	Keys        []keys.Key // keys of the farm; Text leaves out those that are not valid now
}

// Text returns the configuration file. Version 2.15 of nats-server reads it. Version 2.9 does not know sync_interval.
func (c *ServerConf) Text(now time.Time) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("server_name: %q", c.Name)
	line("listen: %q", c.Listen)
	line("http: %q", c.Monitor)
	line("max_payload: %d", farm.MaxBody)
	line("jetstream { store_dir: %q, sync_interval: always }", c.Store)
	if c.Cert != "" {
		line("tls { cert_file: %q, key_file: %q }", c.Cert, c.Key)
	}
	if len(c.Routes) > 0 {
		line("cluster { name: gogi, listen: %q, routes: %s }", c.Cluster, quoted(c.Routes))
	}
	line("authorization {")
	line("  timeout: 10")
	line("  users: [")
	line("    { nkey: %s } # the coordinator, which needs all subjects", c.Coordinator)
	for _, k := range c.Keys {
		if k.Valid(now) == nil {
			s := k.Subjects()
			line("    { nkey: %s, permissions: { publish: %s, subscribe: %s } } # %s of %s", k.Public, quoted(s.Publish),
				quoted(s.Subscribe), k.Name, k.Owner)
		}
	}
	line("  ]")
	line("}")
	return b.String()
}

// quoted returns a list of strings as a configuration file has it.
func quoted(list []string) string {
	all := slices.Clone(list)
	for i := range all {
		all[i] = fmt.Sprintf("%q", all[i])
	}
	return "[" + strings.Join(all, ", ") + "]"
}
