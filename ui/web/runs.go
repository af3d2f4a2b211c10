package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/report/html"
	"gogi/report/stored"
	"gogi/results"
)

// runsOnAPage is the number of runs on a page of the list.
const runsOnAPage = 50

// runsBody is the data for a page of the list of runs.
type runsBody struct {
	Rows       []runRow
	Total      int // number of runs that pass the filters, on all pages
	Query      url.Values
	Filtered   bool
	States     []i18n.Message // the states that a reader may ask for
	Tags       []string       // all tags, sorted
	Prev, Next string         // links; "": no such page
	Unread     int            // runs whose results are still being read
}

type runRow struct {
	*results.RunInfo
	Live   *match.Snapshot // nil: the run is not in play
	Glance *html.Glance    // nil: not read yet, or without a strength
	State  i18n.Message
	Class  string // class of the state
	Note   i18n.Message
	ETA    string
	Tags   []string
}

// Played returns the number of games that are stored.
func (r runRow) Played() int {
	if r.Glance != nil {
		return r.Glance.Games
	}
	return r.Finished * r.Legs
}

// listed returns the states that a reader can select in the list of runs, by their name in a query.
func listed() []string {
	return []string{"running", string(stored.StatePassed), string(stored.StateFailed), string(stored.StateInconclusive),
		string(stored.StateFinished), string(stored.StateStopped), string(stored.StateUnfinished)}
}

// runList has the page with all runs.
type runList struct{ *Server }

// runsPage lists the runs: first those in play, then the latest. It reads the results of as many runs as is possible in
// listTime. While results are missing, the browser loads the page again.
func (s runList) runsPage(w http.ResponseWriter, r *http.Request) error {
	query := r.URL.Query()
	page, err := strconv.Atoi(query.Get("page"))
	if page < 1 || err != nil {
		page = 1
	}
	names, err := s.runNames(r.Context())
	if err != nil {
		return err
	}
	state, text := query.Get("state"), strings.ToLower(strings.TrimSpace(query.Get("q")))
	if state != "" && !slices.Contains(listed(), state) {
		return &badQuery{fmt.Errorf("state %q: expected one of %s", state, strings.Join(listed(), ", "))}
	}
	tag := query.Get("tag")
	tags, err := results.TagsOf(r.Context(), s.config.Store)
	if err != nil {
		return err
	}
	body := runsBody{Query: query, Filtered: text != "" || state != "" || tag != "", Tags: allTags(tags)}
	for _, word := range listed() {
		body.States = append(body.States, stateWords(word))
	}
	ctx, end := context.WithTimeout(r.Context(), s.listTime)
	defer end()
	playing := s.config.Live.Runs()
	var chosen, rest []results.RunName // in play, and the others
	for _, n := range names {
		switch {
		case !mentions(n, text), tag != "" && !slices.Contains(tags[n.ID], tag):
		case state != "" && !s.inState(ctx, n, state, &body.Unread):
		case slices.Contains(playing, n.Name):
			chosen = append(chosen, n)
		default:
			rest = append(rest, n)
		}
	}
	chosen = append(chosen, rest...)
	body.Total = len(chosen)
	from := min((page-1)*runsOnAPage, len(chosen))
	infos, err := s.infosOf(r.Context(), chosen[from:min(from+runsOnAPage, len(chosen))])
	if err != nil {
		return err
	}
	for _, info := range infos {
		row, err := s.rowOf(ctx, info)
		if err != nil {
			return err
		}
		row.Tags = tags[info.ID]
		if row.Class == "unread" && state == "" {
			body.Unread++
		}
		body.Rows = append(body.Rows, *row)
	}
	if page > 1 {
		body.Prev = turned(query, page-1)
	}
	if from+runsOnAPage < len(chosen) {
		body.Next = turned(query, page+1)
	}
	if body.Unread > 0 {
		w.Header().Set("Refresh", "2")
	}
	s.show(w, r, "runs", frame{Title: voiceOf(r).Say("Runs"), Page: body})
	return nil
}

// allTags returns the tags of all runs, sorted.
func allTags(byRun map[int64][]string) []string {
	return slices.Compact(slices.Sorted(func(yield func(string) bool) {
		for _, tags := range byRun {
			for _, tag := range tags {
				if !yield(tag) {
					return
				}
			}
		}
	}))
}

// mentions reports whether text, in lower case, is a part of the run's name or of a player's.
func mentions(n results.RunName, text string) bool {
	return text == "" || strings.Contains(strings.ToLower(n.Name+"\n"+strings.Join(n.Players, "\n")), text)
}

// runNames returns the names of all runs, latest first.
func (s runList) runNames(ctx context.Context) ([]results.RunName, error) {
	s.namesMu.Lock()
	defer s.namesMu.Unlock()
	names, err := s.config.Store.RunNames(ctx, s.names)
	if err == nil {
		s.names = names
	}
	return names, err
}

// keptRun is a run as it was stored at a stamp.
type keptRun struct {
	stamp results.Stamp
	info  *results.RunInfo
}

// maxInfos is the largest number of runs that the server keeps for the list.
const maxInfos = 1000

