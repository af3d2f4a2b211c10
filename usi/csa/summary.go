package csa

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"gogi/shogi"
	"gogi/shogi/kifu"
)

// Time is one player's time control, as the server proposes it.
type Time struct {
	Unit      time.Duration // the unit of times in messages
	Total     time.Duration
	Byoyomi   time.Duration // time of each move after Total is used up
	Increment time.Duration // added before each own move, including the first
	Delay     time.Duration // free time of each move, before the clock runs
	Least     time.Duration // the least time that the server counts for a move
	Roundup   bool          // a move's time is rounded up to whole units, else down
	// Remaining is the rest of Total in a resumed game. It is negative if the server did not send it.
	Remaining time.Duration
}

// PlayedMove is a move that was made before the game began or resumed.
type PlayedMove struct {
	Move  shogi.Move
	Time  time.Duration
	Timed bool // the server sent the time of the move
}

// Summary is the server's proposal of a game (対局条件): players, time controls, start position and rules.
type Summary struct {
	Version       string // version of the protocol
	GameID        string
	Names         [2]string    // by colour
	Colour        shogi.Colour // colour of our player
	Times         [2]Time      // by colour
	Start         shogi.Position
	Moves         []PlayedMove // moves from Start on, given or played before; all are legal
	MaxMoves      int          // the game ends with this move; 0: the server sent no limit
	Declaration   shogi.DeclarationRule
	RematchOnDraw bool
	// Ignored has the unknown lines. Most are harmless.
	Ignored []string
}

// ParseSummary parses the lines between "BEGIN Game_Summary" and "END Game_Summary". It stores unknown keys
// in Ignored. It returns an error if the position, the clock or our colour is missing or wrong.
//
// If the summary has no declaration rule, ParseSummary uses the rule of the CSA's tournaments (27 points),
// which older servers use.
func ParseSummary(lines []string) (*Summary, error) {
	r := summaryReader{
		summary: Summary{Declaration: shogi.CSARule27},
		times:   [2]map[string]string{{}, {}},
	}
	for i, line := range lines {
		if err := r.line(strings.TrimRight(line, " \r")); err != nil {
			return nil, fmt.Errorf("csa: game summary, line %d: %w", i+1, err)
		}
	}
	if err := r.finish(); err != nil {
		return nil, fmt.Errorf("csa: game summary: %w", err)
	}
	return &r.summary, nil
}

// resumes reports whether the game was played before, so that Moves cost time: the server sent the remaining times, or
// the moves took times. shogi-server sends a time of one unit with each move of a given position, and does not count
// it.
func (s *Summary) resumes() bool {
	if s.Times[0].Remaining >= 0 || s.Times[1].Remaining >= 0 {
		return true
	}
	colour := s.Start.Side()
	for _, m := range s.Moves {
		if m.Timed && m.Time != s.Times[colour].Unit {
			return true
		}
		colour = colour.Opponent()
	}
	return false
}

// gameName returns the name of the game in a Game_ID of shogi-server, EVENT+NAME+BLACK+WHITE+TIME. It returns "" for
// other servers' identifiers.
func (s *Summary) gameName() string {
	if parts := strings.Split(s.GameID, "+"); len(parts) == 5 {
		return parts[1]
	}
	return ""
}

// These are the sections of a summary.
const (
	sectionTime      = "Time"
	sectionTimeBlack = "Time+"
	sectionTimeWhite = "Time-"
	sectionPosition  = "Position"
)

type summaryReader struct {
	summary Summary
	section string
	turned  bool // the line Your_Turn was present
	toMove  string
	times   [2]map[string]string // by colour: key → value
	place   kifu.CSASetup
	moves   []string // a move, or the time of the move before it: "T12"
}

func (r *summaryReader) line(line string) error {
	name, begins := strings.CutPrefix(line, "BEGIN ")
	switch {
	case begins && r.section != "":
		return fmt.Errorf("%q inside of %s", line, r.section)
	case begins:
		r.section = name
		return nil
	case strings.HasPrefix(line, "END "):
		r.section = ""
		return nil
	case line == "":
		return nil
	}
	switch r.section {
	case "":
		return r.general(line)
	case sectionTime, sectionTimeBlack, sectionTimeWhite:
		r.time(line)
	case sectionPosition:
		return r.position(line)
	default:
		r.ignore(line)
	}
	return nil
}

