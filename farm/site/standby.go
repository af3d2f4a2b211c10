package site

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"gogi/farm"
	"gogi/farm/files"
	"gogi/farm/mirror"
	"gogi/farm/nats"
	"gogi/internal/disk"
	"gogi/results"
)

// ErrLed is the error of Open if another process leads the farm, or if its games are on another machine.
var ErrLed = errors.New("another coordinator leads this farm")

// leadership is the part of a Site that belongs to the lease. It is zero without a standby.
type leadership struct {
	shared  *nats.Shared
	before  nats.Term                // the term before that of this process
	lacks   func(digest string) bool // see coordinator.Config.Lacks
	end     context.CancelFunc       // ends keeping
	keeping sync.WaitGroup           // renews the lease
}

// beginAgain is what an operator does so that a farm begins again without the state in the NATS cluster.
const beginAgain = "delete the state in the cluster with `nats stream rm KV_gogi_farm` and `nats stream rm RESULTS_0`"

// memberFile has the random name of this folder in the lease.
const memberFile = "member"

// looksInTakeover is how often a coordinator looks at the lease in the time of a takeover.
const looksInTakeover = 20

// lead waits until this process leads the farm. It does nothing without a standby.
func (s *Site) lead(ctx context.Context) error {
	c := &s.config
	if c.JetStream.Takeover == 0 {
		if c.Standby {
			return errors.New("--standby: set jetstream.takeover in the settings file")
		}
		if _, err := os.Lstat(filepath.Join(s.Dir, memberFile)); err == nil {
			return fmt.Errorf("jetstream.takeover: this farm had a standby, and its state is in the NATS cluster; set it again, "+
				"or %s, and delete %s", beginAgain, filepath.Join(s.Dir, memberFile))
		}
		return nil
	}
	own, err := s.OwnFile(memberFile, func() (string, error) { return rand.Text(), nil })
	if err != nil {
		return err
	}
	outside, err := s.outside()
	if err != nil {
		return err
	}
	if s.shared, err = nats.OpenShared(ctx, outside, s.Secret, c.JetStream.Takeover, c.JetStream.Replicas); err != nil {
		return err
	}
	f := &follower{site: s, own: own}
	following, stop := context.WithCancelCause(ctx)
	var running sync.WaitGroup
	if c.Standby {
		running.Go(func() { stop(f.run(following)) })
	}
	err = s.await(following, f, own)
	stop(nil)
	running.Wait()
	if err = errors.Join(err, f.close()); err != nil {
		return err
	}
	if s.before.Folder != own && s.before.Ready {
		s.lacks = func(digest string) bool { return f.replica == nil || !f.replica.Ended(digest) }
	}
	keeping, end := context.WithCancel(context.Background())
	s.end = end
	s.keeping.Go(func() { s.shared.Keep(keeping) })
	c.Log.Info("this machine leads the farm", "term", s.shared.Number(), "before", s.before.Leader)
	return nil
}

// await waits until this process has taken the lease.
func (s *Site) await(ctx context.Context, f *follower, folder string) error {
	name, _ := os.Hostname() // only for messages
	c := &s.config
	for waits := ""; ; {
		t, free, err := s.shared.Look(ctx)
		fresh := t.Number == 0 || !t.Ready
		mine := t.Folder == folder || t.Taker == folder || fresh && !c.Standby || t.Ready && f.has(t.Folder)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, nats.ErrForeign):
			return err
		case err != nil:
		case !mine && !c.Standby:
			return fmt.Errorf("%w: %s, term %d; start this one with --standby, or if all machines that led it are lost, %s",
				ErrLed, t.Leader, t.Number, beginAgain)
		case mine && free:
			if t.Number == 0 {
				err = s.shared.Create(ctx)
			}
			if err == nil {
				err = s.shared.Take(ctx, t, name, folder)
			}
			if err == nil {
				s.before = t
				return nil
			}
		}
		if now := fmt.Sprint(t.Leader, mine, err); now != waits {
			waits = now
			c.Log.Info("waiting to lead the farm", "leader", t.Leader, "term", t.Number, "ready", mine, "err", err)
		}
		if err := farm.Wait(ctx, c.JetStream.Takeover/looksInTakeover); err != nil {
			return err
		}
	}
}

// fenced returns a context that ends when this process does not lead the farm any more.
func (s *Site) fenced(ctx context.Context) (context.Context, context.CancelCauseFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	if s.shared != nil {
		go func() {
			select {
			case <-s.shared.Lost():
				cancel(nats.ErrFenced)
			case <-ctx.Done():
			}
		}()
	}
	return ctx, cancel
}

// leave ends the leadership of this process, so that a standby can lead at once.
func (s *Site) leave() (err error) {
	if s.shared == nil {
		return nil
	}
	if s.end != nil {
		if s.shared.Fence() == nil {
			err = s.shared.Release(context.Background())
		}
		s.end()
		s.keeping.Wait()
	}
	return errors.Join(err, s.shared.Close())
}

// A follower copies the games and artefacts of the leader to this machine. The other parts of a farm's state need no
// copy, because they are in the bucket.
type follower struct {
	site *Site
	own  string // name of this folder

	store     *results.Store
	artefacts *files.Store
	replica   *mirror.Replica
	compared  time.Time

	whole time.Time // end of the latest round that copied all games
	at    uint64    // number of the bucket's last entry at the latest round
	said  string    // the latest error of copying artefacts

	mu sync.Mutex
	of string // folder of the leader that the copy is equal to, but for the latest games; "" means none
}

