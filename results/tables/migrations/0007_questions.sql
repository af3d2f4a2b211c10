-- What came of the questions to a mate solver in a game: match.Questions as JSON. NULL:
-- none was asked, or the game was stored before this was kept. The checksum of the game
-- covers it where it is not NULL.
ALTER TABLE games ADD COLUMN questions TEXT;
