package nats_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/keys"
	"gogi/farm/nats"
	"gogi/internal/testutil"
)

// BenchmarkPublish is one result of 2 kB after the other, synced to the disk and
// acknowledged, over TLS; and from 64 workers at once.
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

// crowd is how many workers come at a time.
func crowd() int {
	if testing.Short() {
		return 50
	}
	return 1000
}

func (w *world) dialAll(t testing.TB, n int) []farm.Transport {
	all := make([]farm.Transport, n)
	for i := range all {
		all[i] = w.dial(t, w.key(t, fmt.Sprint("w", i), time.Time{}, keys.Work))
	}
	return all
}

// BenchmarkIdleWorkers measures what a connected worker costs the coordinator, with its subscriptions and an answered
// heartbeat: heap and stacks. The workers are in another process.
func BenchmarkIdleWorkers(b *testing.B) {
	workers := crowd()
	if file := os.Getenv("IDLE_WORKERS"); file != "" {
		idle(b, file)
	}
	for range b.N {
		w := open(b, nil)
		testutil.OK(b, testutil.Err(w.bus.Answer("beat.*", func(context.Context, string, []byte) (any, error) { return farm.BeatReply{}, nil })))
		var creds []keys.Creds
		for i := range workers {
			creds = append(creds, w.key(b, fmt.Sprint("w", i), time.Time{}, keys.Work))
		}
		text, err := json.Marshal(creds)
		testutil.OK(b, err)
		file := filepath.Join(b.TempDir(), "creds")
		testutil.OK(b, os.WriteFile(file, text, 0o600))
		before := memory()
		c := exec.Command(os.Args[0], "-test.run=^$", "-test.bench=IdleWorkers", "-test.benchtime=1x")
		c.Env = append(os.Environ(), "IDLE_WORKERS="+file)
		stdin, err := c.StdinPipe()
		testutil.OK(b, err)
		stdout, err := c.StdoutPipe()
		testutil.OK(b, err)
		testutil.OK(b, c.Start())
		for lines := bufio.NewScanner(stdout); lines.Scan() && lines.Text() != "ready"; {
		}
		after := memory()
		b.ReportMetric(float64(after-before)/float64(workers)/1000, "kB/worker")
		stdin.Close()
		_ = c.Wait() // it has exited as it should, or was measured too early: see the figure
	}
}

func idle(b *testing.B, file string) {
	text := testutil.Must(os.ReadFile(file))(b)
	var creds []keys.Creds
	testutil.OK(b, json.Unmarshal(text, &creds))
	for _, c := range creds {
		t := testutil.Must(nats.Dial(c))(b)
		for _, s := range []string{farm.SubjectAll, farm.SubjectWorker + c.Name} {
			testutil.OK(b, testutil.Err(t.Listen(s, func([]byte) {})))
		}
		testutil.OK(b, t.Request(b.Context(), farm.SubjectBeat+c.Name, farm.Beat{}, &farm.BeatReply{}))
	}
	fmt.Println("\nready")
	_, _ = io.Copy(io.Discard, os.Stdin) // until the other end closes it
	os.Exit(0)
}

func memory() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

// BenchmarkHellos is a thousand workers that come at the same moment: connected, and
// answered with a plan of 256 KB.
func BenchmarkHellos(b *testing.B) {
	workers := crowd()
	for range b.N {
		w := open(b, nil)
		plan := make([]byte, 256<<10)
		testutil.OK(b, testutil.Err(w.bus.Answer("hello.*", func(context.Context, string, []byte) (any, error) {
			return farm.HelloReply{Plans: []farm.Task{{Plan: plan}}}, nil
		})))
		transports := w.dialAll(b, workers)
		began := time.Now()
		var group sync.WaitGroup
		for i, t := range transports {
			group.Go(func() {
				ctx, cancel := context.WithTimeout(b.Context(), time.Minute)
				defer cancel()
				if err := t.Request(ctx, fmt.Sprint("hello.w", i), farm.Hello{}, &farm.HelloReply{}); err != nil {
					b.Error(err)
				}
			})
		}
		group.Wait()
		b.ReportMetric(time.Since(began).Seconds()*1000/float64(workers), "s/1000-hellos")
	}
}
