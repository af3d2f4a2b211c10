package configs_test

import (
	"strconv"
	"strings"
	"testing"

	"gogi/configs"
	"gogi/configs/configstest"
	"gogi/internal/testutil"
)

// TestCPUs tests the CPUs in a file and in flags, and the default number of slots: half of the named CPUs (machine has
// 8), or all of them.
func TestCPUs(t *testing.T) {
	three := 3
	for _, c := range []struct {
		keys  string
		flags configs.Flags
		want  string // CPUs, cores per slot, slots
	}{
		{"", configs.Flags{}, "|0|4"},
		{`cpus = "off"`, configs.Flags{}, "|0|4"},
		{`cpus = "auto"`, configs.Flags{}, "auto|0|4"},
		{`cpus = "5,0-3"`, configs.Flags{}, "0-3,5|0|2"},
		{`cpus = 3`, configs.Flags{}, "3|0|1"},
		{"cpus = \"0-5\"\nconcurrency = \"cpus\"", configs.Flags{}, "0-5|0|6"},
		{"cpus = \"auto\"\ncores_per_slot = 2", configs.Flags{}, "auto|2|4"},
		{`cpus = "0-5"`, configs.Flags{CPUs: "auto", CoresPerSlot: &three}, "auto|3|4"},
		{`cpus = "0-5"`, configs.Flags{CPUs: "off"}, "|0|4"},
	} {
		p, _ := configstest.Plan(t, c.keys+"\n"+configstest.Two, c.flags, configstest.Machine(t))
		got := strings.Join([]string{p.CPUs, strconv.Itoa(p.CoresPerSlot), strconv.Itoa(p.Concurrency)}, "|")
		testutil.Equal(t, got, c.want, "%s %+v", c.keys, c.flags)
	}
}

func TestWrongCPUs(t *testing.T) {
	zero := 0
	for _, c := range []struct {
		keys  string
		flags configs.Flags
		want  string
	}{
		{`cpus = "all"`, configs.Flags{}, `match.toml:1: cpus: "all": expected off, auto, or CPUs such as 2-7,10`},
		{`cpus = true`, configs.Flags{}, "match.toml:1: cpus: expected a string, found true"},
		{"cores_per_slot = 2", configs.Flags{}, `match.toml:1: cores_per_slot: no slot has cores of its own: expected cpus = "auto", or a list of CPUs, beside it`},
		{"cpus = \"auto\"\ncores_per_slot = 0", configs.Flags{}, "match.toml:2: cores_per_slot: 0 is outside 1 to 10000"},
		{"", configs.Flags{CPUs: "auto", CoresPerSlot: &zero}, "--cores-per-slot: cores_per_slot: 0 is outside 1 to 10000"},
		{"", configs.Flags{CPUs: "7-1"}, `--cpus: "7-1": expected off, auto, or CPUs such as 2-7,10`},
	} {
		f, err := configs.Parse([]byte(c.keys+"\n"+configstest.Two), "match.toml")
		if err == nil {
			err = f.Apply(c.flags)
		}
		if err == nil {
			_, _, err = f.Plan("", configstest.Machine(t))
		}
		testutil.Check(t, err != nil && err.Error() == c.want, "%s %+v: %v, want %s", c.keys, c.flags, err, c.want)
	}
}
