package process

import (
	"os"
	"strconv"
	"sync"
	"time"
)

// Self measures how long the threads of this program have waited for a CPU. The zero value is ready to use.
type Self struct {
	mu     sync.Mutex
	looked bool
	waited map[string]time.Duration // by thread, at the last sample
}

// MaxSchedDelay returns the longest total time for which a single thread waited for a CPU since the last
// call. It returns 0 at the first call, and on a kernel without such statistics.
func (s *Self) MaxSchedDelay() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	tasks := "/proc/" + strconv.Itoa(os.Getpid()) + "/task/"
	entries, err := os.ReadDir(tasks)
	if err != nil {
		return 0
	}
	now := make(map[string]time.Duration, len(entries))
	for _, entry := range entries {
		if stat, err := readSchedstat(tasks + entry.Name()); err == nil { // otherwise the thread has just ended
			now[entry.Name()] = stat.waited
		}
	}
	return s.since(now)
}

// since stores a new sample and returns the largest increase since the last sample. A new thread counts from
// 0.
func (s *Self) since(now map[string]time.Duration) (worst time.Duration) {
	if s.looked {
		for tid, waited := range now {
			worst = max(worst, waited-s.waited[tid])
		}
	}
	s.waited, s.looked = now, true
	return worst
}
