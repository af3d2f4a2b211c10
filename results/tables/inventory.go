package tables

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// Inventory has the numbers of rows that a run should have, and which of its pairs are stored. The database holds
// this data in the table "stored", which triggers update with each commit. gogi compares these numbers with the
// rows that it finds when it reads a run. It thus detects rows that can no longer be found in a damaged file.
type Inventory struct {
	run   int64
	first int64 // the inventory covers the pairs with first ≤ number < end
	end   int64
	facts map[int64]int64 // values of the rows with negative part numbers (partPairs, …), by part number
	parts []inventoryPart // in order
}

// inventoryPart shows which of 64 consecutive pairs are stored: one bit for each pair.
type inventoryPart struct {
	first int64 // number of the first pair
	bits  uint64
}

// These are the part numbers of rows in the table "stored" that do not count pairs. The migration that creates the
// table uses the same numbers.
const (
	partPairs   = -1
	partLegs    = -2
	partSetting = -3
	partLast    = -9 // the lowest part number of a run
	partRuns    = -10
	partWorkers = -11
	// Part -12 is the greatest number of a deleted run, see Store.Delete in package results. It counts no rows.
)

// partOf has the part numbers of rows in the table "stored" that count the rows of other tables. The keys are these
// tables. Each number is the part number of the row that counts the table's rows of a run.
var partOf = map[string]int64{
	"engines": -4, "settings_log": -5, "attempts": -6, "voided": -7, "tune_states": -8, "tune_candidates": -9,
}

// pairsInPart is the number of pairs that one row of the table "stored" covers.
const pairsInPart = 64

// computed calculates the rows of the table "stored" from the other tables. The migration uses it, and so do readers of
// files that are older than the table. It counts pairs by their games, so that a reader detects lost pairs.
const computed = `SELECT run_id, pair / 64 AS part, sum(1 << (pair % 64)) AS value FROM pairs GROUP BY run_id, pair / 64
	UNION ALL SELECT id, -1, (SELECT count(*) FROM games WHERE run_id = r.id) / legs FROM runs r
	UNION ALL SELECT id, -2, legs FROM runs
	UNION ALL SELECT id, -3, coalesce((SELECT min(coalesce(setting, 0)) FROM
		(SELECT setting FROM pairs WHERE run_id = r.id UNION ALL SELECT setting FROM voided WHERE run_id = r.id)), -1) FROM runs r
	UNION ALL SELECT id, -4, (SELECT count(*) FROM engines WHERE run_id = r.id) FROM runs r
	UNION ALL SELECT id, -5, (SELECT count(*) FROM settings_log WHERE run_id = r.id) FROM runs r
	UNION ALL SELECT id, -6, (SELECT count(*) FROM attempts WHERE run_id = r.id) FROM runs r
	UNION ALL SELECT id, -7, (SELECT count(*) FROM voided WHERE run_id = r.id) FROM runs r
	UNION ALL SELECT id, -8, (SELECT count(*) FROM tune_states WHERE run_id = r.id) FROM runs r
	UNION ALL SELECT id, -9, (SELECT count(*) FROM tune_candidates WHERE run_id = r.id) FROM runs r
	UNION ALL SELECT 0, -10, (SELECT count(*) FROM runs)
	UNION ALL SELECT 0, -11, (SELECT count(*) FROM workers)`

// viewOfStored is a view that replaces the table "stored" in a file without this table.
const viewOfStored = "CREATE TEMP VIEW stored AS SELECT run_id, part, value, ~((value | ((run_id << 40) + part)) - (value & ((run_id << 40) + part))) AS guard FROM (" + computed + ")"

// StoredSchema is the first version of the schema that has the table "stored", from which an Inventory is read.
const StoredSchema = 9

// FillStored fills the table "stored" (see Inventory) after a migration has created it. The caller must have
// verified the file before.
func FillStored(ctx context.Context, tx *sql.Tx) error {
	_, err := tx.ExecContext(ctx, "DELETE FROM stored")
	if err == nil {
		_, err = tx.ExecContext(ctx, "INSERT INTO stored (run_id, part, value) "+computed)
	}
	return err
}

// guardOf returns the correct value of the column guard for a row of the table "stored". The guard detects damage of
// the row.
func guardOf(run, part, value int64) int64 { return ^(value ^ (run<<40 + part)) }

// eachStored calls yield for the rows of a run in the table "stored" with from ≤ part number < below.
func eachStored(ctx context.Context, q Querier, run, from, below int64, yield func(part, value int64)) error {
	return Each(ctx, q, func(rows *sql.Rows) error {
		var part, value, guard int64
		if err := rows.Scan(&part, &value, &guard); err != nil {
			return err
		}
		if guard != guardOf(run, part, value) {
			return &Damaged{Table: "stored", Pair: -1, Leg: -1}
		}
		yield(part, value)
		return nil
	}, "SELECT part, value, guard FROM stored WHERE run_id = ? AND part >= ? AND part < ? ORDER BY part", run, from, below)
}

