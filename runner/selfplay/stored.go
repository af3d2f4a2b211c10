package selfplay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gogi/match"
	"gogi/match/arbiter"
	"gogi/shogi"
)

// An earlier version of gogi wrote a folder with these files and subfolders.
const (
	settingsName = "settings.json"
	blocksName   = "blocks"
)

// settings has the values that determine the blocks. An earlier version of gogi wrote them to a file. The digest of
// the blocks is the SHA-256 of that text.
type settings struct {
	Version int             `json:"version"`
	Plan    json.RawMessage `json:"plan"` // canonical
	Design  match.Selfplay  `json:"design"`
}

const settingsVersion = 1

// StoredDigest returns the SHA-256 of the settings that determine the blocks of a stored plan of
// match.DesignSelfplay.
func StoredDigest(stored *match.CanonicalPlan) (string, error) {
	var design match.Selfplay
	if err := json.Unmarshal(stored.Selfplay, &design); err != nil {
		return "", fmt.Errorf("its design of self-play: %w", err)
	}
	own := *stored
	own.Design, own.Selfplay = "", nil
	text, err := json.Marshal(&own)
	if err != nil {
		return "", err
	}
	text, err = json.Marshal(settings{settingsVersion, text, design})
	return sum(text), err
}

// Stored returns the blocks of a stored run of match.DesignSelfplay. stored is the plan of the run. The
// database does not contain the openings of the plan, so the caller passes them. pair is a function that
// reads a stored pair; it returns fs.ErrNotExist if there is none.
func Stored(stored *match.CanonicalPlan, openings []match.Opening,
	pair func(ctx context.Context, number int) (match.PairResult, error)) (Source, error) {
	if stored.Design != match.DesignSelfplay {
		return Source{}, fmt.Errorf("its design is %q, expected %q", stored.Design, match.DesignSelfplay)
	}
	if match.OpeningsHash(openings) != stored.Openings {
		return Source{}, errors.New("its games began with other openings than the file names; name those openings again")
	}
	plan, err := stored.Replayable()
	if err != nil {
		return Source{}, err
	}
	plan.Openings = openings
	digest, err := StoredDigest(stored)
	return Source{digest, plan.Rules.Declaration, func(ctx context.Context, number int) (*Block, string, error) {
		r, err := pair(ctx, number)
		if err != nil {
			return nil, "", err
		}
		b, err := BlockOf(plan, &r)
		if err != nil {
			return nil, "", fmt.Errorf("pair %d: %w", number, err)
		}
		text, err := b.Encode(digest)
		return b, sum(text), err
	}}, err
}

// BlockOf converts a stored pair of match.DesignSelfplay to a block. plan must contain its openings. The
// block's Redrawn.Unequal can be too low. If gogi selected the same random opening twice in a row, the record
// does not show how often gogi rejected that opening because of its score.
func BlockOf(plan *match.Plan, r *match.PairResult) (*Block, error) {
	b := &Block{Number: r.Pair.ID, Discarded: map[string]int{}}
	for i := range r.Games {
		g := &r.Games[i]
		facts, err := arbiter.Facts(plan, g)
		if err != nil {
			return nil, fmt.Errorf("game %d: %w", i, err)
		}
		b.Redrawn.Ended += facts.Redrawn.Ended
		b.Redrawn.Unequal += facts.Redrawn.Unequal
		if g.Termination.IsFault() {
			b.Discarded[g.Termination.String()]++
			continue
		}
		game := Game{Start: g.Record.Start, Result: g.Record.Result, Winner: g.Record.Winner, Audited: facts.Audited,
			At: facts.At}
		if facts.By != match.Unfinished {
			game.Adjudged = facts.By.String()
		}
		for _, m := range g.Record.Moves {
			list := VoteCounts(m.Detail)
			m.Time, m.Depth, m.SelDepth, m.Nodes, m.PV, m.Detail = 0, 0, 0, 0, nil, nil
			if len(list) > 0 {
				if m.Detail, err = json.Marshal(list); err != nil {
					return nil, err
				}
			}
			game.Moves = append(game.Moves, m)
		}
		b.Games = append(b.Games, game)
	}
	return b, nil
}

// IsOld reports whether a folder has blocks that an earlier version of gogi wrote. That version stored blocks
// in files, not in a database. The current version only reads such a folder.
func IsOld(folder string) bool {
	_, err := os.Stat(filepath.Join(folder, settingsName))
	return err == nil
}

// Old returns the blocks of a folder that an earlier version of gogi wrote.
func Old(folder string) (Source, error) {
	text, err := os.ReadFile(filepath.Join(folder, settingsName))
	if err != nil {
		return Source{}, err
	}
	var is struct {
		Plan match.CanonicalPlan `json:"plan"`
	}
	if err := json.Unmarshal(text, &is); err != nil {
		return Source{}, fmt.Errorf("%s: %w", filepath.Join(folder, settingsName), err)
	}
	rule, err := shogi.ParseDeclarationRule(is.Plan.Rules.Declaration)
	if err != nil {
		return Source{}, fmt.Errorf("%s: %w", filepath.Join(folder, settingsName), err)
	}
	digest := sum(bytes.TrimSpace(text))
	return Source{digest, rule, func(_ context.Context, number int) (*Block, string, error) {
		name := filepath.Join(folder, blocksName, fmt.Sprintf("%08d.block", number))
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, "", err
		}
		b, err := Decode(data, digest, number)
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w; without that file the data are the blocks before it", name, err)
		}
		return b, sum(data), nil
	}}, nil
}
