-- What readers of games want of 512 consecutive pair numbers, packed (package segments):
-- derived from the rows, and quicker to read. Whoever changes one of these rows drops the
-- segment that holds it, so that a segment never tells what the rows do not.
CREATE TABLE segments (
  run_id   INTEGER NOT NULL REFERENCES runs (id),
  block    INTEGER NOT NULL, -- of the pairs from 512 * block on
  games    BLOB NOT NULL,    -- first byte: the version of its format
  checksum INTEGER NOT NULL,
  PRIMARY KEY (run_id, block)
) STRICT;

CREATE TRIGGER segments_game_added AFTER INSERT ON games BEGIN
  DELETE FROM segments WHERE run_id = NEW.run_id AND block = NEW.pair / 512;
END;
CREATE TRIGGER segments_game_removed AFTER DELETE ON games BEGIN
  DELETE FROM segments WHERE run_id = OLD.run_id AND block = OLD.pair / 512;
END;
CREATE TRIGGER segments_game_changed AFTER UPDATE ON games BEGIN
  DELETE FROM segments WHERE run_id = OLD.run_id AND block = OLD.pair / 512;
  DELETE FROM segments WHERE run_id = NEW.run_id AND block = NEW.pair / 512;
END;
CREATE TRIGGER segments_pair_added AFTER INSERT ON pairs BEGIN
  DELETE FROM segments WHERE run_id = NEW.run_id AND block = NEW.pair / 512;
END;
CREATE TRIGGER segments_pair_removed AFTER DELETE ON pairs BEGIN
  DELETE FROM segments WHERE run_id = OLD.run_id AND block = OLD.pair / 512;
END;
CREATE TRIGGER segments_pair_changed AFTER UPDATE ON pairs BEGIN
  DELETE FROM segments WHERE run_id = OLD.run_id AND block = OLD.pair / 512;
  DELETE FROM segments WHERE run_id = NEW.run_id AND block = NEW.pair / 512;
END;
-- Nobody knows where an opening was played.
CREATE TRIGGER segments_opening_removed AFTER DELETE ON openings BEGIN
  DELETE FROM segments WHERE run_id = OLD.run_id;
END;
CREATE TRIGGER segments_opening_changed AFTER UPDATE ON openings BEGIN
  DELETE FROM segments WHERE run_id IN (OLD.run_id, NEW.run_id);
END;
