-- CRC-32C of a row, as checksums.go reckons it; that of a game covers what a report
-- joins to it, too. NULL: stored by an older gogi, so nothing can tell whether it is
-- what was stored.
ALTER TABLE runs ADD COLUMN checksum INTEGER;
ALTER TABLE engines ADD COLUMN checksum INTEGER;
ALTER TABLE settings_log ADD COLUMN checksum INTEGER;
ALTER TABLE openings ADD COLUMN checksum INTEGER;
ALTER TABLE pairs ADD COLUMN checksum INTEGER;
ALTER TABLE games ADD COLUMN checksum INTEGER;
ALTER TABLE records ADD COLUMN checksum INTEGER;
ALTER TABLE attempts ADD COLUMN checksum INTEGER;
ALTER TABLE voided ADD COLUMN checksum INTEGER;