func (r *summaryReader) ignore(line string) {
	r.summary.Ignored = append(r.summary.Ignored, line)
}

// general parses a line outside of the sections.
func (r *summaryReader) general(line string) error {
	key, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	s := &r.summary
	switch key {
	case "Protocol_Version":
		s.Version = value
	case "Protocol_Mode", "Format":
	case "Game_ID":
		s.GameID = value
	case "Name+":
		s.Names[shogi.Black] = value
	case "Name-":
		s.Names[shogi.White] = value
	case "Rematch_On_Draw":
		s.RematchOnDraw = value == "YES"
	case "To_Move":
		r.toMove = value
	case "Your_Turn":
		return r.yourTurn(value)
	case "Max_Moves":
		return r.maxMoves(value)
	case "Declaration", "Jishogi_Declaration":
		r.declaration(line, value)
	default:
		r.ignore(line)
	}
	return nil
}

func (r *summaryReader) yourTurn(value string) error {
	if len(value) != 1 {
		return fmt.Errorf("key Your_Turn is %q: expected + or -", value)
	}
	r.summary.Colour, r.turned = kifu.ParseCSASign(value[0])
	if !r.turned {
		return fmt.Errorf("key Your_Turn is %q: expected + or -", value)
	}
	return nil
}

func (r *summaryReader) maxMoves(value string) error {
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 {
		return fmt.Errorf("key Max_Moves is %q: expected a number of moves", value)
	}
	r.summary.MaxMoves = n
	return nil
}

// declaration parses the rule for declarations: a version of the protocol's rule ("Jishogi 1.1" means 27
// points), or a number of points.
func (r *summaryReader) declaration(line, value string) {
	switch strings.TrimSpace(strings.TrimPrefix(value, "Jishogi")) {
	case "1.1", "1.0", "27":
		r.summary.Declaration = shogi.CSARule27
	case "24":
		r.summary.Declaration = shogi.CSARule24
	case "NO", "NONE", "none":
		r.summary.Declaration = shogi.NoEnteringKing
	default:
		r.ignore(line)
	}
}

// time reads a line KEY:VALUE of a time section and stores the value. The section, or a sign after the key, determines
// whether the value belongs to one clock or to both.
func (r *summaryReader) time(line string) {
	key, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	if plain, colour, ok := cutSign(key); ok { // Remaining_Time+
		r.times[colour][plain] = value
		return
	}
	if r.section != sectionTimeWhite {
		r.times[shogi.Black][key] = value
	}
	if r.section != sectionTimeBlack {
		r.times[shogi.White][key] = value
	}
}

func cutSign(key string) (plain string, colour shogi.Colour, ok bool) {
	if key == "" {
		return "", 0, false
	}
	colour, ok = kifu.ParseCSASign(key[len(key)-1])
	return key[:len(key)-1], colour, ok
}

// position parses a line of the position, or moves with their times, which may be in one line.
func (r *summaryReader) position(line string) error {
	if strings.HasPrefix(line, "P") || line == "+" || line == "-" {
		if len(r.moves) > 0 {
			return fmt.Errorf("%q after the first move", line)
		}
		return r.place.Line(line)
	}
	for word := range strings.SplitSeq(line, ",") {
		switch {
		case strings.HasPrefix(word, "'"):
			return nil // the rest of the line is a comment
		case word == "":
		case strings.HasPrefix(word, "T"), strings.HasPrefix(word, "+"), strings.HasPrefix(word, "-"):
			r.moves = append(r.moves, word)
		default:
			r.ignore(word)
		}
	}
	return nil
}

