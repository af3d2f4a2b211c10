package site

import (
	"context"
	"crypto/ed25519"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator"
	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/grants"
	"gogi/farm/folder"
	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/internal/disk"
	"gogi/results"
)

// A Config is the input of Open.
type Config struct {
	Settings // complete

	// Standby mirrors the leader of the farm first, and leads when the leader is gone. It needs JetStream.Takeover.
	Standby bool
	// Demo runs without TLS, which package nats allows only on loopback, and without audits, because there is one owner.
	Demo  bool
	Start nats.Start // starts a NATS server in this process; not needed with JetStream.URL
	Log   *slog.Logger
	Trace *Trace // may be nil
}

// A Site is the coordinator of a farm on this machine, with its connection to the workers (Bus) and its
// databases.
type Site struct {
	*folder.Folder
	Bus         *nats.Bus
	Store       *results.Store
	Coordinator *coordinator.Coordinator
	Kept        Kept   // tests, workers, people, sessions of the pages and the log of actions
	CA          string // certificate authority of the coordinator, as PEM; "" means no TLS

	config Config
	lock   *os.File
	leadership

	triedBackup time.Time // start of the latest backup of this process

	enlisting sync.Mutex
	enlisted  map[results.Worker]bool // workers that this process has enlisted
}

// A Kept stores the state of a farm's coordinator. [farmstate.State] implements it.
type Kept interface {
	entries.State
	Get(ctx context.Context, bucket, name string) (body []byte, revision uint64, err error)
	Close() error
}

// Open opens the state, the bus and the database, and creates the coordinator. When Open returns, workers can
// connect. They get answers only while Serve runs. If several coordinators share the farm, Open waits until this
// process leads the farm.
func Open(ctx context.Context, c Config) (_ *Site, err error) {
	s := &Site{config: c, enlisted: map[results.Worker]bool{}}
	defer func() {
		if err != nil {
			err = errors.Join(s.unfenced(err), s.Close())
		}
	}()
	if s.Folder, err = folder.Open(c.Farm.State, time.Now()); err != nil {
		return nil, err
	}
	if s.lock, err = s.Folder.Lock(); err != nil {
		return nil, err
	}
	if err = s.lead(ctx); err != nil {
		return nil, err
	}
	ctx, stop := s.fenced(ctx)
	defer stop(nil)
	if err = s.openKept(ctx); err != nil {
		return nil, err
	}
	if err = s.openBus(ctx); err != nil {
		return nil, err
	}
	if s.Store, err = results.Open(ctx, c.Database(), results.Durable); err != nil {
		return nil, err
	}
	if err = s.enlist(ctx); err != nil {
		return nil, err
	}
	if err = s.openCoordinator(ctx); err != nil {
		return nil, err
	}
	return s, s.shared.Settle(ctx) // all tests that lack pairs run again
}

// Database returns the path of the database of games.
func (s *Settings) Database() string {
	if s.Store.DB != "" {
		return s.Store.DB
	}
	return filepath.Join(s.Farm.State, folder.Games)
}

func (s *Site) openBus(ctx context.Context) error {
	c := &s.config
	b := nats.Config{
		Dir: c.Farm.State, Listen: c.Farm.Listen, Keys: s.Ring, Log: c.Log, Start: c.Start,
		MaxStream: int64(c.JetStream.MaxBytes), MaxArtefact: int64(c.Artefacts.MaxArtefact),
		MaxArtefacts: int64(c.Artefacts.MaxBytes),
		Readers:      c.Artefacts.MaxReaders, Check: s.check, Limit: s.config.limit,
	}
	var err error
	switch {
	case c.JetStream.URL != "":
		if b.Outside, err = s.outside(); err != nil {
			return err
		}
		s.CA, b.Replicas, b.Shared = b.Outside.Creds.CA, c.JetStream.Replicas, s.shared
	case !c.Demo:
		if b.TLS, err = s.serverTLS(); err != nil {
			return err
		}
	}
	if b.MaxStream == 0 {
		if b.MaxStream, err = nats.DefaultStream(c.Farm.State); err != nil {
			return err
		}
	}
	if s.Bus, err = nats.Open(ctx, b); err != nil {
		return err
	}
	return folder.WriteFile(filepath.Join(s.Dir, folder.URLFile), s.URL()+"\n")
}

