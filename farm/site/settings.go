package site

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"gogi/farm/coordinator"
	"gogi/farm/keys"
)

// Settings are the file of gogi farm serve. What is zero there has a default, see
// Complete.
type Settings struct {
	Farm struct {
		Listen string        `toml:"listen"` // HOST:PORT of the embedded server
		State  string        `toml:"state"`  // the folder of keys, secrets and the journal
		Lease  time.Duration `toml:"lease"`  // how long a pair stays granted without a word of its worker
		Hosts  []string      `toml:"hosts"`  // names and addresses that workers reach it by, beside those of this machine
	} `toml:"farm"`
	TLS struct {
		Cert string `toml:"cert"` // PEM; without it the farm signs its own
		Key  string `toml:"key"`
		CA   string `toml:"ca"` // PEM, goes into credentials: nothing else is believed
	} `toml:"tls"`
	Store struct {
		DB string `toml:"db"` // of games; farm.db in the state's folder
	} `toml:"store"`
	JetStream struct {
		URL      string `toml:"url"`       // of a server that somebody else runs; "": embedded
		Monitor  string `toml:"monitor"`   // its monitoring pages, http://…
		MaxBytes Size   `toml:"max_bytes"` // of the stream of results; a fifth of the volume
	} `toml:"jetstream"`
	Artefacts struct {
		MaxBytes    Size `toml:"max_bytes"`    // of all; 20 GB
		MaxArtefact Size `toml:"max_artefact"` // of one; 2 GB
		MaxReaders  int  `toml:"max_readers"`  // pieces that are read at a time; 32
	} `toml:"artefacts"`
	Schedule struct {
		OwnerMax float64 `toml:"owner_max"` // of the slots, while others wait; 0.4
		Audit    *bool   `toml:"audit"`     // pairs of players that repeat themselves are played again by others, see docs/research/trust.md; yes
	} `toml:"schedule"`
	Quota   map[string]Quota `toml:"quota"` // by owner
	Trust   Trust            `toml:"trust"`
	Metrics struct {
		Listen string `toml:"listen"` // HOST:PORT of pages and /metrics; "": none
	} `toml:"metrics"`
	Backup struct {
		Every time.Duration `toml:"every"`
		Dir   string        `toml:"dir"`
	} `toml:"backup"`
}

// Quota is what an owner may have; zero is no bound.
type Quota struct {
	Running      int     `toml:"running"`
	Queued       int     `toml:"queued"`
	Artefacts    Size    `toml:"artefacts"`      // bytes of its tests' engines
	SlotHoursDay float64 `toml:"slot_hours_day"` // what its tests may take of the slots in a day
}

// Trust is by which rules workers are quarantined without anybody's word; tests begin with
// those of the day on which they were handed in.
type Trust struct {
	Residuals *bool `toml:"residuals"` // one whose results are not those of the others, see docs/research/trust.md; yes
}

func (t Trust) residuals() bool { return t.Residuals == nil || *t.Residuals }

// The defaults of Settings.
const (
	DefaultListen = ":7422"
	DefaultState  = "farm"
	DefaultLease  = 20 * time.Second

	defaultArtefacts = 20 << 30
	defaultArtefact  = 2 << 30
	defaultReaders   = 32
	shortestLease    = time.Second
)

// ReadSettings reads a file, and refuses keys that it does not know.
func ReadSettings(file string) (s Settings, err error) {
	meta, err := toml.DecodeFile(file, &s)
	if err != nil {
		return s, fmt.Errorf("%s: %w", file, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return s, fmt.Errorf("%s: %q is no key of a farm: expected those of docs/farm.md", file, unknown[0])
	}
	return s, nil
}

// Complete sets what is zero to its default, and says what is wrong.
func (s *Settings) Complete() error {
	s.Farm.Listen, s.Farm.State = cmp.Or(s.Farm.Listen, DefaultListen), cmp.Or(s.Farm.State, DefaultState)
	s.Farm.Lease = cmp.Or(s.Farm.Lease, DefaultLease)
	s.Artefacts.MaxBytes, s.Artefacts.MaxArtefact = cmp.Or(s.Artefacts.MaxBytes, defaultArtefacts), cmp.Or(s.Artefacts.MaxArtefact, defaultArtefact)
	s.Artefacts.MaxReaders = cmp.Or(s.Artefacts.MaxReaders, defaultReaders)
	switch {
	case s.Farm.Lease < shortestLease:
		return fmt.Errorf("farm.lease %v: expected at least %v", s.Farm.Lease, shortestLease)
	case (s.TLS.Cert == "") != (s.TLS.Key == "") || (s.TLS.Cert == "") != (s.TLS.CA == ""):
		return errors.New("tls: expected cert, key and ca, or none of them")
	case s.JetStream.URL != "" && s.JetStream.Monitor == "":
		return errors.New("jetstream.monitor: expected the monitoring page of the server at jetstream.url, which shows whether it would lose results")
	case s.Schedule.OwnerMax < 0 || s.Schedule.OwnerMax > 1:
		return fmt.Errorf("schedule.owner_max %v: expected a share from 0 to 1", s.Schedule.OwnerMax)
	case (s.Backup.Dir == "") != (s.Backup.Every == 0) || s.Backup.Every < 0:
		return errors.New("backup: expected every and dir, or neither")
	}
	for _, owner := range slices.Sorted(maps.Keys(s.Quota)) {
		if err := keys.CheckName(owner); err != nil {
			return fmt.Errorf("quota: %w", err)
		}
		if q := s.Quota[owner]; q.Running < 0 || q.Queued < 0 || !(q.SlotHoursDay >= 0) {
			return fmt.Errorf("quota.%s: expected no negative numbers", owner)
		}
	}
	return nil
}

func (s *Settings) quota(owner string) coordinator.Quota {
	q := s.Quota[owner]
	return coordinator.Quota{Running: q.Running, Queued: q.Queued, Artefacts: int64(q.Artefacts), SlotHoursDay: q.SlotHoursDay}
}

// Size is a number of bytes, written as "512MB" or "20GB": powers of 1024.
type Size int64

// UnmarshalText reads what String writes, and a bare number of bytes.
func (s *Size) UnmarshalText(text []byte) error {
	word, factor := strings.ToUpper(strings.TrimSpace(string(text))), int64(1)
	for i, unit := range []string{"KB", "MB", "GB", "TB"} {
		if rest, ok := strings.CutSuffix(word, unit); ok {
			word, factor = strings.TrimSpace(rest), 1<<(10*(i+1))
			break
		}
	}
	n, err := strconv.ParseFloat(word, 64)
	if err != nil || !(n > 0) || n*float64(factor) > 1<<60 {
		return fmt.Errorf("%q is no size: expected a number with KB, MB, GB or TB, such as 20GB", text)
	}
	*s = Size(n * float64(factor))
	return nil
}
