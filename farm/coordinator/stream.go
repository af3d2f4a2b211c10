package coordinator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"gogi/farm"
	"gogi/farm/coordinator/judge"
	"gogi/farm/coordinator/tests"
)

const (
	// judgeBatch is the number of messages that are processed together.
	judgeBatch = 16
	// judgeLimit is the time limit for storing a batch. It is far above the usual time, so a store that takes
	// longer has failed.
	judgeLimit = time.Minute
)

// judgeAll processes the stream of results until ctx ends or a store fails.
func (c *Coordinator) judgeAll(ctx context.Context) error {
	for {
		began := time.Now()
		waiting, cancel := context.WithTimeoutCause(ctx, c.config.Lease/2, errIdle)
		all, err := c.config.Bus.Results(waiting, judgeBatch)
		idle := errors.Is(context.Cause(waiting), errIdle)
		cancel()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil && idle:
			c.drained(began)
		case err != nil:
			return c.stop(fmt.Errorf("coordinator: reading the stream: %w", err))
		default:
			if err := c.judgeBatch(ctx, all); err != nil {
				return err
			}
			if len(all) < judgeBatch { // the stream had no more messages at this moment
				c.drained(began)
			}
		}
	}
}

// errIdle ends a wait for results if no result has come for half the lifetime of a lease. judgeAll then calls
// drained.
var errIdle = errors.New("coordinator: no result came")

// drained is called when all results that were published before the time at have been processed. It passes this
// information to the ledger (the record of leases) of each open run.
func (c *Coordinator) drained(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tests.Drained(at)
}

func (c *Coordinator) stop(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.judge.Fail(err)
}

// judgeBatch processes a batch of messages. It verifies them in parallel, and decides in the order of the stream
// which pairs count. It stores these pairs, and acknowledges the messages when the pairs are on the disk.
func (c *Coordinator) judgeBatch(ctx context.Context, all []farm.Delivery) error {
	began := time.Now()
	messages := make([]judge.Message, len(all))
	var reading errgroup.Group
	reading.SetLimit(cmp.Or(c.config.Judges, runtime.GOMAXPROCS(0)))
	for i := range all {
		messages[i].Delivery = all[i]
		reading.Go(func() error {
			c.judge.Read(&messages[i], c.locate)
			return nil
		})
	}
	_ = reading.Wait() // the goroutines return no errors
	c.judging.Lock()
	// A started batch is finished, even if ctx ends. The time limit begins here, so that slow verification or a
	// purge does not look like a failed store.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), judgeLimit)
	defer cancel()
	err := c.count(ctx, messages)
	c.judging.Unlock()
	if err != nil {
		return c.stop(err)
	}
	for i := range messages {
		if err := messages[i].Answer(ctx); err != nil {
			return c.stop(fmt.Errorf("coordinator: acknowledging results: %w", err))
		}
	}
	c.mu.Lock()
	c.judge.Status.BatchTook = time.Since(began)
	c.mu.Unlock()
	return nil
}

// locate returns the test of a lease, see judge.Judge.Find.
func (c *Coordinator) locate(h farm.Held) (*tests.Test, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.judge.Find(h)
}

// count decides in the order of the stream which items are stored, and stores them. Then it updates the ledgers, the
// SPRTs and the watchers. The caller holds judging.
func (c *Coordinator) count(ctx context.Context, messages []judge.Message) error {
	c.mu.Lock()
	c.judge.Decide(ctx, messages)
	c.mu.Unlock()

	if err := judge.Store(ctx, messages); err != nil {
		return err
	}

	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range messages {
		c.judge.Settle(ctx, &messages[i])
	}
	return nil
}
