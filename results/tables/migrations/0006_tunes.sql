-- What a pair of a tune was played with beside its plan, see package results, options.go.
-- NULL: nothing. The checksum of the row covers it where it is not NULL.
ALTER TABLE pairs ADD COLUMN options TEXT;

-- What is known of a tune after so many whole blocks. A state is stored with the pair
-- that made its block whole.
CREATE TABLE tune_states (
  run_id   INTEGER NOT NULL REFERENCES runs (id),
  blocks   INTEGER NOT NULL, -- that are learnt
  pairs    INTEGER NOT NULL, -- that are learnt: the numbers below this
  centre   TEXT NOT NULL,    -- JSON, by parameter: numbers that read back as what they were
  factor   REAL NOT NULL,    -- of all perturbations
  checksum INTEGER,
  PRIMARY KEY (run_id, blocks)
) STRICT;

-- What tunes have answered. One is written down before the first game of the run that
-- validates it.
CREATE TABLE tune_candidates (
  run_id   INTEGER NOT NULL REFERENCES runs (id),
  number   INTEGER NOT NULL, -- from 1
  blocks   INTEGER NOT NULL, -- of the state that it comes from
  point    TEXT NOT NULL,    -- as pairs.options has one player's
  run      TEXT NOT NULL,    -- the name of the run that validates it
  at       INTEGER NOT NULL, -- by the clock of the machine that has this database
  checksum INTEGER,
  PRIMARY KEY (run_id, number)
) STRICT;
