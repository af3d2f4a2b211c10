package crash

import (
	"bytes"
	"cmp"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gogi/internal/sanitize"
	"gogi/match"
	"gogi/usi"
	"gogi/usi/process"
	"gogi/usi/transcript"
)

// Process is an engine process from which a crash dump gets the exit and the standard error output.
type Process interface {
	// Exit returns the exit of the process, see process.Process.
	Exit() process.Exit
	// Stderr returns the unchanged end of the standard error output.
	Stderr() []byte
	PID() int
}

// Records holds the crash dumps and transcripts of a run's engines. It also has callbacks for events of the
// engines.
type Records struct {
	Keeper      *Keeper
	Transcripts *transcript.Transcripts // of every game; nil means none
	// Playing, if not nil, is called when an engine begins a game.
	Playing func(r *Recorder, g usi.Game)
	// Ended, if not nil, is called when the dialogue is over.
	Ended func(r *Recorder)
	// Member, if not nil, is called when a member of a council fails. The council may win the game all the same.
	Member func(m MemberFault)
	// Noted, if not nil, is called with each note of an engine that reports a failure (usi.FailureNote) before the
	// engine's first search.
	Noted func(r *Recorder, note string)
}

// MemberFault is the failure of an engine that is a member of a council (a player whose members vote on
// moves).
type MemberFault struct {
	Council, Member, Kind, Note, Bundle string
	Game                                usi.Game // Pair is usi.NoPair outside a game
}

// Recorder records the dialogue with one engine process, and writes a crash dump if the engine fails. It is
// the usi.Tap of the process: an observer that receives every line.
type Recorder struct {
	Player  match.Player
	Council string // the council of which the player is a member, or ""
	Process Process

	records Records
	log     *transcript.Log

	searched atomic.Bool // gogi has sent the first go

	mu     sync.Mutex // guards the fields below
	game   usi.Game
	before []byte // lines before the first game
	lines  int    // in before
}

// maxBefore is the maximum size in bytes of the stored dialogue before the first game.
const maxBefore = 1 << 20

// NewRecorder returns the Recorder for the process proc of the player p. If the player is a member of a
// council, council is the name of the council; otherwise it is "".
func (r Records) NewRecorder(p match.Player, council string, proc Process) *Recorder {
	return &Recorder{
		Player: p, Council: council, Process: proc, records: r, log: transcript.NewLog(), game: usi.Game{Pair: usi.NoPair},
	}
}

// Sent records lines that gogi sends to the engine. It implements usi.Tap.
func (r *Recorder) Sent(at time.Time, text []byte) {
	r.log.Sent(at, text)
	if !r.searched.Load() && (bytes.HasPrefix(text, []byte("go ")) || bytes.Contains(text, []byte("\ngo "))) {
		r.searched.Store(true)
	}
	if r.records.Transcripts == nil {
		return
	}
	for line := range bytes.Lines(text) {
		r.transcribe(transcript.Line{At: at, Sent: true, Text: bytes.TrimSuffix(line, []byte{'\n'})})
	}
}

// Received records a line from the engine. It implements usi.Tap.
func (r *Recorder) Received(at time.Time, line []byte) {
	r.log.Received(at, line)
	if r.records.Noted != nil && !r.searched.Load() {
		if note, ok := usi.FailureNote(sanitize.Decode(line)); ok {
			r.records.Noted(r, note)
		}
	}
	if r.records.Transcripts != nil {
		r.transcribe(transcript.Line{At: at, Text: line})
	}
}

// Game records that the engine begins another game. It implements usi.Tap.
func (r *Recorder) Game(g usi.Game) {
	r.mu.Lock()
	r.game = g
	if t := r.records.Transcripts; t != nil && g.Pair != usi.NoPair && r.lines > 0 {
		t.Add(gameOf(g), r.before, r.lines)
		r.before, r.lines = nil, 0
	}
	r.mu.Unlock()
	if r.records.Playing != nil {
		r.records.Playing(r, g)
	}
}

func gameOf(g usi.Game) transcript.Game {
	return transcript.Game{Pair: g.Pair, Leg: g.Leg, Slot: g.Slot}
}

