package affinity

import (
	"io/fs"
	"math"
	"path"
	"strconv"
	"strings"
)

// Quota is how many CPUs' worth of time this process and those that it starts may
// use together: the least cpu.max from its control group upwards (the kernel's
// Documentation/admin-guide/cgroup-v2.rst), as docker run --cpus sets it; 0: any. root
// is the file system from its root. Of the first version of control groups the quota
// is read where a container sees its own.
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

// group is the control group of this process, second version: the line "0::/PATH".
func (r reader) group() string {
	for line := range strings.Lines(r.text("proc/self/cgroup")) {
		if of, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			return of
		}
	}
	return ""
}

// share is quota of each period, in microseconds both; infinite where there is no
// limit ("max", and -1 in the first version).
func share(quota, period string) float64 {
	q, err1 := strconv.ParseFloat(quota, 64)
	p, err2 := strconv.ParseFloat(period, 64)
	if err1 != nil || err2 != nil || !(q > 0) || !(p > 0) {
		return math.Inf(1)
	}
	return q / p
}
