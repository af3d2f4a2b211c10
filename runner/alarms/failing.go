package alarms

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gogi/internal/format"
	"gogi/internal/lists"
	"gogi/internal/shellwords"
	"gogi/match"
)

// gogi warns of a player that lost each of its first failsAtFirst games (two pairs) by the same fault. If it also
// played games without this fault, gogi warns only after failsInARow such losses in a row. An engine that fails in
// every third game loses that many in a row about once in 10,000 games.
const (
	failsAtFirst = 4
	failsInARow  = 8
	longCommand  = 300 // the maximum length in bytes of a quoted command with its options
)

// failing detects a player that loses all its games by one fault. The fault is the player's own, or it is a
// delay by a machine that slows the player.
type failing struct {
	player  string
	limits  string
	advice  string // the action that the warning proposes
	least   int    // games before a warning: failsAtFirst, or the length of a shorter run
	games   int
	latest  loss // the fault of the latest game
	inARow  int
	ofAKind map[loss]int  // lost games, by fault
	warned  map[bool]bool // by loss.slowed
}

func newFailing(plan *match.Plan, player int) *failing {
	return &failing{
		player: plan.Players[player].Name, limits: plan.LimitsText(player), advice: examined(plan, player),
		least: min(failsAtFirst, max(1, plan.Games())), ofAKind: map[loss]int{}, warned: map[bool]bool{},
	}
}

// loss is the fault that lost a game. The zero value means that the game ended in another way.
type loss struct {
	by     match.Termination
	slowed bool // the player was late because the machine delayed its move
}

// game counts a finished game and returns the warning that it causes, or nil. fault is the fault by which the player
// lost the game, or NotEnded if it did not lose by a fault. marked means that the machine delayed a move.
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
	if f.warned[l.slowed] || !always && f.inARow < failsInARow {
		return nil
	}
	f.warned[l.slowed] = true
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

// examined returns advice for the user, with the commands that check the engines of a player.
func examined(plan *match.Plan, player int) string {
	alone := match.Plan{Players: plan.Players[player : player+1]}
	commands := lists.Map(alone.Engines(), func(e match.Player) string { return checkLine(&e) })
	commands = slices.Compact(commands)
	const do = "End the run, and see what it does not survive: "
	if rest := len(commands) - 2; rest > 0 {
		return fmt.Sprintf("%s%s; %s; and so %d more", do, commands[0], commands[1], rest)
	}
	return do + strings.Join(commands, "; ")
}

// checkLine returns the shell command that checks an engine with its command and options.
func checkLine(e *match.Player) string {
	if e.Builtin {
		return "gogi check builtin"
	}
	words := []string{"gogi", "check"}
	if e.Dir != "" && len(e.Command) > 0 && e.Dir != filepath.Dir(e.Command[0]) { // else it is the default
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

// engineWords returns the arguments of gogi check for an engine's command. gogi check parses a single word as a
// shell command. It uses several words unchanged after "--".
func engineWords(command []string) []string {
	if len(command) == 1 {
		return []string{shellwords.Quote(command[0])}
	}
	return append([]string{"--"}, command...)
}

func quoted(words []string) string {
	return strings.Join(lists.Map(words, shellwords.Quote), " ")
}
