package results

import (
	"context"
	"maps"
	"slices"

	"gogi/internal/sqlitefile"
	"gogi/match"
)

// salvaged are the rows of a file whose checksums say that they are what was stored,
// wherever they stand. Rows without a checksum are not among them: nothing tells them
// from what was deleted.
type salvaged struct {
	file *sqlitefile.File
	list []*rawRun
	// what a run hangs on
	own map[string]map[int64][]*rawRow // runs, engines and settings_log, by run
	// by run and number
	found    map[[2]int64]*rawRow            // pairs
	games    map[[2]int64][]sqlitefile.Place // not yet verified: that takes the pair
	openings map[int64]*rawRow
	workers  map[int64]*rawRow
	records  map[int64]sqlitefile.Place
	others   map[string][]*rawRow // by table: attempts, voided, tune_states and tune_candidates
	seen     map[string]bool
	mending  map[string]bool // the tables whose rows are mended
}

// salvage reads a file page by page. The rows that a run hangs on are mended where one
// bit of them is wrong; a pair can be played again.
func salvage(file *sqlitefile.File) (*salvaged, error) {
	s := &salvaged{
		file: file, own: map[string]map[int64][]*rawRow{"runs": {}, "engines": {}, "settings_log": {}}, found: map[[2]int64]*rawRow{}, games: map[[2]int64][]sqlitefile.Place{}, openings: map[int64]*rawRow{}, workers: map[int64]*rawRow{},
		records: map[int64]sqlitefile.Place{}, others: map[string][]*rawRow{}, seen: map[string]bool{},
	}
	current, err := currentSchema()
	if err != nil {
		return nil, err
	}
	s.read(current)
	if s.mending = s.wanting(); len(s.mending) > 0 {
		s.read(current)
	}
	for _, id := range slices.Sorted(maps.Keys(s.own["runs"])) {
		s.list = append(s.list, s.runOf(id))
	}
	return s, nil
}

// read goes through the file.
func (s *salvaged) read(current *schema) {
	s.file.Rows(func(r sqlitefile.Row) {
		for i := range current.tables {
			if row := s.identify(&current.tables[i], &r); row != nil {
				s.keep(row, r.Place)
			}
		}
	})
}

func (s *salvaged) runOf(id int64) *rawRun {
	run := &rawRun{engines: s.own["engines"][id], settings: s.own["settings_log"][id]}
	if rows := s.own["runs"][id]; len(rows) > 0 {
		run.run = rows[0]
	}
	order := func(column string) func(a, b *rawRow) int {
		return func(a, b *rawRow) int { return int(a.int(column) - b.int(column)) }
	}
	slices.SortFunc(run.engines, order("idx"))
	slices.SortFunc(run.settings, order("id"))
	return run
}

// wanting are the tables of which a row is missing that pairs hang on.
func (s *salvaged) wanting() map[string]bool {
	tables := map[string]bool{}
	for key, p := range s.found {
		run := s.runOf(key[0])
		if run.run == nil {
			tables["runs"] = true
		}
		if max(p.int("a"), p.int("b")) >= int64(len(run.engines)) || !run.complete() {
			tables["engines"] = true
		}
		if s.openings[p.int("opening_id")] == nil {
			tables["openings"] = true
		}
		if p.value("worker") != nil && s.workers[p.int("worker")] == nil {
			tables["workers"] = true
		}
		setting := p.value("setting")
		if setting != nil && !slices.ContainsFunc(run.settings, func(r *rawRow) bool { return r.value("id") == setting }) {
			tables["settings_log"] = true
		}
	}
	return tables
}

// complete reports whether all players of the run's plan are there.
func (r *rawRun) complete() bool {
	if r.run == nil {
		return false
	}
	text, _ := r.run.value("plan").(string)
	plan, err := match.ParseCanonical([]byte(text))
	return err == nil && len(plan.Players) == len(r.engines)
}

func (s *salvaged) keep(row *rawRow, at sqlitefile.Place) {
	switch row.layout.name {
	case "runs":
		s.own["runs"][row.int("id")] = append(s.own["runs"][row.int("id")], row)
	case "engines", "settings_log":
		s.own[row.layout.name][row.int("run_id")] = append(s.own[row.layout.name][row.int("run_id")], row)
	case "workers":
		s.workers[row.int("id")] = row
	case "openings":
		s.openings[row.int("id")] = row
	case "pairs":
		s.found[[2]int64{row.int("run_id"), row.int("pair")}] = row
	case "games":
		key := [2]int64{row.int("run_id"), row.int("pair")}
		s.games[key] = append(s.games[key], at)
	case "records":
		s.records[row.int("game_id")] = at
	default:
		s.others[row.layout.name] = append(s.others[row.layout.name], row)
	}
}

// mendableSize bounds what is mended: trying each bit takes time with its square.
const mendableSize = 32 << 10

// identify is the row, if it is one of the table that was not seen yet and is what was
// stored; else nil. That of a game is known only with its pair.
func (s *salvaged) identify(l *layout, r *sqlitefile.Row) *rawRow {
	row := rowOf(l, r, r.Values)
	if row == nil || l.name != "games" && row.verdict() != sound {
		if row = nil; s.mending[l.name] && len(r.Payload) <= mendableSize && len(r.Payload) > l.least() && r.Table != l.keyed {
			row = mend(l, r)
		}
	}
	if row == nil || l.name == "games" && row.value("checksum") == nil {
		return nil
	}
	if l.name == "games" || l.name == "records" || l.name == "pairs" {
		return row // they are told apart by their numbers
	}
	key, err := row.identity(r.Rowid)
	if err != nil || s.seen[key] {
		return nil
	}
	s.seen[key] = true
	return row
}

