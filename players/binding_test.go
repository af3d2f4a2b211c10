package players

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"gogi/configs/advice"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
	"gogi/usi"
	"gogi/usi/affinity"
	"gogi/usi/process"
	"gogi/usi/usitest"
)

func TestMain(m *testing.M) { usitest.RunTests(m) }

// machineOf returns a machine of cores with two CPUs each, n and n + cores, on one node.
func machineOf(cores int) affinity.Topology {
	t := affinity.Topology{Known: true}
	for id := range 2 * cores {
		t.CPUs = append(t.CPUs, affinity.CPU{ID: id, Core: id % cores})
	}
	return t
}

func spin(name, value string) usi.Option {
	return usi.Option{Name: name, Type: usi.Spin, Default: value, Min: 1, Max: 1 << 40}
}

// engine returns a player and the options that it declares.
func engine(name string, options ...usi.Option) (match.Player, usi.Greeting) {
	return match.Player{Name: name, Command: []string{"/bin/" + name}}, usi.Greeting{Options: options}
}

// TestBind: the players decide how many cores each slot gets. The wanted sets are calculated from machineOf by hand.
func TestBind(t *testing.T) {
	one, oneGreets := engine("one", spin("Threads", "1"))
	four, fourGreets := engine("four", spin("Threads", "4")) // YaneuraOu's default
	silent, silentGreets := engine("silent")
	far, farGreets := engine("far", spin("Threads", "64"))
	far.Command = []string{"ssh", "host", "engine"}
	told := four
	told.Options = []match.Option{{Name: "Threads", Value: "2"}}
	member := func(p match.Player, as string) match.Player { p.Name = as; return p }
	council := match.Player{Name: "council",
		Council: &match.Council{Members: []match.Player{member(one, "x"), member(told, "y"), member(one, "z")}}}

	for _, c := range []struct {
		name      string
		players   []match.Player
		greetings []usi.Greeting
		change    func(p *match.Plan)
		want      string // sets of the slots, or the error
		warned    string // the warnings' beginnings
	}{
		{"a thread each", []match.Player{one, one}, []usi.Greeting{oneGreets, oneGreets}, nil, "6,14 7,15", ""},
		{"the larger one decides", []match.Player{one, four}, []usi.Greeting{oneGreets, fourGreets}, nil,
			"0-3,8-11 4-7,12-15", ""},
		{"an option that is sent", []match.Player{one, told}, []usi.Greeting{oneGreets, fourGreets}, nil,
			"4-5,12-13 6-7,14-15", ""},
		{"a council is the sum", []match.Player{one, council}, []usi.Greeting{oneGreets, oneGreets, fourGreets, oneGreets},
			nil, "0-3,8-11 4-7,12-15", ""},
		{
			"pondering", []match.Player{one, told}, []usi.Greeting{oneGreets, fourGreets},
			func(p *match.Plan) { p.Ponder = match.PonderEarly }, "0-1,8-9|2-3,10-11 4-5,12-13|6-7,14-15", "",
		},
		{
			"no option", []match.Player{one, silent}, []usi.Greeting{oneGreets, silentGreets}, nil, "6,14 7,15",
			"engine silent: it declares no option for its threads",
		},
		{
			"no option, but cores", []match.Player{one, silent}, []usi.Greeting{oneGreets, silentGreets},
			func(p *match.Plan) { p.CoresPerSlot = 3 }, "2-4,10-12 5-7,13-15", "",
		},
		{
			"fewer cores than threads", []match.Player{one, four}, []usi.Greeting{oneGreets, fourGreets},
			func(p *match.Plan) { p.CoresPerSlot = 3 }, "2-4,10-12 5-7,13-15", "a player has 4 threads on 3 cores",
		},
		{
			"one elsewhere", []match.Player{one, far}, []usi.Greeting{oneGreets, farGreets}, nil, "6,14 7,15",
			"engine far: it runs on host, where its CPUs are not bound",
		},
		{
			"both elsewhere", []match.Player{far, member(far, "off")}, []usi.Greeting{farGreets, farGreets},
			func(p *match.Plan) { p.CoresPerSlot = 2 }, "", "engine far: it runs on host|engine off: it runs on host",
		},
		{
			"a list", []match.Player{one, one}, []usi.Greeting{oneGreets, oneGreets},
			func(p *match.Plan) { p.CPUs = "1-2,9" }, "1,9 2", "",
		},
		{
			"threads share cores", []match.Player{four, four}, []usi.Greeting{fourGreets, fourGreets},
			func(p *match.Plan) { p.Concurrency = 4 }, "0-1,8-9 2-3,10-11 4-5,12-13 6-7,14-15",
			"cpus: 16 threads think at a time on 8 cores",
		},
		{
			"too many slots", []match.Player{four, four}, []usi.Greeting{fourGreets, fourGreets},
			func(p *match.Plan) { p.Concurrency = 5 },
			"cpus auto: games at a time: 5; each needs 4 CPUs for the threads that think at once, so they need 20, and there are 16 on 8 cores; set --concurrency 4, or 2 for whole cores, or use --cpus off", "",
		},
		{
			"one slot", []match.Player{four, four}, []usi.Greeting{fourGreets, fourGreets},
			func(p *match.Plan) { p.Concurrency, p.CPUs = 1, "1-2" },
			"cpus 1-2: games at a time: 1; each needs 4 CPUs for the threads that think at once, so they need 4, and there are 2 on 2 cores; give the engines fewer threads, or use --cpus off", "",
		},
		{
			"not ours", []match.Player{one, one}, []usi.Greeting{oneGreets, oneGreets}, func(p *match.Plan) {
				p.CPUs = "4,16-17"
			},
			"cpus 4,16-17: 16-17 cannot be used here (offline, of another container, or not there): expected some of 0-15", "",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := &match.Plan{Players: c.players, Concurrency: 2, CPUs: "auto", Ponder: match.PonderOff}
			if c.change != nil {
				c.change(plan)
			}
			b, err := bind(plan, c.greetings, machineOf(8))
			if err != nil {
				b = &Binding{}
			}
			testutil.Equal(t, sets(b)+errText(err), c.want, "bound")
			checkWarnings(t, b.Warned(), c.warned)
		})
	}
}

