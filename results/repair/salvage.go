package repair

import (
	"context"
	"maps"
	"slices"

	"gogi/internal/lists"
	"gogi/results/sqlitefile"
	"gogi/results/tables"
)

// Found has all rows of a file whose checksum is correct. It has no rows without a checksum, because they cannot be
// distinguished from deleted rows.
type Found struct {
	file *sqlitefile.File
	all  []*tables.Run // runs of which at least one row was found, by number
	// own has the rows without which a run cannot be read.
	own map[string]map[int64][]*tables.Row // runs, engines and settings_log, by run
	// by run and number
	Paired   map[[2]int64]*tables.Row        // pairs
	games    map[[2]int64][]sqlitefile.Place // not verified yet, because the checksum of a game needs its pair
	openings map[int64]*tables.Row
	nameless []*tables.Row         // openings whose number is lost
	Workers  map[int64]*tables.Row // by number
	records  map[int64]sqlitefile.Place
	others   map[string][]*tables.Row // by table: attempts, voided, tune_states and tune_candidates
	seen     map[string]bool
	mending  map[string][]int64 // by table: numbers of missing rows; Read repairs single wrong bits only for them
}

// Read reads a file page by page and returns the rows that it finds. It repairs single wrong bits in the rows
// that a run needs, but not in pairs, because pairs can be played again.
func Read(file *sqlitefile.File) (*Found, error) {
	s := &Found{
		file: file, own: map[string]map[int64][]*tables.Row{"runs": {}, "engines": {}, "settings_log": {}},
		Paired: map[[2]int64]*tables.Row{}, games: map[[2]int64][]sqlitefile.Place{}, openings: map[int64]*tables.Row{},
		Workers: map[int64]*tables.Row{},
		records: map[int64]sqlitefile.Place{}, others: map[string][]*tables.Row{}, seen: map[string]bool{},
	}
	current, err := tables.CurrentSchema()
	if err != nil {
		return nil, err
	}
	s.read(current)
	if s.mending = s.missing(); len(s.mending) > 0 {
		s.read(current)
		s.readLoose(current)
	}
	for _, id := range slices.Sorted(maps.Keys(s.own["runs"])) {
		s.all = append(s.all, s.RunOf(id))
	}
	return s, nil
}

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

// readLoose searches for needed rows to which no pointer of a page leads, or that follow damaged bytes. Such a row has
// lost its number. If the row's checksum covers the number, readLoose tries each missing number. It identifies an
// opening by the games that were played from it.
func (s *Found) readLoose(current *tables.Schema) {
	numbers := s.missing()
	for _, name := range []string{"runs", "engines", "settings_log", "openings"} {
		l := current.Table(name)
		if s.mending[name] == nil {
			continue
		}
		s.file.Loose(l.Least()+1, 3*len(l.Columns)+2, func(r sqlitefile.Row) {
			if r.Table = !l.Keyed; name == "engines" || name == "openings" {
				numbers[name] = []int64{0}
			}
			for _, r.Rowid = range numbers[name] {
				row := rowOf(l, &r, r.Values)
				if row == nil || row.Verdict() != tables.Sound {
					continue
				}
				if key, err := row.Identity(r.Rowid); err == nil && !s.seen[key] {
					s.seen[key] = true
					if row = row.Clone(); name == "openings" {
						s.nameless = append(s.nameless, row)
					} else {
						s.keep(row, r.Place)
					}
				}
			}
		})
	}
}

// missing returns, by table, the numbers of rows to which pairs refer and that Read has not found. For the table
// "engines" it returns the numbers of the runs whose players are not complete.
func (s *Found) missing() map[string][]int64 {
	numbers := map[string][]int64{}
	add := func(lost bool, table string, number int64) {
		if lost && !slices.Contains(numbers[table], number) {
			numbers[table] = append(numbers[table], number)
		}
	}
	for key, p := range s.Paired {
		run := s.RunOf(key[0])
		setting, opening, worker := p.Value("setting"), p.Int("opening_id"), p.Int("worker")
		add(run.Row == nil, "runs", key[0])
		add(max(p.Int("a"), p.Int("b")) >= int64(len(run.Engines)) || !run.Complete(), "engines", key[0])
		add(s.openings[opening] == nil, "openings", opening)
		add(worker != 0 && s.Workers[worker] == nil, "workers", worker)
		add(setting != nil && !slices.ContainsFunc(run.Settings,
			func(r *tables.Row) bool { return r.Value("id") == setting }), "settings_log", p.Int("setting"))
	}
	return numbers
}

// openingOf returns the opening of a pair. It prefers the opening to which the pair refers, if the checksums
// of the pair's games match it. Otherwise it returns any found opening that matches them.
func (s *Found) openingOf(p *tables.Pair, games []*tables.Row) *tables.Row {
	fits := func(o *tables.Row) bool {
		from := &tables.Pair{Row: p.Row, Opening: o}
		return o.Value("run_id") == p.Row.Value("run_id") &&
			slices.ContainsFunc(games, func(g *tables.Row) bool { return g.VerdictOf(from.SumOfGame(g)) == tables.Sound })
	}
	id := p.Row.Int("opening_id")
	named := s.openings[id]
	if named != nil && fits(named) {
		return named
	}
	for _, o := range slices.AppendSeq(slices.Clone(s.nameless), maps.Values(s.openings)) {
		if fits(o) {
			s.keep(o.With("id", id), sqlitefile.Place{}) // other pairs may have this opening too
			return o
		}
	}
	return named
}