// ReadInventory reads the Inventory of a run. The list of stored pairs in it covers the pairs with first ≤ number
// < end. ReadInventory returns a *Damaged if a row of the table "stored" is damaged.
func ReadInventory(ctx context.Context, q Querier, run, first, end int64) (*Inventory, error) {
	v := &Inventory{run: run, first: first, end: end, facts: map[int64]int64{}}
	err := eachStored(ctx, q, run, math.MinInt64, 0, func(part, value int64) { v.facts[part] = value })
	below := end / pairsInPart
	if end%pairsInPart > 0 {
		below++
	}
	pairs := 0
	if err == nil {
		err = eachStored(ctx, q, run, first/pairsInPart, below, func(part, value int64) {
			v.parts = append(v.parts, inventoryPart{part * pairsInPart, uint64(value)})
			pairs += bits.OnesCount64(uint64(value))
		})
	}
	for part := int64(partLast); part < 0 && err == nil; part++ {
		if _, ok := v.facts[part]; !ok {
			err = v.missing("stored", "a row that was stored is missing")
		}
	}
	if err == nil && first == 0 && end == math.MaxInt64 && pairs != v.Pairs() {
		err = v.missing("stored", fmt.Sprintf("%d pairs are listed of %d that were stored", pairs, v.Pairs()))
	}
	return v, NameRun(ctx, q, run, err)
}

// WholeInventory reads the Inventory of a run for all pair numbers.
func WholeInventory(ctx context.Context, q Querier, run int64) (*Inventory, error) {
	return ReadInventory(ctx, q, run, 0, math.MaxInt64)
}

func (v *Inventory) missing(table, what string) error {
	return &Damaged{Table: table, Pair: -1, Leg: -1, What: what}
}

// Pairs returns the number of stored pairs of the run.
func (v *Inventory) Pairs() int { return int(v.facts[partPairs]) }

// Legs returns the number of games in each pair of the run.
func (v *Inventory) Legs() int { return int(v.facts[partLegs]) }

// FirstSetting returns the ID of the settings that were in effect when the run's first pair was stored. The ID is
// the number of an entry in the log of the run's settings. Voided pairs count too. FirstSetting returns 0 if an
// older gogi stored a pair without this ID, and -1 if no pair was ever stored.
func (v *Inventory) FirstSetting() int64 { return v.facts[partSetting] }

// After returns the number of the last stored pair plus 1, or 0 without pairs.
func (v *Inventory) After() int64 {
	for i := len(v.parts) - 1; i >= 0; i-- {
		if p := v.parts[i]; p.bits != 0 {
			return min(v.end, p.first+int64(bits.Len64(p.bits)))
		}
	}
	return 0
}

// Has reports whether a pair is stored according to the Inventory.
func (v *Inventory) Has(pair int64) bool {
	return pair >= v.first && pair < v.end && v.Expect(pair, pair+1).next == pair
}

// Count returns a *Damaged if rows differs from the number of rows that the run should have in a table. rows is
// the number of rows that the caller has found.
func (v *Inventory) Count(table string, rows int64) error {
	want, ok := v.facts[partOf[table]]
	if table == "pairs" {
		want, ok = v.facts[partPairs], true
	}
	if table == "games" {
		want, ok = v.facts[partPairs]*v.facts[partLegs], true
	}
	if ok && rows == want {
		return nil
	}
	return v.missing(table, fmt.Sprintf("%d rows are found of %d that were stored", rows, want))
}

// CountRows counts the rows of the run in some tables with one query. It returns a *Damaged if a number differs
// from the Inventory.
func (v *Inventory) CountRows(ctx context.Context, q Querier, tables ...string) error {
	var counts []string
	found := make([]int64, len(tables))
	targets := make([]any, len(tables))
	for i, table := range tables {
		counts = append(counts, "(SELECT count(*) FROM "+table+" WHERE run_id = ?1)")
		targets[i] = &found[i]
	}
	err := q.QueryRowContext(ctx, "SELECT "+strings.Join(counts, ", "), v.run).Scan(targets...)
	for i, table := range tables {
		if err == nil {
			err = v.Count(table, found[i])
		}
	}
	return NameRun(ctx, q, v.run, err)
}

