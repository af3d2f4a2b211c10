package configs

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"gogi/configs/advice"
	"gogi/configs/position"
	"gogi/ensemble/voting"
	"gogi/internal/disk"
	"gogi/internal/i18n"

	"gogi/ensemble"
	"gogi/match"
	books "gogi/shogi/book"
)

// Council has the settings of a council: a player whose moves are chosen by a vote of engines or other
// councils.
type Council struct {
	Name    string   `toml:"name"`
	Rule    Rule     `toml:"rule"` // required
	Members []string `toml:"members"`
	Vary    Vary     `toml:"vary"` // uses one member several times, each time with other option values
	// when gogi ends the search of all members, see ensemble.StopPolicy; default "all"
	Stop     string   `toml:"stop"`
	Quorum   *float64 `toml:"quorum"`   // for stop = "quorum", default 2/3
	Shadow   []Rule   `toml:"shadow"`   // rules whose vote is recorded but not played
	Tiebreak []string `toml:"tiebreak"` // criteria that decide a tied vote, in order; default score, member
	// the council resigns if more than this share of its members resigns; default 0.5
	ResignQuorum *float64 `toml:"resign_quorum"`
	MinAlive     *int     `toml:"min_alive"` // the council loses if fewer members are still running; default 1
	Restarts     *int     `toml:"restarts"`  // restarts of a member, per game; default 3
	// "member" (default): each member has the full limits; "split": the members share them
	Budget string `toml:"budget"`
	// largest random change of the members' nodes, as a share of them; default 0
	NodeJitter *float64 `toml:"node_jitter"`
	// standard deviation of the noise on each line's score, in centipawns; default 0
	ScoreNoise *float64      `toml:"score_noise"`
	Veto       *Veto         `toml:"veto"`    // default none
	Examine    *Examine      `toml:"examine"` // default none; not together with veto
	Ponder     *Spread       `toml:"ponder"`  // default "same"
	Ask        *int          `toml:"ask"`     // number of members that gogi asks first; default 0: all at once
	Book       string        `toml:"book"`    // a book file that gogi uses before the members search; default none
	Limits     *Limits       `toml:"limits"`  // search limits, as for an engine
	Restart    match.Restart `toml:"restart"`
}

// Veto has the settings for a check of the voted move by other engines; see ensemble.Veto.
type Veto struct {
	Time    *time.Duration `toml:"time"`
	Nodes   *uint64        `toml:"nodes"`
	Margin  *float64       `toml:"margin"`  // in centipawns
	Members *int           `toml:"members"` // largest number of engines that check the move
}

// Examine has the settings for cross-examination after a split vote; ensemble.Examine explains them.
type Examine struct {
	Share *float64 `toml:"share"` // default 1.0
	Moves *int     `toml:"moves"` // default 2
	Extra *float64 `toml:"extra"` // default 0.6
}

// Spread has the settings for pondering by the members; see ensemble.Spread.
type Spread struct {
	Mode string `toml:"mode,short"` // "same" (default): all members think on one reply; "spread": each on another
	// after a ponderhit: "decides" (default): members that expected the move decide; "votes": all
	Hit string `toml:"hit"`
}

// Scale converts an engine's centipawns to win probabilities.
type Scale struct {
	Slope     *float64 `toml:"slope"` // log odds of one centipawn, default 1/600
	Intercept *float64 `toml:"intercept"`
	// largest absolute score in centipawns; larger scores are reduced to it; default voting.DefaultClamp; 0: no limit
	Clamp *float64 `toml:"clamp"`
}

// Rule is a voting rule in the text form of voting.Spec. In a file it may be that text, or a table with its
// keys: {name = "adoption", reward = "voters"}.
type Rule string

// Vary lists options that differ between the copies of a council's member. Each option has one value for each
// copy.
type Vary []Variation

// A Variation is the name of an option with one value for each copy of a member.
type Variation struct {
	Name   string
	Values []string
}

