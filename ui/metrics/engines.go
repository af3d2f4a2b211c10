package metrics

import (
	"maps"
	"sync"
	"time"

	"gogi/runner/alarms"
	"gogi/runner/crash"
	"gogi/usi"
)

// engines holds the engine processes of a run.
type engines struct {
	mu    sync.Mutex
	cpu   map[*crash.Recorder]time.Duration // the highest measured time of each live process that has begun a game.
	ended map[string]time.Duration          // the total of ended processes, by player
}

// Process is an engine process of which gogi can read the memory and the processor time.
type Process interface {
	alarms.Resident
	// CPU returns the processor time of the process and its descendants, also after its end.
	CPU() (time.Duration, error)
}

// Attend makes the run count the engine processes of records, by setting records.Playing and records.Ended. A
// process counts when it begins its first game, and its processor time is stored when its dialogue ends.
// Functions that were set before are still called.
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

// left handles the end of a process's dialogue. It stores the processor time that the process has used until then.
func (r *Run) left(rec *crash.Recorder) {
	used := measure(rec, Process.CPU)
	r.engines.mu.Lock()
	defer r.engines.mu.Unlock()
	if before, known := r.engines.cpu[rec]; known {
		r.engines.ended[rec.Name()] += max(before, used)
		delete(r.engines.cpu, rec)
	}
}

// collectEngines measures the live processes. It does not hold engines.mu during a measurement, because a measurement
// takes some time.
func (r *Run) collectEngines(t *collection) {
	cpu, living := r.engines.now()
	held := map[string]int64{}
	for rec, before := range living {
		used := max(before, measure(rec, Process.CPU)) // the counter never decreases
		r.engines.update(rec, used)
		cpu[rec.Name()] += used
		held[rec.Name()] += measure(rec, Process.Resident)
	}
	for player, used := range cpu {
		t.number(cpuTotal, used.Seconds(), r.about.Run, player)
		t.number(residentBytes, float64(held[player]), r.about.Run, player)
	}
}

// now returns the processor time of ended processes by player, and the live processes.
func (e *engines) now() (ended map[string]time.Duration, living map[*crash.Recorder]time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.ended), maps.Clone(e.cpu)
}

// update stores the measured time of a live process.
func (e *engines) update(rec *crash.Recorder, used time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if before, known := e.cpu[rec]; known {
		e.cpu[rec] = max(before, used)
	}
}

// measure returns the result of method for the process of rec, or 0 if the process does not have the method or fails.
func measure[T time.Duration | int64](rec *crash.Recorder, method func(Process) (T, error)) T {
	p, ok := rec.Process.(Process)
	if !ok {
		return 0
	}
	value, err := method(p)
	if err != nil {
		return 0
	}
	return value
}
