package crash

import (
	"cmp"
	"errors"
	"path/filepath"

	"gogi/usi/transcript"
)

// Begin starts the records of a run in a database. If transcripts is not "", it is the folder for the transcripts
// of all games.
func Begin(db, run, transcripts string) *Records {
	r := &Records{Keeper: NewKeeper(Dir(db, run), run)}
	if transcripts != "" {
		r.Transcripts = transcript.NewTranscripts(transcripts, func(err error) { r.Keeper.failed(Problem{transcripts, err}) })
	}
	return r
}

// TranscriptDir returns the folder with the transcripts of a run. It is in dir, or next to the database if dir is "".
func TranscriptDir(dir, db, run string) string {
	dir = cmp.Or(dir, db+"-transcripts")
	return filepath.Join(dir, transcript.FileName(run))
}

// Close writes the remaining records and returns the first error of a write. Such an error does not change
// the result of a game.
func (r *Records) Close() error {
	var transcripts error
	if r.Transcripts != nil {
		transcripts = r.Transcripts.Close()
	}
	return errors.Join(transcripts, r.Keeper.Close())
}
