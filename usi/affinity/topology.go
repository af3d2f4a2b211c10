package affinity

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"gogi/internal/lists"
)

// CPU is one logical CPU, with the core, cache and memory that it shares with others. The fields Core and
// Cache have the number of the lowest CPU with the same core or cache, even if gogi may not use that CPU.
type CPU struct {
	ID      int
	Core    int
	Cache   int // the last-level cache; -1: unknown
	Node    int // memory node
	Package int // the socket
	Kind    Kind
}

// Kind distinguishes the fast and the slow cores of a machine. On a machine with one kind of core, all CPUs
// have the zero Kind.
type Kind struct {
	// the kernel's name of its performance counters: core, atom, lowpower; "": the kernel has no names for kinds
	Name     string
	Capacity int // highest cpu_capacity of this kind; the fastest core of the machine has 1024; 0: unknown, or Name is set
}

// compare returns a negative number if k is faster than other, and a positive number if k is slower.
func (k Kind) compare(other Kind) int {
	return cmp.Or(cmp.Compare(other.Capacity, k.Capacity), cmp.Compare(k.rank(), other.rank()),
		cmp.Compare(k.Name, other.Name))
}

// rank returns 0 for the fastest kind of Intel's cores and larger numbers for slower kinds. It returns -1 for other
// names.
func (k Kind) rank() int {
	return slices.Index([]string{"core", "atom", "lowpower"}, k.Name)
}

// Topology has the CPUs that gogi may use, in the order of their numbers.
type Topology struct {
	CPUs  []CPU
	Known bool // the kernel reports which CPUs share a core; otherwise every CPU counts as a core
}

// Read reads from the file system at /sys which cores, caches and memory nodes the allowed CPUs use. It omits
// CPUs that are offline. Some containers and virtual machines lack some of the files. Read then uses default
// values, such as one core for each CPU, and returns no error.
//
// The kernel's Documentation/ABI describes the files: stable/sysfs-devices-system-cpu (topology/),
// stable/sysfs-devices-node (node*/cpulist), testing/sysfs-devices-system-cpu (online, cache/, cpu_capacity).
// tools/perf/Documentation/intel-hybrid.txt describes the performance counters of hybrid CPUs, cpu_core/cpus
// and cpu_atom/cpus.
func Read(sys fs.FS, allowed Set) Topology {
	r := reader{sys}
	nodes, kinds := r.named("devices/system/node/node*/cpulist", "node"), r.named("devices/cpu_*/cpus", "cpu_")
	online := r.set("devices/system/cpu/online")
	t := Topology{Known: true}
	for _, id := range allowed {
		if len(online) > 0 && !online.Has(id) {
			continue
		}
		c, known := r.cpu(id)
		c.Node, _ = strconv.Atoi(nodes[id]) // 0 without memory nodes
		c.Kind.Name = kinds[id]
		t.CPUs, t.Known = append(t.CPUs, c), t.Known && known
	}
	t.roundCapacities()
	return t
}

// sameKind is the least ratio of two capacities within one kind of core. If each core has its own maximum
// frequency, cores of one kind differ by a few percent; cores of different kinds differ by a third or more.
const sameKind = 0.9

// roundCapacities sets the capacities of each kind to its highest one. It clears all capacities if the kernel
// has names for kinds.
func (t Topology) roundCapacities() {
	var order []*CPU
	for i := range t.CPUs {
		if t.CPUs[i].Kind.Name != "" {
			t.CPUs[i].Kind.Capacity = 0
		}
		order = append(order, &t.CPUs[i])
	}
	slices.SortStableFunc(order, func(a, b *CPU) int { return cmp.Compare(b.Kind.Capacity, a.Kind.Capacity) })
	for i := 1; i < len(order); i++ {
		of, before := &order[i].Kind, order[i-1].Kind
		if float64(of.Capacity) >= sameKind*float64(before.Capacity) {
			of.Capacity = before.Capacity
		}
	}
}

// reader reads the small files of sysfs.
type reader struct{ sys fs.FS }

func (r reader) text(name string) string {
	b, err := fs.ReadFile(r.sys, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// set returns the list of CPUs in a file. It returns nil if the file is missing or has another format.
func (r reader) set(name string) Set {
	s, err := ParseSet(r.text(name))
	if err != nil {
		return nil
	}
	return s
}

// number reads a file with a whole number. It returns the given value none if the file is missing, or if the number is
// negative, which means "unknown" in the kernel.
func (r reader) number(name string, none int) int {
	n, err := strconv.Atoi(r.text(name))
	if err != nil || n < 0 {
		return none
	}
	return n
}

// named reads the lists of CPUs in all files that match pattern. For each CPU in a list it returns the name of the
// file's folder without prefix.
func (r reader) named(pattern, prefix string) map[int]string {
	of := map[int]string{}
	files, _ := fs.Glob(r.sys, pattern) // the patterns are well formed
	for _, file := range files {
		for _, id := range r.set(file) {
			of[id] = strings.TrimPrefix(path.Base(path.Dir(file)), prefix)
		}
	}
	return of
}

// cpu reads the folder of one CPU. known is false if the folder does not list the CPUs of the core.
func (r reader) cpu(id int) (c CPU, known bool) {
	dir := "devices/system/cpu/cpu" + strconv.Itoa(id)
	c = CPU{ID: id, Core: id, Package: r.number(dir+"/topology/physical_package_id", 0)}
	c.Kind.Capacity = r.number(dir+"/cpu_capacity", 0)
	siblings := r.set(dir + "/topology/core_cpus_list")
	if siblings == nil { // before Linux 5.3
		siblings = r.set(dir + "/topology/thread_siblings_list")
	}
	if siblings.Has(id) {
		c.Core = siblings[0]
	}
	c.Cache = r.cache(dir)
	return c, siblings.Has(id)
}

// cache returns the number of a CPU's last-level cache: the lowest CPU that uses it. It returns -1 if the cache is
// unknown. dir is the folder of the CPU.
func (r reader) cache(dir string) int {
	cache, highest := -1, 0
	folders, _ := fs.Glob(r.sys, dir+"/cache/index*") // the pattern is well formed
	for _, folder := range folders {
		level, shared := r.number(folder+"/level", 0), r.set(folder+"/shared_cpu_list")
		if level > highest && len(shared) > 0 {
			cache, highest = shared[0], level
		}
	}
	return cache
}

// Only returns the part of the topology with the CPUs in s. missing has the CPUs of s that the topology does
// not contain.
func (t Topology) Only(s Set) (of Topology, missing Set) {
	of = Topology{Known: t.Known}
	for _, c := range t.CPUs {
		if s.Has(c.ID) {
			of.CPUs = append(of.CPUs, c)
		}
	}
	return of, s.Minus(t.IDs())
}

// IDs returns the numbers of the CPUs.
func (t Topology) IDs() Set {
	return lists.Map(t.CPUs, func(c CPU) int { return c.ID })
}
