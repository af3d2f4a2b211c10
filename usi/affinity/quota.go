package affinity

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// Quota returns how many CPUs' worth of time this process and its children may use together, as docker run
// --cpus sets it; 0: no limit. It is the least cpu.max from its control group upwards (the kernel's
// Documentation/admin-guide/cgroup-v2.rst). root is the root file system. For control groups of version 1 it
// reads the quota at the place where a container sees its own.
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

// group returns the control group (version 2) of this process: the line "0::/PATH".
func (r reader) group() string {
	for line := range strings.Lines(r.text("proc/self/cgroup")) {
		if of, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			return of
		}
	}
	return ""
}

// share returns quota / period, both in microseconds. It returns infinity without a limit ("max", and -1 in
// version 1).
func share(quota, period string) float64 {
	q, err1 := strconv.ParseFloat(quota, 64)
	p, err2 := strconv.ParseFloat(period, 64)
	if err1 != nil || err2 != nil || !(q > 0) || !(p > 0) {
		return math.Inf(1)
	}
	return q / p
}
