package players

import "golang.org/x/sys/cpu"

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
