package results

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"gogi/match"
	"gogi/results/file"
	"gogi/results/tables"
	"gogi/stats"
)

// Setting has those settings of a run that the plan hash does not cover, such as the number of pairs and the
// concurrency. gogi adds a Setting to a log in the database at the start of the run and after each change. The log
// stores it as JSON. New fields are added only at the end of the JSON.
type Setting struct {
	ID          int64           `json:"-"`             // number of the row in the log; it grows with each entry
	At          time.Time       `json:"-"`             // by the clock of the machine that has the database
	Pairs       int             `json:"pairs"`         // the target
	Concurrency int             `json:"concurrency"`   // number of slots
	PVPlies     int             `json:"pv_plies"`      // number of plies that gogi stores of each principal variation
	Rules       string          `json:"rules"`         // name of the rules' profile
	Gate        stats.SPRT      `json:"gate,omitzero"` // settings of the SPRT
	Players     []PlayerSetting `json:"players"`
	// Phase is the last order to the process that plays the run; "" before the first order.
	Phase match.RunPhase `json:"phase,omitempty"`
	// CPUs is the set of CPUs to which gogi binds the slots, as in match.Plan. CoresPerSlot is the number of cores
	// for each player. The zero values mean no binding, and as many cores as the player has threads.
	CPUs         string `json:"cpus,omitzero"`
	CoresPerSlot int    `json:"cores_per_slot,omitzero"`
	// Validation is the match that validates a tune's final values, see Run.Register. Later settings of the
	// run repeat it.
	Validation string `json:"validation,omitzero"`
	// Provisional is the reason why a farm does not treat the verdict of the run's SPRT as final; "" means
	// that it is final. Later settings of the run repeat it, see Run.SetProvisional.
	Provisional string `json:"provisional,omitzero"`
	// Notes has what engines reported before their first searches, see Run.AddNote. Later settings of the run repeat it.
	Notes []EngineNote `json:"notes,omitempty"`
	// Tags has the words that the user attached to the run, sorted. Later settings of the run repeat it, see Store.Tag.
	Tags []string `json:"tags,omitempty"`
	// Changes lists the differences from the previous setting. The first setting has none.
	Changes []match.Difference `json:"-"`
}

// EngineNote is an "info string" by which a player reported a failure before its first search, such as a missing file.
// The name of a council's member has the form COUNCIL/MEMBER.
type EngineNote struct {
	Player string `json:"player"`
	Text   string `json:"text"` // the note of the engine, at most 100 characters
}

// PlayerSetting has those settings of a player that the plan hash does not cover.
type PlayerSetting struct {
	Name     string            `json:"name"`
	Command  []string          `json:"command"`
	Dir      string            `json:"dir"`
	Files    []tables.FileHash `json:"files"`
	Greeting string            `json:"greeting"` // limit of the time from usi to usiok, in the form of time.Duration
	Ready    string            `json:"ready"`    // limit of the time from isready to readyok, in the same form
}

func settingOf(plan *match.Plan) Setting {
	s := Setting{Pairs: plan.Pairs, Concurrency: plan.Concurrency, PVPlies: plan.PVPlies, Rules: plan.Rules.Name,
		Gate: plan.Gate, CPUs: plan.CPUs, CoresPerSlot: plan.CoresPerSlot}
	for i := range plan.Players {
		p := &plan.Players[i]
		s.Players = append(s.Players, PlayerSetting{
			p.Name, p.Command, p.Dir, tables.IdentityOf(p.Identity).Files, p.Greeting.String(), p.Ready.String(),
		})
	}
	return s
}

// Change logs an order that the user gave to the process that plays the run. pairs and slots are the new numbers
// of pairs and slots, and phase decides whether the process continues, pauses or ends. The new values apply to
// pairs that are stored later.
func (r *Run) Change(ctx context.Context, pairs, slots int, phase match.RunPhase) error {
	changed := settingOf(r.plan)
	changed.Pairs, changed.Concurrency, changed.Phase = pairs, slots, phase
	if err := r.set(ctx, changed); err != nil {
		return r.store.fail(fmt.Sprintf("run %q: logging a change of settings", r.plan.Run), err)
	}
	return nil
}