// outside returns the NATS servers of the settings.
func (s *Site) outside() (*nats.Outside, error) {
	ca, err := s.outsideCA()
	if err != nil {
		return nil, err
	}
	c := &s.config.JetStream
	return &nats.Outside{
		Creds:   keys.Creds{Name: "coordinator", URL: c.URL, Coordinator: s.Public, Seed: s.Seed, CA: ca},
		Monitor: c.Monitor,
	}, nil
}

// outsideCA returns the certificate authority in the settings, or "" if the settings have none.
func (s *Site) outsideCA() (string, error) {
	if s.config.TLS.CA == "" {
		return "", nil
	}
	text, err := os.ReadFile(s.config.TLS.CA)
	if err != nil {
		return "", fmt.Errorf("farm: tls.ca: %w", err)
	}
	return string(text), nil
}

// serverTLS returns a TLS configuration with the certificate of the settings, or with a certificate that the
// farm signs.
func (s *Site) serverTLS() (*tls.Config, error) {
	c := &s.config.TLS
	if c.Cert != "" {
		cert, err := tls.LoadX509KeyPair(c.Cert, c.Key)
		if err != nil {
			return nil, fmt.Errorf("farm: tls: %w", err)
		}
		ca, err := s.outsideCA()
		s.CA = ca
		return &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{cert}}, err
	}
	authority, err := keys.OpenAuthority(s.Dir, time.Now())
	if err != nil {
		return nil, err
	}
	s.CA = authority.PEM
	return authority.TLS(slices.Concat(keys.LocalHosts(), s.config.Farm.Hosts))
}

// URL returns the address to which workers connect. With an outside NATS server it is the address of that
// server. Otherwise the host is the first host in the settings. If the settings have no host, it is the host
// on which the server listens, or the name of this machine if the server listens on all addresses.
func (s *Site) URL() string {
	if s.config.JetStream.URL != "" {
		return s.Bus.URL()
	}
	u, err := url.Parse(s.Bus.URL())
	if err != nil {
		return s.Bus.URL()
	}
	ip := net.ParseIP(u.Hostname())
	if ip == nil || !ip.IsUnspecified() {
		if len(s.config.Farm.Hosts) > 0 {
			u.Host = net.JoinHostPort(s.config.Farm.Hosts[0], u.Port())
		}
		return u.String()
	}
	host := "localhost"
	if name, err := os.Hostname(); err == nil {
		host = name
	}
	if len(s.config.Farm.Hosts) > 0 {
		host = s.config.Farm.Hosts[0]
	}
	u.Host = net.JoinHostPort(host, u.Port())
	return u.String()
}

// enlist writes the workers' public keys into the database. So gogi can still verify a worker's signatures there
// after its key is deleted.
func (s *Site) enlist(ctx context.Context) error {
	s.enlisting.Lock()
	defer s.enlisting.Unlock()
	for _, k := range s.Ring.Keys() {
		if !k.May(keys.Work) {
			continue
		}
		w := results.Worker{Name: k.Name, Owner: k.Owner, Key: k.Public}
		if s.enlisted[w] {
			continue
		}
		if err := results.Enlist(ctx, s.Store, w); err != nil {
			return err
		}
		s.enlisted[w] = true
	}
	return nil
}

func (s *Site) openCoordinator(ctx context.Context) error {
	var b farm.Bus = s.Bus
	if s.config.Trace != nil {
		b = &traced{s.Bus, s.config.Trace}
	}
	c := coordinator.Config{
		Bus: b, State: s.Kept, Keys: registry{ring{s.Ring},
			s}, Secret: s.Secret, Sign: s.Sign, Open: Stores(s.Store), Lease: s.config.Farm.Lease,
		OwnerMax: s.config.Schedule.OwnerMax, Quota: s.config.quota, Spent: s.Store.Spent, Stored: StoredPairs(s.Store),
		Shares: s.Store.Shares, Played: s.Store.Played, Log: s.config.Log,
		Lacks: s.lacks, Bar: s.Bus.Bar, Accuse: !s.config.Demo && s.config.Trust.residuals(),
	}
	if a := s.config.Schedule.Audit; !s.config.Demo && (a == nil || *a) {
		c.Auditor = newAuditor(s.Secret)
	}
	var err error
	s.Coordinator, err = coordinator.New(ctx, c)
	return err
}

