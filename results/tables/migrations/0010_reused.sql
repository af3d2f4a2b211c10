-- The stored games that this pair repeats, if gogi took it from other runs and did not play it:
-- results.GameSource by leg, as JSON. NULL: the pair was played. The checksum of the row covers
-- it where it is not NULL.
ALTER TABLE pairs ADD COLUMN reused TEXT;