// set stores a setting and makes it the current one of the Run. The caller holds the run's lock.
func (r *Run) set(ctx context.Context, now Setting) error {
	id, err := recordSettings(ctx, r.store, r.id, r.plan, now)
	if err != nil {
		return err
	}
	most, err := greatestTarget(ctx, r.store, r.id)
	if err != nil {
		return err
	}
	r.most.Store(int64(most))
	r.setting.Store(id)
	return nil
}

// recordSettings stores the values that may change during a run, and logs them if they differ from the last
// setting. It returns the number of the valid row of the log.
func recordSettings(ctx context.Context, s *Store, run int64, plan *match.Plan, now Setting) (id int64, err error) {
	text, err := json.Marshal(now)
	if err != nil {
		return 0, err
	}
	err = file.InTx(ctx, s.write, func(tx *sql.Tx) error {
		var last string
		err := tx.QueryRowContext(ctx, "SELECT id, settings FROM settings_log WHERE run_id = ? ORDER BY id DESC LIMIT 1",
			run).Scan(&id, &last)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if text, err = keepRegistered(last, now, text); err != nil || last == string(text) {
			return err
		}
		if _, err := verifyRun(ctx, tx, run, plan.Run); err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, "INSERT INTO settings_log (run_id, at, settings) VALUES (?, "+sqlNow+", ?)", run,
			string(text))
		if err != nil {
			return err
		}
		if id, err = result.LastInsertId(); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE runs SET pairs = ?, rules = ? WHERE id = ?", now.Pairs, plan.Rules.Name,
			run); err != nil {
			return err
		}
		if err := putEngines(ctx, tx, run, plan.Players); err != nil {
			return err
		}
		return sealRun(ctx, tx, run)
	})
	return id, err
}

// keepRegistered returns text, the encoded form of the setting now, with the values that later settings repeat.
// Validation comes from the last setting unless now has its own. Provisional, Notes and Tags always come from the last
// setting.
func keepRegistered(last string, now Setting, text []byte) ([]byte, error) {
	var before Setting
	if last == "" {
		return text, nil
	}
	if err := json.Unmarshal([]byte(last), &before); err != nil || before.Validation+before.Provisional == "" &&
		len(before.Notes)+len(before.Tags) == 0 {
		return text, nil // an unreadable setting registers nothing, and readers report the error
	}
	now.Validation, now.Provisional = cmp.Or(now.Validation, before.Validation), before.Provisional
	now.Notes, now.Tags = before.Notes, before.Tags
	return json.Marshal(now)
}

// SetProvisional stores the reason why the verdict of the run's SPRT is not final; "" means that the verdict is
// final.
func (r *Run) SetProvisional(ctx context.Context, why string) error {
	return r.amend(ctx, "marking its verdict", func(now *Setting) bool {
		changed := now.Provisional != why
		now.Provisional = why
		return changed
	})
}

// AddNote stores a note that a player wrote before its first search. It stores a note that is there already only once.
func (r *Run) AddNote(ctx context.Context, n EngineNote) error {
	return r.amend(ctx, "storing a note of an engine", func(now *Setting) bool {
		fresh := !slices.Contains(now.Notes, n)
		if fresh {
			now.Notes = append(now.Notes, n)
		}
		return fresh
	})
}

// amend changes the latest Setting in the log and adds no new one, because the games do not depend on the change.
// change returns false if nothing changes. doing describes the work in an error.
func (r *Run) amend(ctx context.Context, doing string, change func(*Setting) bool) error {
	return amend(ctx, r.store, r.id, r.plan.Run, doing, change)
}

// amend does the work of Run.amend for the run with this number and name.
func amend(ctx context.Context, s *Store, run int64, name, doing string, change func(*Setting) bool) error {
	err := file.InTx(ctx, s.write, func(tx *sql.Tx) error {
		var id int64
		var text []byte
		err := tx.QueryRowContext(ctx, "SELECT id, settings FROM settings_log WHERE run_id = ? ORDER BY id DESC LIMIT 1",
			run).Scan(&id, &text)
		if err != nil {
			return err
		}
		var now Setting
		if err := json.Unmarshal(text, &now); err != nil || !change(&now) {
			return err
		}
		if text, err = json.Marshal(now); err != nil {
			return err
		}
		if _, err := verifyRun(ctx, tx, run, name); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, "UPDATE settings_log SET settings = ? WHERE id = ?", string(text), id); err != nil {
			return err
		}
		return sealRun(ctx, tx, run)
	})
	if err != nil {
		return s.fail(fmt.Sprintf("run %q: %s", name, doing), err)
	}
	return nil
}

