-- How many of a council's votes in a game lacked a member's ballot.
ALTER TABLE games ADD COLUMN black_incomplete INTEGER NOT NULL DEFAULT 0;
ALTER TABLE games ADD COLUMN white_incomplete INTEGER NOT NULL DEFAULT 0;
-- The vote record behind a resignation or a declaration, which are no moves.
ALTER TABLE records ADD COLUMN final BLOB;
