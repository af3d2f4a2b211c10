package affinity

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// Quota returns the limit of CPU time for this process and its children together, as a number of CPUs. docker
// run --cpus sets such a limit. Quota returns 0 without a limit. The limit is the smallest cpu.max of this
// process's control group and the groups above it (the kernel's Documentation/admin-guide/cgroup-v2.rst). For
// control groups of version 1, Quota reads the file in which a container sees its own limit. root is the root
// file system.
func Quota(root fs.FS) float64 {
	const mount = "sys/fs/cgroup"
	r := reader{root}
	least := math.Inf(1)
	for dir := path.Join(mount, r.group()); strings.HasPrefix(dir, mount); dir = path.Dir(dir) {
		if quota, period, ok := strings.Cut(r.text(dir+"/cpu.max"), " "); ok {
			least = min(least, share(quota, period))
		}
	}
	least = min(least, share(r.text(mount+"/cpu/cpu.cfs_quota_us"), r.text(mount+"/cpu/cpu.cfs_period_us")))
	if math.IsInf(least, 1) {
		return 0
	}
	return least
}

// group returns the control group (version 2) of this process, from the line "0::/PATH".
func (r reader) group() string {
	for line := range strings.Lines(r.text("proc/self/cgroup")) {
		if of, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			return of
		}
	}
	return ""
}

// share returns quota / period, both in microseconds. Without a limit ("max", or -1 in version 1) it returns
// infinity.
func share(quota, period string) float64 {
	q, err1 := strconv.ParseFloat(quota, 64)
	p, err2 := strconv.ParseFloat(period, 64)
	if err1 != nil || err2 != nil || !(q > 0) || !(p > 0) {
		return math.Inf(1)
	}
	return q / p
}
