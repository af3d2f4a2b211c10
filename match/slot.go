package match

import (
	"slices"
	"strconv"
	"strings"
)

// InSlot returns a copy of the player for the slot with this number. It replaces {slot} and {gpu} by numbers, in
// the device and the environment of the player and of the members of a council. perGPU is the number of slots on
// each GPU; 0 counts as 1.
func (p Player) InSlot(number, perGPU int) Player {
	fill := strings.NewReplacer("{slot}", strconv.Itoa(number), "{gpu}", strconv.Itoa(number/max(1, perGPU)))
	return p.filled(fill)
}

func (p Player) filled(fill *strings.Replacer) Player {
	p.Device = fill.Replace(p.Device)
	p.Env = slices.Clone(p.Env)
	for i, v := range p.Env {
		p.Env[i] = fill.Replace(v)
	}
	if p.Council == nil {
		return p
	}
	council := *p.Council
	council.Members = slices.Clone(council.Members)
	for i, m := range council.Members {
		council.Members[i] = m.filled(fill)
	}
	p.Council = &council
	return p
}
