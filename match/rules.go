package match

import (
	"fmt"
	"sort"
	"strings"

	"gogi/shogi"
)

// Rules decide the end of a game and the points of a draw. Each rule that differs between sets of rules (see
// RulesProfiles) has its own field.
type Rules struct {
	Name        string                `json:"Name"`        // name of the profile, "custom" if a field was changed
	Declaration shogi.DeclarationRule `json:"Declaration"` // rule of the entered king (入玉宣言法)
	// ImpasseDraw makes a declaration with 24 to 30 points a draw under the 24-point rule, as in professional
	// games. If it is false, such a declaration is incorrect and loses.
	ImpasseDraw bool `json:"ImpasseDraw"`
	// MaxPlies ends the game when this many plies have been made, counted from
	// the start position's move number; 0 is no limit.
	MaxPlies int `json:"MaxPlies"`
	// MateAtLimitDraws makes a mate by the last allowed ply a draw. Under the rules of the CSA, the player who mates wins.
	MateAtLimitDraws bool `json:"MateAtLimitDraws"`
	// DeclareAtLimit lets the side to move at the limit win if it could declare.
	DeclareAtLimit bool `json:"DeclareAtLimit"`
	// ExtendInCheck continues the game past the limit while the side to move is in check.
	ExtendInCheck bool `json:"ExtendInCheck"`
	// RepetitionPoints are the points of a draw by repetition, by colour.
	RepetitionPoints [2]float64 `json:"RepetitionPoints"`
}

// DefaultRules is the name of the rules profile that gogi uses by default.
const DefaultRules = "default"

// RulesProfiles returns the named profiles: default; wcsc (World Computer Shogi
// Championship since 2019), denryu (電竜戦), floodgate.
func RulesProfiles() map[string]Rules {
	half := [2]float64{0.5, 0.5}
	return map[string]Rules{
		"default":   {Name: "default", Declaration: shogi.CSARule27, MaxPlies: 320, RepetitionPoints: half},
		"wcsc":      {Name: "wcsc", Declaration: shogi.CSARule27, MaxPlies: 320, RepetitionPoints: half},
		"floodgate": {Name: "floodgate", Declaration: shogi.CSARule27, MaxPlies: 256, RepetitionPoints: half},
		"denryu": {
			Name: "denryu", Declaration: shogi.CSARule27, MaxPlies: 512, MateAtLimitDraws: true,
			DeclareAtLimit: true, RepetitionPoints: [2]float64{0.4, 0.6},
		},
	}
}

// RulesByName returns the profile with this name. If there is none, the error lists all profiles.
func RulesByName(name string) (Rules, error) {
	profiles := RulesProfiles()
	if r, ok := profiles[name]; ok {
		return r, nil
	}
	var names []string
	for n := range profiles {
		names = append(names, n)
	}
	sort.Strings(names)
	there := strings.Join(names, ", ")
	if _, err := shogi.ParseDeclarationRule(name); err == nil {
		return Rules{},
			fmt.Errorf("%s is an entering-king rule; write rules = {declaration = %q} in the match file, or choose rules: %s",
				name, name, there)
	}
	return Rules{}, fmt.Errorf("no rules are named %q; there are %s", name, there)
}

// Points returns the points of a finished game for each colour.
func (r Rules) Points(v Verdict) [2]float64 {
	switch v.Outcome {
	case BlackWins:
		return [2]float64{1, 0}
	case WhiteWins:
		return [2]float64{0, 1}
	case Draw:
		if v.Termination == Repetition {
			return r.RepetitionPoints
		}
		return [2]float64{0.5, 0.5}
	case Unfinished:
	}
	return [2]float64{}
}

// Adjudication has the settings for ending games by the engines' scores. The zero value ends no game by scores. If
// OneSided is false (two-sided adjudication), both engines' scores must agree that one side loses. This is safer.
// For a measurement, one player reported twice its real scores in 18,894 games. One-sided adjudication at 1200
// centipawns then changed the match result by 44 Elo, and two-sided adjudication at 3000 centipawns by less than
// one Elo. The JSON is part of the canonical text of a plan (see CanonicalPlan), so its keys never change.
type Adjudication struct {
	ResignScore int  `json:"ResignScore"` // centipawns; 0: off
	ResignMoves int  `json:"ResignMoves"` // for how many moves of one player in a row its score must be so low
	OneSided    bool `json:"OneSided"`    // the loser's scores suffice; if false, the winner's scores must agree
	DrawScore   int  `json:"DrawScore"`   // centipawns; with DrawMoves 0: off
	DrawMoves   int  `json:"DrawMoves"`   // for how many moves of each side in a row the scores must be so near 0
	DrawFrom    int  `json:"DrawFrom"`    // the first ply that counts
}