// CountEverything counts the rows of every run, including the openings and records of its games, and compares the
// numbers with the run's Inventory. It returns a *Damaged for the first table with missing rows.
func CountEverything(ctx context.Context, q Querier) error {
	if err := CountRuns(ctx, q); err != nil {
		return err
	}
	ids, err := List(ctx, q, func(rows *sql.Rows, id *int64) error { return rows.Scan(id) },
		"SELECT id FROM runs ORDER BY id")
	if err != nil {
		return err
	}
	for _, id := range ids {
		v, err := WholeInventory(ctx, q, id)
		if err == nil {
			err = v.CountRows(ctx, q, append(OwnTables(), "pairs", "games")...)
		}
		if err == nil {
			err = v.countJoined(ctx, q)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// countJoined joins the games with their pairs, openings and records, like the readers. It returns an error
// if it does not find a game in this way.
func (v *Inventory) countJoined(ctx context.Context, q Querier) error {
	found := int64(0)
	err := q.QueryRowContext(ctx, `SELECT count(*) FROM games g
		CROSS JOIN pairs p ON p.run_id = g.run_id AND p.pair = g.pair
		CROSS JOIN openings o ON o.id = p.opening_id
		CROSS JOIN records r ON r.game_id = g.id WHERE g.run_id = ?`, v.run).Scan(&found)
	if err == nil {
		err = v.Count("games", found)
	}
	return NameRun(ctx, q, v.run, err)
}

// OwnTables returns the tables whose rows belong to a run but not to a pair.
func OwnTables() []string {
	return []string{"engines", "settings_log", "attempts", "voided", "tune_states", "tune_candidates"}
}

// CountRuns returns an error unless the database has as many runs as were stored.
func CountRuns(ctx context.Context, q Querier) error {
	found := int64(0)
	err := q.QueryRowContext(ctx, "SELECT count(*) FROM runs NOT INDEXED").Scan(&found)
	if err == nil {
		err = countAll(ctx, q, "runs", partRuns, found)
	}
	return err
}

// CountWorkers returns an error unless found is the number of workers that were stored. found is the number that
// the caller has read.
func CountWorkers(ctx context.Context, q Querier, found int64) error {
	return countAll(ctx, q, "workers", partWorkers, found)
}

func countAll(ctx context.Context, q Querier, table string, part, found int64) error {
	want := int64(-1)
	err := eachStored(ctx, q, 0, part, part+1, func(_, value int64) { want = value })
	if err == nil && found != want {
		err = &Damaged{Table: table, Pair: -1, Leg: -1,
			What: fmt.Sprintf("%d rows are found of %d that were stored", found, max(0, want))}
	}
	return err
}

// Expected checks that code which reads a run in order finds every stored pair and game. Inventory.Expect returns
// an Expected. The code calls Pair or Game for each row that it finds, and End after the last row.
type Expected struct {
	parts []inventoryPart // the parts that are not yet found
	end   int64
	next  int64 // the next pair to find, or end
	legs  int   // games in a pair
	leg   int   // the next game of this pair to find
}

// Expect returns an Expected, which checks the reading of the pairs with first ≤ number < end.
func (v *Inventory) Expect(first, end int64) *Expected {
	e := &Expected{parts: v.parts, end: min(end, v.end), next: max(first, v.first) - 1, legs: v.Legs()}
	e.advance()
	return e
}

func (e *Expected) advance() {
	e.leg = 0
	for from := e.next + 1; len(e.parts) > 0; e.parts = e.parts[1:] {
		p := e.parts[0]
		if shift := from - p.first; shift >= pairsInPart {
			continue
		} else if shift > 0 {
			p.bits &= math.MaxUint64 << uint(shift)
		}
		if p.bits != 0 {
			if e.next = p.first + int64(bits.TrailingZeros64(p.bits)); e.next < e.end {
				return
			}
			break
		}
	}
	e.next, e.parts = e.end, nil
}

// Pair records that the caller has found a pair. It returns an error if another pair should come next.
func (e *Expected) Pair(pair int64) error {
	if pair != e.next {
		return e.wrong(pair, -1)
	}
	e.advance()
	return nil
}

// Game records that the caller has found a game. It returns an error if another game should come next.
func (e *Expected) Game(pair, leg int) error {
	if int64(pair) != e.next || leg != e.leg {
		return e.wrong(int64(pair), leg)
	}
	if e.leg++; e.leg == e.legs {
		e.advance()
	}
	return nil
}

// End returns an error if the caller has not found all expected rows.
func (e *Expected) End() error {
	if e.next < e.end || e.leg > 0 {
		return &Damaged{Table: "games", Pair: int(e.next), Leg: -1, What: "a row that was stored is not found"}
	}
	return nil
}

// wrong returns the error for a row that the caller found instead of the expected one.
func (e *Expected) wrong(pair int64, leg int) error {
	if e.next < pair && e.next < e.end {
		return &Damaged{Table: "games", Pair: int(e.next), Leg: e.leg, What: "a row that was stored is not found"}
	}
	return &Damaged{Table: "games", Pair: int(pair), Leg: leg, What: "a row is found that is not stored"}
}
