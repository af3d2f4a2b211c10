package results

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"gogi/match"
	"gogi/results/file"
	"gogi/results/tables"
)

// nextRun is an SQL expression for the number of a new run. It is no number of a deleted run, because programs that
// read the database use the number as the key of what they remember.
const nextRun = "(SELECT max(coalesce((SELECT max(id) FROM runs), 0), coalesce((SELECT value FROM stored WHERE run_id = 0 AND part = -12), 0)) + 1)"

// Rename gives a run another name. It returns ErrRunLocked if the run is being played, and an error if another run has
// the name. The games keep the name as their event, because it is a part of the stored records.
func Rename(ctx context.Context, s *Store, run *RunInfo, name string) error {
	err := match.CheckRunName(name)
	if err == nil {
		err = alone(s, run, func() error {
			return file.InTx(ctx, s.write, func(tx *sql.Tx) error { return rename(ctx, tx, run, name) })
		})
	}
	if err != nil {
		return s.fail(fmt.Sprintf("renaming run %q", run.Name), err)
	}
	return nil
}

func rename(ctx context.Context, tx *sql.Tx, run *RunInfo, name string) error {
	if _, err := verifyRun(ctx, tx, run.ID, run.Name); err != nil {
		return err
	}
	taken, err := names(ctx, tx)
	if err != nil {
		return err
	}
	if slices.Contains(taken, name) {
		return fmt.Errorf("another run is named %q; choose another name", name)
	}
	if _, err := tx.ExecContext(ctx, "UPDATE runs SET name = ? WHERE id = ?", name, run.ID); err != nil {
		return err
	}
	if err := sealRun(ctx, tx, run.ID); err != nil {
		return err
	}
	return renameValidation(ctx, tx, run.Name, name)
}

// renameValidation changes the name of the run that validates a candidate of a tune.
func renameValidation(ctx context.Context, tx *sql.Tx, old, name string) error {
	if err := tables.VerifyRows(ctx, tx, "tune_candidates", "WHERE run = ?", old); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, "UPDATE tune_candidates SET run = ? WHERE run = ?", name, old); err != nil {
		return err
	}
	return tables.Seal(ctx, tx, "tune_candidates", "WHERE run = ?", name)
}

// Delete deletes a run with all its games. It returns ErrRunLocked if the run is being played. If no other run is being
// played, Delete makes the file smaller and returns true. Otherwise later games use the free pages of the file.
func Delete(ctx context.Context, s *Store, run *RunInfo) (smaller bool, err error) {
	err = alone(s, run, func() error {
		// Without an index, SQLite would search all pairs for each deleted opening. All rows that refer to rows of the run
		// are rows of the run.
		if _, err := s.write.ExecContext(ctx, "PRAGMA foreign_keys=OFF"); err != nil {
			return err
		}
		err := file.InTx(ctx, s.write, func(tx *sql.Tx) error { return deleteRun(ctx, tx, run) })
		_, on := s.write.ExecContext(context.WithoutCancel(ctx), "PRAGMA foreign_keys=ON")
		return errors.Join(err, on)
	})
	if err != nil {
		return false, s.fail(fmt.Sprintf("deleting run %q", run.Name), err)
	}
	smaller, err = shrink(ctx, s)
	if err != nil {
		return false, s.fail(fmt.Sprintf("run %q is deleted; freeing its pages", run.Name), err)
	}
	return smaller, nil
}

