package board

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"gogi/farm"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/match"
)

// An Outcome is the result of a test in the words of the pages about one machine. A text is "" if it is unknown.
type Outcome struct {
	Games     int
	WDL       string  // wins, draws and losses of the first player
	Elo       string  // with its 95% interval
	EloKind   string  // label of Elo: see html.Glance
	Pairs     string  // pentanomial
	PerMinute float64 // games a minute now; 0 if the test is not in play
}

// outcomes returns the outcomes of tests by plan hash. It has no entry for a test whose outcome is not known yet.
func (p *Pages) outcomes(ctx context.Context, tests []farm.TestStatus) map[string]*Outcome {
	known := map[string]*Outcome{}
	for _, t := range tests {
		if p.config.Outcome == nil || t.Stored == 0 {
			continue
		}
		if o := p.config.Outcome(ctx, t); o != nil {
			known[t.Run] = o
		}
	}
	return known
}

// totals are the sums over a farm.
type totals struct {
	Machines, Slots int // connected machines, and the games that they play at a time
	PerMinute       float64
}

func totalsOf(workers []farm.WorkerStatus, outcomes map[string]*Outcome) (t totals) {
	for i := range workers {
		if workers[i].Here {
			t.Machines++
			t.Slots += workers[i].Slots
		}
	}
	for _, o := range outcomes {
		t.PerMinute += o.PerMinute
	}
	return t
}

// An advice is a long text about a test, which the list of tests shows below the table.
type advice struct {
	Test  farm.TestStatus
	Texts []string
}

// advices returns the long texts about tests.
func (v *visit) advices(tests []farm.TestStatus) (list []advice) {
	for _, t := range tests {
		a := advice{Test: t}
		if t.Provisional != "" {
			a.Texts = append(a.Texts, v.say("The verdict is provisional: %s", t.Provisional))
		}
		if t.Voided != "" {
			a.Texts = append(a.Texts, t.Voided)
		}
		for _, b := range t.Benches {
			if b.Differs() {
				a.Texts = append(a.Texts,
					v.say("The commit message of %s has bench %d, and its builds have %d nodes (read by %s). Check that %s is the commit that you mean.", b.Engine, b.Message, b.Nodes, readerOf(b).In(v.in), fmt.Sprintf("%.10s", b.Commit)))
			}
		}
		for _, why := range t.Refusals {
			a.Texts = append(a.Texts, v.say("Not played by %s", why))
		}
		if len(a.Texts) > 0 {
			list = append(list, a)
		}
	}
	return list
}

// readerOf returns whose number a bench is, as BenchCheck.Reader.
func readerOf(b farm.BenchCheck) i18n.Message {
	worker, owner := sanitize.Printable(b.Worker, 60), sanitize.Printable(b.Owner, 60)
	switch {
	case b.Owner == "":
		return i18n.Verbatim(worker)
	case b.Trusted:
		return i18n.Of("machine %s of %s", worker, owner)
	}
	return i18n.Of("machine %s of %s, which the farm does not trust", worker, owner)
}

// A change is the difference between the commits of a test's two engines.
type change struct {
	Link    string // page of the repository's host with the difference; "": the host is unknown
	Command string // command that shows the difference in a clone of the repository
	Dev     *match.Source
	Base    *match.Source
}

// changeOf returns the difference between the commits of dev, the first player, and base, the second one. It returns
// nil unless gogi builds both from git commits.
func changeOf(plan *match.Plan) *change {
	if plan == nil || len(plan.Players) != 2 {
		return nil
	}
	dev, base := plan.Players[0].Identity.Source, plan.Players[1].Identity.Source
	if dev == nil || base == nil {
		return nil
	}
	c := &change{Dev: dev, Base: base, Command: "git log -p " + base.Commit + "..." + dev.Commit}
	if dev.Repository != base.Repository {
		c.Command = "git fetch " + dev.Repository + " " + dev.Commit + " && " + c.Command
	} else {
		c.Link = comparison(dev.Repository, base.Commit, dev.Commit)
	}
	return c
}

// comparison returns the page of a known host that compares two commits, or "".
func comparison(repository, base, dev string) string {
	u, err := url.Parse(repository)
	if err != nil || u.Scheme != "https" {
		return ""
	}
	path := strings.TrimSuffix(strings.Trim(u.EscapedPath(), "/"), ".git")
	switch strings.ToLower(u.Host) {
	case "github.com", "codeberg.org":
		return "https://" + u.Host + "/" + path + "/compare/" + base + "..." + dev
	case "gitlab.com":
		return "https://" + u.Host + "/" + path + "/-/compare/" + base + "..." + dev
	}
	return ""
}
