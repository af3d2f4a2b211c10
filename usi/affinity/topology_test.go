package affinity

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"gogi/internal/testutil"
)

// machine returns the files of /sys on a machine, from lines PATH:CONTENT as grep -r . prints them. The lines follow
// the kernel's documentation of each file.
func machine(t *testing.T, name string) fstest.MapFS {
	t.Helper()
	text := testutil.Must(os.ReadFile("testdata/" + name + ".txt"))(t)
	sys := fstest.MapFS{}
	for line := range strings.Lines(string(text)) {
		path, content, ok := strings.Cut(line, ":")
		if !strings.HasPrefix(line, "#") && ok {
			sys[path] = &fstest.MapFile{Data: []byte(content)}
		}
	}
	return sys
}

func set(t *testing.T, text string) Set {
	t.Helper()
	return testutil.Must(ParseSet(text))(t)
}

func read(t *testing.T, name, allowed string) Topology {
	t.Helper()
	return Read(machine(t, name), set(t, allowed))
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		machine, allowed string
		want             CPU // one CPU that shows all values
		cpus             string
	}{
		{"smt", "0-11", CPU{ID: 7, Core: 1}, "0-11"},
		{"smt", "1,2,7", CPU{ID: 7, Core: 1}, "1-2,7"},
		{"smt", "7,8", CPU{ID: 7, Core: 1}, "7-8"}, // its core begins with a CPU that is not allowed
		{"smt_off", "0-11", CPU{ID: 5, Core: 5}, "0-5"},
		{"two_sockets", "0-31", CPU{ID: 19, Core: 3, Cache: 1, Node: 1, Package: 1}, "0-31"},
		{"hybrid", "0-19", CPU{ID: 9, Core: 8, Kind: Kind{Name: "core"}}, "0-19"},
		{"hybrid", "0-19", CPU{ID: 18, Core: 18, Kind: Kind{Name: "atom"}}, "0-19"},
		{"big_little", "0-7", CPU{ID: 2, Core: 2, Kind: Kind{Capacity: 530}}, "0-7"},
		{"epyc", "0-31", CPU{ID: 23, Core: 7, Cache: 6, Node: 1}, "0-31"},
	} {
		top := read(t, c.machine, c.allowed)
		if got := top.IDs().String(); got != c.cpus || !top.Known {
			t.Errorf("%s: CPUs %s, known %v, want %s", c.machine, got, top.Known, c.cpus)
		}
		for _, got := range top.CPUs {
			testutil.Check(t, got.ID != c.want.ID || got == c.want, "%s: read %+v, want %+v", c.machine, got, c.want)
		}
	}
}

// TestReadNothing requires that all CPUs count as equal if the kernel reports nothing. This does not mean that each CPU
// is a core.
func TestReadNothing(t *testing.T) {
	top := Read(fstest.MapFS{}, Set{0, 3})
	want := []CPU{{ID: 0, Core: 0, Cache: -1}, {ID: 3, Core: 3, Cache: -1}}
	testutil.Check(t, len(top.CPUs) == 2 && top.CPUs[0] == want[0] && top.CPUs[1] == want[1] && !top.Known,
		"read %+v, want %+v, not known", top, want)
	torn := fstest.MapFS{}
	for _, name := range []string{"topology/core_cpus_list", "topology/physical_package_id", "cpu_capacity",
		"cache/index0/level", "cache/index0/shared_cpu_list"} {
		torn["devices/system/cpu/cpu0/"+name] = &fstest.MapFile{Data: []byte("-1\n")} // as the kernel writes an unknown value
	}
	if top := Read(torn, Set{0}); top.CPUs[0] != want[0] || top.Known {
		t.Errorf("read %+v, want %+v, not known", top, want[:1])
	}
}

// TestKindsByCapacity requires that cores that differ by a few percent are of one kind, and that names have priority
// over capacities.
func TestKindsByCapacity(t *testing.T) {
	sys := fstest.MapFS{"devices/cpu_atom/cpus": {Data: []byte("6")}, "devices/cpu_core/cpus": {Data: []byte("5")}}
	for name, capacity := range map[string]string{"0": "1000", "1": "1024", "2": "920", "3": "560", "4": "510",
		"5": "1010", "6": "700"} {
		sys["devices/system/cpu/cpu"+name+"/cpu_capacity"] = &fstest.MapFile{Data: []byte(capacity + "\n")}
	}
	want := []Kind{{Capacity: 1024}, {Capacity: 1024}, {Capacity: 920}, {Capacity: 560}, {Capacity: 560}, {Name: "core"},
		{Name: "atom"}}
	for i, c := range Read(sys, set(t, "0-6")).CPUs {
		testutil.Equal(t, c.Kind, want[i], "CPU %d is of kind", i)
	}
}

func TestOnly(t *testing.T) {
	top, missing := read(t, "smt", "0-3,6-9").Only(set(t, "2,4,8-9,40"))
	testutil.Check(t, top.IDs().String() == "2,8-9" && missing.String() == "4,40" && top.Known, "%v, missing %v", top,
		missing)
}

func TestSet(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "0": "0", "0-3,8\n": "0-3,8", "8,0-3": "0-3,8", "1,1-2,2": "1-2", "5-5": "5", "8191": "8191",
		"0,2,4": "0,2,4",
	} {
		s, err := ParseSet(text)
		testutil.Check(t, err == nil && s.String() == want, "%q: %q, %v, want %q", text, s, err, want)
	}
	for _, text := range []string{"-1", "1-", "2-1", "a", "1,,2", "1,", "8192", "0-99999999999999", "1 2", "+1", "0x1",
		"1-2-3"} {
		testutil.Fails(t, testutil.Err(ParseSet(text)), "", "%q", text)
	}
	if all, err := ParseSet(strings.Repeat("0-8191,", 50) + "1"); err != nil || len(all) != Most+1 || cap(all) > 2*Most {
		t.Errorf("much of the same: %d, room for %d, %v", len(all), cap(all), err)
	}
	a, b := Set{1, 2, 5}, Set{2, 3}
	testutil.Equal(t, a.Minus(b).String()+" "+a.Union(b).String(), "1,5 1-3,5")
}

func TestChoice(t *testing.T) {
	for text, want := range map[string]string{"": "false ", "off": "false ", "auto": "true ", "2-3,7": "true 2-3,7"} {
		c, err := ParseChoice(text)
		got := map[bool]string{true: "true ", false: "false "}[c.On] + c.List.String()
		testutil.Check(t, err == nil && got == want, "%q: %q, %v, want %q", text, got, err, want)
	}
	for _, text := range []string{" ", "on", "all", "3-1", "Auto"} {
		testutil.Fails(t, testutil.Err(ParseChoice(text)), "", "%q", text)
	}
}

func FuzzParseSet(f *testing.F) {
	for _, seed := range []string{"0-3,8", "8,0-3,2", "", "1-", "0-8191"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSet(text)
		if err != nil {
			return
		}
		again, err := ParseSet(s.String())
		testutil.Check(t, err == nil && again.String() == s.String() && len(again) == len(s),
			"%q became %q, and that %q, %v", text, s, again, err)
	})
}
