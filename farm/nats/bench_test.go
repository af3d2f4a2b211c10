package nats_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/keys"
	"gogi/farm/nats"
)

// BenchmarkPublish publishes results of 2 kB over TLS, from 1 and from 64 workers. The server syncs each result to the
// disk and acknowledges it.
func BenchmarkPublish(b *testing.B) {
	for _, workers := range []int{1, 64} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			w := open(b, func(c *nats.Config) { c.MaxStream = 4 << 30 })
			transports := w.dialAll(b, workers)
			body := make([]byte, 2000)
			b.ResetTimer()
			var group sync.WaitGroup
			for at, transport := range transports {
				group.Go(func() {
					for i := at; i < b.N; i += workers {
						if err := transport.Publish(b.Context(), fmt.Sprintf("res.w%d.0", at), fmt.Sprint(i), body); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			group.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "results/s")
		})
	}
}

func (w *world) dialAll(t testing.TB, n int) []farm.Transport {
	all := make([]farm.Transport, n)
	for i := range all {
		all[i] = w.dial(t, w.key(t, fmt.Sprint("w", i), time.Time{}, keys.Work))
	}
	return all
}
