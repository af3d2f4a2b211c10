package series

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// A Runner runs the series of a plan and stores the claims of each in a file, one JSON object a line.
type Runner struct {
	Gogi    string // program of gogi
	Peer    string // program of fastchess, for the kinds that play with it
	Engine  string // command of the engine without its law, such as "gogi-lab engine"
	Results string // file of the results; series that are in it are not run again
	Jobs    int    // series at a time
	Keep    string // folder in which the files of each series stay; "": a temporary one
	// Done, if set, is called after each series with the number of series that are stored and to run.
	Done func(stored, all int)
}

// A Record is the result of one series.
type Record struct {
	Condition string  `json:"condition"`       // all of the condition but the number of series
	Run       int     `json:"run"`             // number of the series in its condition
	Seed      uint64  `json:"seed"`            // seed of the series
	CPU       float64 `json:"cpu"`             // seconds of all processes of gogi and its engines
	Claims    []Claim `json:"claims"`          // printed figures, each true or false
	Error     string  `json:"error,omitempty"` // why gogi did not finish the series
}

// task is one series to run.
type task struct {
	Condition
	run  int
	seed uint64
}

// seed returns the seed of one series, which fits into the options of engines and flags.
func seed(plan uint64, key string, run int) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintf(h, "%d %s %d", plan, key, run)
	return h.Sum64()>>12 + 1
}

// Load reads the results of earlier runs. A missing file has none.
func Load(path string) (list []Record, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var r Record
		if json.Unmarshal(lines.Bytes(), &r) == nil { // the last line of a killed run may be torn
			list = append(list, r)
		}
	}
	return list, lines.Err()
}

// Run runs the series of the plan that are not stored yet.
func (r *Runner) Run(ctx context.Context, plan *Plan) error {
	stored, err := Load(r.Results)
	if err != nil {
		return err
	}
	type id struct {
		key  string
		seed uint64
	}
	done := map[id]bool{}
	for _, s := range stored {
		done[id{s.Condition, s.Seed}] = s.Error == ""
	}
	conditions, err := plan.Conditions()
	if err != nil {
		return err
	}
	var tasks []task
	all := 0
	for run := 0; ; run++ { // all conditions advance together, so that an interrupted plan has some of each
		added := false
		for _, c := range conditions {
			if run >= c.Runs {
				continue
			}
			added = true
			all++
			if s := seed(plan.Seed, c.Key(), run); !done[id{c.Key(), s}] {
				tasks = append(tasks, task{c, run, s})
			}
		}
		if !added {
			break
		}
	}
	return r.runAll(ctx, tasks, all)
}

// runAll runs the tasks, Jobs at a time, and stores each result at once.
func (r *Runner) runAll(ctx context.Context, tasks []task, all int) (err error) {
	f, err := os.OpenFile(r.Results, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	ctx, cancel := context.WithCancelCause(ctx)
	known := &plans{answers: map[string]answer{}}
	defer cancel(nil)
	next := make(chan task)
	var mu sync.Mutex
	stored := all - len(tasks)
	var group sync.WaitGroup
	for range max(1, r.Jobs) {
		group.Go(func() {
			for t := range next {
				record, err := r.one(ctx, t, known)
				if err != nil {
					cancel(err)
					continue
				}
				mu.Lock()
				line, _ := json.Marshal(record)
				if _, err := f.Write(append(line, '\n')); err != nil {
					cancel(err)
				}
				stored++
				if r.Done != nil {
					r.Done(stored, all)
				}
				mu.Unlock()
			}
		})
	}
	for _, t := range tasks {
		select {
		case next <- t:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(next)
	group.Wait()
	return context.Cause(ctx)
}

// one runs one series. An error of gogi that the series does not expect is a record with the error.
func (r *Runner) one(ctx context.Context, t task, known *plans) (record Record, err error) {
	dir, err := os.MkdirTemp(r.Keep, "truth-")
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return Record{}, err
	}
	if r.Keep == "" {
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	}
	b := &bench{Condition: t.Condition, law: kinds[t.Kind].law(t.Condition), gogi: r.Gogi, peer: r.Peer, engine: r.Engine,
		dir: dir, seed: t.seed, plans: known}
	if err := b.prepare(); err != nil {
		return Record{}, err
	}
	failed := kinds[t.Kind].play(ctx, b)
	if ctx.Err() != nil {
		return Record{}, context.Cause(ctx)
	}
	record = Record{Condition: t.Key(), Run: t.run, Seed: t.seed, CPU: b.cpu.Round(time.Millisecond).Seconds(),
		Claims: b.claims}
	if failed != nil {
		record.Error = failed.Error()
	}
	return record, nil
}
