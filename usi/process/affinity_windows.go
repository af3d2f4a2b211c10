package process

import (
	"fmt"
	"math/bits"
	"unsafe"

	"golang.org/x/sys/windows"

	"gogi/usi/affinity"
)

// groupSize is the maximum number of processors in a processor group. gogi numbers processor n of group g as
// CPU 64g+n, even if groups are not full.
const groupSize = 64

// groupAffinity is GROUP_AFFINITY of winnt.h.
type groupAffinity struct {
	Mask     uintptr
	Group    uint16
	Reserved [3]uint16
}

// inGroups splits CPUs by group, ascending.
func inGroups(list []int) (groups []groupAffinity, err error) {
	for _, c := range (affinity.Set{}).Union(list) {
		if c < 0 || c >= groupSize<<16 {
			return nil, fmt.Errorf("CPUs %v: there can be no CPU %d", list, c)
		}
		if n := uint16(c / groupSize); len(groups) == 0 || groups[len(groups)-1].Group != n {
			groups = append(groups, groupAffinity{Group: n})
		}
		groups[len(groups)-1].Mask |= 1 << (c % groupSize)
	}
	return groups, nil
}

// bind binds a process that has not started yet, and all its later children. CPUs in the process's own group
// become the affinity of the process. Other CPUs become the affinity of its job, from Windows 10 on
// (JobObjectGroupInformationEx). Up to Windows 10 a program starts in one group, and uses another group only
// if it was written for this. So an engine with CPUs of several groups may use only one group.
func bind(job tree, process windows.Handle, list []int) error {
	groups, err := inGroups(list)
	if err != nil || len(groups) == 0 {
		return err
	}
	if len(groups) == 1 && groups[0].Group == 0 && groupCount() == 1 {
		if ok, _, err := setProcessAffinityMask.Call(uintptr(process), groups[0].Mask); ok == 0 {
			return fmt.Errorf("CPUs %v: they cannot be used here: %w", list, err)
		}
		return nil
	}
	_, err = windows.SetInformationJobObject(windows.Handle(job), windows.JobObjectGroupInformationEx,
		uintptr(unsafe.Pointer(&groups[0])), uint32(len(groups))*uint32(unsafe.Sizeof(groups[0])))
	if err != nil {
		return fmt.Errorf("CPUs %v: they cannot be used here: %w", list, err)
	}
	return nil
}

// Allowed returns the CPUs that child processes may use. On a machine with one processor group these are the
// affinity of this process (start /affinity), else all active CPUs.
func Allowed() (affinity.Set, error) {
	var s affinity.Set
	if groupCount() > 1 {
		for g := range groupCount() {
			for n := range int(windows.GetActiveProcessorCount(uint16(g))) {
				s = append(s, g*groupSize+n)
			}
		}
		return s, nil
	}
	mask, err := processAffinity(windows.CurrentProcess())
	if err != nil {
		return nil, fmt.Errorf("process: asking for the CPUs that can be used here: %w", err)
	}
	return inMask(0, mask), nil
}

// inMask returns the CPUs of a group's mask.
func inMask(group uint16, mask uintptr) (s affinity.Set) {
	for ; mask != 0; mask &= mask - 1 {
		s = append(s, int(group)*groupSize+bits.TrailingZeros64(uint64(mask)))
	}
	return s
}

// mayRunOn returns the union of the CPUs of all threads of the job. It skips threads that have just ended.
func (p *Process) mayRunOn() (all affinity.Set) {
	members := map[uint32]bool{}
	for _, pid := range p.tree.members() {
		members[pid] = true
	}
	// It is safe to ignore threads that cannot be read.
	_ = eachThread(func(pid uint32) bool { return members[pid] }, windows.THREAD_QUERY_INFORMATION,
		func(thread windows.Handle) error {
			if a, err := threadAffinity(thread); err == nil {
				all = all.Union(inMask(a.Group, a.Mask))
			}
			return nil
		})
	return all
}

// members returns the numbers of the running processes of the job, at most 1024, from
// JOBOBJECT_BASIC_PROCESS_ID_LIST.
func (t tree) members() (pids []uint32) {
	var list struct {
		Assigned, Listed uint32
		PIDs             [1024]uintptr
	}
	err := windows.QueryInformationJobObject(windows.Handle(t), windows.JobObjectBasicProcessIdList,
		uintptr(unsafe.Pointer(&list)), uint32(unsafe.Sizeof(list)), nil)
	if err != nil {
		return nil
	}
	for _, pid := range list.PIDs[:min(int(list.Listed), len(list.PIDs))] {
		pids = append(pids, uint32(pid))
	}
	return pids
}

// These functions have no name in golang.org/x/sys.
var (
	kernel32               = windows.NewLazySystemDLL("kernel32.dll")
	getProcessAffinityMask = kernel32.NewProc("GetProcessAffinityMask")
	setProcessAffinityMask = kernel32.NewProc("SetProcessAffinityMask")
	getThreadGroupAffinity = kernel32.NewProc("GetThreadGroupAffinity")
	getActiveGroupCount    = kernel32.NewProc("GetActiveProcessorGroupCount")
	getProcessMemoryInfo   = kernel32.NewProc("K32GetProcessMemoryInfo")
	peekNamedPipe          = kernel32.NewProc("PeekNamedPipe")
)

// groupCount returns the number of processor groups.
func groupCount() int {
	n, _, _ := getActiveGroupCount.Call()
	return max(1, int(n))
}

func processAffinity(process windows.Handle) (mask uintptr, err error) {
	var system uintptr
	ok, _, err := getProcessAffinityMask.Call(uintptr(process), uintptr(unsafe.Pointer(&mask)),
		uintptr(unsafe.Pointer(&system)))
	if ok == 0 {
		return 0, err
	}
	return mask, nil
}

func threadAffinity(thread windows.Handle) (a groupAffinity, err error) {
	ok, _, err := getThreadGroupAffinity.Call(uintptr(thread), uintptr(unsafe.Pointer(&a)))
	if ok == 0 {
		return a, err
	}
	return a, nil
}
