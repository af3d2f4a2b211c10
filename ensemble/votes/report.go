// Package votes reports how councils voted. It reads the records of their decisions from games or from a log.
// A [Report] covers a whole run, a [GameVotes] one game move by move; a [Replay] repeats the votes with other
// rules, and a [Fit] finds the scale of each member's scores.
package votes

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"gogi/ensemble/voting"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/lists"
)

// Head contains the first fields of each result that gogi votes prints: the version of the format, and the
// run or vote log with the votes.
type Head struct {
	Version int    `json:"version"`
	Run     string `json:"run,omitempty"`
	Log     string `json:"log,omitempty"` // the vote log
}

// A Report has statistics of the votes in a run or a vote log. gogi votes show prints it.
type Report struct {
	Head
	Games    int        `json:"games"`
	Councils []*Council `json:"councils"` // the councils of the run, by rule
}

// Council holds statistics of one council that voted by one rule.
type Council struct {
	Council   string         `json:"council"`
	Rule      string         `json:"rule"`
	Members   []memberReport `json:"members"`
	Games     int            `json:"games"`
	Decisions int            `json:"decisions"`
	TakenBack int            `json:"taken_back"` // decisions that the game did not continue from; they are not counted
	Plies     *int           `json:"plies"`      // plies of the games, both sides, without the openings
	Why       string         `json:"why,omitempty"`
	Voted     int            `json:"voted"` // decisions with at least one vote
	Early     int            `json:"early"` // decisions before all ballots arrived
	Nodes     uint64         `json:"nodes"`

	By         []reasonCount    `json:"by"`     // decisions by what decided them
	Splits     []splitCount     `json:"splits"` // decisions by how the votes split
	Unanimous  splitShare       `json:"unanimous"`
	TopTies    topTies          `json:"top_ties"` // decisions in which the best two moves had the same value
	Differs    splitShare       `json:"differs_from_plurality"`
	Entropy    entropyReport    `json:"entropy"`
	Leaders    leaderReport     `json:"leaders"`            // the members with the largest weight
	Dictators  dictatorReport   `json:"dictators"`          // members that outweigh all others together
	Shadows    []shadowReport   `json:"shadows"`            // rules that were recorded and not played
	Agreements []agreementShare `json:"agreements"`         // how often two members vote for the same move
	Firsts     []earlyReport    `json:"firsts,omitempty"`   // for 2, 3, … first answers; only of councils of three or more
	Examined   *examinedReport  `json:"examined,omitempty"` // nil if the council examined no move
	Pondered   *ponderReport    `json:"pondered,omitempty"` // nil if the members never thought on different replies

	entropy   float64
	tenures   int   // number of times that a leader replaced another or the first one appeared
	led       int   // decisions with a leader
	longest   int   // the longest tenure, in decisions
	leaders   int   // number of different leaders of each game, summed over the games
	onsets    []int // of each game, the decision at which a member first outweighed all others
	agree     [][]int
	both      [][]int
	plies     int
	anyLogged bool
}

// memberReport is the part of a Council's statistics about one member.
type memberReport struct {
	Name    string      `json:"name"`
	Votes   int         `json:"votes"`   // number of ballots that counted as moves
	Adopted int         `json:"adopted"` // number of votes for the move that was played
	Share   *float64    `json:"share"`   // Adopted/Votes
	Why     string      `json:"why,omitempty"`
	Led     int         `json:"led"` // decisions in which the member had the largest weight
	Nodes   uint64      `json:"nodes"`
	Ballots []kindCount `json:"ballots"` // ballots by kind
}

type kindCount struct {
	Kind  voting.Kind `json:"kind"`
	Count int         `json:"count"`
}

type reasonCount struct {
	By    voting.By `json:"by"` // what decided, such as vote or book
	Count int       `json:"count"`
	Share float64   `json:"share"` // share of the decisions
}

// splitShare is a number of decisions, as a share of the council's own decisions and of all plies of its
// games. It has both shares, because published counts of splits do not define which share they mean.
type splitShare struct {
	Count       int      `json:"count"`
	OfDecisions *float64 `json:"of_decisions"` // share of the council's decisions
	OfPlies     *float64 `json:"of_plies"`     // share of all plies of its games
	Why         string   `json:"why,omitempty"`
}