const (
	followEvery  = time.Second      // interval of looking for new games
	followAsk    = 30 * time.Second // limit of one request
	compareEvery = time.Hour
	// a copy is too old after this time, if the leader renews its lease and no round succeeds
	staleAfter = 10 * time.Minute
)

// has reports whether this machine has a copy of the data in a leader's folder.
func (f *follower) has(folder string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.of != "" && f.of == folder
}

// run copies until ctx ends. It returns an error if the copy cannot become equal to the leader's data.
func (f *follower) run(ctx context.Context) error {
	said := ""
	for {
		err := f.round(ctx)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, mirror.ErrDiffers):
			return err
		case err != nil && err.Error() != said:
			said = err.Error()
			f.site.config.Log.Warn("the leader cannot be copied now", "err", err)
		}
		if err := farm.Wait(ctx, followEvery); err != nil {
			return err
		}
	}
}

// round copies what is new. Without a leader it does nothing.
func (f *follower) round(ctx context.Context) error {
	shared := f.site.shared
	before, _, err := shared.Look(ctx)
	if err != nil || !before.Ready || before.Folder == f.own {
		return err
	}
	f.expire(before)
	if f.store == nil {
		if err := f.open(ctx); err != nil {
			return err
		}
	}
	if _, err := f.replica.Round(ctx); err != nil {
		return err
	}
	f.warn(f.copyArtefacts(ctx))
	if !f.has(before.Folder) || time.Since(f.compared) > compareEvery {
		pairs, err := f.replica.Compare(ctx)
		if errors.Is(err, mirror.ErrDiffers) {
			return f.setAside(err)
		}
		if err != nil {
			return err
		}
		f.compared = time.Now()
		f.site.config.Log.Info("the copy is equal to the leader's games", "leader", before.Leader, "pairs", pairs)
	}
	after, _, err := shared.Look(ctx)
	if err != nil || after.Folder != before.Folder {
		return err
	}
	f.whole = time.Now()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.of = before.Folder
	return nil
}

// expire ends the use of a copy that is too old. t is the latest term. After the death of the leader the copy does not
// expire, because nothing is stored in the leader's folder.
func (f *follower) expire(t nats.Term) {
	lives := t.At != f.at && t.Taker == t.Folder
	f.at = t.At
	if !lives || time.Since(f.whole) < staleAfter || !f.has(t.Folder) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.of = ""
	f.site.config.Log.Warn("the copy is too old; this machine does not take over until it has copied everything", "copied",
		f.whole)
}

// warn logs an error of copying artefacts, once in a row.
func (f *follower) warn(err error) {
	said := fmt.Sprint(err)
	if err != nil && said != f.said {
		f.site.config.Log.Warn("the leader's artefacts cannot be copied now", "err", err)
	}
	f.said = said
}

func (f *follower) open(ctx context.Context) (err error) {
	c := &f.site.config
	if f.artefacts, err = files.Open(filepath.Join(f.site.Dir, "artefacts"), int64(c.Artefacts.MaxBytes), false); err !=
		nil {
		return err
	}
	if f.store, err = results.Open(ctx, c.Database(), results.Quick); err != nil { // closing it waits for the disk
		return err
	}
	f.replica = &mirror.Replica{Store: f.store, Ask: f.ask, Log: c.Log, Skip: func(t *farm.TestStatus) bool {
		return t.Aside
	}}
	return nil
}

func (f *follower) close() error {
	if f.store == nil {
		return nil
	}
	err := f.store.Close()
	f.store = nil
	return err
}

// ask sends a request to the leader.
func (f *follower) ask(ctx context.Context, verb string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, followAsk)
	defer cancel()
	return f.site.shared.Request(ctx, farm.SubjectAdmin+nats.CoordinatorName+"."+verb, in, out)
}

// copyArtefacts copies the artefacts that this machine lacks.
func (f *follower) copyArtefacts(ctx context.Context) error {
	var sizes map[string]int64
	if err := f.ask(ctx, "artefacts", farm.Order{}, &sizes); err != nil {
		return err
	}
	for sum, size := range sizes {
		if f.artefacts.Has(sum) {
			continue
		}
		r, err := f.site.shared.Artefact(ctx, sum)
		if err == nil {
			_, err = f.artefacts.Put(r, sum, size)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// setAside renames the database of games, because it has pairs that the leader does not have. This machine has led the
// farm before, and these pairs were not copied in time. The next round makes a new copy. why is the difference.
func (f *follower) setAside(why error) error {
	db := f.site.config.Database()
	aside := db + ".old"
	if _, err := os.Lstat(aside); err == nil {
		return fmt.Errorf("%s differs from the leader's games, and %s has an earlier difference; move it away, and start again: %w", db, aside, why)
	}
	f.mu.Lock()
	f.of = ""
	f.mu.Unlock()
	err := f.close()
	if err == nil {
		err = os.Rename(db, aside)
	}
	if err == nil {
		err = disk.SyncDir(filepath.Dir(db))
	}
	if err != nil {
		return err
	}
	f.site.config.Log.Warn("this machine had games that the leader does not have; gogi copies all games again",
		"old games", aside, "why", why)
	return nil
}