// identity is a text that equal rows have, and no others.
func (r *rawRow) identity(rowid int64) (string, error) {
	var c checksum
	c.reset(r.layout.name)
	c.int(rowid)
	for _, v := range r.values {
		if v == r.value("checksum") {
			continue
		}
		if err := c.add(v); err != nil {
			return "", err
		}
	}
	return string(c.text), nil
}

// mend tries every bit: one that makes the checksum right was the wrong one, for a
// CRC of rows of this size is not made right by any other.
func mend(l *layout, r *sqlitefile.Row) *rawRow {
	// The header's first byte is its length, and that of a row with all columns of a
	// table is about their number: this spares most of what is no row of it.
	if n := int(r.Payload[0]); n < l.least()-1 || n > 3*len(l.columns)+2 {
		return nil
	}
	payload := slices.Clone(r.Payload)
	for bit := range 8 * len(payload) {
		payload[bit/8] ^= 1 << (bit % 8)
		if values, ok := sqlitefile.Decode(payload); ok {
			if row := rowOf(l, r, values); row != nil && row.verdict() == sound {
				return row
			}
		}
		payload[bit/8] ^= 1 << (bit % 8)
	}
	return nil
}

// rowOf is a row as SQLite would give it, nil where it is none of the table.
func rowOf(l *layout, r *sqlitefile.Row, values []any) *rawRow {
	order := l.stored()
	if len(values) < l.least() || len(values) > len(order) || r.Table == l.keyed {
		return nil
	}
	row := &rawRow{layout: l, values: make([]any, len(order))}
	for i, v := range values {
		row.values[order[i]] = v
	}
	if id := l.rowid(); id >= 0 {
		if row.values[id] != nil {
			return nil
		}
		row.values[id] = r.Rowid
	}
	for i, c := range l.columns {
		v := row.values[i]
		if n, ok := v.(int64); ok && c.kind == "REAL" { // kept short (2.1)
			row.values[i] = float64(n)
			v = row.values[i]
		}
		if !c.takes(v) {
			return nil
		}
	}
	return row
}

// takes reports whether a column of a STRICT table may have the value.
func (c *columnLayout) takes(v any) (ok bool) {
	switch c.kind {
	case "INTEGER":
		_, ok = v.(int64)
	case "REAL":
		_, ok = v.(float64)
	case "TEXT":
		_, ok = v.(string)
	default:
		_, ok = v.([]byte)
	}
	return ok || v == nil
}

// rowid is the column that stands for a row's number, -1 for none.
func (l *layout) rowid() int {
	several := slices.ContainsFunc(l.columns, func(c columnLayout) bool { return c.key > 1 })
	if l.keyed || several {
		return -1
	}
	return slices.IndexFunc(l.columns, func(c columnLayout) bool { return c.key == 1 })
}

// stored is the order of the columns within a row: in a table WITHOUT ROWID the key
// stands first (2.4 of the file format).
func (l *layout) stored() []int {
	var order []int
	for i := range l.columns {
		order = append(order, i)
	}
	if l.keyed {
		slices.SortStableFunc(order, func(a, b int) int { return l.columns[a].rank() - l.columns[b].rank() })
	}
	return order
}

// least is how many columns a row has at least that has a checksum: those that came
// later stand behind it, and are not in rows that are older than they are.
func (l *layout) least() int { return l.index("checksum") + 1 }

// rank sorts keys by their place, and the others behind them.
func (c *columnLayout) rank() int {
	if c.key > 0 {
		return c.key
	}
	return 1 << 10
}

func (s *salvaged) runs(context.Context) ([]*rawRun, error) { return s.list, nil }

func (s *salvaged) pairs(_ context.Context, run int64, yield func(int64) error) error {
	var ids []int64
	for key := range s.found {
		if key[0] == run {
			ids = append(ids, key[1])
		}
	}
	slices.Sort(ids)
	for _, id := range ids {
		if err := yield(id); err != nil {
			return err
		}
	}
	return nil
}

func (s *salvaged) pair(_ context.Context, run, id int64) (*rawPair, error) {
	key := [2]int64{run, id}
	p := &rawPair{pair: s.found[key], records: map[int64]*rawRow{}}
	if p.pair == nil {
		return nil, ErrNoGame
	}
	if p.opening = s.openings[p.pair.int("opening_id")]; p.opening == nil {
		return p, nil
	}
	current, err := currentSchema()
	if err != nil {
		return nil, err
	}
	p.worker = s.workers[p.pair.int("worker")]
	legs := map[int64]bool{}
	for _, at := range s.games[key] {
		g := s.again(current.table("games"), at)
		if g == nil || legs[g.int("leg")] || g.verdictOf(p.sumOfGame(g)) != sound {
			continue
		}
		legs[g.int("leg")] = true
		p.games = append(p.games, g)
		if at, ok := s.records[g.int("id")]; ok {
			p.records[g.int("id")] = s.again(current.table("records"), at)
		}
	}
	slices.SortFunc(p.games, func(a, b *rawRow) int { return int(a.int("leg") - b.int("leg")) })
	return p, nil
}

// again reads a row of which only the place was kept: there are many, and large ones.
func (s *salvaged) again(l *layout, at sqlitefile.Place) *rawRow {
	if r, ok := s.file.Row(at); ok {
		return rowOf(l, &r, r.Values)
	}
	return nil
}

func (s *salvaged) rows(_ context.Context, table string, run int64, yield func(*rawRow) error) error {
	for _, r := range s.others[table] {
		if r.int("run_id") != run {
			continue
		}
		if err := yield(r); err != nil {
			return err
		}
	}
	return nil
}