type splitCount struct {
	Split string `json:"split"` // numbers of votes for each move, the largest first, such as 2-1
	splitShare
}

// topTies counts the decisions in which the best two moves had the same value.
type topTies struct {
	splitShare
	Levels []tieCount `json:"levels"` // number of decisions by the tie-break that decided
}

type tieCount struct {
	Tie   voting.Tie `json:"tie"`
	Count int        `json:"count"`
}

// entropyReport has the entropy of the votes in bits. The entropy is 0 when all members agree.
type entropyReport struct {
	Mean *float64 `json:"mean"` // mean entropy of a decision, in bits
	Why  string   `json:"why,omitempty"`
}

// leaderReport describes the leader: the member with the largest weight. Of members with equal weights the
// first leads. There is no leader while all weights are equal.
type leaderReport struct {
	Games         int      `json:"games"`          // number of games that had a leader
	OneThroughout int      `json:"one_throughout"` // number of these games in which only one member led
	PerGame       *float64 `json:"per_game"`       // number of different leaders per game
	MeanTenure    *float64 `json:"mean_tenure"`    // mean number of decisions in a row with the same leader
	LongestTenure *int     `json:"longest_tenure"` // largest number of decisions in a row with the same leader
	Why           string   `json:"why,omitempty"`
}

// dictatorReport describes members that outweigh all other members together.
type dictatorReport struct {
	Games       int    `json:"games"`        // number of games with such a member
	Earliest    *int   `json:"earliest"`     // lowest number of a decision at which a member outweighed the others
	MedianOnset *int   `json:"median_onset"` // median, over these games, of the number of the first such decision
	Why         string `json:"why,omitempty"`
}

// shadowReport compares the decisions of a shadow rule, which was recorded but not played, with the played
// decisions.
type shadowReport struct {
	Rule      string  `json:"rule"`
	Decisions int     `json:"decisions"`
	Differs   int     `json:"differs"` // decisions that differ from the played move
	Share     float64 `json:"share"`   // share of the decisions
}

// agreementShare holds how often two members voted for the same move.
type agreementShare struct {
	A     string   `json:"a"`     // name of the first member
	B     string   `json:"b"`     // name of the second member
	Both  int      `json:"both"`  // decisions in which both voted
	Same  int      `json:"same"`  // decisions in which both voted for the same move
	Share *float64 `json:"share"` // Same/Both
	Why   string   `json:"why,omitempty"`
}

// Add adds the votes of a game to the report.
func (r *Report) Add(g *Game) {
	r.Games++
	for i := range g.Votes {
		v := &g.Votes[i]
		c := r.of(v)
		if i == 0 || r.of(&g.Votes[0]) != c { // a council that plays both sides has one game
			c.Games++
			c.plies += g.plies
		}
		c.anyLogged = c.anyLogged || g.plies < 0
		kept := v.played()
		c.TakenBack += len(v.records) - len(kept)
		for _, vote := range kept {
			c.add(vote)
		}
		c.addLeaders(kept)
	}
}

// of returns the statistics of a council. A council with another rule or other members has its own
// statistics.
func (r *Report) of(v *Votes) *Council {
	first := v.records[0]
	for _, c := range r.Councils {
		if c.Council == v.Council && c.Rule == first.Rule &&
			slices.EqualFunc(c.Members, first.Members, func(m memberReport, name string) bool { return m.Name == name }) {
			return c
		}
	}
	c := &Council{
		Council: v.Council, Rule: first.Rule, By: []reasonCount{}, Splits: []splitCount{}, Shadows: []shadowReport{},
		Agreements: []agreementShare{},
	}
	c.TopTies.Levels = []tieCount{}
	for _, name := range first.Members {
		c.Members = append(c.Members, memberReport{Name: name, Ballots: []kindCount{}})
		c.agree = append(c.agree, make([]int, len(first.Members)))
		c.both = append(c.both, make([]int, len(first.Members)))
	}
	r.Councils = append(r.Councils, c)
	return c
}

// rowOf returns the first row of a list for which matches returns true. If there is none, it adds row to the list and
// returns that row.
func rowOf[T any](list *[]T, matches func(T) bool, row T) *T {
	i := slices.IndexFunc(*list, matches)
	if i < 0 {
		i = len(*list)
		*list = append(*list, row)
	}
	return &(*list)[i]
}

