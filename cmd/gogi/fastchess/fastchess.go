// Package fastchess translates a command line of fastchess to a command line of gogi match. [Translate]
// returns a [Translation]. fastchess' own manual page defines the meaning of the options. shogitest has the
// same syntax with a few different meanings, which docs/coming-from.md lists. The package does no I/O.
package fastchess

import (
	"cmp"
	"fmt"
	"path"
	"strconv"
	"strings"

	"gogi/internal/lists"
	"gogi/internal/shellwords"
)

// A Translation is a command line of gogi match, with notes about the parts that gogi cannot express.
type Translation struct {
	Words   []string // the words after "gogi match"
	Engines int      // number of -engine options with a cmd
	Notes   []string // one sentence for each omitted or different part
}

// String returns the command line, quoted for a shell.
func (t Translation) String() string {
	line := "gogi match"
	for _, w := range t.Words {
		line += " " + shellwords.Quote(w)
	}
	return line
}

// Translate translates the words of a fastchess command line, with or without the program's name.
func Translate(words []string) Translation {
	r := reader{rounds: 2, perRound: 2, concurrency: "1"} // fastchess' defaults
	if len(words) > 0 && !strings.HasPrefix(words[0], "-") {
		words = words[1:]
	}
	for len(words) > 0 {
		n := 1
		for n < len(words) && !isOption(words[n]) {
			n++
		}
		r.option(words[0], words[1:n])
		words = words[n:]
	}
	return r.write()
}

// isOption reports whether a word is an option, not a negative number.
func isOption(word string) bool {
	return len(word) > 1 && word[0] == '-' && !strings.ContainsRune("0123456789.", rune(word[1]))
}

// A pair is a word KEY=VALUE.
type pair struct{ key, value string }

func pairsOf(words []string) (list []pair) {
	for _, w := range words {
		key, value, _ := strings.Cut(w, "=")
		list = append(list, pair{key, value})
	}
	return list
}

type engine struct {
	name, cmd, args, restart string
	limits                   map[string]string // by the name of gogi's flag
	options                  []pair
}

type reader struct {
	engines          []engine
	each             engine
	rounds, perRound int
	concurrency      string
	design           string
	flags            []string // in the order of the line
	notes            []string
}

func (r *reader) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

func (r *reader) flag(words ...string) { r.flags = append(r.flags, words...) }

func (r *reader) option(name string, words []string) {
	value := strings.Join(words, " ")
	switch strings.TrimLeft(name, "-") {
	case "engine":
		r.engines = append(r.engines, r.engine(words))
	case "each":
		r.each = r.engine(words)
	case "rounds":
		r.number(name, value, &r.rounds)
	case "games":
		r.number(name, value, &r.perRound)
	case "repeat":
		r.perRound = 2
		if value != "" {
			r.number(name, value, &r.perRound)
		}
	case "concurrency":
		r.concurrency = value
	case "openings":
		r.openings(pairsOf(words))
	case "sprt":
		r.sprt(pairsOf(words))
	case "resign":
		r.resign(pairsOf(words))
	case "draw":
		r.draw(pairsOf(words))
	case "maxmoves":
		var moves int
		if r.number(name, value, &moves); moves > 0 {
			r.flag("--max-plies", strconv.Itoa(2*moves)) // one move of fastchess is a move of both sides
			r.note("%s %s: fastchess counts from the end of the opening, --max-plies from the first move: add the plies of the openings", name, value)
		}
	case "srand", "seed":
		r.flag("--seed", value)
	case "event":
		r.flag("--run", value)
	case "tournament":
		r.design = value
	default:
		r.other(name, value)
	}
}

// other handles an option of fastchess that needs no flag of gogi. If gogi has no such option, it adds a note.
func (r *reader) other(name, value string) {
	given := strings.TrimSpace(name + " " + value)
	switch strings.TrimLeft(name, "-") {
	case "recover":
		r.note("%s: always on: a failed engine loses its game, and gogi restarts it", given)
	case "pgnout", "epdout":
		r.note("%s: games are stored in a database (--db); gogi export writes them as CSA, KIF, USI and others", given)
	case "use-affinity":
		r.flag("--cpus", "auto")
		if value != "" {
			r.note("%s: gogi chooses the CPUs by their cores; --cpus %s names them", given, value)
		}
	case "randomseed":
		r.note("%s: a seed is always a number that is stored: --seed N", given)
	case "quick":
		r.note("%s: write it with -engine, -each and -rounds", given)
	case "config":
		r.note("%s: not needed: run the same line again to resume the run exactly", given)
	case "noswap":
		r.flag("--no-swap")
	case "variant":
		r.note("%s: gogi plays shogi; --handicap has its handicaps", given)
	case "site", "output", "ratinginterval", "scoreinterval", "autosaveinterval", "report", "log", "crc32", "show-latency", "strict":
		r.note("%s: not needed: gogi always prints progress, report, faults and time", given)
	default:
		r.note("%s: unknown, omitted", given)
	}
}

