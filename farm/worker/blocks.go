package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gogi/farm"
	"gogi/internal/disk"
	"gogi/runner"
)

// The files of blocks that were played wait beside the outbox, one for each item there
// that tells of one, until the outbox is told to forget that.
const blocksDir = "blocks"

func (w *Worker) blockPath(h farm.Held) string {
	return filepath.Join(w.config.Dir, blocksDir, fmt.Sprintf("%.16s-%d-%d.block", h.Run, h.Pair, h.Epoch))
}

// openBlocks makes the folder of blocks, and removes what no item of the outbox is about.
func (w *Worker) openBlocks() error {
	dir := filepath.Join(w.config.Dir, blocksDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	needed := map[string]bool{}
	waiting, sent := w.outbox.Leases()
	for _, h := range append(waiting, sent...) {
		needed[w.blockPath(h)] = true
	}
	files, err := os.ReadDir(dir)
	for _, f := range files {
		if path := filepath.Join(dir, f.Name()); !needed[path] {
			err = errors.Join(err, os.Remove(path))
		}
	}
	return err
}

// forgetBlocks removes the files of leases that the outbox has forgotten.
func (w *Worker) forgetBlocks(leases []farm.Held) {
	for _, h := range leases {
		if err := os.Remove(w.blockPath(h)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			w.config.Log.Warn("the file of a block stays", "err", err)
		}
	}
}

// playBlock plays a block in the slot of whoever asked for the next pair, and keeps it for
// the coordinator, or gives its lease back.
func (w *Worker) playBlock(ctx context.Context, l *lease) {
	playing, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-l.revoked:
			cancel(runner.ErrRevoked)
		case <-playing.Done():
		}
	}()
	data, b, err := w.config.Block(playing, l.task.ready, l.Pair)
	if err == nil && len(data) > farm.MaxBlock {
		err = fmt.Errorf("block %d has %d bytes, of which a farm takes %d: expected fewer games of a block", l.Pair, len(data), farm.MaxBlock)
	}
	crashed := err != nil // a disk here that is full says nothing of the block
	if err == nil {
		b.Seconds = int(time.Since(l.began).Seconds())
		err = w.keepBlock(l, data, &b)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.byLease[l.revoked] == nil: // it was taken away
	case err == nil:
		w.forget(l)
		w.pace.add(time.Since(l.began))
		w.wake()
		poke(w.sendNow)
	case ctx.Err() != nil:
		w.giveBack(l, err.Error(), false)
		poke(w.beatNow)
	default:
		w.giveBack(l, err.Error(), crashed)
		w.refuse(l.task, err)
	}
}

// keepBlock has a block on the disk when it returns: its file first, and then what is to
// be told of it.
func (w *Worker) keepBlock(l *lease, data []byte, b *farm.Block) error {
	if w.playing(runner.Lease{Revoked: l.revoked}) == nil {
		return runner.ErrRevoked
	}
	part, err := disk.NewPart(w.blockPath(l.Held))
	if err != nil {
		return err
	}
	if _, err := part.File.Write(data); err != nil {
		return errors.Join(err, part.Discard())
	}
	if err := part.Publish(true); err != nil {
		return err
	}
	if err := w.outbox.Append(farm.Item{Lease: l.Held, Block: b}); err != nil {
		return errors.Join(err, os.Remove(w.blockPath(l.Held))) // no other lease asks for it
	}
	return nil
}

// upload gives the coordinator the files of the blocks among items, and says which items
// may be sent. One whose file is damaged or gone is given back.
func (w *Worker) upload(ctx context.Context, items []farm.Item) ([]farm.Item, error) {
	var ready []farm.Item
	for i := range items {
		it := &items[i]
		if it.Block == nil {
			ready = append(ready, *it)
			continue
		}
		data, err := os.ReadFile(w.blockPath(it.Lease))
		if err == nil {
			var sum string
			sum, err = w.transport.PutArtefact(ctx, bytes.NewReader(data), farm.MaxBlock)
			if err != nil {
				// Not as a refusal, which would end the worker: a disk there may be full.
				return nil, fmt.Errorf("uploading block %d: %s", it.Lease.Pair, err.Error())
			}
			if sum != it.Block.SHA256 {
				err = fmt.Errorf("the file of block %d is damaged", it.Lease.Pair)
			}
		}
		if err != nil {
			w.lost(it.Lease, err)
			continue
		}
		ready = append(ready, *it)
	}
	return ready, nil
}

// lost gives back a block whose file cannot be sent.
func (w *Worker) lost(h farm.Held, why error) {
	w.config.Log.Warn("a block is lost, and played again", "err", why)
	w.outbox.Done([]farm.Held{h})
	w.forgetBlocks([]farm.Held{h})
	w.mu.Lock()
	defer w.mu.Unlock()
	w.back = append(w.back, farm.Back{Held: h, Why: short(why.Error())})
	poke(w.beatNow)
}
