package repair

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"gogi/match"
	"gogi/results"
	"gogi/results/file"
	"gogi/results/tables"
)

// graft copies rows of other databases into a new database and gives them new numbers. If a row has a checksum, graft
// calculates a new one. A row without a checksum gets none, because nothing proves that the row is undamaged.
type graft struct {
	tx       *sql.Tx
	runs     map[string]*tables.Run // runs of the new database, as stored there
	openings map[openingKey]int64
	workers  map[string]int64 // by the worker's identity
}

// fill creates a new database at path part and calls do to fill it.
func fill(ctx context.Context, part string, do func(*graft) error) error {
	s, err := results.Open(ctx, part) // creates the tables
	if err == nil {
		err = s.Close()
	}
	if err != nil {
		return err
	}
	db, err := file.Writer(part, string(results.Quick))
	if err != nil {
		return err
	}
	err = file.InTx(ctx, db, func(tx *sql.Tx) error {
		return do(&graft{tx: tx, runs: map[string]*tables.Run{}, openings: map[openingKey]int64{},
			workers: map[string]int64{}})
	})
	if err := errors.Join(err, db.Close()); err != nil {
		return err
	}
	if s, err = results.Open(ctx, part); err != nil {
		return err
	}
	return errors.Join(results.Pack(ctx, s), s.Close())
}

// openingKey identifies an opening by the columns of the table's UNIQUE constraint.
type openingKey struct {
	run  int64
	name string
	hash int64
}

// branch copies one run from a source database into the new database.
type branch struct {
	*graft
	from     *tables.Run     // the run in the source
	id       int64           // number of the run in the new database
	settings map[int64]int64 // rows of settings_log: source number to new number
}

// resum returns a row with a new checksum. A row without a checksum stays unchanged.
func resum(r *tables.Row) (*tables.Row, error) {
	if r.Value("checksum") == nil {
		return r, nil
	}
	sum, err := r.Sum()
	return r.With("checksum", sum), err
}

// insert stores a row unchanged and returns its number. If the column id of the row is nil, SQLite assigns the number.
func (g *graft) insert(ctx context.Context, r *tables.Row) (id int64, err error) {
	names := r.Layout.Names()
	marks := strings.TrimSuffix(strings.Repeat("?, ", len(names)), ", ")
	result, err := g.tx.ExecContext(ctx,
		"INSERT INTO "+r.Layout.Name+" ("+strings.Join(names, ", ")+") VALUES ("+marks+")", r.Values...)
	if err != nil {
		return 0, err
	}
	return result.LastInsertId()
}

// put stores a row with a new checksum, like insert. The checksum does not cover a number that SQLite
// assigns.
func (g *graft) put(ctx context.Context, r *tables.Row) (id int64, err error) {
	if r, err = resum(r); err != nil {
		return 0, err
	}
	return g.insert(ctx, r)
}

// numbered stores a row with a new checksum that covers the number assigned by SQLite.
func (g *graft) numbered(ctx context.Context, r *tables.Row) (id int64, err error) {
	if id, err = g.insert(ctx, r.With("id", nil)); err != nil || r.Value("checksum") == nil {
		return id, err
	}
	return id, tables.Seal(ctx, g.tx, r.Layout.Name, "WHERE id = ?", id)
}

// branch starts to copy a run of a source. It creates the run in the new database, or uses the run that an
// earlier source created. It returns a *results.DifferentPlan if the two runs have different plans.
func (g *graft) branch(ctx context.Context, from *tables.Run) (*branch, error) {
	b := &branch{graft: g, from: from, settings: map[int64]int64{}}
	have := g.runs[from.Name()]
	if have == nil {
		return b, b.begin(ctx)
	}
	if have.Row.Value("digest") != from.Row.Value("digest") {
		differences := match.Differences([]byte(have.Row.Text("plan")), []byte(from.Row.Text("plan")))
		return nil, &results.DifferentPlan{Run: from.Name(), Differences: differences}
	}
	b.id = have.ID()
	if from.Row.Int("pairs") > have.Row.Int("pairs") { // keep the larger target
		have.Row = have.Row.With("pairs", from.Row.Value("pairs"))
		if _, err := g.tx.ExecContext(ctx, "UPDATE runs SET pairs = ? WHERE id = ?", have.Row.Value("pairs"), b.id); err !=
			nil {
			return nil, err
		}
		if have.Row.Value("checksum") != nil {
			if err := tables.Seal(ctx, g.tx, "runs", "WHERE id = ?", b.id); err != nil {
				return nil, err
			}
		}
	}
	return b, b.log(ctx, have)
}

func (b *branch) begin(ctx context.Context) (err error) {
	if b.id, err = b.numbered(ctx, b.from.Row); err != nil {
		return err
	}
	for _, e := range b.from.Engines {
		if _, err := b.put(ctx, e.With("run_id", b.id)); err != nil {
			return err
		}
	}
	have := &tables.Run{Row: b.from.Row.With("id", b.id), Engines: b.from.Engines}
	b.runs[b.from.Name()] = have
	return b.log(ctx, have)
}