func (c *Council) add(vote *voting.Record) {
	c.Decisions++
	c.Nodes += vote.Nodes
	rowOf(&c.By, func(x reasonCount) bool { return x.By == vote.By }, reasonCount{By: vote.By}).Count++
	if vote.Early {
		c.Early++
	}
	if vote.Split != "" {
		c.addVote(vote)
	}
	for _, s := range vote.Shadow {
		x := rowOf(&c.Shadows, func(x shadowReport) bool { return x.Rule == s.Rule }, shadowReport{Rule: s.Rule})
		x.Decisions++
		if s.Played != votedFor(vote) {
			x.Differs++
		}
	}
	c.addBallots(vote)
	c.addExtras(vote)
}

// votedFor returns the move that won the vote, even if a veto or an examination replaced the move.
func votedFor(vote *voting.Record) string {
	return cmp.Or(vote.Vetoed, vote.Played)
}

// addVote counts a decision with at least one vote.
func (c *Council) addVote(vote *voting.Record) {
	c.Voted++
	rowOf(&c.Splits, func(x splitCount) bool { return x.Split == vote.Split }, splitCount{Split: vote.Split}).Count++
	if !strings.Contains(vote.Split, ":") {
		c.Unanimous.Count++
	}
	if vote.TopTie {
		c.TopTies.Count++
		rowOf(&c.TopTies.Levels, func(x tieCount) bool { return x.Tie == vote.Tie }, tieCount{Tie: vote.Tie}).Count++
	}
	if vote.Differs {
		c.Differs.Count++
	}
	votes := lists.Sum(vote.Counts, func(e voting.Entry[int]) int { return e.Value })
	for _, e := range vote.Counts {
		if p := float64(e.Value) / float64(votes); p > 0 {
			c.entropy -= p * math.Log2(p)
		}
	}
}

func (c *Council) addBallots(vote *voting.Record) {
	votes := make([]string, len(c.Members))
	for i := range vote.Ballots {
		b := &vote.Ballots[i]
		if b.Member >= len(c.Members) {
			continue
		}
		m := &c.Members[b.Member]
		m.Nodes += b.Nodes
		rowOf(&m.Ballots, func(x kindCount) bool { return x.Kind == b.Kind }, kindCount{Kind: b.Kind}).Count++
		if b.Kind != voting.KindMove {
			continue
		}
		votes[b.Member] = b.Move
		m.Votes++
		if b.Move == vote.Played {
			m.Adopted++
		}
	}
	for i := range votes {
		for j := range i {
			if votes[i] == "" || votes[j] == "" {
				continue
			}
			c.both[i][j]++
			if votes[i] == votes[j] {
				c.agree[i][j]++
			}
		}
	}
}

// addLeaders adds the votes of one game to the statistics about the members with the largest weight (leaders), and
// about members that outweigh all others together.
func (c *Council) addLeaders(votes []*voting.Record) {
	last, tenure, dictated := -1, 0, false
	different := map[int]bool{}
	for _, vote := range votes {
		leader, outweighs := heaviest(vote.Before)
		if leader != last {
			tenure = 0
		}
		if leader >= 0 && leader < len(c.Members) {
			if tenure++; tenure == 1 {
				c.tenures++
			}
			c.led++
			c.longest = max(c.longest, tenure)
			c.Members[leader].Led++
			different[leader] = true
		}
		last = leader
		if outweighs && !dictated {
			dictated = true
			c.onsets = append(c.onsets, vote.Own)
		}
	}
	c.leaders += len(different)
	if len(different) > 0 {
		c.Leaders.Games++
	}
	if len(different) == 1 {
		c.Leaders.OneThroughout++
	}
}

// heaviest returns the member with the largest weight. If several members have this weight, it returns the first.
// leader is -1 if all weights are equal. outweighs reports whether this member's weight is larger than the sum of all
// other weights.
func heaviest(weights []float64) (leader int, outweighs bool) {
	if len(weights) < 2 || voting.CompareSums(slices.Max(weights), slices.Min(weights)) == 0 {
		return -1, false
	}
	sum := 0.0
	for i, w := range weights {
		sum += w
		if voting.CompareSums(w, weights[leader]) > 0 {
			leader = i
		}
	}
	return leader, voting.CompareSums(weights[leader], sum-weights[leader]) > 0
}