// TestRoom: Room returns an error if the CPUs are not enough for this number of slots.
func TestRoom(t *testing.T) {
	p, g := engine("e", spin("Threads", "3"))
	b := testutil.Must(bind(&match.Plan{Players: []match.Player{p, p}, Concurrency: 1, CPUs: "auto"}, []usi.Greeting{g, g},
		machineOf(8)))(t)
	testutil.Equal(t, fmt.Sprint(b.Sets()), "[[[5 6 7 13 14 15] [5 6 7 13 14 15]] [[2 3 4 10 11 12] [2 3 4 10 11 12]]]",
		"sets")
	var none *Binding
	testutil.Check(t, b.Room(2) == nil && none.Room(9) == nil && (&Binding{}).Room(9) == nil,
		"two slots fit, and any number where nothing is bound")
	if err := b.Room(3); err == nil ||
		err.Error() != "3 games at a time: the run is bound to CPUs, and these are enough for 2" {
		t.Errorf("three slots: %v", err)
	}
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

func sets(b *Binding) string {
	var all []string
	for _, s := range b.Sets()[:len(b.Layout.Shares)] {
		text := affinity.Set(s[0]).String()
		if other := affinity.Set(s[1]).String(); other != text {
			text += "|" + other
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

func checkWarnings(t *testing.T, got []advice.Warning, want string) {
	t.Helper()
	wanted := strings.Split(want, "|")
	if want == "" {
		wanted = nil
	}
	if len(got) != len(wanted) {
		t.Errorf("warned of %v, want %q", got, wanted)
		return
	}
	for i := range got {
		testutil.Check(t, strings.HasPrefix(got[i].String(), wanted[i]), "warned %q, want %q", got[i], wanted[i])
	}
}

// TestBindWarnsOfTheMachine: a warning names what makes the slots of a machine unequal.
func TestBindWarnsOfTheMachine(t *testing.T) {
	one, greets := engine("one", spin("Threads", "1"))
	two, twoGreet := engine("two", spin("Threads", "2"))
	unknown := affinity.Topology{CPUs: []affinity.CPU{{ID: 0}, {ID: 1, Core: 1}}}
	hybrid := affinity.Topology{Known: true,
		CPUs: []affinity.CPU{{ID: 0, Kind: affinity.Kind{Name: "core"}}, {ID: 1, Core: 1, Kind: affinity.Kind{Name: "atom"}}}}
	apart := affinity.Topology{Known: true, CPUs: []affinity.CPU{{ID: 0}, {ID: 1, Core: 1, Node: 1}}}
	for name, c := range map[string]struct {
		machine affinity.Topology
		slots   int
		player  match.Player
		greet   usi.Greeting
		quota   int
		want    string
		printed string
	}{
		"unknown": {unknown, 2, one, greets, 2, "cpus: the kernel does not show", "  slot 1   CPUs 1   1 core, node 0\n"},
		"hybrid": {hybrid, 2, one, greets, 2,
			"cpus: slots from 1 on have slower cores (efficiency cores) than those before (performance cores)",
			"  slot 1   CPUs 1   1 core, node 0, efficiency cores\n"},
		"apart": {apart, 1, two, twoGreet, 2, "cpus: slot 0 has cores of memory nodes 0 and 1",
			"  slot 0   CPUs 0-1   2 cores, node 0 and 1\n"},
		"quota": {machineOf(4), 2, one, greets, 1,
			"cpus: 2 threads think at a time, and this container is stopped when it uses more than the time of 1 CPU",
			"of 4 cores (8 CPUs), the opponents share them\n"},
	} {
		plan := &match.Plan{Players: []match.Player{c.player, c.player}, Concurrency: c.slots, CPUs: "auto"}
		b, err := bind(plan, []usi.Greeting{c.greet, c.greet}, c.machine)
		testutil.OK(t, err, name)
		b.checkQuota(c.quota)
		checkWarnings(t, b.Warned(), c.want)
		testutil.Contains(t, shown(b), c.printed, "%s: shown", name)
	}
}

// TestBindNothing: the default is off, and the summary shows it.
func TestBindNothing(t *testing.T) {
	b, err := Bind(&match.Plan{}, nil)
	testutil.Check(t, b == nil && err == nil && b.Sets() == nil && b.Warned() == nil, "%+v, %v", b, err)
	out := shown(b)
	testutil.Check(t, strings.HasPrefix(out, "off"), "%v", out)
}

// shown returns the text about a binding, with a line for each slot.
func shown(b *Binding) string {
	text := b.Summary().String() + "\n"
	for _, slot := range b.Slots() {
		text += "  " + slot.String() + "\n"
	}
	return text
}

// TestPolicies: bind warns about values of NumaPolicy with which an engine binds itself to other CPUs.
func TestPolicies(t *testing.T) {
	for value, warned := range map[string]bool{"auto": false, "system": false, "none": false, "hardware": true,
		"0-15:16-31": true} {
		p, g := engine("e", spin("Threads", "1"), usi.Option{Name: "NumaPolicy", Type: usi.String, Default: "auto"})
		p.Options = []match.Option{{Name: "NumaPolicy", Value: value}}
		b, err := bind(&match.Plan{Players: []match.Player{p, p}, Concurrency: 1, CPUs: "auto"}, []usi.Greeting{g, g},
			machineOf(2))
		testutil.Check(t, err == nil && (len(b.Warnings) == 2) == warned && (len(b.Warnings) == 0) != warned,
			"%s: %v, %v", value, b.Warnings, err)
	}
}

// TestOpenBinds: a real process runs on the CPUs of its slot from its first line on. The same holds for opponents and
// for members of a council. A substitute for ssh may use any CPU.
func TestOpenBinds(t *testing.T) {
	allowed := testutil.Must(process.Allowed())(t)
	if len(allowed) < 2 {
		t.Skip("it needs two CPUs to tell being bound from not being bound")
	}
	dir := t.TempDir()
	// A shell before the engine stores the CPUs on which the kernel lets it run.
	noting := func(file, then string) string {
		return fmt.Sprintf("sed -n 's/^Cpus_allowed_list:\t//p' /proc/self/status >>%s/%s; %s", dir, file, then)
	}
	local := func(name string) match.Player {
		return match.Player{Name: name,
			Command: append([]string{"/bin/sh", "-c", noting(name, `exec "$@"`), "sh"}, usitest.Command()...)}
	}
	far := match.Player{Name: "far", Command: append([]string{dir + "/ssh", "host"}, usitest.Command()...)}
	testutil.WriteProgram(t, dir+"/ssh", "#!/bin/sh\n"+noting("far", `shift; exec /bin/sh -c "$*"`))
	a, b := local("a"), local("b")
	council := match.Player{Name: "c", Council: &match.Council{
		Members: []match.Player{local("x"), local("y")}, Own: make([]bool, 2), Scales: make([]match.Scale, 2),
		Rule: "majority", MinAlive: 2,
	}}
	o := &Opener{Plan: &match.Plan{Players: []match.Player{a, b, council, far}}}
	for _, p := range o.Plan.Players {
		for _, on := range [][]int{{allowed[1]}, {allowed[0]}, nil} {
			player := testutil.Must(o.Open(t.Context(), p, on))(t)
			s, ok := player.(runner.Strayer)
			testutil.Check(t, ok && s.AffinityChanged() == "", "%s on %v: it keeps to its CPUs, and can say so: %v", p.Name, on,
				ok)
			testutil.OK(t, player.Close())
		}
	}
	bound := fmt.Sprintf("%d\n%d\n%s\n", allowed[1], allowed[0], allowed)
	for name, want := range map[string]string{"a": bound, "b": bound, "x": bound, "y": bound,
		"far": strings.Repeat(allowed.String()+"\n", 3)} {
		got, err := os.ReadFile(dir + "/" + name)
		testutil.Check(t, err == nil && string(got) == want, "%s ran on %q, %v, want %q", name, got, err, want)
	}
}

// TestThreadsOfAClock: too many threads are a problem only if a player has a clock or a time for each move.
func TestThreadsOfAClock(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*match.Plan)
		warned bool
	}{
		"nodes":           {func(p *match.Plan) { p.Players[0].Limits.Nodes = 100 }, false},
		"time for a move": {func(p *match.Plan) { p.Players[1].Limits.MoveTime = time.Second }, true},
		"clock by colour": {func(p *match.Plan) { p.ColourClocks[1] = &match.TimeControl{Main: time.Minute} }, true},
		"a member's clock": {func(p *match.Plan) {
			p.Players[1].Council = &match.Council{Members: []match.Player{{Limits: match.Limits{MoveTime: time.Second}}}}
		}, true},
	} {
		plan := &match.Plan{Concurrency: 1 << 20, Players: []match.Player{{Name: "A"}, {Name: "B"}}}
		c.change(plan)
		warnings, fatal := CapacityFor(plan, make([]usi.Greeting, 2)).Problems()
		testutil.Check(t, len(warnings) > 0 == c.warned && fatal == nil, "%s: %v, %v", name, warnings, fatal)
	}
}
