-- Who played pairs on other machines. A worker that gets another key or another owner
-- is another row: what is told of a pair stays what it was when it was stored.
CREATE TABLE workers (
  id       INTEGER PRIMARY KEY,
  name     TEXT NOT NULL,
  key      TEXT NOT NULL, -- its public key as text; '' where it is not known
  owner    TEXT NOT NULL,
  checksum INTEGER,
  UNIQUE (name, owner, key)
) STRICT;

-- NULL in all of these: the process that stored the pair has played it. The checksum of
-- a row covers them where one of them is not NULL.
ALTER TABLE pairs ADD COLUMN worker INTEGER REFERENCES workers (id);
ALTER TABLE pairs ADD COLUMN epoch INTEGER; -- of the lease; 64 bits, unsigned
ALTER TABLE pairs ADD COLUMN scale REAL;    -- what clocks were multiplied by
ALTER TABLE pairs ADD COLUMN proof BLOB;    -- the worker's signature

-- Who voided it; NULL: an older gogi did not ask.
ALTER TABLE voided ADD COLUMN voider TEXT;
