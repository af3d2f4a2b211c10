// Package serving is what verbs that show pages in a browser share: flags, the token, the
// address.
package serving

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"

	"gogi/internal/disk"
	"gogi/internal/usage"
	"gogi/internal/verb"
	"gogi/web"
)

// Flags are about who may see pages, and how.
type Flags struct {
	TokenFile  string   `group:"pages" env:"GOGI_TOKEN_FILE" placeholder:"FILE" help:"A file that holds a token of at least 32 characters and that only you may read. Its holder may control runs; an address that others reach needs one for everything."`
	TLSCert    string   `group:"pages" name:"tls-cert" placeholder:"FILE" help:"A certificate, for https."`
	TLSKey     string   `group:"pages" name:"tls-key" placeholder:"FILE" help:"Its key."`
	PublicHost []string `group:"pages" sep:"none" placeholder:"NAME" help:"A name that browsers reach the pages by, beside the address."`
	Pprof      bool     `group:"pages" help:"Serve profiles of this program at /debug/pprof/."`
}

// Check reports what is wrong with the flags and the address, before a verb does anything. No
// address is not looked at.
func (f *Flags) Check(ctx context.Context, addr string) error {
	var c web.Config
	if err := f.configure(&c, addr); err != nil || addr == "" {
		return usage.Wrap(err)
	}
	return usage.Wrap(web.Check(ctx, c))
}

func (f *Flags) configure(c *web.Config, addr string) (err error) {
	c.Addr, c.CertFile, c.KeyFile, c.PublicHosts, c.Pprof = addr, f.TLSCert, f.TLSKey, f.PublicHost, f.Pprof
	c.Token, err = readToken(f.TokenFile)
	return err
}

// Listen takes the address and checks what the flags say. Of c, what is shown is set.
func (f *Flags) Listen(ctx context.Context, env *verb.Env, addr string, c web.Config) (*web.Server, error) {
	if err := f.configure(&c, addr); err != nil {
		return nil, usage.Wrap(err)
	}
	c.Log = slog.New(slog.NewTextHandler(env.Err, nil))
	server, err := web.Listen(ctx, c)
	return server, usage.Wrap(err)
}

// readToken reads a token that only its owner may read; no file is no token.
func readToken(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	info, err := os.Stat(file)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	if disk.OthersMayRead(info) {
		return "", fmt.Errorf("--token-file %s: others may read it (mode %v): chmod 600 %s", file, info.Mode().Perm(), file)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}
