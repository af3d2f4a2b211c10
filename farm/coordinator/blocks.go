package coordinator

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/verify"
	"gogi/match"
	"gogi/runner/selfplay"
)

// BlockStore is a Store of a run whose units are blocks of self-play. Nothing is kept of
// one game: of a block, its file and what was told of it.
type BlockStore interface {
	Store
	// AddBlock is Add for a block, with its file.
	AddBlock(ctx context.Context, b farm.StoredBlock, data []byte) (added bool, err error)
	// FirstBlock is the first stored block from a number on, with its file; nil: there is
	// none.
	FirstBlock(ctx context.Context, from int) (*farm.StoredBlock, []byte, error)
}

// A new worker's first blocks are all replayed, and of the others one in so many, which
// nobody knows but the coordinator. All are decoded and counted.
const (
	replayFirst = 5
	replayOneIn = 100
)

// readBlock says what of a block can be said without the others. Its size is bounded
// before its file is fetched.
func (c *Coordinator) readBlock(ctx context.Context, m *message, it *item) {
	b := it.Item.Block
	if it.run.unit == nil {
		it.refuse = fmt.Sprintf("a block of %s, which is a series of pairs", it.run.Name)
		return
	}
	if it.Lease.Pair >= it.run.unit.Blocks {
		it.refuse = fmt.Sprintf("block %d of %d", it.Lease.Pair, it.run.unit.Blocks)
		return
	}
	c.mu.Lock()
	stored := it.run.ledger != nil && it.run.ledger.IsStored(it.Lease.Pair)
	young := c.worker(m.worker, "").Blocks < replayFirst
	c.mu.Unlock()
	if stored {
		return // its file may be gone
	}
	data, err := c.config.Bus.Uploaded(ctx, m.worker, b.SHA256, b.Size)
	if errors.Is(err, farm.ErrNoUpload) {
		it.stale, it.gone = true, true
		return
	}
	refusal, longer := errors.AsType[*farm.Refusal](err)
	switch {
	case longer:
		it.refuse = refusal.Why
		return
	case err != nil:
		it.broken = err
		return
	}
	if err := verify.Block(it.run.unit, it.Lease.Pair, b, data, young || c.drawn(it)); err != nil {
		it.refuse = err.Error()
	}
}

// drawn reports whether a block is among those that are replayed.
func (c *Coordinator) drawn(it *item) bool {
	mac := hmac.New(sha256.New, c.config.Secret[:])
	mac.Write([]byte("gogi blocks 1\x00" + it.Lease.Run))
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(it.Lease.Pair))) //nolint:gosec // any number has its own text
	mac.Write(binary.BigEndian.AppendUint64(nil, uint64(it.Lease.Epoch)))
	return binary.BigEndian.Uint64(mac.Sum(nil))%replayOneIn == 0
}

// storeBlocks stores what was decided of, one at a time: their files are read again, so
// that there are never many in memory. Of several of one block it stores the first whose
// file is still there.
func (c *Coordinator) storeBlocks(ctx context.Context, all []storing) error {
	there := map[name]bool{}
	for _, s := range all {
		it := s.item
		key := name{it.run.digest, it.Lease.Pair}
		if there[key] {
			it.twice = true
			continue
		}
		data, err := c.config.Bus.Uploaded(ctx, s.message.worker, it.Item.Block.SHA256, it.Item.Block.Size)
		if errors.Is(err, farm.ErrNoUpload) {
			it.stale, it.gone = true, true // it had to go meanwhile
			continue
		}
		if err != nil {
			return err
		}
		store, ok := it.run.store.(BlockStore)
		if !ok {
			return fmt.Errorf("coordinator: test %s is of blocks, and its store keeps none", it.run.Name)
		}
		it.added, err = store.AddBlock(ctx, farm.StoredBlock{
			Block: *it.Item.Block, Number: it.Lease.Pair, Take: it.Lease.Take,
			Worker: s.message.worker, Owner: s.message.key.Owner, Epoch: it.Lease.Epoch, Proof: s.message.proof,
		}, data)
		if err != nil {
			return err
		}
		there[key] = true
	}
	return nil
}

// storing is an item with the message that it came in.
type storing struct {
	message *message
	item    *item
}

// forgetUpload lets go of the file of a block that was decided of.
func (c *Coordinator) forgetUpload(m *message, it *item) {
	if it.Item.Block == nil || it.run == nil || it.run.unit == nil {
		return
	}
	if err := c.config.Bus.Discard(m.worker, it.Item.Block.SHA256); err != nil {
		c.config.Log.Warn("an upload stays", "worker", m.worker, "sha256", it.Item.Block.SHA256, "err", err)
	}
}

// addedBlock tells of a worker's block that counts from now on.
func (c *Coordinator) addedBlock(ctx context.Context, now time.Time, name string, it *item) {
	r, w, took := it.run, c.worker(name, ""), time.Duration(it.Item.Block.Seconds)*time.Second
	w.added++
	w.Played++
	if w.Blocks++; w.Blocks <= replayFirst {
		c.keepOrTell(ctx, name, w)
	}
	r.counts.added++
	r.ledger.Stored(now, it.Lease.Pair)
	r.cost += (max(took.Seconds(), 0.001) - r.cost) / 32
	c.spendTime(now, r, took)
	c.tried(ctx, r, name, true, false)
	c.examine(ctx, r)
}

// pullBlock gives a piece of the first stored block from a number on.
func (c *Coordinator) pullBlock(ctx context.Context, _ asker, body []byte) (any, error) {
	var o farm.PullBlock
	if err := farm.Decode(body, &o); err != nil {
		return nil, refuse(exitRefused, "%v", err)
	}
	var out farm.PulledBlock
	store, err := c.blocksOf(ctx, o.Run, func(r *run) {
		out.Test = r.status()
		if o.From == 0 && o.Offset == 0 {
			out.Plan = r.Plan
		}
	})
	if err != nil {
		return nil, err
	}
	row, data, err := store.FirstBlock(ctx, max(o.From, 0))
	if err != nil || row == nil {
		return out, err
	}
	if o.Offset < 0 || o.Offset > int64(len(data)) {
		return nil, refuse(exitRefused, "byte %d of %d of block %d", o.Offset, len(data), row.Number)
	}
	out.Block, out.Body = row, data[o.Offset:min(o.Offset+blockPiece, int64(len(data)))]
	return out, nil
}

// blockPiece is how much of a block an answer has: with a plan beside it, less than a
// message may have.
const blockPiece = farm.MaxBody / 8

// blocksOf is the store of a test of blocks, after see was shown the test.
func (c *Coordinator) blocksOf(ctx context.Context, name string, see func(*run)) (BlockStore, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.find(name)
	if r == nil {
		return nil, refuse(exitRefused, "there is no test %q", name)
	}
	if r.unit == nil {
		return nil, refuse(exitRefused, "test %s is a series of pairs, and has no blocks", r.Name)
	}
	if err := c.open(ctx, r, time.Now()); err != nil {
		return nil, err
	}
	store, ok := r.store.(BlockStore)
	if !ok {
		return nil, refuse(exitRefused, "the stores of this farm keep no blocks")
	}
	see(r)
	return store, nil
}

// unitOf says what of a plan's blocks cannot be, where it is one of blocks.
func unitOf(p *match.Plan) (*selfplay.Unit, error) {
	u, err := selfplay.Handed(p)
	if err != nil {
		return nil, fmt.Errorf("the plan's blocks: %w", err)
	}
	return u, nil
}
