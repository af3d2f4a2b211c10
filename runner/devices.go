package runner

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// devices lets players that share a device search one after the other. The zero value is ready for use.
type devices struct {
	mu   sync.Mutex
	free map[string]*semaphore.Weighted // by the name of the device, of weight 1
}

// take waits until no other player uses the device, and returns a function that gives the device back. A second call of
// that function does nothing. take returns at once for the name "". It returns the cause if ctx ends first. Players get
// a device in the order of their calls.
func (d *devices) take(ctx context.Context, name string) (release func(), err error) {
	if name == "" {
		return func() {}, nil
	}
	d.mu.Lock()
	one := d.free[name]
	if one == nil {
		if d.free == nil {
			d.free = map[string]*semaphore.Weighted{}
		}
		one = semaphore.NewWeighted(1)
		d.free[name] = one
	}
	d.mu.Unlock()
	if one.Acquire(ctx, 1) != nil {
		return nil, context.Cause(ctx)
	}
	return sync.OnceFunc(func() { one.Release(1) }), nil
}