// RunOf returns the found rows of the run with this number. Row is nil in the result if the run's own row is
// lost.
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

func (s *Found) keep(row *tables.Row, at sqlitefile.Place) {
	switch row.Layout.Name {
	case "runs":
		s.own["runs"][row.Int("id")] = append(s.own["runs"][row.Int("id")], row)
	case "engines", "settings_log":
		s.own[row.Layout.Name][row.Int("run_id")] = append(s.own[row.Layout.Name][row.Int("run_id")], row)
	case "workers":
		s.Workers[row.Int("id")] = row
	case "openings":
		if before := s.openings[row.Int("id")]; before != nil {
			s.nameless = append(s.nameless, before) // one of the two rows has a wrong number
		}
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

// mendableSize is the largest payload, in bytes, that mend repairs. The repair time grows with the square of
// the size.
const mendableSize = 32 << 10

// identify returns the row r of the file if it belongs to the table l, is undamaged and was not found before.
// Otherwise it returns nil. It does not verify a row of games, because that needs the pair.
func (s *Found) identify(l *tables.Layout, r *sqlitefile.Row) *tables.Row {
	row := rowOf(l, r, r.Values)
	if row == nil || l.Name != "games" && row.Verdict() != tables.Sound {
		if row = nil; s.mending[l.Name] != nil && len(r.Payload) <= mendableSize && len(r.Payload) > l.Least() &&
			r.Table != l.Keyed {
			row = mend(l, r)
		}
	}
	if row == nil || l.Name == "games" && row.Value("checksum") == nil {
		return nil
	}
	if l.Name == "games" || l.Name == "records" || l.Name == "pairs" {
		return row // their numbers identify them
	}
	key, err := row.Identity(r.Rowid)
	if err != nil || s.seen[key] {
		return nil
	}
	s.seen[key] = true
	return row
}

// mend flips each bit of a row in turn until the checksum is correct. It returns the repaired row, or nil if no flip
// helps. In rows of this size only one flip can make the CRC correct.
func mend(l *tables.Layout, r *sqlitefile.Row) *tables.Row {
	// The first byte of the header is the header's length, which is about the number of columns of a complete
	// row. This check skips most data that is not a row of the table.
	bits := 8 * len(r.Payload)
	if n := int(r.Payload[0]); n < l.Least()-1 || n > 3*len(l.Columns)+2 {
		bits = 8 // the first byte may have the wrong bit
	}
	payload := slices.Clone(r.Payload)
	for bit := range bits {
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

// rowOf returns a row in the form in which SQLite returns it, or nil if the row does not match the table.
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
		if n, ok := v.(int64); ok && c.Kind == "REAL" { // SQLite stores a whole number as an integer (2.1)
			row.Values[i] = float64(n)
			v = row.Values[i]
		}
		if !c.Takes(v) {
			return nil
		}
	}
	return row
}

// Runs returns the runs of which at least one row was found, sorted by number.
func (s *Found) Runs(context.Context) ([]*tables.Run, error) { return s.all, nil }

// Pairs calls yield with the number of each found pair of a run, in order.
func (s *Found) Pairs(_ context.Context, run int64, yield func(int64) error) error {
	var ids []int64
	for key := range s.Paired {
		if key[0] == run {
			ids = append(ids, key[1])
		}
	}
	slices.Sort(ids)
	return lists.Each(ids, yield)
}

// Pair returns the found rows of a pair.
func (s *Found) Pair(_ context.Context, run, id int64) (*tables.Pair, error) {
	key := [2]int64{run, id}
	p := &tables.Pair{Row: s.Paired[key], Records: map[int64]*tables.Row{}}
	if p.Row == nil {
		return nil, tables.ErrNoPair
	}
	current, err := tables.CurrentSchema()
	if err != nil {
		return nil, err
	}
	var games []*tables.Row
	for _, at := range s.games[key] {
		if g := s.again(current.Table("games"), at); g != nil {
			games = append(games, g)
		}
	}
	if p.Opening = s.openingOf(p, games); p.Opening == nil {
		return p, nil
	}
	p.Worker = s.Workers[p.Row.Int("worker")]
	legs := map[int64]bool{}
	for _, g := range games {
		if legs[g.Int("leg")] || g.VerdictOf(p.SumOfGame(g)) != tables.Sound {
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

// again reads a row a second time from its place in the file. Found stores only the places of games and
// records, because these rows are many and large.
func (s *Found) again(l *tables.Layout, at sqlitefile.Place) *tables.Row {
	if r, ok := s.file.Row(at); ok {
		return rowOf(l, &r, r.Values)
	}
	return nil
}

// Rows calls yield for the found rows of a run in a table.
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
