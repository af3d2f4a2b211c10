package nats

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/nats-io/nats.go"

	"gogi/farm"
	"gogi/farm/keys"
)

// Outside is a NATS server that somebody else runs.
type Outside struct {
	Creds keys.Creds // the coordinator's
	// Monitor is the base of the server's monitoring pages (http_port), such as
	// http://127.0.0.1:8222: there its settings are read.
	Monitor string
}

func (o *Outside) connect(ctx context.Context) (*conn, error) {
	wrong, err := o.Examine(ctx)
	if err != nil {
		return nil, err
	}
	if len(wrong) > 0 {
		return nil, fmt.Errorf("bus: the server at %s would lose results: %w", o.Creds.URL, errors.Join(wrong...))
	}
	sign, public, err := keys.Sign(o.Creds.Seed)
	if err != nil {
		return nil, err
	}
	options := []nats.Option{nats.Nkey(public, nats.SignatureHandler(sign))}
	roots, err := o.Creds.Roots()
	if err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	if roots != nil {
		options = append(options, nats.Secure(&tls.Config{MinVersion: tls.VersionTLS13, RootCAs: roots}))
	}
	return connect(o.Creds.URL, coordinatorName, options...)
}

// settings are what a server's /varz says, as far as we look.
type settings struct {
	Version      string `json:"version"`
	MaxPayload   int64  `json:"max_payload"`
	MaxConn      int    `json:"max_connections"`
	AuthRequired bool   `json:"auth_required"`
	JetStream    struct {
		Config *struct {
			MaxStore     int64         `json:"max_storage"`
			SyncInterval time.Duration `json:"sync_interval"`
			SyncAlways   bool          `json:"sync_always"`
		} `json:"config"`
	} `json:"jetstream"`
}

// Examine says which settings of the server would lose results, or let anybody in. An
// error is that they cannot be read.
func (o *Outside) Examine(ctx context.Context) (wrong []error, err error) {
	if o.Monitor == "" {
		return nil, errors.New("bus: whether the server syncs what it acknowledges cannot be seen without its monitoring page: set http_port there, and say where it is")
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, o.Monitor+"/varz", nil)
	if err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("bus: %s says %s", r.URL, answer.Status)
	}
	var s settings
	if err := json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&s); err != nil {
		return nil, fmt.Errorf("bus: %s is no page of a NATS server: %w", r.URL, err)
	}
	return s.wrong(), nil
}

// wrong are the settings that must be others.
func (s settings) wrong() (all []error) {
	add := func(format string, v ...any) { all = append(all, fmt.Errorf(format, v...)) }
	switch c := s.JetStream.Config; {
	case c == nil:
		add("JetStream is off: set jetstream { store_dir: …, sync_interval: always }")
	case !c.SyncAlways:
		add("sync_interval is %v: what is acknowledged may be lost for that long; set jetstream { sync_interval: always }", c.SyncInterval)
	}
	if s.MaxPayload < farm.MaxBody {
		add("max_payload is %d: set at least %d", s.MaxPayload, farm.MaxBody)
	}
	if !s.AuthRequired {
		add("anybody may connect: set authorization, see Authorization")
	}
	return all
}
