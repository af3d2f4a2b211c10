-- Times are whole microseconds: of the day since 1970 in UTC, of a search as such.

CREATE TABLE runs (
  id      INTEGER PRIMARY KEY,
  name    TEXT NOT NULL UNIQUE,
  digest  TEXT NOT NULL,    -- of the plan, SHA-256 in hexadecimal
  plan    TEXT NOT NULL,    -- what the digest covers, JSON
  rules   TEXT NOT NULL,    -- the name of the rules
  legs    INTEGER NOT NULL, -- games in a pair
  pairs   INTEGER NOT NULL, -- how many to play, as of the latest start
  created INTEGER NOT NULL
) STRICT;

-- The players in plan order, with their paths as of the latest start.
CREATE TABLE engines (
  run_id   INTEGER NOT NULL REFERENCES runs (id),
  idx      INTEGER NOT NULL,
  name     TEXT NOT NULL,
  builtin  INTEGER NOT NULL,
  command  TEXT NOT NULL, -- JSON list
  dir      TEXT NOT NULL,
  env      TEXT NOT NULL, -- JSON list
  options  TEXT NOT NULL, -- JSON list of {name, value}
  profile  TEXT NOT NULL,
  limits   TEXT NOT NULL,
  restart  TEXT NOT NULL,
  identity TEXT NOT NULL, -- JSON {files: [{role, path, sha256}], fixed}
  PRIMARY KEY (run_id, idx)
) STRICT, WITHOUT ROWID;

-- What the digest does not cover, a row for each start that changed it.
CREATE TABLE settings_log (
  id       INTEGER PRIMARY KEY,
  run_id   INTEGER NOT NULL REFERENCES runs (id),
  at       INTEGER NOT NULL,
  settings TEXT NOT NULL -- JSON
) STRICT;

-- An opening is stored with the first pair that starts from it.
CREATE TABLE openings (
  id     INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs (id),
  name   TEXT NOT NULL,    -- its ID in the book
  start  TEXT NOT NULL,    -- "startpos" or a SFEN
  moves  TEXT NOT NULL,    -- USI, with spaces
  plies  INTEGER NOT NULL,
  hash   INTEGER NOT NULL, -- of start and moves: two books may use one ID
  UNIQUE (run_id, name, hash)
) STRICT;

CREATE TABLE pairs (
  run_id     INTEGER NOT NULL REFERENCES runs (id),
  pair       INTEGER NOT NULL,
  a          INTEGER NOT NULL, -- has Black in leg 0; an engine's idx
  b          INTEGER NOT NULL,
  opening_id INTEGER NOT NULL REFERENCES openings (id),
  seed       INTEGER NOT NULL, -- 64 bits, unsigned
  PRIMARY KEY (run_id, pair),
  FOREIGN KEY (run_id, a) REFERENCES engines (run_id, idx),
  FOREIGN KEY (run_id, b) REFERENCES engines (run_id, idx)
) STRICT, WITHOUT ROWID;

CREATE TABLE games (
  id           INTEGER PRIMARY KEY,
  run_id       INTEGER NOT NULL,
  pair         INTEGER NOT NULL,
  leg          INTEGER NOT NULL,
  black        INTEGER NOT NULL, -- an engine's idx
  white        INTEGER NOT NULL,
  outcome      TEXT NOT NULL CHECK (outcome IN ('black', 'white', 'draw')),
  termination  TEXT NOT NULL CHECK (termination <> 'not_ended'),
  note         TEXT NOT NULL,
  black_points REAL NOT NULL,
  white_points REAL NOT NULL,
  plies        INTEGER NOT NULL, -- the opening's included
  moves_hash   INTEGER NOT NULL, -- of the start position and all moves
  last_sfen    TEXT NOT NULL,
  marked       INTEGER NOT NULL, -- the machine slowed a move
  slot         INTEGER NOT NULL,
  started      INTEGER NOT NULL,
  ended        INTEGER NOT NULL,

  black_plies         INTEGER NOT NULL,
  black_nodes         INTEGER NOT NULL,
  black_us            INTEGER NOT NULL,
  black_depth_sum     INTEGER NOT NULL,
  black_depth_plies   INTEGER NOT NULL,
  black_overrun_us    INTEGER NOT NULL,
  black_ponder_hits   INTEGER NOT NULL,
  black_ponder_misses INTEGER NOT NULL,
  white_plies         INTEGER NOT NULL,
  white_nodes         INTEGER NOT NULL,
  white_us            INTEGER NOT NULL,
  white_depth_sum     INTEGER NOT NULL,
  white_depth_plies   INTEGER NOT NULL,
  white_overrun_us    INTEGER NOT NULL,
  white_ponder_hits   INTEGER NOT NULL,
  white_ponder_misses INTEGER NOT NULL,

  UNIQUE (run_id, pair, leg),
  FOREIGN KEY (run_id, pair) REFERENCES pairs (run_id, pair),
  FOREIGN KEY (run_id, black) REFERENCES engines (run_id, idx),
  FOREIGN KEY (run_id, white) REFERENCES engines (run_id, idx)
) STRICT;

-- What a report never reads, apart from games so that games stays small.
CREATE TABLE records (
  game_id INTEGER PRIMARY KEY REFERENCES games (id),
  start   TEXT NOT NULL, -- "startpos" or a SFEN
  event   TEXT NOT NULL,
  site    TEXT NOT NULL,
  plies   BLOB NOT NULL  -- first byte: the version of its format
) STRICT;

-- Tries at a pair that do not count.
CREATE TABLE attempts (
  id     INTEGER PRIMARY KEY,
  run_id INTEGER NOT NULL REFERENCES runs (id),
  pair   INTEGER NOT NULL,
  ended  INTEGER NOT NULL,
  why    TEXT NOT NULL,
  UNIQUE (run_id, pair, ended, why) -- a redelivered attempt is the same one
) STRICT;
