package affinity

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// CPU is one logical CPU and what it shares with others. Core and Cache are named
// by the lowest CPU that has a part of them, whether that one may be used or not.
type CPU struct {
	ID      int
	Core    int
	Cache   int // of the last level; -1: not told
	Node    int // of memory
	Package int // the socket
	Kind    Kind
}

// Kind is what sort of core a CPU is on. All CPUs of an ordinary machine are of the
// zero Kind.
type Kind struct {
	Name     string // as the kernel calls its performance counters: core, atom, lowpower; "": all are alike
	Capacity int    // cpu_capacity of the fastest of its kind: 1024 for the fastest of all; 0: not told, or there are names
}

// compare puts the faster kind first.
func (k Kind) compare(other Kind) int {
	return cmp.Or(cmp.Compare(other.Capacity, k.Capacity), cmp.Compare(k.rank(), other.rank()), cmp.Compare(k.Name, other.Name))
}

// rank is how fast a kind of Intel's is beside the others.
func (k Kind) rank() int {
	return slices.Index([]string{"core", "atom", "lowpower"}, k.Name)
}

// Topology is the CPUs that may be used, in the order of their numbers.
type Topology struct {
	CPUs  []CPU
	Known bool // the kernel tells which CPUs share a core; else every CPU counts as one
}

// Read reads the topology of those of the allowed CPUs that are online. sys is what
// is mounted at /sys. Files that are not there, as in some containers and virtual
// machines, leave what they would tell at its simplest; so nothing is an error. The
// files are described in the kernel's Documentation/ABI: stable/sysfs-devices-system-cpu
// (topology/), stable/sysfs-devices-node (node*/cpulist),
// testing/sysfs-devices-system-cpu (online, cache/, cpu_capacity); cpu_core/cpus and
// cpu_atom/cpus, the performance counters of hybrid CPUs, in
// tools/perf/Documentation/intel-hybrid.txt.
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
		c.Node, _ = strconv.Atoi(nodes[id]) // 0 where there are none
		c.Kind.Name = kinds[id]
		t.CPUs, t.Known = append(t.CPUs, c), t.Known && known
	}
	t.roundCapacities()
	return t
}

// sameKind is how much of a core's capacity another one has at least that counts as of
// its kind: cores of one make differ by a few percent where each has a highest
// frequency of its own; those of different makes by a third and more.
const sameKind = 0.9

// roundCapacities leaves one capacity for each kind, the highest; none where the
// kernel has names for kinds.
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

// set is a file that lists CPUs; nil where there is none, or it says something else.
func (r reader) set(name string) Set {
	s, err := ParseSet(r.text(name))
	if err != nil {
		return nil
	}
	return s
}

// number is a file with a whole number; none where it is missing or negative, which
// is how the kernel says that it does not know.
func (r reader) number(name string, none int) int {
	n, err := strconv.Atoi(r.text(name))
	if err != nil || n < 0 {
		return none
	}
	return n
}

// named says for each CPU which of the files that match lists it, by the rest of its
// folder's name after prefix.
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

// cpu reads one CPU's own folder; known is false where it does not say who shares
// the core.
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

// cache names the last level of a CPU's caches.
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

// Only is the topology of those CPUs that are in the set, and which of the set are
// not there.
func (t Topology) Only(s Set) (of Topology, missing Set) {
	of = Topology{Known: t.Known}
	for _, c := range t.CPUs {
		if s.Has(c.ID) {
			of.CPUs = append(of.CPUs, c)
		}
	}
	return of, s.Minus(t.IDs())
}

// IDs are the numbers of the CPUs.
func (t Topology) IDs() Set {
	var s Set
	for _, c := range t.CPUs {
		s = append(s, c.ID)
	}
	return s
}