func (r *reader) number(name, value string, into *int) {
	n, err := strconv.Atoi(value)
	const most = 1_000_000_000 // twice this number still fits an int32
	if err != nil || n < 1 || n > most {
		r.note("%s %s: expected a number from 1 to %d; omitted", name, value, most)
		return
	}
	*into = n
}

func (r *reader) engine(words []string) engine {
	e := engine{limits: map[string]string{}}
	for _, p := range pairsOf(words) {
		if option, ok := strings.CutPrefix(p.key, "option."); ok {
			e.options = append(e.options, pair{option, p.value})
			continue
		}
		switch p.key {
		case "cmd":
			e.cmd = p.value
		case "name":
			e.name = p.value
		case "args":
			e.args = p.value
		case "tc":
			e.limits["--tc"] = r.clock(p.value)
		case "st":
			e.limits["--movetime"] = p.value + "s"
		case "nodes":
			e.limits["--nodes"] = p.value
		case "depth", "plies":
			e.limits["--depth"] = p.value
		case "timemargin":
			e.limits["--margin"] = p.value + "ms"
		case "restart":
			e.restart = p.value
		case "proto":
			r.note("proto=%s: gogi uses USI", p.value)
		case "dir":
			r.note("dir=%s: only a file has it, as dir of the engine; the default is the folder of the engine's binary", p.value)
		default:
			r.note("%s=%s of an engine: unknown, omitted", p.key, p.value)
		}
	}
	return e
}

// keys stores the values of the known keys of an option, and adds a note for each unknown key.
func (r *reader) keys(option string, given []pair, known map[string]*string) {
	for _, p := range given {
		if value := known[p.key]; value != nil {
			*value = p.value
		} else {
			r.note("%s=%s of %s: unknown, omitted", p.key, p.value, option)
		}
	}
}

// clock converts a time control [moves/]minutes:seconds+increment to gogi's form in seconds. It returns "" if
// gogi has no such time control.
func (r *reader) clock(text string) string {
	if strings.Contains(text, "/") {
		r.note("tc=%s: shogi has no time for a number of moves; gogi's 300/10 is main time and byoyomi", text)
		return ""
	}
	main, increment, _ := strings.Cut(text, "+")
	seconds, err := secondsOf(main)
	if err != nil {
		r.note("tc=%s: omitted: expected seconds or minutes:seconds", text)
		return ""
	}
	increment = cmp.Or(increment, "0")
	return seconds + "+" + increment
}

func secondsOf(text string) (string, error) {
	minutes, rest, ok := strings.Cut(text, ":")
	if !ok {
		_, err := strconv.ParseFloat(text, 64)
		return text, err
	}
	m, err := strconv.Atoi(minutes)
	if err != nil {
		return "", err
	}
	s, err := strconv.ParseFloat(rest, 64)
	return strconv.FormatFloat(float64(60*m)+s, 'f', -1, 64), err
}

func (r *reader) openings(keys []pair) {
	order := "random"
	for _, p := range keys {
		switch p.key {
		case "file":
			r.flag("--openings", p.value)
		case "plies":
			r.flag("--opening-plies", p.value)
		case "order":
			order = p.value
		case "format":
			if p.value == "pgn" {
				r.note("format=pgn: openings are lines of USI moves or SFEN, see gogi book and gogi convert")
			}
		case "start":
			r.note("start=%s: gogi draws openings without repetition in the seed's order, and a resumed run uses the next one", p.value)
		default:
			r.note("%s=%s of -openings: unknown, omitted", p.key, p.value)
		}
	}
	if order != "random" {
		r.note("order=%s: the order is always the seed's", order)
	}
}

// sprt adds the flag --sprt with every key, and with fastchess' default model if the line names no model.
func (r *reader) sprt(keys []pair) {
	var elo0, elo1, alpha, beta string
	model := "normalized"
	r.keys("-sprt", keys, map[string]*string{"elo0": &elo0, "elo1": &elo1, "alpha": &alpha, "beta": &beta, "model": &model})
	if elo0 == "" || elo1 == "" {
		r.note("-sprt: omitted: expected elo0 and elo1")
		return
	}
	if model == "bayesian" {
		r.note("-sprt: omitted: gogi has no model=bayesian; expected bounds in Elo (model=logistic) or in normalised Elo (model=normalized)")
		return
	}
	var words []string
	for _, p := range []pair{{"elo0", elo0}, {"elo1", elo1}, {"alpha", alpha}, {"beta", beta}, {"model", model}} {
		if p.value != "" {
			words = append(words, p.key+"="+p.value)
		}
	}
	r.flag("--sprt", strings.Join(words, ","))
}

