package main

import (
	"fmt"
	"slices"
	"strings"
)

// An oldWord is a former name of a command. Old names work for one release and print a line on stderr with the
// new name.
type oldWord struct {
	was, now string
	line     func(rest []string) []string // returns the new line for the words after the old name; nil: the line is now, then rest
}

// oldWords lists the former names of commands. The grammar has only the new names, so help and completions do
// not show the former names.
var oldWords = []oldWord{
	{was: "verify", now: "db verify"},
	{was: "replay", now: "check --replay", line: atValue("check", "--replay", "--engine", "--times", "--exit", "--lang")},
	{was: "lint", now: "check --file", line: atValue("check", "--file", "--lang")},
	{was: "inspect", now: "convert --show", line: inspected},
	{was: "elo-where", now: "compare --breakdown"},
	{was: "regress", now: "stats lab regress"},
	{was: "strength fit", now: "review fit"},
	{was: "strength estimate", now: "review estimate"},
	{was: "strength validate", now: "review validate"},
	{was: "stats coverage", now: "stats lab coverage"},
	{was: "stats adjust", now: "stats lab adjust"},
	{was: "stats homogeneity", now: "stats lab homogeneity"},
	{was: "stats ranksum", now: "stats lab ranksum"},
	{was: "stats rmse", now: "stats lab rmse"},
	{was: "stats orders", now: "stats lab orders"},
	{was: "stats aic", now: "stats lab aic"},
	{was: "stats error", now: "stats interval"},
	{was: "perft", now: "dev perft"},
	{was: "book check --run", now: "report --openings", line: openingsOf},
	{was: "db pack", now: "db optimize"},
	{was: "farm priority", now: "farm set priority"},
	{was: "farm share", now: "farm set share"},
	{was: "farm follow", now: "farm mirror"},
	{was: "farm workers", now: "farm worker list"},
	{was: "farm drain", now: "farm worker drain"},
	{was: "farm quarantine", now: "farm worker quarantine"},
	{was: "farm trust", now: "farm worker trust"},
	{was: "farm purge", now: "farm worker void"},
	{was: "farm update", now: "farm release deploy"},
	{was: "farm release key", now: "farm release keygen"},
	{was: "farm verify", now: "farm audit"},
	{was: "farm replay", now: "farm audit --replay", line: sampled},
}

// newWords replaces former command names in args. notice is a line about the new name, or "" if args have no former
// name.
func newWords(args []string) (line []string, notice string) {
	lead := 0 // number of words of --lang before the command
	switch {
	case len(args) > 1 && args[0] == "--lang":
		lead = 2
	case len(args) > 0 && strings.HasPrefix(args[0], "--lang="):
		lead = 1
	}
	words := args[lead:]
	for _, old := range oldWords {
		command, flag, _ := strings.Cut(old.was, " --")
		named := strings.Fields(command)
		if len(words) < len(named) || !slices.Equal(words[:len(named)], named) || flag != "" && !given(words, "--"+flag) {
			continue
		}
		rest := words[len(named):]
		if old.line != nil {
			rest = old.line(rest)
		} else {
			rest = slices.Concat(strings.Fields(old.now), rest)
		}
		return slices.Concat(args[:lead], rest), fmt.Sprintf("gogi %s is now gogi %s; the old word works until the next release", old.was, old.now)
	}
	return args, ""
}

func given(words []string, flag string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return w == flag || strings.HasPrefix(w, flag+"=") })
}

func renamed(words []string, was, now string) []string {
	words = slices.Clone(words)
	for i, w := range words {
		if w == was || strings.HasPrefix(w, was+"=") {
			words[i] = now + w[len(was):]
		}
	}
	return words
}

// atValue returns a line function (see oldWord) for a command whose first argument became the value of flag.
// valued lists the flags of the command that have a value.
func atValue(command, flag string, valued ...string) func(rest []string) []string {
	return func(rest []string) []string {
		line := []string{command}
		for i := 0; i < len(rest); i++ {
			switch w := rest[i]; {
			case w == "--" && i+1 < len(rest):
				return append(line, flag+"="+rest[i+1])
			case slices.Contains(valued, w) && i+1 < len(rest):
				line = append(line, w, rest[i+1])
				i++
			case strings.HasPrefix(w, "-"):
				line = append(line, w)
			default:
				return slices.Concat(line, []string{flag + "=" + w}, rest[i+1:])
			}
		}
		if given(rest, "--help") || given(rest, "-h") {
			return line
		}
		return append(line, flag)
	}
}

// inspected translates the arguments of gogi inspect for gogi convert.
func inspected(rest []string) []string {
	return slices.Concat([]string{"convert", "--show"}, renamed(rest, "--format", "--from"))
}

// sampled translates the arguments of gogi farm replay for gogi farm audit.
func sampled(rest []string) []string {
	if !given(rest, "--sample") {
		rest = slices.Concat([]string{"--replay=1%"}, rest)
	}
	return slices.Concat([]string{"farm", "audit"}, renamed(rest, "--sample", "--replay"))
}

// openingsOf translates the arguments of gogi book check --run for gogi report. The first run becomes the
// argument of gogi report, and the other runs become values of --also.
func openingsOf(rest []string) []string {
	line, first := []string{"report", "--openings"}, true
	for i := 0; i < len(rest); i++ {
		name, joined := strings.CutPrefix(rest[i], "--run=")
		if rest[i] == "--run" && i+1 < len(rest) {
			i++
			name, joined = rest[i], true
		}
		switch {
		case !joined:
			line = append(line, rest[i])
		case first:
			line, first = append(line, name), false
		default:
			line = append(line, "--also", name)
		}
	}
	return line
}