// check returns an error unless body is a batch of results that the worker has signed.
func (s *Site) check(worker string, body []byte) error {
	key, ok := ring{s.Ring}.Key(worker)
	if !ok {
		return fmt.Errorf("%s has no valid key", worker)
	}
	_, _, err := farm.Open(body, func(name string) ed25519.PublicKey {
		if name != worker {
			return nil
		}
		return key.Public
	})
	return err
}

// Serve runs the coordinator until ctx ends or the coordinator fails. If ctx ends, it returns nil. If the
// coordinator fails, no result that it has acknowledged is lost. If another process may lead the farm, the
// error is nats.ErrFenced.
func (s *Site) Serve(ctx context.Context) error {
	ctx, fenced := s.fenced(ctx)
	defer fenced(nil)
	if s.config.Trace != nil {
		s.config.Trace.Write(Step{What: "boot", Seq: uint64(s.Coordinator.Status(ctx).Boot)})
	}
	looking, stop := context.WithCancel(ctx)
	var beside sync.WaitGroup
	beside.Go(func() { s.lookAfter(looking) })
	err := s.Coordinator.Serve(ctx)
	stop()
	beside.Wait()
	return s.unfenced(err)
}

// unfenced adds nats.ErrFenced to an error if this process has led the farm, and does not lead it any more.
func (s *Site) unfenced(err error) error {
	if err != nil && s.end != nil && s.shared.Fence() != nil {
		err = errors.Join(nats.ErrFenced, err)
	}
	return err
}

// lookEvery is the interval at which lookAfter reads the keys that other processes made or revoked.
const lookEvery = 2 * time.Second

// lookAfter refreshes the keys and makes backups until ctx ends.
func (s *Site) lookAfter(ctx context.Context) {
	ticks := time.NewTicker(lookEvery)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		}
		s.backUp(ctx, time.Now())
		if err := errors.Join(s.Ring.Refresh(), s.enlist(ctx), s.share()); err != nil && ctx.Err() == nil {
			s.config.Log.Error("keys of the farm", "err", err)
		}
	}
}

// backUp makes a backup if the latest one is old enough, and deletes those that the settings do not keep.
func (s *Site) backUp(ctx context.Context, now time.Time) {
	b := s.config.Backup
	if b.Off || s.config.Demo || now.Sub(s.triedBackup) < b.Every || now.Sub(folder.LatestBackup(b.Dir)) < b.Every {
		return
	}
	s.triedBackup = now
	err, file := s.roomForBackup(), ""
	if err == nil {
		file, err = folder.Backup(ctx, s.Dir, s.config.Database(), b.Dir, false, now)
	}
	if err == nil {
		s.config.Log.Info("backed up", "file", file)
		err = folder.DropBackups(b.Dir, b.Keep)
	}
	if err != nil {
		s.config.Log.Error("the backup failed", "err", err)
	}
}

// roomForBackup returns an error if one more backup in the default folder could fill the disk.
func (s *Site) roomForBackup() error {
	info, err := os.Stat(s.config.Database())
	if err != nil || s.config.Backup.Dir != defaultBackups(s.config.Farm.State) {
		return err
	}
	if most, err := nats.DefaultStream(s.Dir); err == nil && info.Size() > most {
		return fmt.Errorf("the database has %d bytes, and there is too little space in %s: "+
			"set backup.dir to a folder on another disk", info.Size(), s.Dir)
	}
	return nil
}

// Quota returns the limits of an owner.
func (s *Site) Quota(owner string) grants.Quota { return s.config.quota(owner) }

// Lease returns the lifetime of a lease: if a worker sends no heartbeat for this time, another worker may get
// its pairs.
func (s *Site) Lease() time.Duration { return s.config.Farm.Lease }

// Close closes everything. Serve must have returned.
func (s *Site) Close() error {
	var errs []error
	if s.Bus != nil {
		errs = append(errs, s.Bus.Close())
	}
	if s.Store != nil {
		errs = append(errs, s.Store.Close())
	}
	if s.Kept != nil {
		errs = append(errs, s.Kept.Close())
	}
	errs = append(errs, s.leave())
	if s.lock != nil {
		errs = append(errs, disk.CloseLocked(s.lock))
	}
	return errors.Join(errs...)
}

// PagesAt returns the listen address of pages and metrics, or "" if there are no pages.
func (s *Site) PagesAt() string { return s.config.Metrics.Listen }
