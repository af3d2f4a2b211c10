-- The row of settings_log that held when the pair was stored: what came before the
-- first game is told by the order of the log, not by clocks. NULL: stored by an
-- older gogi.
ALTER TABLE pairs ADD COLUMN setting INTEGER REFERENCES settings_log (id);
-- When, by the clock of the machine that has this database. NULL: as above.
ALTER TABLE pairs ADD COLUMN stored INTEGER;

-- Pairs that were taken out of a run, to be played again.
CREATE TABLE voided (
  run_id  INTEGER NOT NULL REFERENCES runs (id),
  pair    INTEGER NOT NULL,
  take    INTEGER NOT NULL, -- from 1: how often the pair has been voided
  at      INTEGER NOT NULL,
  why     TEXT NOT NULL,
  setting INTEGER REFERENCES settings_log (id), -- as in pairs
  stored  INTEGER,                              -- as in pairs
  started INTEGER NOT NULL,                     -- of its first game
  body    BLOB NOT NULL,                        -- the pair as match.EncodePair writes it
  PRIMARY KEY (run_id, pair, take)
) STRICT;