// infosOf returns the runs with these names. It reads only the runs that have changed since it last read them.
func (s runList) infosOf(ctx context.Context, names []results.RunName) ([]*results.RunInfo, error) {
	stamps, changed := make([]results.Stamp, len(names)), []string(nil)
	s.infosMu.Lock()
	defer s.infosMu.Unlock()
	for i, n := range names {
		var err error
		if stamps[i], err = s.config.Store.Stamp(ctx, n.ID); err != nil {
			return nil, err
		}
		if s.infos[n.ID].stamp != stamps[i] {
			changed = append(changed, n.Name)
		}
	}
	found, err := s.config.Store.FindRuns(ctx, changed)
	if err != nil {
		return nil, err
	}
	read := map[int64]*results.RunInfo{}
	for i := range found {
		read[found[i].ID] = &found[i]
	}
	var infos []*results.RunInfo
	kept := s.infos
	if len(kept)+len(read) > maxInfos || kept == nil {
		s.infos = map[int64]keptRun{}
	}
	for i, n := range names {
		info := cmp.Or(read[n.ID], kept[n.ID].info)
		if info != nil {
			s.infos[n.ID] = keptRun{stamps[i], info}
			infos = append(infos, info)
		}
	}
	return infos, nil
}

// inState reports whether a run has a state of the list. If the state is unknown or may change, inState reads it,
// unless ctx has ended. It adds the runs whose state stays unknown to unread.
func (s runList) inState(ctx context.Context, n results.RunName, state string, unread *int) bool {
	known, ok := s.states.Load(n.ID)
	if (!ok || known == string(stored.StateUnfinished) || known == "running") && ctx.Err() == nil {
		if row, err := s.rowNamed(ctx, n.Name); err == nil && row.Class != "unread" {
			known, ok = wordOf(row.State), true
		}
	}
	if !ok {
		*unread++
	}
	return known == state
}

// turned returns the link to another page of the same list.
func turned(query url.Values, page int) string {
	other := url.Values{"page": {strconv.Itoa(page)}}
	for _, name := range []string{"q", "state"} {
		if v := query.Get(name); v != "" {
			other.Set(name, v)
		}
	}
	return "/?" + other.Encode()
}

func stateWords(word string) i18n.Message {
	short := map[string]i18n.Message{
		"running": i18n.Of("playing"), string(stored.StatePassed): i18n.Of("passed"),
		string(stored.StateFailed):       i18n.Of("failed"),
		string(stored.StateInconclusive): i18n.Of("inconclusive"),
	}
	if words, ok := short[word]; ok {
		return words
	}
	return stored.State(word).Message()
}

// wordOf returns the name of a state in a query.
func wordOf(state i18n.Message) string {
	i := slices.IndexFunc(listed(), func(word string) bool { return stateWords(word).String() == state.String() })
	if i < 0 {
		return ""
	}
	return listed()[i]
}

// Glance returns the result of a run as the list of runs shows it. It returns nil for a run without a strength, and if
// the result is still being read: then the server reads it for a later request.
func (s *Server) Glance(ctx context.Context, run string) *html.Glance {
	ctx, end := context.WithTimeout(ctx, s.listTime)
	defer end()
	row, err := runList{s}.rowNamed(ctx, run)
	if err != nil {
		return nil
	}
	return row.Glance
}

// rowNamed returns the row of the run with a name, as rowOf does.
func (s runList) rowNamed(ctx context.Context, name string) (*runRow, error) {
	info, err := s.config.Store.FindRun(context.WithoutCancel(ctx), name)
	if err != nil {
		return nil, err
	}
	return s.rowOf(ctx, info)
}

// rowOf returns the row of a run. If its results cannot be read before ctx ends, the class of the row is
// unread, and the server reads them in the background.
func (s runList) rowOf(ctx context.Context, info *results.RunInfo) (*runRow, error) {
	row := &runRow{RunInfo: info, Class: "unread", Note: noteOf(info)}
	if hub := s.config.Live.Hub(info.Name); hub != nil {
		row.Live = hub.State().State
		row.ETA = eta(row.Live)
	}
	made, err := s.glances.soon(ctx, s.Server, info, s.newGlance)
	switch {
	case err == nil:
		row.Glance, row.State, row.Class = made.glance, stateWords(string(made.state)), made.state.Class()
	case !errors.Is(err, errNotYet):
		return nil, err
	default:
		row.State = i18n.Of("being read")
	}
	if row.Live != nil && s.playing(info.Name) != nil {
		row.State, row.Class = i18n.Of("playing"), "running"
	}
	if row.Class != "unread" {
		s.states.Store(info.ID, wordOf(row.State))
	}
	return row, nil
}

// newGlance reads the result of a run for the list.
func (s runList) newGlance(ctx context.Context, info *results.RunInfo) (*sheet, error) {
	if !noteOf(info).IsZero() {
		state, err := stored.StateOf(ctx, s.config.Store, info)
		return &sheet{state: state}, err
	}
	if stored.Proves(info) != nil {
		return &sheet{state: stored.StateUnreadable}, nil
	}
	rep, err := stored.Report(ctx, s.config.Store, info.Name)
	if err != nil {
		return &sheet{state: stored.StateUnreadable}, ctx.Err()
	}
	settings, err := s.config.Store.Settings(ctx, info.ID)
	glance := html.NewGlance(rep)
	return &sheet{state: stored.ReportState(rep, settings), glance: &glance}, err
}

// noteOf names a kind of run without a strength, such as a tune. It is zero for other runs.
func noteOf(info *results.RunInfo) i18n.Message {
	switch why := stored.Proves(info); {
	case errors.Is(why, stored.ErrTune):
		return i18n.Of("tune")
	case errors.Is(why, stored.ErrSelfplay):
		return i18n.Of("self-play")
	}
	return i18n.Message{}
}

// eta returns the time until all pairs are stored at the present rate, or "" if it is unknown.
func eta(now *match.Snapshot) string {
	_, pairs, ok := now.Rate()
	if !ok || pairs <= 0 || now.Over || now.Phase != match.RunPlaying || now.Finished >= now.Pairs {
		return ""
	}
	return format.Duration(time.Duration(float64(now.Pairs-now.Finished) / pairs * float64(time.Minute)))
}
