package site

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/BurntSushi/toml"

	"gogi/farm/coordinator/grants"
	"gogi/farm/keys"
	"gogi/farm/nats"
)

// A Settings is the settings file of gogi farm serve. Complete sets the defaults of zero values.
type Settings struct {
	Farm struct {
		Listen string        `toml:"listen"` // HOST:PORT of the embedded server.
		State  string        `toml:"state"`  // the folder of keys, secrets and the journal.
		Lease  time.Duration `toml:"lease"`  // time without a heartbeat after which another worker may get a pair.
		Hosts  []string      `toml:"hosts"`  // more names and addresses of this machine.
	} `toml:"farm"`
	TLS struct {
		Cert string `toml:"cert"` // PEM. The default is a certificate that the farm signs.
		Key  string `toml:"key"`
		CA   string `toml:"ca"` // PEM for credentials: the only accepted authority.
	} `toml:"tls"`
	Store struct {
		DB string `toml:"db"` // the database of games. The default is farm.db in the state's folder.
	} `toml:"store"`
	JetStream struct {
		// the URL of an external server, or a list with commas of a cluster's servers. "" means the embedded server.
		URL string `toml:"url"`
		// the URL of the server's monitoring pages, http://…, or a list with commas.
		Monitor string `toml:"monitor"`
		// number of servers that store each message. The default is 3 with Takeover, and otherwise 1.
		Replicas int `toml:"replicas"`
		// time after which a standby may replace a silent coordinator. 0 means that there is no standby.
		Takeover time.Duration `toml:"takeover"`
		// maximum size of the stream of results. The default is a fifth of the volume.
		MaxBytes grants.Size `toml:"max_bytes"`
	} `toml:"jetstream"`
	Artefacts struct {
		MaxBytes    grants.Size `toml:"max_bytes"`    // maximum size of all artefacts. The default is 20 GB.
		MaxArtefact grants.Size `toml:"max_artefact"` // maximum size of one artefact. The default is 2 GB.
		MaxReaders  int         `toml:"max_readers"`  // maximum number of pieces read at the same time. The default is 32.
	} `toml:"artefacts"`
	Schedule struct {
		OwnerMax float64 `toml:"owner_max"` // an owner's share of the slots while others wait. The default is 0.4.
		// whether other workers replay pairs of deterministic players, see docs/research/trust.md. The default is true.
		Audit *bool `toml:"audit"`
	} `toml:"schedule"`
	Quota   map[string]grants.Quota `toml:"quota"` // by owner
	Trust   Trust                   `toml:"trust"`
	Metrics struct {
		Listen string `toml:"listen"` // HOST:PORT of pages and /metrics. "" means no pages.
	} `toml:"metrics"`
	Backup struct {
		Off   bool          `toml:"off"`   // make no backups
		Every time.Duration `toml:"every"` // The default is 24h.
		Dir   string        `toml:"dir"`   // The default is backups in the state's folder.
		// number of backups to keep. The default is 7 in the default folder, and otherwise all.
		Keep int `toml:"keep"`
	} `toml:"backup"`
}

// A Trust has the rules by which the coordinator quarantines workers automatically. A test keeps the rules
// that applied when it was submitted.
type Trust struct {
	// Residuals turns on the quarantine of workers whose results differ from the results of other workers.
	// See docs/research/trust.md. The default is true.
	Residuals *bool `toml:"residuals"`
}

func (t Trust) residuals() bool { return t.Residuals == nil || *t.Residuals }

// These are the defaults of Settings.
const (
	DefaultListen = ":7422"
	DefaultState  = "farm"
	DefaultLease  = 20 * time.Second

	defaultArtefacts = 20 << 30
	defaultArtefact  = 2 << 30
	defaultReaders   = 32
	defaultBackup    = 24 * time.Hour
	defaultKeep      = 7
	shortestLease    = time.Second
	shortestTakeover = 15 * time.Second // a NATS cluster takes 4 to 9 s to replace a lost server
	defaultReplicas  = 3
)

