package metrics

import (
	"maps"
	"sync"
	"time"

	"gogi/runner/crash"
	"gogi/usi"
)

// engines are the processes of a run.
type engines struct {
	mu    sync.Mutex
	cpu   map[*crash.Recorder]time.Duration // that have begun a game and live: the most that each was seen to have used
	ended map[string]time.Duration          // what those that ended have used, by player
}

// Process is what a process of an engine knows of itself.
type Process interface {
	// Resident is in bytes, of the process and its descendants, without pages of files.
	Resident() (int64, error)
	// CPU is how much processor time it has used, with its descendants, also when it
	// has ended.
	CPU() (time.Duration, error)
}

// Attend makes the run know of its engines' processes, beside who listens already.
func (r *Run) Attend(records *crash.Records) {
	if r == nil {
		return
	}
	playing, ended := records.Playing, records.Ended
	records.Playing = func(rec *crash.Recorder, g usi.Game) {
		r.playing(rec)
		if playing != nil {
			playing(rec, g)
		}
	}
	records.Ended = func(rec *crash.Recorder) {
		r.left(rec)
		if ended != nil {
			ended(rec)
		}
	}
}

func (r *Run) playing(rec *crash.Recorder) {
	r.engines.mu.Lock()
	defer r.engines.mu.Unlock()
	if _, known := r.engines.cpu[rec]; !known {
		r.engines.cpu[rec] = 0
	}
}

// left takes the end of a process's dialogue: what it has used until now is all that
// is counted of it.
func (r *Run) left(rec *crash.Recorder) {
	used := processorTime(rec)
	r.engines.mu.Lock()
	defer r.engines.mu.Unlock()
	if before, known := r.engines.cpu[rec]; known {
		r.engines.ended[rec.Name()] += max(before, used)
		delete(r.engines.cpu, rec)
	}
}

// tellEngines asks the processes that live. Nobody waits for that: it takes some time.
func (r *Run) tellEngines(t *telling) {
	cpu, living := r.engines.now()
	held := map[string]int64{}
	for rec, before := range living {
		used := max(before, processorTime(rec)) // it never goes back
		r.engines.saw(rec, used)
		cpu[rec.Name()] += used
		held[rec.Name()] += resident(rec)
	}
	for player, used := range cpu {
		t.number(cpuTotal, used.Seconds(), r.about.Run, player)
		t.number(residentBytes, float64(held[player]), r.about.Run, player)
	}
}

// now is what ended processes have used, by player, and the living ones.
func (e *engines) now() (ended map[string]time.Duration, living map[*crash.Recorder]time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.ended), maps.Clone(e.cpu)
}

// saw keeps what a process was seen to have used, while it lives.
func (e *engines) saw(rec *crash.Recorder, used time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if before, known := e.cpu[rec]; known {
		e.cpu[rec] = max(before, used)
	}
}

// processorTime is what a process has used; 0 where nobody knows.
func processorTime(rec *crash.Recorder) time.Duration {
	p, ok := rec.Process.(Process)
	if !ok {
		return 0
	}
	used, err := p.CPU()
	if err != nil {
		return 0
	}
	return used
}

// resident is what a process holds; 0 for one that has ended.
func resident(rec *crash.Recorder) int64 {
	p, ok := rec.Process.(Process)
	if !ok {
		return 0
	}
	held, err := p.Resident()
	if err != nil {
		return 0
	}
	return held
}