func (d *decoder) rule(path string, from any, into *Rule) {
	table, ok := from.(map[string]any)
	if !ok {
		text, isText := from.(string)
		if !isText {
			d.mismatch(path, "the name of a rule or a table", from)
			return
		}
		d.checkRule(path, text, into)
		return
	}
	name, _ := table["name"].(string)
	var keys []string
	for _, key := range d.inOrder(path, table) {
		if key == "name" {
			continue
		}
		text, ok := listOrScalar(table[key], "/")
		if !ok {
			d.mismatch(position.Join(path, key), "a value", table[key])
			return
		}
		keys = append(keys, key+"="+text)
	}
	d.checkRule(path, name+":"+strings.Join(keys, ","), into)
}

func (d *decoder) checkRule(path, text string, into *Rule) {
	spec, err := voting.ParseSpec(text)
	if err != nil {
		d.fail(path, "%s: %v", label(path), err)
		return
	}
	*into = Rule(spec.String())
}

func listOrScalar(from any, separator string) (string, bool) {
	list, ok := from.([]any)
	if !ok {
		return scalar(from)
	}
	var parts []string
	for _, x := range list {
		text, ok := scalar(x)
		if !ok {
			return "", false
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, separator), true
}

// vary decodes a table of options with lists of values, such as {Seed = [10, 20, 30]}.
func (d *decoder) vary(path string, from any, into *Vary) {
	table, ok := from.(map[string]any)
	if !ok {
		d.mismatch(path, "a table of lists such as {Seed = [10, 20, 30]}", from)
		return
	}
	for _, name := range d.inOrder(path, table) {
		list, ok := table[name].([]any)
		if !ok {
			d.mismatch(position.Join(path, name), "a list of values", table[name])
			continue
		}
		v := Variation{Name: name}
		for _, x := range list {
			text, ok := scalar(x)
			if !ok {
				d.mismatch(position.Join(path, name), "a list of true, false, numbers or strings", table[name])
			}
			v.Values = append(v.Values, text)
		}
		*into = append(*into, v)
	}
}

func (f *File) council(name string) int {
	return slices.IndexFunc(f.Councils, func(c Council) bool { return c.Name == name })
}

func (f *File) memberOfAny(name string) bool {
	return slices.ContainsFunc(f.Councils, func(c Council) bool { return slices.Contains(c.Members, name) })
}

// councils resolves the councils of a file.
type councils struct{ *resolver }

// council returns the player of council i, with the default of each missing key. within has the councils that
// contain it.
func (r councils) council(i int, within []string) match.Player {
	c, path := &r.file.Councils[i], position.Element("council", i)
	out := &match.Council{
		Rule: string(c.Rule), Stop: string(choose(r.resolver, path+".stop", ensemble.StopPolicy(c.Stop),
			ensemble.StopAll, ensemble.StopDecided, ensemble.StopQuorum, ensemble.StopLeader)),
		// package ensemble replaces 0 by its default: one member is more than 1e-9, and -1 is no restart
		Quorum: r.quorum(path, c), ResignQuorum: max(1e-9, r.share(path+".resign_quorum", c.ResignQuorum, 0.5)),
		Restarts: cmp.Or(r.inRange(path+".restarts", c.Restarts, ensemble.DefaultRestarts, 0, maxParallel), -1),
		Jitter:   r.share(path+".node_jitter", c.NodeJitter, 0), Noise: or(c.ScoreNoise, 0),
		Split: choose(r.resolver, path+".budget", c.Budget, "member", "split") == "split", Veto: r.veto(path, c.Veto),
		Examine: r.examine(path, c), Ties: r.ties(path, c.Tiebreak),
	}
	if out.Noise < 0 || out.Noise > 10_000 {
		r.fail(path+".score_noise", "score_noise: expected centipawns from 0 to 10000")
	}
	for _, s := range c.Shadow {
		out.Shadows = append(out.Shadows, string(s))
	}
	r.members(i, out, append(within, c.Name))
	out.MinAlive = r.inRange(path+".min_alive", c.MinAlive, 1, 1, max(1, len(out.Members)))
	r.checkRules(path, out)
	r.checkLists(c.Name, out)
	out.Ask = r.inRange(path+".ask", c.Ask, 0, 0, max(0, len(out.Members)-1))
	out.Ponder = r.spread(path+".ponder", c, len(out.Members))
	p := match.Player{
		Name: c.Name, Council: out, Limits: r.limitsOf("council "+c.Name, limitsPath("council", i, c.Limits), c.Limits),
		Restart:  r.restart(path+".restart", c.Restart),
		Greeting: defaultGreeting, Ready: defaultReady,
	}
	r.checkExamine(&p)
	p.Identity.Fixed = "council of " + strconv.Itoa(len(out.Members)) + " by " + out.Rule
	r.book(path+".book", "council", c.Book, &p)
	if out.Ask > 0 && p.Limits.Timed() {
		r.fail(path+".ask",
			"ask: council %s has a time limit, and the members that are asked later would exceed it; use nodes or depth", c.Name)
	}
	return p
}

// book adds a book file to the player's identity. what is "engine" or "council", for errors.
func (r councils) book(path, what, name string, p *match.Player) {
	if name == "" {
		return
	}
	file := disk.Absolute(r.file.base(path, r.baseDir, r.env.WorkDir), name)
	_, err := books.FormatOf("", file)
	if err == nil {
		err = r.hashes.Add(p, match.BookRole, file)
	}
	if err != nil {
		r.fail(path, "%s %s: its book: %w", what, p.Name, err)
	}
}

func (r councils) quorum(path string, c *Council) float64 {
	if c.Stop == string(ensemble.StopQuorum) {
		return r.share(path+".quorum", c.Quorum, ensemble.DefaultQuorum)
	}
	if c.Quorum != nil {
		r.fail(path+".quorum", "quorum is of stop = \"quorum\": expected that, or no quorum")
	}
	return 0
}

func (r councils) share(path string, value *float64, def float64) float64 {
	x := or(value, def)
	if !(x >= 0 && x <= 1) {
		r.fail(path, "%s: %v is outside 0 to 1", label(path), x)
	}
	return x
}

func (r councils) ties(path string, chain []string) []string {
	if len(chain) == 0 {
		return nil
	}
	if _, err := voting.ParseTies(strings.Join(chain, ",")); err != nil {
		r.fail(path+".tiebreak", "tiebreak: %w", err)
	}
	return chain
}

func (r councils) veto(path string, v *Veto) match.Veto {
	if v == nil {
		return match.Veto{}
	}
	out := match.Veto{Time: or(v.Time, 0), Nodes: or(v.Nodes, 0), Margin: or(v.Margin, ensemble.DefaultVetoMargin),
		Members: or(v.Members, 2)}
	if (out.Time > 0) == (out.Nodes > 0) || out.Margin < 0 || out.Members < 1 {
		r.fail(path+".veto",
			"veto: expected time or nodes, such as {time = \"200ms\"}, with a margin from 0 and members from 1")
	}
	return out
}

func (r councils) examine(path string, c *Council) match.Examine {
	x := c.Examine
	if x == nil {
		return match.Examine{}
	}
	out := match.Examine{
		Share: or(x.Share, ensemble.DefaultExamineShare), Moves: or(x.Moves, ensemble.DefaultExamineMoves),
		Extra: or(x.Extra, ensemble.DefaultExamineExtra),
	}
	valid := out.Share > 0 && out.Share <= 1 && out.Extra > 0 && out.Extra <= 10
	if !valid || out.Moves < 2 || out.Moves > ensemble.MaxExamined {
		r.fail(path+".examine", "examine: expected a share up to 1, from 2 to %d moves, and an extra up to 10, each above 0",
			ensemble.MaxExamined)
	}
	if c.Veto != nil {
		r.fail(path+".examine", "examine: council %s has a veto, too; use one of them", c.Name)
	}
	return out
}

// spread returns how the members of a council think on the opponent's time. It warns if the match has no such time.
func (r councils) spread(path string, c *Council, members int) match.Spread {
	if c.Ponder == nil {
		return match.Spread{}
	}
	mode := choose(r.resolver, path+".mode", c.Ponder.Mode, "same", "spread")
	hit := choose(r.resolver, path+".hit", c.Ponder.Hit, "decides", "votes")
	if mode == "same" {
		return match.Spread{}
	}
	if members < 2 {
		r.fail(path, "ponder: council %s has one member; use at least two members, or remove ponder = \"spread\"", c.Name)
	}
	if r.file.Ponder == "" || r.file.Ponder == match.PonderOff {
		w := advice.Of("council %s: ponder = \"spread\" has no effect in a match, because the match has ponder = \"off\"",
			c.Name)
		w.Advice = i18n.Of("set ponder = \"standard\" above the engines")
		r.warnings = append(r.warnings, w)
	}
	return match.Spread{On: true, Votes: hit == "votes"}
}

// checkExamine warns about a council whose examination is useless or gets no time.
func (r councils) checkExamine(p *match.Player) {
	c := p.Council
	if c.Examine == (match.Examine{}) {
		return
	}
	engines := c.Engines()
	if !slices.ContainsFunc(engines, func(e match.Player) bool {
		return e.Builtin != engines[0].Builtin || !slices.Equal(e.Command, engines[0].Command)
	}) {
		w := advice.Of("council %s examines moves, and all its members are one engine: in a test this lost 131 Elo", p.Name)
		w.Advice = i18n.Of("use members of different engines, or remove examine")
		r.warnings = append(r.warnings, w)
	}
	whole := max(p.Limits.MoveTime, p.Limits.Clock.Byoyomi)
	for i, m := range c.Members {
		most := time.Duration(float64(whole) / (1 + c.Examine.Extra)).Truncate(time.Millisecond)
		if whole > 0 && c.Own[i] && m.Limits.MoveTime > most {
			w := advice.Of("council %s: its member %s has a movetime of its own, %v, which leaves no time to examine moves",
				p.Name, m.Name, m.Limits.MoveTime)
			w.Advice = i18n.Of("remove the limits of %s, or give it at most %v", m.Name, most)
			r.warnings = append(r.warnings, w)
		}
	}
}

func (r councils) checkRules(path string, c *match.Council) {
	if c.Rule == "" {
		r.fail(path+".rule", "rule is missing: expected one of %s", strings.Join(voting.RuleNames(), ", "))
		return
	}
	for i, text := range append([]string{c.Rule}, c.Shadows...) {
		spec, err := voting.ParseSpec(text)
		if err == nil {
			err = spec.Check(len(c.Members))
		}
		if err != nil {
			r.fail(path+".rule", "%w", err)
		}
		if i == 0 && err == nil && spec.Reset == "never" {
			r.warnings = append(r.warnings,
				advice.Of("a rule with reset=never learns from one game to the next: its games depend on the order in which they are played"))
		}
	}
}

// checkLists warns if a rule uses lists of several lines but members give only one line each. Then the rule nearly
// always chooses the same move as a simple majority.
func (r councils) checkLists(name string, c *match.Council) {
	spec, err := voting.ParseSpec(c.Rule)
	if err != nil || !spec.ReadsLists() {
		return // the error is reported elsewhere
	}
	var single []string
	for i := range c.Members {
		if m := &c.Members[i]; m.Council == nil && linesOf(m.Options) <= 1 {
			single = append(single, m.Name)
		}
	}
	if len(single) > 0 {
		w := advice.Of("council %s votes by %s over MultiPV lists, and MultiPV is 1 for %s: with one line each it nearly always plays the move of the simple majority",
			name, spec.Name, strings.Join(single, ", "))
		w.Advice = i18n.Of("options = {MultiPV = 4} gives lists")
		r.warnings = append(r.warnings, w)
	}
}

// linesOf returns the value of the option MultiPV. If the option is not set, it returns 1, the usual default
// of engines.
func linesOf(options []match.Option) int {
	for _, o := range options {
		if strings.EqualFold(o.Name, "MultiPV") {
			if n, err := strconv.Atoi(o.Value); err == nil {
				return n
			}
		}
	}
	return 1
}

func (r councils) members(i int, out *match.Council, within []string) {
	c, path := &r.file.Councils[i], position.Element("council", i)
	if len(c.Members) == 0 {
		r.fail(path, "council %s has no members: expected names of engines or councils, such as members = [\"A\", \"B\"]",
			c.Name)
	}
	for j, name := range c.Members {
		at := position.Element(path+".members", j)
		switch engine, council := r.file.engine(name), r.file.council(name); {
		case slices.Index(c.Members, name) < j:
			r.fail(at, "council %s: %q is there twice: expected a second [[engine]] with a name of its own, or vary", c.Name,
				name)
		case engine >= 0:
			r.addMember(out, r.member(engine), r.scale(engine), r.clamp(engine), r.file.Engines[engine].Limits)
		case council >= 0 && slices.Contains(within, name):
			r.fail(at, "council %s: %q is a member of itself", c.Name, name)
		case council >= 0:
			r.addMember(out, r.council(council, within), match.Scale{}, voting.DefaultClamp, r.file.Councils[council].Limits)
		default:
			r.fail(at, "council %s: there is no engine or council %q (%s)", c.Name, name, r.file.engineNames())
		}
	}
	if len(c.Vary) > 0 {
		r.multiply(path, c, out)
	}
}

func (r councils) addMember(out *match.Council, p match.Player, s match.Scale, clamp float64, own *Limits) {
	out.Members = append(out.Members, p)
	out.Scales, out.Clamps = append(out.Scales, s), append(out.Clamps, clamp)
	out.Own = append(out.Own, own != nil && own.search())
}

// member returns engine i as a member of a council. It reports an error if the engine has its own clock,
// because a member uses the council's clock.
func (r councils) member(i int) match.Player {
	var limits match.Limits
	if own := r.file.Engines[i].Limits; own != nil && own.search() {
		limits = r.engineAt(i).limits()
	}
	if !limits.Clock.IsZero() {
		e := &r.file.Engines[i]
		r.fail(limitsPath("engine", i, e.Limits),
			"engine %s: a member of a council has the council's clock: expected nodes, depth, movetime or self", e.Name)
	}
	return r.engineAt(i).resolve(limits)
}

func (r councils) scale(i int) match.Scale {
	s := r.file.Engines[i].Scale
	if s == nil || s.Slope == nil && s.Intercept == nil {
		return match.Scale{} // the default; the digest of a run with the default must not change
	}
	out := match.Scale{Slope: or(s.Slope, voting.DefaultSlope), Intercept: or(s.Intercept, 0)}
	if !(out.Slope > 0) {
		r.fail(position.Element("engine", i)+".scale", "engine %s: scale: the slope must be above 0", r.file.Engines[i].Name)
	}
	return out
}

func (r councils) clamp(i int) float64 {
	s := r.file.Engines[i].Scale
	if s == nil || s.Clamp == nil {
		return voting.DefaultClamp
	}
	if !(*s.Clamp == 0 || *s.Clamp >= 1 && *s.Clamp <= 32000) {
		r.fail(position.Element("engine", i)+".scale",
			"engine %s: scale: clamp = %v: expected 0 for none, or from 1 to 32000 centipawns", r.file.Engines[i].Name, *s.Clamp)
	}
	return *s.Clamp
}

// multiply replaces the only member of a council by several copies, one for each position in the lists of
// vary. It reports an error if the council has another member.
func (r councils) multiply(path string, c *Council, out *match.Council) {
	n, err := c.Vary.length()
	if err == nil && (len(out.Members) != 1 || out.Members[0].Council != nil) {
		err = fmt.Errorf("expected one engine as the only member, found %d members", len(out.Members))
	}
	if err != nil {
		r.fail(path+".vary", "council %s: vary: %w", c.Name, err)
		return
	}
	one, scale, clamp, own := out.Members[0], out.Scales[0], out.Clamps[0], out.Own[0]
	out.Members, out.Scales, out.Clamps, out.Own = nil, nil, nil, nil
	for i := range n {
		p := one
		options := Options(one.Options)
		for _, v := range c.Vary {
			options = options.with(match.Option{Name: v.Name, Value: v.Values[i]})
		}
		p.Name, p.Options = one.Name+strconv.Itoa(i+1), options
		out.Members, out.Own = append(out.Members, p), append(out.Own, own)
		out.Scales, out.Clamps = append(out.Scales, scale), append(out.Clamps, clamp)
	}
}

func (v Vary) length() (int, error) {
	n := len(v[0].Values)
	for _, x := range v {
		if len(x.Values) != n {
			return 0, fmt.Errorf("%s has %d values and %s has %d: expected as many", v[0].Name, n, x.Name, len(x.Values))
		}
	}
	if n == 0 {
		return 0, errors.New("expected lists of values")
	}
	return n, nil
}