// ReadSettings reads a settings file. It returns an error for an unknown key.
func ReadSettings(file string) (s Settings, err error) {
	meta, err := toml.DecodeFile(file, &s)
	if err != nil {
		return s, fmt.Errorf("%s: %w", file, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return s, fmt.Errorf("%s: %q is not a key of a farm: expected those of docs/farm.md", file, unknown[0])
	}
	return s, nil
}

// Complete replaces zero values by their defaults, and returns an error for an invalid value.
func (s *Settings) Complete() error {
	s.Farm.Listen, s.Farm.State = cmp.Or(s.Farm.Listen, DefaultListen), cmp.Or(s.Farm.State, DefaultState)
	s.Farm.Lease = cmp.Or(s.Farm.Lease, DefaultLease)
	s.Artefacts.MaxBytes, s.Artefacts.MaxArtefact = cmp.Or(s.Artefacts.MaxBytes, defaultArtefacts),
		cmp.Or(s.Artefacts.MaxArtefact, defaultArtefact)
	s.Artefacts.MaxReaders = cmp.Or(s.Artefacts.MaxReaders, defaultReaders)
	if s.Backup.Dir == "" {
		s.Backup.Dir, s.Backup.Keep = defaultBackups(s.Farm.State), cmp.Or(s.Backup.Keep, defaultKeep)
	}
	if s.JetStream.Takeover > 0 {
		s.JetStream.Replicas = cmp.Or(s.JetStream.Replicas, defaultReplicas)
	}
	s.Backup.Every = cmp.Or(s.Backup.Every, defaultBackup)
	switch {
	case s.Farm.Lease < shortestLease:
		return fmt.Errorf("farm.lease %v: expected at least %v", s.Farm.Lease, shortestLease)
	case (s.TLS.Cert == "") != (s.TLS.Key == "") || (s.TLS.Cert == "") != (s.TLS.CA == ""):
		return errors.New("tls: expected cert, key and ca, or none of them")
	case s.JetStream.URL != "" && s.JetStream.Monitor == "":
		return errors.New("jetstream.monitor: expected the monitoring page of the server at jetstream.url, which shows whether it would lose results")
	case s.JetStream.Takeover != 0 && s.JetStream.URL == "":
		return errors.New("jetstream.takeover: it needs an external NATS cluster; name its servers in jetstream.url")
	case s.JetStream.Takeover != 0 && s.JetStream.Takeover < shortestTakeover:
		return fmt.Errorf("jetstream.takeover %v: expected at least %v", s.JetStream.Takeover, shortestTakeover)
	case s.JetStream.Replicas < 0 || s.JetStream.Replicas > 5:
		return fmt.Errorf("jetstream.replicas %d: expected 1, 3 or 5", s.JetStream.Replicas)
	case s.Schedule.OwnerMax < 0 || s.Schedule.OwnerMax > 1:
		return fmt.Errorf("schedule.owner_max %v: expected a share from 0 to 1", s.Schedule.OwnerMax)
	case s.Backup.Every < 0 || s.Backup.Keep < 0:
		return errors.New("backup: expected no negative numbers; to make no backups, set backup.off = true")
	}
	for _, owner := range slices.Sorted(maps.Keys(s.Quota)) {
		if err := keys.CheckName(owner); err != nil {
			return fmt.Errorf("quota: %w", err)
		}
		if q := s.Quota[owner]; q.Running < 0 || q.Queued < 0 || q.Slots < 0 || !(q.SlotHoursDay >= 0) {
			return fmt.Errorf("quota.%s: expected no negative numbers", owner)
		}
		if b := s.Quota[owner].Bandwidth; b > 0 && b < nats.MinBandwidth {
			return fmt.Errorf("quota.%s.bandwidth: expected at least %d bytes a second", owner, nats.MinBandwidth)
		}
	}
	return nil
}

func defaultBackups(state string) string { return filepath.Join(state, "backups") }

// limit implements nats.Config.Limit.
func (s *Settings) limit(owner string) (artefact, bandwidth int64) {
	q := s.Quota[owner]
	return int64(q.Artefact), int64(q.Bandwidth)
}

func (s *Settings) quota(owner string) grants.Quota { return s.Quota[owner] }
