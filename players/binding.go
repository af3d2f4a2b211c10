package players

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"

	"gogi/configs/advice"
	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/match"
	"gogi/usi"
	"gogi/usi/affinity"
	"gogi/usi/process"
	"gogi/usi/ssh"
)

// A Binding is an assignment of this machine's CPUs to the slots of a plan. Each slot plays one game at a
// time. A nil Binding is valid; it binds no engine to CPUs.
type Binding struct {
	Choice   string // the CPUs that the plan asks for, such as "auto" or "2-7"
	Demand   affinity.Demand
	Layout   affinity.Layout // assigns no CPUs if every engine is remote
	Warnings []advice.Warning
}

// Bind assigns the CPUs of this machine to the plan's slots. greetings has the engines' answers to usi, in
// the order of plan.Engines. Bind returns nil if the plan does not ask for a binding. It returns a usage
// error if there are more slots than CPUs, or if gogi may not use the CPUs of the plan.
func Bind(plan *match.Plan, greetings []usi.Greeting) (*Binding, error) {
	if plan.CPUs == "" {
		return nil, nil
	}
	allowed, err := process.Allowed()
	if err != nil {
		return nil, err
	}
	b, err := bind(plan, greetings, affinity.Read(os.DirFS("/sys"), allowed))
	if err != nil {
		return nil, fail.Usage(err)
	}
	if os.Getenv("GOMAXPROCS") == "" { // then Go calculates it from the limit of CPU time
		b.checkQuota(runtime.GOMAXPROCS(0))
	}
	return b, nil
}

// bind does the work of Bind for a given machine.
func bind(plan *match.Plan, greetings []usi.Greeting, machine affinity.Topology) (*Binding, error) {
	choice, err := affinity.ParseChoice(plan.CPUs)
	if err != nil {
		return nil, fmt.Errorf("cpus: %w", err)
	}
	b := &Binding{Choice: plan.CPUs}
	b.Demand = affinity.Demand{Slots: plan.Concurrency, Cores: b.cores(plan, greetings), Apart: plan.Ponder != "" &&
		plan.Ponder != match.PonderOff}
	if len(choice.List) > 0 {
		all := machine.IDs()
		var missing affinity.Set
		if machine, missing = machine.Only(choice.List); len(missing) > 0 {
			return nil,
				fmt.Errorf("cpus %s: %s cannot be used here (offline, of another container, or not there): expected some of %s",
					choice, missing, all)
		}
	}
	if b.Demand.Cores == 0 {
		return b, nil
	}
	if b.Layout, err = machine.Lay(b.Demand); err != nil {
		return nil, fmt.Errorf("cpus %s: %w; %s, or use --cpus off", choice, err, fitting(err))
	}
	b.checkLayout(machine)
	return b, nil
}

// fitting returns advice for a machine with too few CPUs: the number of games at a time that fits, or fewer threads.
func fitting(err error) string {
	few, ok := errors.AsType[*affinity.TooFewError](err)
	switch {
	case !ok || few.Split == 0:
		return "give the engines fewer threads"
	case few.Whole > 0 && few.Whole < few.Split:
		return fmt.Sprintf("set --concurrency %d, or %d for whole cores", few.Split, few.Whole)
	}
	return fmt.Sprintf("set --concurrency %d", few.Split)
}

// cores returns the largest number of cores that the threads of one player need. If all engines are remote, it returns
// 0.
func (b *Binding) cores(plan *match.Plan, greetings []usi.Greeting) int {
	most := 0
	for _, p := range plan.Players {
		most = max(most, b.threads(p, plan, &greetings))
	}
	if most == 0 || plan.CoresPerSlot == 0 {
		return most
	}
	if plan.CoresPerSlot < most {
		b.warn(warning("a player has %d threads on %s: they wait for each other", most,
			i18n.Number{N: plan.CoresPerSlot, Noun: "core"}))
	}
	return plan.CoresPerSlot
}

// threads returns the number of a player's threads on this machine. It also removes the greetings of the
// player's engines from the list. The members of a council think at the same time, so their threads add up.
func (b *Binding) threads(p match.Player, plan *match.Plan, greetings *[]usi.Greeting) int {
	if p.Council != nil {
		return lists.Sum(p.Council.Members, func(m match.Player) int { return b.threads(m, plan, greetings) })
	}
	declared := (*greetings)[0].Options
	*greetings = (*greetings)[1:]
	if ssh, ok := ssh.Parse(p.Command); ok {
		b.warn(advice.Warning{Engine: p.Name, Text: i18n.Of("it runs on %s, where its CPUs are not bound", ssh.Host()),
			Advice: i18n.Of("taskset over there does that")})
		return 0
	}
	b.checkPolicy(p, plan, declared)
	n, ok := effective(p, plan, declared, usi.ThreadOptions()...)
	if !ok && !p.Builtin && plan.CoresPerSlot == 0 {
		b.warn(advice.Warning{Engine: p.Name, Text: i18n.Of("it declares no option for its threads and is taken to have one"),
			Advice: i18n.Of("cores_per_slot gives it more cores")})
	}
	return int(max(1, min(n, affinity.Most+1)))
}

// checkPolicy warns of an engine that binds itself to other CPUs. Stockfish and YaneuraOu have an option
// NumaPolicy. Its values auto, system and none respect the CPUs of the process. The value hardware and lists
// of CPUs do not respect them (numa.h, NumaConfig::from_system and from_string).
func (b *Binding) checkPolicy(p match.Player, plan *match.Plan, declared []usi.Option) {
	option, value, ok := valueOf(p, plan, declared, "NumaPolicy")
	if ok && !slices.Contains([]string{"auto", "system", "none", "", "<empty>"}, value) {
		b.warn(advice.Warning{
			Engine: p.Name, Text: i18n.Of("%s %s: it binds itself and ignores the CPUs of its slot", option.Name,
				format.Quoted(value)),
			Advice: i18n.Of("%s = \"none\" keeps its CPUs", option.Name),
		})
	}
}