// finish returns an error if something necessary was missing.
func (r *summaryReader) finish() error {
	if !r.turned {
		return errors.New("key Your_Turn is missing")
	}
	for c := range r.times {
		t, err := r.clock(r.times[c])
		if err != nil {
			return err
		}
		r.summary.Times[c] = t
	}
	if err := r.start(); err != nil {
		return fmt.Errorf("position: %w", err)
	}
	return r.replay()
}

// start sets the start position. If the position section does not name the side to move, To_Move is the side
// to move. Otherwise To_Move is the side to move after the given moves.
func (r *summaryReader) start() (err error) {
	if !r.place.Begun {
		return errors.New("there is none")
	}
	if !r.place.Sided && r.toMove == "-" {
		r.place.Setup.Side = shogi.White
	}
	r.place.Setup.Ply = 1
	r.summary.Start, err = r.place.Setup.Position()
	return err
}

func (r *summaryReader) replay() error {
	p := r.summary.Start
	for _, word := range r.moves {
		if text, ok := strings.CutPrefix(word, "T"); ok {
			if err := r.spent(text, p.Side().Opponent()); err != nil {
				return err
			}
			continue
		}
		m, err := kifu.ParseCSAMove(&p, word)
		if err != nil {
			return fmt.Errorf("move %d (%q): %w", len(r.summary.Moves)+1, word, err)
		}
		p.Apply(m)
		r.summary.Moves = append(r.summary.Moves, PlayedMove{Move: m})
	}
	return nil
}

func (r *summaryReader) spent(text string, mover shogi.Colour) error {
	n := len(r.summary.Moves)
	if n == 0 {
		return fmt.Errorf("the time T%s belongs to no move", text)
	}
	units, err := parseUnits(text)
	if err != nil {
		return fmt.Errorf("move %d: T%s: %w", n, text, err)
	}
	last := &r.summary.Moves[n-1]
	last.Time, last.Timed = duration(units, r.summary.Times[mover].Unit), true
	return nil
}

func (r *summaryReader) clock(keys map[string]string) (Time, error) {
	t := Time{Unit: time.Second, Remaining: -1}
	if word, ok := keys["Time_Unit"]; ok {
		unit, err := parseUnit(word)
		if err != nil {
			return t, err
		}
		t.Unit = unit
	}
	into := map[string]*time.Duration{
		"Total_Time": &t.Total, "Byoyomi": &t.Byoyomi, "Increment": &t.Increment, "Delay": &t.Delay,
		"Least_Time_Per_Move": &t.Least, "Remaining_Time": &t.Remaining,
	}
	for key, value := range keys {
		field, ok := into[key]
		if !ok {
			if key != "Time_Unit" && key != "Time_Roundup" {
				r.ignore(key + ":" + value)
			}
			continue
		}
		units, err := parseUnits(value)
		if err != nil {
			return t, fmt.Errorf("key %s is %q: %w", key, value, err)
		}
		*field = duration(units, t.Unit)
	}
	t.Roundup = keys["Time_Roundup"] == "YES"
	return t, nil
}

// parseUnit parses a time unit such as "1sec", "1min", "1msec" or "100msec".
func parseUnit(word string) (time.Duration, error) {
	digits := strings.TrimRight(word, "abcdefghijklmnopqrstuvwxyz")
	unit, ok := map[string]time.Duration{"msec": time.Millisecond, "sec": time.Second,
		"min": time.Minute}[word[len(digits):]]
	n, err := strconv.Atoi(digits)
	if digits == "" {
		n, err = 1, nil
	}
	if !ok || err != nil || n < 1 || n > 3600 {
		return 0, fmt.Errorf("key Time_Unit is %q: expected such as 1sec, 1msec or 1min", word)
	}
	return time.Duration(n) * unit, nil
}

// parseUnits parses a nonnegative number of time units.
func parseUnits(text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x >= 0) || math.IsInf(x, 0) {
		return 0, errors.New("expected a number of time units")
	}
	return x, nil
}

// longest is the largest accepted time. It is longer than any game, and small enough for additions.
const longest = 10 * 365 * 24 * time.Hour

func duration(units float64, unit time.Duration) time.Duration {
	return time.Duration(min(math.Round(units*float64(unit)), float64(longest)))
}
