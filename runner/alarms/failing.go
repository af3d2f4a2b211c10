package alarms

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gogi/internal/format"
	"gogi/internal/shellwords"
	"gogi/match"
)

// An engine that loses every game in one way by its own fault does not play. Four games
// are two pairs, and so two openings; one that begins to do so later is told after eight
// in a row, which a fault in every third game comes to once in some 10,000 games.
const (
	failsAtFirst = 4
	failsInARow  = 8
	longCommand  = 300 // bytes of a command that is quoted with its options
)

// failing watches whether one player loses all its games by one fault: its own, or the
// machine's, which slows its moves.
type failing struct {
	player  string
	limits  string
	advice  string // what to do
	least   int    // games before it is told; fewer than failsAtFirst where the run is shorter
	games   int
	latest  loss // of the latest game
	inARow  int
	ofAKind map[loss]int  // games that were lost by each
	told    map[bool]bool // by loss.slowed
}

func newFailing(plan *match.Plan, player int) *failing {
	return &failing{
		player: plan.Players[player].Name, limits: plan.LimitsText(player), advice: examined(plan, player),
		least: min(failsAtFirst, max(1, plan.Games())), ofAKind: map[loss]int{}, told: map[bool]bool{},
	}
}

// loss is how a game was lost by a fault; the zero value is every other end.
type loss struct {
	by     match.Termination
	slowed bool // the player was late because the machine slowed the game
}

// game takes the fault by which the player lost a game, NotEnded for every other end, and
// whether the machine slowed the game.
func (f *failing) game(fault match.Termination, marked bool) []Warning {
	f.games++
	l := loss{fault, marked && fault.IsLate()}
	if l != f.latest {
		f.latest, f.inARow = l, 0
	}
	if fault == match.NotEnded {
		return nil
	}
	f.inARow++
	f.ofAKind[l]++
	always := f.inARow == f.games && f.games >= f.least
	if f.told[l.slowed] || !always && f.inARow < failsInARow {
		return nil
	}
	f.told[l.slowed] = true
	latest := ""
	if !always {
		latest = fmt.Sprintf(", the latest %d in a row", f.inARow)
	}
	if l.slowed {
		return []Warning{{Slowed, f.player, nil, fmt.Sprintf(
			"lost %d of its %d games of this session on time while the machine slowed it (it plays under %s)%s: such games show nothing of its strength. "+
				"Play fewer games at a time (--concurrency), play such pairs again (--slowed void), or limit nodes instead of time",
			f.ofAKind[l], f.games, f.limits, latest)}}
	}
	return []Warning{{Failing, f.player, nil, fmt.Sprintf(
		"lost %d of its %d games of this session by one fault of its own (%s; it plays under %s)%s: such games show nothing of its strength. %s",
		f.ofAKind[l], f.games, format.Words(fault.String()), f.limits, latest, f.advice)}}
}

// examined says how to find out what a player does not survive.
func examined(plan *match.Plan, player int) string {
	alone := match.Plan{Players: plan.Players[player : player+1]}
	var commands []string
	for _, e := range alone.Engines() {
		commands = append(commands, checkLine(&e))
	}
	commands = slices.Compact(commands)
	const do = "End the run, and see what it does not survive: "
	if rest := len(commands) - 2; rest > 0 {
		return fmt.Sprintf("%s%s; %s; and so %d more", do, commands[0], commands[1], rest)
	}
	return do + strings.Join(commands, "; ")
}

// checkLine is the line of a shell that checks an engine as it plays here.
func checkLine(e *match.Player) string {
	if e.Builtin {
		return "gogi check builtin"
	}
	words := []string{"gogi", "check"}
	if e.Dir != "" && len(e.Command) > 0 && e.Dir != filepath.Dir(e.Command[0]) { // which is the default
		words = append(words, "--dir", e.Dir)
	}
	plain := append(slices.Clone(words), engineWords(e.Command)...)
	for _, o := range e.Options {
		words = append(words, "--option", o.Name+"="+o.Value)
	}
	words = append(words, engineWords(e.Command)...)
	line, short := quoted(words), quoted(plain)
	if len(line) > longCommand {
		return short + " (with its options)"
	}
	return line
}

// engineWords are the words of gogi check for a command, which takes one word as a line
// of a shell, and more as they are, behind what ends its own flags.
func engineWords(command []string) []string {
	if len(command) == 1 {
		return []string{shellwords.Quote(command[0])}
	}
	return append([]string{"--"}, command...)
}

func quoted(words []string) string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = shellwords.Quote(w)
	}
	return strings.Join(list, " ")
}