func deleteRun(ctx context.Context, tx *sql.Tx, run *RunInfo) error {
	found := 0
	err := tx.QueryRowContext(ctx, "SELECT count(*) FROM runs WHERE id = ? AND name = ?", run.ID, run.Name).Scan(&found)
	if err == nil && found == 0 {
		err = noRun(ctx, tx, run.Name)
	}
	if err != nil {
		return err
	}
	schema, err := tables.CurrentSchema()
	if err != nil {
		return err
	}
	texts := []string{"DELETE FROM records WHERE game_id IN (SELECT id FROM games WHERE run_id = ?1)"}
	for i := range slices.Backward(schema.Tables) { // children come before their parents
		t := &schema.Tables[i]
		if t.Name != "stored" && slices.Contains(t.Names(), "run_id") { // the triggers of runs delete the rows of stored
			texts = append(texts, "DELETE FROM "+t.Name+" WHERE run_id = ?1")
		}
	}
	texts = append(texts, "DELETE FROM runs WHERE id = ?1",
		"INSERT INTO stored (run_id, part, value) VALUES (0, -12, ?1) ON CONFLICT DO UPDATE SET value = max(value, excluded.value)")
	for _, text := range texts {
		if _, err := tx.ExecContext(ctx, text, run.ID); err != nil {
			return err
		}
	}
	return nil
}

// shrink returns the free pages of the file to the disk and reports whether it did. It does nothing while a run is
// being played, because the player would wait.
func shrink(ctx context.Context, s *Store) (done bool, err error) {
	runs, err := s.Runs(ctx)
	if err != nil {
		return false, err
	}
	release, err := holdRuns(s, runs)
	if errors.Is(err, ErrRunLocked) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, err = s.write.ExecContext(ctx, "VACUUM")
	if err == nil {
		_, err = s.write.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)")
	}
	return err == nil, errors.Join(err, release())
}

// alone calls do while no other process can play the run.
func alone(s *Store, run *RunInfo, do func() error) error {
	if s.write == nil {
		return errors.New("the database was opened for reading only")
	}
	lock, err := holdRun(s, run.ID)
	if err != nil {
		return err
	}
	return errors.Join(do(), lock.Close())
}

// Tag adds tags to a run and removes others. It returns the tags of the run, sorted. The run may be in play.
func Tag(ctx context.Context, s *Store, run *RunInfo, add, remove []string) (tags []string, err error) {
	if s.write == nil {
		return nil, s.fail("tagging a run", errors.New("the database was opened for reading only"))
	}
	for _, tag := range add {
		if err := checkTag(tag); err != nil {
			return nil, err
		}
	}
	err = amend(ctx, s, run.ID, run.Name, "changing its tags", func(now *Setting) bool {
		tags = slices.DeleteFunc(slices.Concat(now.Tags, add), func(tag string) bool { return slices.Contains(remove, tag) })
		slices.Sort(tags)
		tags = slices.Compact(tags)
		changed := !slices.Equal(tags, now.Tags)
		now.Tags = tags
		return changed
	})
	return tags, err
}

// maxTag is the largest number of bytes of a tag.
const maxTag = 64

// checkTag returns an error if a text is no tag: a word that a terminal shows, without a comma.
func checkTag(tag string) error {
	bad := strings.ContainsFunc(tag, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	if err := match.CheckRunName(tag); err != nil || bad || len(tag) > maxTag {
		return fmt.Errorf("tag %q: expected a word of at most %d bytes without blanks and commas, which does not begin with a dash", tag, maxTag)
	}
	return nil
}

// TagsOf returns the tags of all runs that have tags, by the number of the run.
func TagsOf(ctx context.Context, s *Store) (map[int64][]string, error) {
	byRun := map[int64][]string{}
	err := tables.Each(ctx, s.read, func(rows *sql.Rows) error {
		var run int64
		var tag string
		err := rows.Scan(&run, &tag)
		byRun[run] = append(byRun[run], tag)
		return err
	}, `SELECT l.run_id, t.value FROM settings_log l, json_each(CASE WHEN json_valid(l.settings) THEN l.settings ELSE '{}' END, '$.tags') t
		WHERE l.id IN (SELECT max(id) FROM settings_log GROUP BY run_id) ORDER BY l.run_id, t.key`)
	if err != nil {
		return nil, s.fail("reading the tags of the runs", err)
	}
	return byRun, nil
}
