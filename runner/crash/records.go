package crash

import (
	"errors"

	"gogi/usi/transcript"
)

// Begin keeps the bundles of a run in a database and, where transcripts is not "",
// every line of its games in that folder.
func Begin(db, run, transcripts string) *Records {
	r := &Records{Keeper: NewKeeper(Dir(db, run), run)}
	if transcripts != "" {
		r.Transcripts = transcript.NewTranscripts(transcripts, func(err error) { r.Keeper.failed(Problem{transcripts, err}) })
	}
	return r
}

// TranscriptDir is the folder with the transcripts of a run: within dir, or beside
// the database where that is "".
func TranscriptDir(dir, db, run string) string {
	if dir == "" {
		dir = db + "-transcripts"
	}
	return folderOf(dir, run)
}

// Close writes what waits. Its error says what could not be kept; no result depends
// on that.
func (r *Records) Close() error {
	var transcripts error
	if r.Transcripts != nil {
		transcripts = r.Transcripts.Close()
	}
	return errors.Join(transcripts, r.Keeper.Close())
}