// Finish calculates all shares and means. Call it after all games were added.
func (r *Report) Finish() {
	for _, c := range r.Councils {
		c.finish()
	}
}

// finish calculates a council's shares from its counts.
func (c *Council) finish() {
	if c.anyLogged {
		c.Why = "a log of votes has no lengths of games"
	} else {
		c.Plies = &c.plies
	}
	for i := range c.By {
		c.By[i].Share = float64(c.By[i].Count) / float64(c.Decisions)
	}
	slices.SortFunc(c.By, func(a, b reasonCount) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(string(a.By), string(b.By)))
	})
	for i := range c.Splits {
		c.share(&c.Splits[i].splitShare)
	}
	slices.SortFunc(c.Splits, func(a,
		b splitCount) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(b.Split, a.Split))
	})
	c.share(&c.Unanimous)
	c.share(&c.TopTies.splitShare)
	c.share(&c.Differs)
	slices.SortFunc(c.TopTies.Levels, func(a, b tieCount) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(string(a.Tie), string(b.Tie)))
	})
	for i := range c.Shadows {
		c.Shadows[i].Share = float64(c.Shadows[i].Differs) / float64(c.Shadows[i].Decisions)
	}
	c.finishMembers()
	c.finishLeaders()
}

// share sets the shares of s from its count. If the number of plies is unknown, it sets the reason instead of
// the share of plies.
func (c *Council) share(s *splitShare) {
	s.OfDecisions = format.Finite(float64(s.Count) / float64(c.Decisions))
	if c.Plies == nil {
		s.Why = c.Why
		return
	}
	s.OfPlies = format.Finite(float64(s.Count) / float64(*c.Plies))
	if s.OfPlies == nil {
		s.Why = "the games have no plies"
	}
}

func (c *Council) finishMembers() {
	for i := range c.Members {
		m := &c.Members[i]
		if m.Share = format.Finite(float64(m.Adopted) / float64(m.Votes)); m.Share == nil {
			m.Why = "it never voted"
		}
		for j := range i {
			a := agreementShare{A: c.Members[j].Name, B: m.Name, Both: c.both[i][j], Same: c.agree[i][j]}
			if a.Share = format.Finite(float64(a.Same) / float64(a.Both)); a.Share == nil {
				a.Why = "they never voted in the same decision"
			}
			c.Agreements = append(c.Agreements, a)
		}
	}
	if c.Entropy.Mean = format.Finite(c.entropy / float64(c.Voted)); c.Entropy.Mean == nil {
		c.Entropy.Why = "no vote"
	}
}

func (c *Council) finishLeaders() {
	c.Dictators.Games = len(c.onsets)
	if c.tenures == 0 {
		c.Leaders.Why = "the weights were equal all the time"
	} else {
		c.Leaders.PerGame = format.Finite(float64(c.leaders) / float64(c.Leaders.Games))
		c.Leaders.MeanTenure = format.Finite(float64(c.led) / float64(c.tenures))
		c.Leaders.LongestTenure = &c.longest
	}
	if len(c.onsets) == 0 {
		c.Dictators.Why = "no member ever outweighed all others together"
		return
	}
	slices.Sort(c.onsets)
	c.Dictators.Earliest, c.Dictators.MedianOnset = &c.onsets[0], &c.onsets[(len(c.onsets)-1)/2]
}

// tieWords returns a text for a tie-break. It quotes an unknown tie-break.
func tieWords(tie voting.Tie) i18n.Message {
	words := map[voting.Tie]i18n.Message{
		voting.TieScore: i18n.Of("best score"), voting.TieMember: i18n.Of("order of the members"),
		voting.TieWeight: i18n.Of("heaviest backer"),
		voting.TieSum:    i18n.Of("sum of weights"), voting.TieCount: i18n.Of("number of backers"),
		voting.TieLeader:   i18n.Of("the leader's vote"),
		voting.TiePrevious: i18n.Of("the member followed last"), voting.TieRandom: i18n.Of("lot"),
	}
	if said, known := words[tie]; known {
		return said
	}
	return i18n.Verbatim(strconv.Quote(string(tie)))
}