// log appends those rows of a source's settings log that the new database does not have. The rows of a later source
// come after those of the earlier sources, so they count as later changes.
func (b *branch) log(ctx context.Context, have *tables.Run) error {
	for _, s := range b.from.Settings {
		same := func(h *tables.Row) bool { return h.Value("settings") == s.Value("settings") }
		i := slices.IndexFunc(have.Settings, func(h *tables.Row) bool { return same(h) && h.Value("at") == s.Value("at") })
		if last := len(have.Settings) - 1; i < 0 && last >= 0 && same(have.Settings[last]) {
			i = last // the row changed nothing
		}
		if i < 0 {
			id, err := b.numbered(ctx, s.With("run_id", b.id))
			if err != nil {
				return err
			}
			have.Settings = append(have.Settings, s.With("id", id))
			i = len(have.Settings) - 1
		}
		b.settings[s.Int("id")] = have.Settings[i].Int("id")
	}
	return nil
}

// setting converts a row number of the source's log to the number in the new database. NULL stays NULL.
func (b *branch) setting(old any) any {
	if n, ok := old.(int64); ok {
		if id, ok := b.settings[n]; ok {
			return id
		}
	}
	return nil
}

func (b *branch) pair(ctx context.Context, p *tables.Pair) error {
	opening, err := b.opening(ctx, p.Opening)
	if err != nil {
		return err
	}
	worker, err := b.worker(ctx, p.Worker)
	if err != nil {
		return err
	}
	pair := p.Row.With("run_id", b.id, "opening_id", opening, "setting", b.setting(p.Row.Value("setting")), "worker",
		worker)
	if _, err := b.put(ctx, pair); err != nil {
		return err
	}
	moved := &tables.Pair{Row: pair, Opening: p.Opening}
	for _, g := range p.Games {
		game := g.With("id", nil, "run_id", b.id)
		if game.Value("checksum") != nil {
			sum, err := moved.SumOfGame(game)
			if err != nil {
				return err
			}
			game = game.With("checksum", sum)
		}
		id, err := b.insert(ctx, game)
		if err != nil {
			return err
		}
		if _, err := b.put(ctx, p.Records[g.Int("id")].With("game_id", id)); err != nil {
			return err
		}
	}
	return nil
}

func (b *branch) opening(ctx context.Context, o *tables.Row) (id int64, err error) {
	key := openingKey{b.id, o.Text("name"), o.Int("hash")}
	if id, ok := b.openings[key]; ok {
		return id, nil
	}
	id, err = b.put(ctx, o.With("id", nil, "run_id", b.id))
	b.openings[key] = id
	return id, err
}

// worker returns the number of a pair's worker in the new database, or nil if the pair has no worker.
func (g *graft) worker(ctx context.Context, w *tables.Row) (any, error) {
	if w == nil {
		return nil, nil
	}
	key, err := w.With("id", nil).Identity(0)
	if err != nil {
		return nil, err
	}
	id, ok := g.workers[key]
	if !ok {
		if id, err = g.put(ctx, w.With("id", nil)); err != nil {
			return nil, err
		}
		g.workers[key] = id
	}
	return id, nil
}

// attempt stores a failed attempt at a pair, unless the new database has it already.
func (b *branch) attempt(ctx context.Context, a *tables.Row) error {
	n := 0
	err := b.tx.QueryRowContext(ctx,
		"SELECT count(*) FROM attempts WHERE run_id = ? AND pair = ? AND ended = ? AND why = ?",
		b.id, a.Value("pair"), a.Value("ended"), a.Value("why")).Scan(&n)
	if err == nil && n == 0 {
		_, err = b.put(ctx, a.With("id", nil, "run_id", b.id))
	}
	return err
}

// voided stores a voided pair, unless the new database has it already. It numbers the voided versions of one
// pair from 1 in the column take.
func (b *branch) voided(ctx context.Context, v *tables.Row) error {
	takes, same := 0, 0
	err := b.tx.QueryRowContext(ctx,
		"SELECT count(*), coalesce(sum(body = ?), 0) FROM voided WHERE run_id = ? AND pair = ?",
		v.Value("body"), b.id, v.Value("pair")).Scan(&takes, &same)
	if err == nil && same == 0 {
		_, err = b.put(ctx, v.With("run_id", b.id, "take", int64(takes+1), "setting", b.setting(v.Value("setting"))))
	}
	return err
}

// state stores a state of a tune, unless the new database has a state with the same number of blocks. Equal
// pairs give equal states, because a tune calculates its states from the pairs. state does not check that all
// of these pairs exist, because a resumed tune checks this.
func (b *branch) state(ctx context.Context, s *tables.Row) error { return b.unless(ctx, s, "blocks") }

// candidate stores a candidate of a tune, unless the new database already has a candidate with that number.
func (b *branch) candidate(ctx context.Context, c *tables.Row) error {
	return b.unless(ctx, c, "number")
}

// unless stores a row of the run. It does nothing if the run in the new database already has a row with the same
// value in the given column.
func (b *branch) unless(ctx context.Context, r *tables.Row, column string) error {
	n := 0
	err := b.tx.QueryRowContext(ctx, "SELECT count(*) FROM "+r.Layout.Name+" WHERE run_id = ? AND "+column+" = ?", b.id,
		r.Value(column)).Scan(&n)
	if err == nil && n == 0 {
		_, err = b.put(ctx, r.With("run_id", b.id))
	}
	return err
}