// sealRun writes the checksums of the run's own rows after a change. Rows of an older gogi have no checksums
// until then.
func sealRun(ctx context.Context, tx *sql.Tx, run int64) error {
	return errors.Join(tables.Seal(ctx, tx, "runs", "WHERE id = ?", run),
		tables.Seal(ctx, tx, "engines", "WHERE run_id = ?", run),
		tables.Seal(ctx, tx, "settings_log", "WHERE run_id = ?", run))
}

// greatestTarget returns the largest number of pairs that the settings of the run have requested.
func greatestTarget(ctx context.Context, s *Store, run int64) (most int, err error) {
	list, err := settings(ctx, s.write, run)
	for _, setting := range list {
		most = max(most, setting.Pairs)
	}
	return most, err
}

// Settings returns a run's settings at its first start and at every start that changed them, in order.
func (s *Store) Settings(ctx context.Context, runID int64) ([]Setting, error) {
	return moment(ctx, s, "reading the settings", func(m Moment) ([]Setting, error) {
		list, err := settings(ctx, m.Q, runID)
		if err == nil {
			err = counted(ctx, m.Q, runID, "settings_log")
		}
		return list, err
	})
}

func settings(ctx context.Context, q tables.Querier, runID int64) (list []Setting, err error) {
	var before []byte
	err = tables.Each(ctx, q, func(rows *sql.Rows) error {
		var now Setting
		var text []byte
		if err := rows.Scan(&now.ID, tables.Moment{To: &now.At}, &text); err != nil {
			return err
		}
		if err := json.Unmarshal(text, &now); err != nil {
			return fmt.Errorf("the settings of start %d: %w", len(list)+1, err)
		}
		if len(list) > 0 {
			now.Changes = match.Differences(before, text)
		}
		before = text
		list = append(list, now)
		return nil
	}, "SELECT id, at, settings FROM settings_log WHERE run_id = ? ORDER BY id", runID)
	return list, err
}

// FirstStored returns the ID of the Setting that was valid when the run's first pair was stored. It returns 0 if
// no pair was ever stored. Voided pairs count too. A Setting with a greater ID is therefore a change after the
// first game.
//
// Older versions of gogi did not store the setting of a pair. For their pairs the result is the last Setting
// before the first game began, by the clock of the machine that played this game.
func (s *Store) FirstStored(ctx context.Context, run int64) (setting int64, err error) {
	err = s.Moment(ctx, "finding the first pair", func(m Moment) error {
		inventory, err := tables.ReadInventory(ctx, m.Q, run, 0, 0)
		if err != nil {
			return err
		}
		if setting = inventory.FirstSetting(); setting == 0 {
			setting, err = firstStarted(ctx, m.Q, run)
		}
		return err
	})
	return max(0, setting), err
}

// firstStarted does the work of FirstStored for a run with pairs of an older gogi, which stored no setting.
// It uses the start time of their first game.
func firstStarted(ctx context.Context, q tables.Querier, run int64) (setting int64, err error) {
	var started sql.NullInt64
	err = q.QueryRowContext(ctx, `WITH undated AS (
			SELECT g.started FROM pairs p JOIN games g ON g.run_id = p.run_id AND g.pair = p.pair WHERE p.run_id = ? AND p.setting IS NULL
			UNION ALL SELECT started FROM voided WHERE run_id = ? AND setting IS NULL)
		SELECT min(started) FROM undated`, run, run).Scan(&started)
	if err != nil {
		return 0, err
	}
	list, err := settings(ctx, q, run)
	if err != nil {
		return 0, err
	}
	at := tables.FromMicros(started.Int64)
	for i, s := range list {
		if i == 0 || !s.At.After(at) {
			setting = s.ID
		}
	}
	return setting, nil
}
