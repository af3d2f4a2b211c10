package process

import (
	"cmp"
	"os"
	"strconv"
	"sync"
	"time"
)

// Self measures how long the threads of this program have waited for a CPU. The zero value is ready to use. After the
// first call of MaxSchedDelay it has one open file for each thread, until Close.
type Self struct {
	root    string // the folder of this program in /proc; "": /proc/self
	mu      sync.Mutex
	tasks   *os.File           // /proc/self/task
	threads map[int]*ownThread // by number
	known   uint64             // number of links of tasks at the last scan, see links
	calls   int                // since the last scan
	looked  bool
}

// ownThread is a thread of this program.
type ownThread struct {
	stat   openStat      // its schedstat
	waited time.Duration // at the last sample
}

const (
	// maxOwnThreads limits the open files of a Self. Further threads are not measured.
	maxOwnThreads = 256
	// scanEvery is the largest number of calls of MaxSchedDelay without a scan for new threads, for a kernel whose
	// links do not count threads.
	scanEvery = 50
)

// MaxSchedDelay returns the longest total time for which a single thread waited for a CPU since the last
// call. It returns 0 at the first call, and on a kernel without such statistics.
func (s *Self) MaxSchedDelay() (worst time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ended := false
	for tid, t := range s.threads {
		waited, err := t.sample()
		if err != nil {
			t.stat.close()
			delete(s.threads, tid)
			ended = true
			continue
		}
		worst = max(worst, waited)
	}
	s.calls++
	if links := s.links(); links != s.known || ended || s.calls >= scanEvery {
		s.known, s.calls = links, 0
		worst = max(worst, s.scan())
	}
	if !s.looked {
		s.looked, worst = true, 0
	}
	return worst
}

// folder returns the folder with a folder for each thread.
func (s *Self) folder() string { return cmp.Or(s.root, "/proc/self") + "/task" }

// sample returns by how much the thread's wait has grown since the last sample.
func (t *ownThread) sample() (time.Duration, error) {
	text, err := t.stat.read()
	if err != nil {
		return 0, err
	}
	stat, err := parseSchedstat(text)
	if err != nil {
		return 0, err
	}
	grown := stat.waited - t.waited
	t.waited = stat.waited
	return grown, nil
}

// links returns the number of links of /proc/self/task: two and the number of threads (proc_task_getattr in the
// kernel's fs/proc/base.c). It is much cheaper than a list of the folder. It returns 0 if the folder cannot be read.
func (s *Self) links() uint64 {
	if s.tasks == nil {
		tasks, err := os.Open(s.folder())
		if err != nil {
			return 0
		}
		s.tasks = tasks
	}
	return linksOf(s.tasks.Fd())
}

// scan opens the files of new threads and returns the longest wait of a new thread since its start.
func (s *Self) scan() (worst time.Duration) {
	entries, err := os.ReadDir(s.folder())
	if err != nil {
		return 0
	}
	for _, entry := range entries {
		tid, err := strconv.Atoi(entry.Name())
		if err != nil || s.threads[tid] != nil || len(s.threads) >= maxOwnThreads {
			continue
		}
		worst = max(worst, s.add(tid))
	}
	return worst
}

// add begins to measure a thread. It returns the thread's wait since its start, or 0 if the thread has just ended.
func (s *Self) add(tid int) time.Duration {
	t := &ownThread{}
	if t.stat.open(s.folder()+"/"+strconv.Itoa(tid)+"/schedstat") != nil {
		return 0
	}
	waited, err := t.sample()
	if err != nil {
		t.stat.close()
		return 0
	}
	if s.threads == nil {
		s.threads = map[int]*ownThread{}
	}
	s.threads[tid] = t
	return waited
}

// Close closes the files. A later call of MaxSchedDelay opens them again, and returns 0.
func (s *Self) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.threads {
		t.stat.close()
	}
	if s.tasks != nil {
		_ = s.tasks.Close() // nothing was written
	}
	s.tasks, s.threads, s.known, s.looked = nil, nil, 0, false
}
