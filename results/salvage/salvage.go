// Package salvage reads a damaged database page by page: what its checksums say was
// stored, wherever it stands. It writes nothing.
package salvage

import (
	"context"
	"maps"
	"slices"

	"gogi/internal/sqlitefile"
	"gogi/results/tables"
)

// Found are the rows of a file whose checksums say that they are what was stored,
// wherever they stand. Rows without a checksum are not among them: nothing tells them
// from what was deleted.
type Found struct {
	file *sqlitefile.File
	all  []*tables.Run // of which a row was found, by number
	// what a run hangs on
	own map[string]map[int64][]*tables.Row // runs, engines and settings_log, by run
	// by run and number
	Paired   map[[2]int64]*tables.Row        // pairs
	games    map[[2]int64][]sqlitefile.Place // not yet verified: that takes the pair
	openings map[int64]*tables.Row
	Workers  map[int64]*tables.Row // by number
	records  map[int64]sqlitefile.Place
	others   map[string][]*tables.Row // by table: attempts, voided, tune_states and tune_candidates
	seen     map[string]bool
	mending  map[string]bool // the tables whose rows are mended
}

// Read reads a file page by page. The rows that a run hangs on are mended where one
// bit of them is wrong; a pair can be played again.
func Read(file *sqlitefile.File) (*Found, error) {
	s := &Found{
		file: file, own: map[string]map[int64][]*tables.Row{"runs": {}, "engines": {}, "settings_log": {}}, Paired: map[[2]int64]*tables.Row{}, games: map[[2]int64][]sqlitefile.Place{}, openings: map[int64]*tables.Row{}, Workers: map[int64]*tables.Row{},
		records: map[int64]sqlitefile.Place{}, others: map[string][]*tables.Row{}, seen: map[string]bool{},
	}
	current, err := tables.CurrentSchema()
	if err != nil {
		return nil, err
	}
	s.read(current)
	if s.mending = s.wanting(); len(s.mending) > 0 {
		s.read(current)
	}
	for _, id := range slices.Sorted(maps.Keys(s.own["runs"])) {
		s.all = append(s.all, s.RunOf(id))
	}
	return s, nil
}

// read goes through the file.
func (s *Found) read(current *tables.Schema) {
	s.file.Rows(func(r sqlitefile.Row) {
		for i := range current.Tables {
			if current.Tables[i].Derived() {
				continue
			}
			if row := s.identify(&current.Tables[i], &r); row != nil {
				s.keep(row, r.Place)
			}
		}
	})
}

// RunOf is what was found of a run by its number, its own row nil where it is lost.
func (s *Found) RunOf(id int64) *tables.Run {
	run := &tables.Run{Engines: s.own["engines"][id], Settings: s.own["settings_log"][id]}
	if rows := s.own["runs"][id]; len(rows) > 0 {
		run.Row = rows[0]
	}
	order := func(column string) func(a, b *tables.Row) int {
		return func(a, b *tables.Row) int { return int(a.Int(column) - b.Int(column)) }
	}
	slices.SortFunc(run.Engines, order("idx"))
	slices.SortFunc(run.Settings, order("id"))
	return run
}

// wanting are the tables of which a row is missing that pairs hang on.
func (s *Found) wanting() map[string]bool {
	lost := map[string]bool{}
	for key, p := range s.Paired {
		run := s.RunOf(key[0])
		if run.Row == nil {
			lost["runs"] = true
		}
		if max(p.Int("a"), p.Int("b")) >= int64(len(run.Engines)) || !run.Complete() {
			lost["engines"] = true
		}
		if s.openings[p.Int("opening_id")] == nil {
			lost["openings"] = true
		}
		if p.Value("worker") != nil && s.Workers[p.Int("worker")] == nil {
			lost["workers"] = true
		}
		setting := p.Value("setting")
		if setting != nil && !slices.ContainsFunc(run.Settings, func(r *tables.Row) bool { return r.Value("id") == setting }) {
			lost["settings_log"] = true
		}
	}
	return lost
}

func (s *Found) keep(row *tables.Row, at sqlitefile.Place) {
	switch row.Layout.Name {
	case "runs":
		s.own["runs"][row.Int("id")] = append(s.own["runs"][row.Int("id")], row)
	case "engines", "settings_log":
		s.own[row.Layout.Name][row.Int("run_id")] = append(s.own[row.Layout.Name][row.Int("run_id")], row)
	case "workers":
		s.Workers[row.Int("id")] = row
	case "openings":
		s.openings[row.Int("id")] = row
	case "pairs":
		s.Paired[[2]int64{row.Int("run_id"), row.Int("pair")}] = row
	case "games":
		key := [2]int64{row.Int("run_id"), row.Int("pair")}
		s.games[key] = append(s.games[key], at)
	case "records":
		s.records[row.Int("game_id")] = at
	default:
		s.others[row.Layout.Name] = append(s.others[row.Layout.Name], row)
	}
}

