package farmcmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"gogi/cmd/gogi/cli"
	"gogi/farm/folder"
	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/internal/format"
)

// KeyCommand groups the commands about keys. These commands change the farm's folder on the coordinator's
// machine. A running coordinator notices a change within seconds.
type KeyCommand struct {
	New    KeyNewCommand    `cmd:"" help:"Make a key and its credentials file"`
	List   KeyListCommand   `cmd:"" help:"List the keys, their rights and their expiry"`
	Revoke KeyRevokeCommand `cmd:"" help:"Revoke a key; its stored results stay"`
	NATS   KeyNATSCommand   `cmd:"" name:"nats" help:"Print the configuration of your own NATS server"`
}

// atSite has the flag of commands that work in a farm's folder.
type atSite struct {
	State string `type:"path" default:"farm" placeholder:"DIR" help:"Folder of the farm (default ${default})."`
}

// existing opens the folder of a farm. Unlike folder.Open it makes no farm in a folder that does not exist.
func (c atSite) existing() (*folder.Folder, error) {
	if _, err := os.Stat(c.State); errors.Is(err, fs.ErrNotExist) {
		return nil, wrong("--state: %s not found; give the folder of the farm, which gogi farm serve makes", c.State)
	}
	return folder.Open(c.State, time.Now())
}

// KeyNewCommand makes a key for a user or worker of a farm, and its credentials file.
type KeyNewCommand struct {
	atSite
	Name    string   `arg:"" help:"Name of the key: a-z, 0-9, - and _."`
	May     []string `required:"" placeholder:"RIGHT,…" help:"Rights of the key: work for a worker; for a person one or more of submit, approve, run, admin."`
	Owner   string   `required:"" placeholder:"O" help:"Owner of the key."`
	Expires string   `placeholder:"90d" help:"Time until the key expires (default: never)."`
	URL     string   `name:"url" placeholder:"URL" help:"Address of the farm for the holder of the key (default: the last address of gogi farm serve)."`
	CA      string   `name:"ca" type:"existingfile" placeholder:"FILE" help:"Certificate (PEM) of the authority that signed the certificate of the coordinator (default: the certificate of the farm)."`
	Out     string   `type:"path" placeholder:"FILE" help:"Credentials file to write (default: NAME.creds)."`
}

// Run makes the key and writes its credentials file.
func (c *KeyNewCommand) Run(ctx context.Context, env *cli.Env) error {
	now := time.Now()
	expires, err := expiry(now, c.Expires)
	if err != nil {
		return err
	}
	open := c.existing
	if c.URL != "" { // a key may exist before the first start
		open = func() (*folder.Folder, error) { return folder.Open(c.State, now) }
	}
	s, err := open()
	if err != nil {
		return err
	}
	url := cmp.Or(c.URL, s.URL())
	if url == "" {
		return wrong("--url: the farm in %s was never started: expected its address for workers, such as tls://HOST:7422",
			c.State)
	}
	ca, err := s.TrustedBy(url, c.CA)
	if err != nil {
		return err
	}
	rights := make([]keys.Right, len(c.May))
	for i, r := range c.May {
		rights[i] = keys.Right(r)
	}
	out := cmp.Or(c.Out, c.Name+".creds")
	if _, err := os.Stat(out); err == nil { // it may have the only secret half of another key
		return wrong("--out: %s exists already; give the name of another file", out)
	}
	creds, err := s.Issue(c.Name, c.Owner, rights, expires, url, ca)
	if err == nil {
		err = creds.Write(out)
	}
	if err == nil {
		err = s.Log(ctx, c.Name, fmt.Sprintf("issued: %s, may %s", c.Owner, strings.Join(c.May, ", ")))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "%s may %s at %s: give %s only to its holder\n", c.Name, strings.Join(c.May, ", "), url, out)
	return nil
}