func (r *reader) resign(keys []pair) {
	count, score, twosided, side := "1", "0", "", "1:"
	r.keys("-resign", keys, map[string]*string{"movecount": &count, "score": &score, "twosided": &twosided})
	if twosided == "true" {
		side = ""
	}
	r.flag("--resign", side+score+"x"+count)
	if side != "" {
		r.note("-resign: one-sided, like fastchess without twosided=true: then an engine that doubles its scores loses fewer games; --resign %sx%s requires both sides", score, count)
	}
}

func (r *reader) draw(keys []pair) {
	count, score, move, from := "1", "0", "", 0
	r.keys("-draw", keys, map[string]*string{"movecount": &count, "score": &score, "movenumber": &move})
	if move != "" {
		r.number("movenumber", move, &from)
	}
	text := score + "x" + count
	if from > 0 {
		text += "@" + strconv.Itoa(2*from) // one move of fastchess is a move of both sides; gogi counts plies
	}
	r.flag("--draw", text)
}

func (r *reader) write() Translation {
	w := writer{reader: r}
	for i := range r.engines {
		w.engine(i)
	}
	for _, o := range r.each.options {
		w.add("--option", "all."+o.key+"="+o.value)
	}
	for i, e := range r.engines {
		for _, o := range e.options {
			w.add("--option", w.names[i]+"."+o.key+"="+o.value)
		}
	}
	for _, flag := range []string{"--tc", "--movetime", "--nodes", "--depth", "--margin"} {
		w.limit(flag)
	}
	w.restart()
	w.length()
	w.add("--concurrency", r.concurrency)
	w.add(r.flags...)
	engines := lists.Count(r.engines, func(e engine) bool { return e.cmd != "" })
	return Translation{Words: w.words, Engines: engines, Notes: r.notes}
}

type writer struct {
	*reader
	words []string
	names []string // names of the engines
}

func (w *writer) add(words ...string) { w.words = append(w.words, words...) }

func (w *writer) engine(i int) {
	e := w.engines[i]
	name := cmp.Or(e.name, path.Base(e.cmd))
	if safe := strings.NewReplacer("=", "-", ".", "_").Replace(name); safe != name {
		w.note("name=%s: a name in flags has no = and no dot: %s", name, safe)
		name = safe
	}
	if e.cmd == "" {
		w.note("-engine %s: it has no cmd=", name)
	}
	command := shellwords.Quote(e.cmd)
	for _, args := range []string{w.each.args, e.args} {
		if args != "" {
			command += " " + args
		}
	}
	w.names = append(w.names, name)
	w.add("--engine", name+"="+command)
}

func (w *writer) limit(flag string) {
	if value := w.each.limits[flag]; value != "" {
		w.add(flag, value)
	}
	for i, e := range w.engines {
		if value := e.limits[flag]; value != "" {
			w.add(flag, w.names[i]+"="+value)
		}
	}
}

// restart adds the flag --restart, which applies to all engines. If the engines have different values, it
// adds a note.
func (w *writer) restart() {
	words := map[string]string{"on": "game", "off": "never", "auto": "never"}
	values := lists.Set(w.engines, func(e engine) string { return cmp.Or(words[e.restart], words[w.each.restart]) })
	if len(w.engines) == 0 {
		values[words[w.each.restart]] = true
	}
	for value := range values {
		switch {
		case len(values) > 1:
			w.note("restart: the engines differ; write a file with restart in each [[engine]], see gogi init")
			return
		case value != "":
			w.add("--restart", value)
		}
	}
}

func (w *writer) length() {
	n := max(2, len(w.engines))
	pairings := n * (n - 1) / 2
	switch {
	case w.design == "gauntlet":
		pairings = n - 1
		w.add("--design", "gauntlet")
	case w.design != "" && w.design != "roundrobin":
		w.note("-tournament %s: unknown; gogi has match, round_robin, gauntlet, swiss, knockout and adaptive", w.design)
	case n > 2:
		w.add("--design", "round_robin")
	}
	if w.perRound == 1 {
		w.add("--no-swap")
	}
	w.add("--games", strconv.Itoa(w.rounds*w.perRound*pairings))
	if w.perRound > 2 {
		w.note("-games %d: gogi plays an opening twice, once with each colour; more games of it prove nothing new", w.perRound)
	}
}