// mendableSize bounds what is mended: trying each bit takes time with its square.
const mendableSize = 32 << 10

// identify is the row, if it is one of the table that was not seen yet and is what was
// stored; else nil. That of a game is known only with its pair.
func (s *Found) identify(l *tables.Layout, r *sqlitefile.Row) *tables.Row {
	row := rowOf(l, r, r.Values)
	if row == nil || l.Name != "games" && row.Verdict() != tables.Sound {
		if row = nil; s.mending[l.Name] && len(r.Payload) <= mendableSize && len(r.Payload) > l.Least() && r.Table != l.Keyed {
			row = mend(l, r)
		}
	}
	if row == nil || l.Name == "games" && row.Value("checksum") == nil {
		return nil
	}
	if l.Name == "games" || l.Name == "records" || l.Name == "pairs" {
		return row // they are told apart by their numbers
	}
	key, err := row.Identity(r.Rowid)
	if err != nil || s.seen[key] {
		return nil
	}
	s.seen[key] = true
	return row
}

// mend tries every bit: one that makes the checksum right was the wrong one, for a
// CRC of rows of this size is not made right by any other.
func mend(l *tables.Layout, r *sqlitefile.Row) *tables.Row {
	// The header's first byte is its length, and that of a row with all columns of a
	// table is about their number: this spares most of what is no row of it.
	if n := int(r.Payload[0]); n < l.Least()-1 || n > 3*len(l.Columns)+2 {
		return nil
	}
	payload := slices.Clone(r.Payload)
	for bit := range 8 * len(payload) {
		payload[bit/8] ^= 1 << (bit % 8)
		if values, ok := sqlitefile.Decode(payload); ok {
			if row := rowOf(l, r, values); row != nil && row.Verdict() == tables.Sound {
				return row
			}
		}
		payload[bit/8] ^= 1 << (bit % 8)
	}
	return nil
}

// rowOf is a row as SQLite would give it, nil where it is none of the table.
func rowOf(l *tables.Layout, r *sqlitefile.Row, values []any) *tables.Row {
	order := l.Stored()
	if len(values) < l.Least() || len(values) > len(order) || r.Table == l.Keyed {
		return nil
	}
	row := &tables.Row{Layout: l, Values: make([]any, len(order))}
	for i, v := range values {
		row.Values[order[i]] = v
	}
	if id := l.Rowid(); id >= 0 {
		if row.Values[id] != nil {
			return nil
		}
		row.Values[id] = r.Rowid
	}
	for i, c := range l.Columns {
		v := row.Values[i]
		if n, ok := v.(int64); ok && c.Kind == "REAL" { // kept short (2.1)
			row.Values[i] = float64(n)
			v = row.Values[i]
		}
		if !c.Takes(v) {
			return nil
		}
	}
	return row
}

// Runs are those of which a row was found, by number.
func (s *Found) Runs(context.Context) ([]*tables.Run, error) { return s.all, nil }

// Pairs calls yield with the numbers of the pairs that were found, in order.
func (s *Found) Pairs(_ context.Context, run int64, yield func(int64) error) error {
	var ids []int64
	for key := range s.Paired {
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

// Pair is what was found of one.
func (s *Found) Pair(_ context.Context, run, id int64) (*tables.Pair, error) {
	key := [2]int64{run, id}
	p := &tables.Pair{Row: s.Paired[key], Records: map[int64]*tables.Row{}}
	if p.Row == nil {
		return nil, tables.ErrNoPair
	}
	if p.Opening = s.openings[p.Row.Int("opening_id")]; p.Opening == nil {
		return p, nil
	}
	current, err := tables.CurrentSchema()
	if err != nil {
		return nil, err
	}
	p.Worker = s.Workers[p.Row.Int("worker")]
	legs := map[int64]bool{}
	for _, at := range s.games[key] {
		g := s.again(current.Table("games"), at)
		if g == nil || legs[g.Int("leg")] || g.VerdictOf(p.SumOfGame(g)) != tables.Sound {
			continue
		}
		legs[g.Int("leg")] = true
		p.Games = append(p.Games, g)
		if at, ok := s.records[g.Int("id")]; ok {
			p.Records[g.Int("id")] = s.again(current.Table("records"), at)
		}
	}
	slices.SortFunc(p.Games, func(a, b *tables.Row) int { return int(a.Int("leg") - b.Int("leg")) })
	return p, nil
}

// again reads a row of which only the place was kept: there are many, and large ones.
func (s *Found) again(l *tables.Layout, at sqlitefile.Place) *tables.Row {
	if r, ok := s.file.Row(at); ok {
		return rowOf(l, &r, r.Values)
	}
	return nil
}

// Rows are those that were found of a table of a run.
func (s *Found) Rows(_ context.Context, table string, run int64, yield func(*tables.Row) error) error {
	for _, r := range s.others[table] {
		if r.Int("run_id") != run {
			continue
		}
		if err := yield(r); err != nil {
			return err
		}
	}
	return nil
}