// expiry parses a number of days ("90d") or a Go duration.
func expiry(now time.Time, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	d, err := time.ParseDuration(text)
	if days, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		if n, err = strconv.Atoi(days); err == nil {
			d = time.Duration(n) * 24 * time.Hour
		}
	}
	if err != nil || d <= 0 {
		return time.Time{}, wrong("--expires %s: expected a time such as 90d or 12h", text)
	}
	return now.Add(d).UTC().Truncate(time.Second), nil
}

// KeyNATSCommand prints the configuration file of an outside NATS server, with the rights of all keys.
type KeyNATSCommand struct {
	atSite
	Hosts   []string `arg:"" name:"host" help:"Host name of this server, then of the other servers of its cluster."`
	Store   string   `placeholder:"DIR" default:"/var/lib/nats" help:"Folder of the server's streams (default ${default})."`
	TLSCert string   `name:"tls-cert" placeholder:"FILE" help:"TLS certificate of the server, on its machine [--tls-key]."`
	TLSKey  string   `name:"tls-key" placeholder:"FILE" help:"Key of the TLS certificate [--tls-cert]."`
}

// Run prints the file. It makes the folder of a farm that was never started, because the server needs the coordinator's
// key before the coordinator can start.
func (c *KeyNATSCommand) Run(_ context.Context, env *cli.Env) error {
	if (c.TLSCert == "") != (c.TLSKey == "") {
		return wrong("--tls-cert and --tls-key go together; give both or neither")
	}
	now := time.Now()
	s, err := folder.Open(c.State, now)
	if err != nil {
		return err
	}
	conf := nats.ServerConf{
		Name: c.Hosts[0], Listen: "0.0.0.0:4222", Monitor: c.Hosts[0] + ":8222", Store: c.Store, Cluster: "0.0.0.0:6222",
		Cert: c.TLSCert, Key: c.TLSKey, Coordinator: s.Public, Keys: s.Ring.Keys(),
	}
	for _, other := range c.Hosts[1:] {
		conf.Routes = append(conf.Routes, "nats://"+other+":6222")
	}
	_, err = io.WriteString(env.Out, conf.Text(now))
	return err
}

// KeyListCommand lists the keys.
type KeyListCommand struct {
	atSite
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Run prints the keys.
func (c *KeyListCommand) Run(_ context.Context, env *cli.Env) error {
	s, err := c.existing()
	if err != nil {
		return err
	}
	all := s.Ring.Keys()
	if c.JSON {
		return printJSON(env.Out, all)
	}
	t := format.NewColumns([]string{"key", "owner", "may", "issued", "until"})
	var rows [][]string
	for _, k := range all {
		rows = append(rows, []string{k.Name, k.Owner, rightsOf(k), k.Issued.Format(time.DateOnly), until(k, time.Now())})
	}
	return printRows(env.Out, t, rows)
}

func rightsOf(k keys.Key) string {
	words := keys.Words(k.Rights)
	slices.Sort(words)
	return strings.Join(words, ", ")
}

func until(k keys.Key, now time.Time) string {
	switch {
	case !k.Revoked.IsZero():
		return "revoked " + k.Revoked.Format(time.DateOnly) + ": " + k.Why
	case k.Expires.IsZero():
		return "–"
	case k.Valid(now) != nil:
		return "expired " + k.Expires.Format(time.DateOnly)
	}
	return k.Expires.Format(time.DateOnly)
}

// KeyRevokeCommand revokes a key.
type KeyRevokeCommand struct {
	atSite
	Name string `arg:"" help:"Name of the key."`
	Why  string `required:"" placeholder:"TEXT" help:"Reason; gogi stores it with the key."`
}

// Run revokes the key.
func (c *KeyRevokeCommand) Run(ctx context.Context, env *cli.Env) error {
	s, err := c.existing()
	if err != nil {
		return err
	}
	if err := s.Ring.Revoke(c.Name, c.Why, time.Now()); err != nil {
		if errors.Is(err, keys.ErrUnknown) {
			return wrong("%w", err)
		}
		return err
	}
	if err := s.Log(ctx, c.Name, "revoked: "+c.Why); err != nil {
		return err
	}
	fmt.Fprintf(env.Out, "%s is revoked\n", c.Name)
	return nil
}