func (r *Recorder) transcribe(l transcript.Line) {
	text := transcript.AppendLine(nil, r.Name(), l)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.game.Pair != usi.NoPair:
		r.records.Transcripts.Add(gameOf(r.game), text, 1)
	case len(r.before)+len(text) <= maxBefore:
		r.before, r.lines = append(r.before, text...), r.lines+1
	}
}

// Name returns the name of the player. For a member of a council, "COUNCIL/" comes before it.
func (r *Recorder) Name() string {
	if r.Council == "" {
		return r.Player.Name
	}
	return r.Council + "/" + r.Player.Name
}

// Over calls Records.Ended at the end of the dialogue. It implements usi.Tap.
func (r *Recorder) Over() {
	if r.records.Ended != nil {
		r.records.Ended(r)
	}
}

// Failed writes a crash dump and returns its path. If there are already enough dumps of this player and this
// kind of failure, it writes none and returns "". It implements usi.Tap.
func (r *Recorder) Failed(f usi.Failure) string {
	path := r.records.Keeper.reserve(strings.Replace(r.Name(), "/", ".", 1), f.Kind)
	if path != "" {
		r.records.Keeper.keep(path, r.bundle(f))
	}
	if r.Council != "" && !f.Blamed && r.records.Member != nil {
		r.mu.Lock()
		game := r.game
		r.mu.Unlock()
		r.records.Member(MemberFault{Council: r.Council, Member: r.Player.Name, Kind: f.Kind, Note: f.Note, Bundle: path,
			Game: game})
	}
	return path
}

func (r *Recorder) bundle(f usi.Failure) *Bundle {
	failed := time.Now()
	exit := r.Process.Exit() // first, because it may wait for the end of the process
	b := &Bundle{
		Time: failed.UTC(), Player: r.Player.Name, Council: r.Council, Kind: f.Kind, Note: sanitize.Printable(f.Note, 2000),
		DeadlineMS: match.Milliseconds(f.Deadline),
		Exit:       newExit(exit), Stderr: string(transcript.Escape(nil, r.Process.Stderr())),
		Command: r.Player.Command, Dir: r.Player.Dir, Env: r.Player.Env, Identity: r.Player.Identity.String(),
		Limits:  r.Player.Limits.String(),
		Options: []string{}, Waits: Waits{match.Milliseconds(r.Player.Greeting), match.Milliseconds(r.Player.Ready)},
		Dialogue: r.log.Excerpt(),
	}
	for _, file := range r.Player.Identity.Files {
		b.Files = append(b.Files, File{Role: file.Role, Path: file.Path, SHA256: file.SHA256})
	}
	r.mu.Lock()
	game := r.game
	r.mu.Unlock()
	if game.Pair != usi.NoPair {
		b.Pair, b.Leg, b.Slot = &game.Pair, &game.Leg, &game.Slot
	}
	return b
}

func newExit(e process.Exit) Exit {
	exit := Exit{Running: e.Running, Signal: int(e.Signal), Text: e.Ending()}
	if e.Status >= 0 && !e.Running {
		exit.Status = &e.Status
	}
	return exit
}

// lookBack finds the last search in the dialogue and sets the fields of the bundle that describe it.
func (b *Bundle) lookBack() {
	var began, answered time.Time
	for _, l := range b.Dialogue.Lines() {
		if !l.Sent {
			if word := Word(l.Text); word == "bestmove" || word == "checkmate" {
				b.Searching, answered = false, l.At
			}
			continue
		}
		switch text := string(transcript.Escape(nil, l.Text)); Word(l.Text) {
		case "setoption":
			b.Options = append(b.Options, text)
		case "position":
			b.Position = text
		case "go":
			b.Go, b.Searching, began = text, true, l.At
		case "ponderhit":
			began = l.At
		case "isready":
			b.Position, b.Go, b.Searching, began = "", "", false, time.Time{}
		}
	}
	if began.IsZero() {
		return
	}
	end := b.Time
	if !b.Searching {
		end = answered
	}
	b.ElapsedMS = max(0, match.Milliseconds(end.Sub(began)))
}

// Word returns the first word of a line.
func Word(line []byte) string {
	line = bytes.TrimLeft(line, " \t")
	if i := bytes.IndexAny(line, " \t"); i >= 0 {
		line = line[:i]
	}
	return string(line)
}

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
