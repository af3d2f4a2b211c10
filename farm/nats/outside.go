package nats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"gogi/farm"
	"gogi/farm/keys"
)

// An Outside describes a NATS server that is not part of gogi, or a cluster of such servers. The coordinator uses it
// instead of its own server.
type Outside struct {
	Creds keys.Creds // the credentials of the coordinator; the URL may be a list with commas
	// Monitor is the base URL of the server's monitoring pages (http_port), such as http://127.0.0.1:8222, or a list with
	// commas of those of all servers. gogi reads the servers' settings there.
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
	options, err := login(o.Creds)
	if err != nil {
		return nil, err
	}
	return connect(o.Creds.URL, coordinatorName, options...)
}

// settings are the values that gogi reads from a server's /varz page.
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

// Examine checks the settings of all servers. wrong has an error for each setting that could lose results or that lets
// connections in without a key. err means that gogi cannot read the settings of most servers. A cluster works without
// the others, and gogi checks those at its next start.
func (o *Outside) Examine(ctx context.Context) (wrong []error, err error) {
	if o.Monitor == "" {
		return nil,
			errors.New("bus: gogi checks on the server's monitoring page that it syncs what it acknowledges: set http_port there, and name the page")
	}
	pages := strings.Split(o.Monitor, ",")
	var silent []error
	for _, page := range pages {
		s, err := examine(ctx, strings.TrimSpace(page))
		if err != nil {
			silent = append(silent, err)
			continue
		}
		for _, w := range s.wrong() {
			if len(pages) > 1 {
				w = fmt.Errorf("%s: %w", page, w)
			}
			wrong = append(wrong, w)
		}
	}
	if 2*len(silent) >= len(pages) {
		return nil, errors.Join(silent...)
	}
	return wrong, nil
}

// examine reads the settings of one server from its monitoring page.
func examine(ctx context.Context, page string) (s settings, err error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, page+"/varz", nil)
	if err != nil {
		return s, fmt.Errorf("bus: %w", err)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return s, fmt.Errorf("bus: %w", err)
	}
	defer answer.Body.Close() //nolint:errcheck // it was only read
	if answer.StatusCode != http.StatusOK {
		return s, fmt.Errorf("bus: %s answers %s", r.URL, answer.Status)
	}
	if err := json.NewDecoder(io.LimitReader(answer.Body, 1<<20)).Decode(&s); err != nil {
		return s, fmt.Errorf("bus: %s is not a page of a NATS server: %w", r.URL, err)
	}
	return s, nil
}

// wrong returns an error for each unsuitable setting.
func (s settings) wrong() (all []error) {
	add := func(format string, v ...any) { all = append(all, fmt.Errorf(format, v...)) }
	switch c := s.JetStream.Config; {
	case c == nil:
		add("JetStream is off: set jetstream { store_dir: …, sync_interval: always }")
	case !c.SyncAlways:
		add("sync_interval is %v: what is acknowledged may be lost for that long; set jetstream { sync_interval: always }",
			c.SyncInterval)
	}
	if s.MaxPayload < farm.MaxBody {
		add("max_payload is %d: set at least %d", s.MaxPayload, farm.MaxBody)
	}
	if !s.AuthRequired {
		add("connections need no key: set authorization")
	}
	return all
}
