package terminal

import (
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/lists"
)

// keys is the line that explains the keys.
var keys = i18n.Phrase("arrows 0-9 slot  f follow  p pause  r resume  d drain  s stop  +/- slots  q quit")

// foot returns at most limit lines of faults and limit lines of warnings, the answer to the last key, and the keys.
func (v View) foot(width, limit int) []Line {
	lines := append([]Line{nil}, v.faults(limit)...)
	lines = append(lines, v.warnings(width, limit)...)
	style := Plain
	if v.Question {
		style = Alarm
	}
	return append(lines, line(style, clip(clean(v.Message), width)), line(Faint, v.say(keys)))
}

// faults returns the number of faults of the session, and the latest faults.
func (v View) faults(limit int) []Line {
	var sums []string
	for _, f := range v.Now.Faults {
		sum := v.say("%s %s", v.fault(f.Kind), format.Count(f.Times))
		if f.Player != "" {
			sum = format.Name(clean(f.Player)) + " " + sum
		}
		if f.Forfeits > 0 {
			sum = v.say("%s (lost %s)", sum, i18n.Number{N: f.Forfeits, Noun: "game"})
		}
		sums = append(sums, sum)
	}
	if sums == nil {
		return []Line{line(Faint, v.say("no faults"))}
	}
	lines := []Line{line(Alarm, v.say("faults: %s", i18n.Row(lists.Map(sums, i18n.Verbatim))))}
	for _, note := range v.Faults[max(0, len(v.Faults)-limit+1):] {
		lines = append(lines, line(Plain, "  "+clean(note)))
	}
	return lines
}

// warnings returns the latest warnings in at most limit lines, with their total number.
func (v View) warnings(width, limit int) []Line {
	all := v.Now.Warnings
	var lines []Line
	for i := len(all) - 1; i >= 0 && len(lines) < limit; i-- {
		head := v.say("warning: ")
		if i == len(all)-1 && len(all) > 1 {
			head = v.say("warnings (%d): ", len(all))
		}
		if name := all[i].Engine; name != "" {
			head += format.Name(clean(name)) + ": "
		}
		for _, text := range wrap(head+clean(all[i].Note), width, limit-len(lines)) {
			lines = append(lines, line(Alarm, text))
		}
	}
	return lines
}

func (v View) fault(kind string) string { return v.say(clean(format.Words(kind))) }
