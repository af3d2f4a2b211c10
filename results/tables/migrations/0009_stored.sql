-- What is stored, for readers to compare what they read with: a row that a damaged file no
-- longer leads to is missed. Triggers keep it, so it is of the same transaction as the rows,
-- whoever writes them.
CREATE TABLE stored (
  run_id INTEGER NOT NULL, -- 0: of the whole database
  -- From 0: which of the pairs from 64 * part on are stored, a bit each. Of a run: -1 how many
  -- pairs; -2 games in a pair; -3 the least setting that a pair was ever stored at, 0 where an
  -- older gogi stored one, -1 where none was stored; then rows: -4 engines, -5 settings_log,
  -- -6 attempts, -7 voided, -8 tune_states, -9 tune_candidates. Of the whole database: -10
  -- runs, -11 workers.
  part   INTEGER NOT NULL,
  value  INTEGER NOT NULL,
  -- All bits that differ between the value and its place, turned: no flipped bit of the row
  -- keeps it right.
  guard  INTEGER NOT NULL GENERATED ALWAYS AS (~((value | ((run_id << 40) + part)) - (value & ((run_id << 40) + part)))) STORED,
  PRIMARY KEY (run_id, part)
) STRICT, WITHOUT ROWID;

INSERT INTO stored (run_id, part, value) VALUES (0, -10, 0), (0, -11, 0);

CREATE TRIGGER stored_run_added AFTER INSERT ON runs BEGIN
  INSERT INTO stored (run_id, part, value) VALUES
    (NEW.id, -1, 0), (NEW.id, -2, NEW.legs), (NEW.id, -3, -1), (NEW.id, -4, 0), (NEW.id, -5, 0),
    (NEW.id, -6, 0), (NEW.id, -7, 0), (NEW.id, -8, 0), (NEW.id, -9, 0);
  UPDATE stored SET value = value + 1 WHERE run_id = 0 AND part = -10;
END;
CREATE TRIGGER stored_run_removed AFTER DELETE ON runs BEGIN
  DELETE FROM stored WHERE run_id = OLD.id;
  UPDATE stored SET value = value - 1 WHERE run_id = 0 AND part = -10;
END;
CREATE TRIGGER stored_worker_added AFTER INSERT ON workers BEGIN
  UPDATE stored SET value = value + 1 WHERE run_id = 0 AND part = -11;
END;
CREATE TRIGGER stored_worker_removed AFTER DELETE ON workers BEGIN
  UPDATE stored SET value = value - 1 WHERE run_id = 0 AND part = -11;
END;

CREATE TRIGGER stored_pair_added AFTER INSERT ON pairs BEGIN
  INSERT INTO stored (run_id, part, value) VALUES (NEW.run_id, NEW.pair / 64, 1 << (NEW.pair % 64))
    ON CONFLICT DO UPDATE SET value = value | excluded.value;
  UPDATE stored SET value = CASE part
      WHEN -1 THEN value + 1
      ELSE CASE value WHEN -1 THEN coalesce(NEW.setting, 0) ELSE min(value, coalesce(NEW.setting, 0)) END
    END WHERE run_id = NEW.run_id AND part IN (-1, -3);
END;
CREATE TRIGGER stored_pair_removed AFTER DELETE ON pairs BEGIN
  UPDATE stored SET value = value & ~(1 << (OLD.pair % 64)) WHERE run_id = OLD.run_id AND part = OLD.pair / 64;
  UPDATE stored SET value = value - 1 WHERE run_id = OLD.run_id AND part = -1;
END;

CREATE TRIGGER stored_pair_moved AFTER UPDATE OF run_id, pair ON pairs BEGIN
  UPDATE stored SET value = value & ~(1 << (OLD.pair % 64)) WHERE run_id = OLD.run_id AND part = OLD.pair / 64;
  UPDATE stored SET value = value - 1 WHERE run_id = OLD.run_id AND part = -1;
  INSERT INTO stored (run_id, part, value) VALUES (NEW.run_id, NEW.pair / 64, 1 << (NEW.pair % 64))
    ON CONFLICT DO UPDATE SET value = value | excluded.value;
  UPDATE stored SET value = value + 1 WHERE run_id = NEW.run_id AND part = -1;
END;

CREATE TRIGGER stored_engine_added AFTER INSERT ON engines BEGIN
  UPDATE stored SET value = value + 1 WHERE run_id = NEW.run_id AND part = -4;
END;
CREATE TRIGGER stored_engine_removed AFTER DELETE ON engines BEGIN
  UPDATE stored SET value = value - 1 WHERE run_id = OLD.run_id AND part = -4;
END;
CREATE TRIGGER stored_setting_added AFTER INSERT ON settings_log BEGIN
  UPDATE stored SET value = value + 1 WHERE run_id = NEW.run_id AND part = -5;
END;
CREATE TRIGGER stored_setting_removed AFTER DELETE ON settings_log BEGIN
  UPDATE stored SET value = value - 1 WHERE run_id = OLD.run_id AND part = -5;
END;
CREATE TRIGGER stored_attempt_added AFTER INSERT ON attempts BEGIN
  UPDATE stored SET value = value + 1 WHERE run_id = NEW.run_id AND part = -6;
END;
CREATE TRIGGER stored_attempt_removed AFTER DELETE ON attempts BEGIN
  UPDATE stored SET value = value - 1 WHERE run_id = OLD.run_id AND part = -6;
END;
CREATE TRIGGER stored_voided_added AFTER INSERT ON voided BEGIN
  UPDATE stored SET value = CASE part
      WHEN -7 THEN value + 1
      ELSE CASE value WHEN -1 THEN coalesce(NEW.setting, 0) ELSE min(value, coalesce(NEW.setting, 0)) END
    END WHERE run_id = NEW.run_id AND part IN (-7, -3);
END;
CREATE TRIGGER stored_voided_removed AFTER DELETE ON voided BEGIN
  UPDATE stored SET value = value - 1 WHERE run_id = OLD.run_id AND part = -7;
END;
CREATE TRIGGER stored_state_added AFTER INSERT ON tune_states BEGIN
  UPDATE stored SET value = value + 1 WHERE run_id = NEW.run_id AND part = -8;
END;
CREATE TRIGGER stored_state_removed AFTER DELETE ON tune_states BEGIN
  UPDATE stored SET value = value - 1 WHERE run_id = OLD.run_id AND part = -8;
END;
CREATE TRIGGER stored_candidate_added AFTER INSERT ON tune_candidates BEGIN
  UPDATE stored SET value = value + 1 WHERE run_id = NEW.run_id AND part = -9;
END;
CREATE TRIGGER stored_candidate_removed AFTER DELETE ON tune_candidates BEGIN
  UPDATE stored SET value = value - 1 WHERE run_id = OLD.run_id AND part = -9;
END;