func (b *Binding) warn(w advice.Warning) { b.Warnings = append(b.Warnings, w) }

// checkLayout warns if the slots have unequal cores.
func (b *Binding) checkLayout(machine affinity.Topology) {
	if !machine.Known {
		b.warn(warning("cpus: the kernel does not show which CPUs share a core: gogi counts each CPU as a core"))
	}
	if b.Layout.Split {
		b.warn(warning("cpus: %d threads think at a time on %s: some share a core, a CPU each, and are slowed by each other",
			len(b.Layout.Shares)*b.threadsOfSlot(), i18n.Number{N: b.Layout.Cores, Noun: "core"}))
	}
	last := len(b.Layout.Shares) - 1
	if fast, slow := b.Layout.Shares[0].Kind, b.Layout.Shares[last].Kind; fast != slow {
		first := slices.IndexFunc(b.Layout.Shares, func(s affinity.Share) bool { return s.Kind != fast })
		b.warn(warning("cpus: slots from %d on have slower cores (%s) than those before (%s): on a clock their games are of weaker players, both alike; a list of CPUs leaves them out",
			first, kindName(slow), kindName(fast)))
	}
	for i, s := range b.Layout.Shares {
		if len(s.Nodes) > 1 {
			b.warn(warning("cpus: slot %d has cores of memory nodes %s: it waits longer for its memory than slots on one node",
				i, nodes(s)))
		}
	}
}

// checkQuota warns of a limit of CPU time, which the binding cannot take into account.
func (b *Binding) checkQuota(quota int) {
	if busy := len(b.Layout.Shares) * b.threadsOfSlot(); busy > quota {
		b.warn(warning("cpus: %d threads think at a time, and this container is stopped when it uses more than the time of %s (cpu.max): moves will be late", busy, i18n.Number{N: quota, Noun: "CPU"}))
	}
}

func (b *Binding) threadsOfSlot() int {
	if b.Demand.Apart {
		return 2 * b.Demand.Cores
	}
	return b.Demand.Cores
}

// Room returns an error if the bound CPUs are not enough for this number of slots.
func (b *Binding) Room(slots int) error {
	if b == nil || len(b.Layout.Shares) == 0 {
		return nil
	}
	if most := len(b.Layout.Shares) + len(b.Layout.Spare); slots > most {
		return fmt.Errorf("%d games at a time: the run is bound to CPUs, and these are enough for %d", slots, most)
	}
	return nil
}

// Sets returns, for each slot, the CPUs of its two players. After the slots of the plan it lists the CPUs of
// slots that the user can add during the run. It returns nil if gogi binds no CPUs.
func (b *Binding) Sets() [][2][]int {
	if b == nil {
		return nil
	}
	return lists.Map(slices.Concat(b.Layout.Shares, b.Layout.Spare), func(s affinity.Share) [2][]int {
		return [2][]int{s.Sets[0], s.Sets[1]}
	})
}

// Warned returns the warnings about the binding.
func (b *Binding) Warned() []advice.Warning {
	if b == nil {
		return nil
	}
	return b.Warnings
}

// Summary describes the binding in one line.
func (b *Binding) Summary() i18n.Message {
	switch {
	case b == nil:
		return i18n.Of("off: the kernel moves engines as it likes")
	case len(b.Layout.Shares) == 0:
		return i18n.Of("%s: nothing is bound, every engine runs elsewhere", b.Choice)
	}
	shared := i18n.Of("the opponents share them")
	if b.Demand.Apart {
		shared = i18n.Of("the opponents, which ponder, have half each")
	}
	return i18n.Of("%s: of %s (%s), %s", b.Choice, cores(b.Layout.Cores), i18n.Number{N: b.Layout.CPUs, Noun: "CPU"},
		shared)
}

// Slots describes the CPUs of each slot, one line per slot.
func (b *Binding) Slots() []i18n.Message {
	if b == nil {
		return nil
	}
	var lines []i18n.Message
	for i, s := range b.Layout.Shares {
		lines = append(lines, i18n.Of("slot %-3d %s", i, describe(s, b.Layout.Kinds > 1)))
	}
	return lines
}

func cores(n int) i18n.Number { return i18n.Number{N: n, Noun: "core"} }

func describe(s affinity.Share, kinds bool) i18n.Message {
	sets := i18n.Verbatim(s.Sets[0].String())
	if other := s.Sets[1].String(); other != s.Sets[0].String() {
		sets = i18n.Of("%s", i18n.List{s.Sets[0].String(), other})
	}
	text := i18n.Of("CPUs %s   %s, node %s", sets, cores(s.Cores), nodes(s))
	if kinds {
		text = i18n.Of("%s, %s", text, kindName(s.Kind))
	}
	return text
}

func nodes(s affinity.Share) i18n.List {
	return lists.Map(s.Nodes, func(n int) string { return fmt.Sprint(n) })
}

// kindName returns the vendor's name for a kind of core.
func kindName(k affinity.Kind) i18n.Message {
	switch k.Name {
	case "core":
		return i18n.Of("performance cores")
	case "atom":
		return i18n.Of("efficiency cores")
	case "lowpower":
		return i18n.Of("low-power cores")
	case "":
		return i18n.Of("capacity %d", k.Capacity)
	}
	return i18n.Verbatim(k.Name)
}
