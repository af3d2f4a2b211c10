package players

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sys/cpu"

	"gogi/configs/advice"
	"gogi/configs/identity"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/usi"
)

// A Capacity is the memory and the number of threads that the engines of a plan need, with the memory and the
// CPUs of the machine.
type Capacity struct {
	HashMiB    int64    `json:"hash_mib"`   // sum over all processes that declare a hash size
	MemoryMiB  int64    `json:"memory_mib"` // memory of the machine, or of its cgroup if that is smaller; 0: unknown
	Threads    int64    `json:"threads"`    // sum over all slots; without pondering one side of a game thinks, else both
	CPUs       int      `json:"cpus"`
	Timed      bool     `json:"-"` // a player has a clock or a time for each move
	Undeclared []string // engines without an option for the hash size; HashMiB does not count them
}

// CapacityFor adds up the memory and threads of a plan's engines. If the plan does not set an option, it uses
// the default that the engine declares. greetings has the engines' answers to usi, in the order of
// plan.Engines.
func CapacityFor(plan *match.Plan, greetings []usi.Greeting) Capacity {
	c := Capacity{CPUs: runtime.NumCPU(), MemoryMiB: memoryMiB(), Timed: plan.ColourClocks != [2]*match.TimeControl{}}
	slots := int64(plan.Concurrency)
	var threads int64
	for _, p := range plan.Players {
		hash, t := c.player(p, plan, &greetings)
		c.HashMiB += hash * slots
		if plan.Ponder == match.PonderOff {
			threads = max(threads, t)
		} else {
			threads += t
		}
	}
	if len(plan.Players) > 2 {
		// A slot holds two players at a time, in the worst case the two largest.
		c.HashMiB = c.HashMiB * 2 / int64(len(plan.Players))
	}
	if solver := plan.Mate.Solver; solver != nil { // the solver thinks while both players wait
		hash, _ := c.player(*solver, plan, &greetings)
		c.HashMiB += hash * slots
	}
	c.Threads = threads * slots
	return c
}

// player returns the resources of one player. It also removes the greetings of the player's engines from the
// list. The members of a council think at the same time, so their resources add up.
func (c *Capacity) player(p match.Player, plan *match.Plan, greetings *[]usi.Greeting) (hash, threads int64) {
	c.Timed = c.Timed || p.Limits.Timed()
	if p.Council != nil {
		for _, m := range p.Council.Members {
			h, t := c.player(m, plan, greetings)
			hash, threads = hash+h, threads+t
		}
		return hash, threads
	}
	declared := (*greetings)[0].Options
	*greetings = (*greetings)[1:]
	hash, ok := effective(p, plan, declared, "USI_Hash", "Hash")
	if !ok && !p.Builtin {
		c.Undeclared = append(c.Undeclared, p.Name)
	}
	threads, _ = effective(p, plan, declared, usi.ThreadOptions()...)
	return hash, max(threads, 1)
}

// effective returns the value that a spin option of an engine will have: the value that gogi sends, or else the
// declared default. names has the possible names of the option; effective takes the first name that the engine
// declares. The second result is false if the engine declares none of them.
func effective(p match.Player, plan *match.Plan, declared []usi.Option, names ...string) (int64, bool) {
	for _, name := range names {
		if _, value, ok := valueOf(p, plan, declared, name); ok {
			n, err := strconv.ParseInt(value, 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// valueOf returns the option with this name, and the value that it will have. ok is false if the engine does not
// declare it and the user does not set it.
func valueOf(p match.Player, plan *match.Plan, declared []usi.Option, name string) (o usi.Option, value string,
	ok bool) {
	automatic, user := identity.Settings(p, plan, declared)
	if o, ok = usi.FindOption(declared, name); !ok {
		for _, s := range user { // USI_Hash, which an engine need not declare
			if strings.EqualFold(s.Name, name) {
				return usi.Option{Name: s.Name}, s.Value, true
			}
		}
		return o, "", false
	}
	value = o.Default
	for _, s := range append(automatic, user...) {
		if usi.SameOption(s.Name, o.Name) {
			value = s.Value
		}
	}
	return o, value, true
}

// Problems returns warnings about the capacity. fatal is set if the hash tables need more than the memory.
func (c Capacity) Problems() (warnings []advice.Warning, fatal error) {
	if c.MemoryMiB > 0 && c.HashMiB > c.MemoryMiB {
		fatal = i18n.Errorf("the engines' hash tables take %s MiB together and there are %s MiB of memory: lower USI_Hash or --concurrency",
			format.Count(int(c.HashMiB)), format.Count(int(c.MemoryMiB)))
	}
	if fatal == nil && c.MemoryMiB > 0 && c.HashMiB*10 > c.MemoryMiB*8 {
		warnings = append(warnings, warning("the hash tables take %s of %s MiB of memory, before networks and all else",
			format.Count(int(c.HashMiB)), format.Count(int(c.MemoryMiB))))
	}
	if c.Timed && c.Threads > int64(c.CPUs) {
		warnings = append(warnings,
			warning("%d threads think at a time on %s: engines on a clock will be slowed by each other", c.Threads,
				i18n.Number{N: c.CPUs, Noun: "CPU"}))
	}
	return warnings, fatal
}

func warning(phrase string, args ...any) advice.Warning {
	return advice.Warning{Text: i18n.Of(phrase, args...)}
}

// memoryMiB returns the memory of the machine, or the limit of its cgroup if that is smaller. It returns 0 if
// both are unknown.
func memoryMiB() int64 {
	limit := physicalMemory()
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		bytes, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err == nil && (limit == 0 || bytes>>20 < limit) {
			limit = bytes >> 20
		}
	}
	return limit
}

// singleThreaded returns an error that names the engines that do not use exactly one thread.
func singleThreaded(plan *match.Plan, greetings []usi.Greeting) error {
	var errs []error
	for i, p := range plan.Engines() {
		if n, ok := effective(p, plan, greetings[i].Options, usi.ThreadOptions()...); ok && n != 1 {
			errs = append(errs, fmt.Errorf("engine %s would search with %d threads: --option %s.Threads=1", p.Name, n, p.Name))
		}
	}
	return errors.Join(errs...)
}

// instructionSets returns the instruction sets that the processor has beyond the base of its architecture,
// best first. The names are those that engine builds use as targets. On x86-64 they are the levels of the
// psABI (x86-64-ABI, 3.1.1), as far as package cpu reports the features of a level. On ARM, armv8.2 means the
// features that engines use: half precision, dot products and atomics.
func instructionSets() []string {
	x, arm := &cpu.X86, &cpu.ARM64
	var list []string
	for _, level := range []struct {
		name string
		has  bool
	}{
		{"x86-64-v2", x.HasCX16 && x.HasPOPCNT && x.HasSSE3 && x.HasSSSE3 && x.HasSSE41 && x.HasSSE42},
		{"x86-64-v3", x.HasAVX && x.HasAVX2 && x.HasBMI1 && x.HasBMI2 && x.HasFMA && x.HasOSXSAVE},
		{"x86-64-v4", x.HasAVX512F && x.HasAVX512BW && x.HasAVX512CD && x.HasAVX512DQ && x.HasAVX512VL},
		{"armv8.2", arm.HasATOMICS && arm.HasFPHP && arm.HasASIMDHP && arm.HasASIMDDP},
	} {
		if level.has {
			list = append([]string{level.name}, list...)
		}
	}
	return list
}
