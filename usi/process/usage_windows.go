package process

import (
	"os"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// CPU returns the processor time that the process and its descendants have used, including descendants that
// have ended. It is the time that the job object counts. If the process has ended, CPU returns only the time
// of the started program.
func (p *Process) CPU() (time.Duration, error) {
	p.mu.Lock() // the lock keeps the job open
	defer p.mu.Unlock()
	if p.reaped {
		state := p.cmd.ProcessState
		return state.UserTime() + state.SystemTime(), nil
	}
	a, err := p.tree.accounting()
	return time.Duration(a.TotalUserTime+a.TotalKernelTime) * tick, p.wrap("reading its processor time", err)
}

// tick is the unit of times in jobs.
const tick = 100 * time.Nanosecond

// Resident returns the memory use of the process and its descendants in bytes, without shared file pages. For each
// process it counts the private commit, or the working set if that is less. It returns an error for an ended process.
func (p *Process) Resident() (int64, error) {
	p.mu.Lock() // the lock keeps the job open
	defer p.mu.Unlock()
	if p.reaped {
		return 0, p.wrap("reading its memory", os.ErrProcessDone)
	}
	sum, known := int64(0), error(nil)
	for _, pid := range p.tree.members() {
		n, err := memoryOf(pid)
		if err != nil && int(pid) == p.pid { // any other process has just ended
			known = err
		}
		sum += n
	}
	return sum, p.wrap("reading its memory", known)
}

// memoryCounters is PROCESS_MEMORY_COUNTERS_EX of psapi.h.
type memoryCounters struct {
	Size, PageFaults                                 uint32
	PeakWorkingSet, WorkingSet                       uintptr
	PeakPagedPool, PagedPool, PeakNonPaged, NonPaged uintptr
	Pagefile, PeakPagefile, PrivateUsage             uintptr
}

func memoryOf(pid uint32) (int64, error) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, pid)
	if err != nil {
		return 0, err
	}
	defer windows.CloseHandle(process) //nolint:errcheck // the handle is valid
	c := memoryCounters{}
	c.Size = uint32(unsafe.Sizeof(c))
	ok, _, err := getProcessMemoryInfo.Call(uintptr(process), uintptr(unsafe.Pointer(&c)), unsafe.Sizeof(c))
	if ok == 0 {
		return 0, err
	}
	return int64(min(c.WorkingSet, c.PrivateUsage)), nil
}
