package ratings

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/report"
	"gogi/stats/rating"
	"gogi/stats/rating/crosstable"
)

// WarningKind is the kind of a [Warning].
type WarningKind string

// The kinds of warnings that package stats/rating does not define.
const (
	LeftOut      WarningKind = "left_out"      // the games do not determine a model, so it was left out.
	ModelFails   WarningKind = "model_fails"   // the model does not explain the results
	PairingFails WarningKind = "pairing_fails" // one pairing contradicts the model
	CycleFound   WarningKind = "cycle"         // three players of whom each beats the next
	// games were left out because they were neither even nor had a customary handicap.
	OddStarts      WarningKind = "odd_starts"
	NamesApart     WarningKind = "names_apart"      // several players have one name
	NamesMerged    WarningKind = "names_merged"     // one player has several names
	NamesShared    WarningKind = "names_shared"     // a file's name is assumed to mean a run's player with that name
	LengthDepends  WarningKind = "length_depends"   // a run's length depends on its results, or the run is not finished.
	PairedByResult WarningKind = "paired_by_result" // a run gave its pairs to players who seemed close
	WinnerSelected WarningKind = "winner_selected"  // a run's results chose its winner.
	OpeningsReused WarningKind = "openings_reused"  // an opening counts once, however often it was played
	SessionsDiffer WarningKind = "sessions_differ"  // the intervals do not include differences between sessions
	// the AICs of two models differ by 2 or less, which is no reason to prefer one model
	CloseModels   WarningKind = "close_models"
	DrawsFallBack WarningKind = "draws_fall_back" // a draw is half a win, because davidson has no estimate
	// the first move has an effect, and two players had unequal numbers of games with each colour
	ColoursUneven WarningKind = "colours_uneven"
)

// Warning is a reason to doubt the ratings.
type Warning struct {
	Kind WarningKind  `json:"kind"`
	Text i18n.Message `json:"text"`
}

func (r *Report) warn(kind WarningKind, message i18n.Message) {
	r.Warnings = append(r.Warnings, Warning{kind, message})
}

// warnGames adds warnings about the games, before the fit of any model.
func (r *Report) warnGames(g *Games) {
	if g.odd > 0 {
		r.warn(OddStarts, i18n.Of("%s set aside: pieces are missing at the start, but as in no customary handicap (%s)",
			i18n.Number{N: g.odd, Noun: "game"}, g.oddStart))
	}
	for _, why := range g.looked {
		r.warn(LengthDepends, why)
	}
	for _, run := range g.paired {
		r.warn(PairedByResult,
			i18n.Of("run %s paired players that seemed close: in simulations such 95%% intervals held in 61%% to 95%% of cases (docs/matches.md)", run))
	}
	for _, run := range g.competed {
		r.warn(WinnerSelected,
			i18n.Of("run %s is a Swiss or a knockout: in simulations the 95%% interval of the winner held in 60%% to 73%% of cases, because results chose that player (docs/matches.md)", run))
	}
	r.warnNames(g.players)
	if shared := g.shared(); len(shared) > 0 {
		r.warn(NamesShared,
			i18n.Of("a file does not name programs: gogi takes %s of the files and of the runs for the same players",
				i18n.List(shared)))
	}
	if e := r.Evidence; e.Pairs > e.Openings {
		copies := i18n.Verbatim("")
		if e.Copies > 0 {
			copies = i18n.Of(" (%s repeat an earlier one move for move)", i18n.Number{N: e.Copies, Noun: "pair"})
		}
		r.warn(OpeningsReused,
			i18n.Of("openings were played more than once%s: an opening counts as one pair, however often two players played it",
				copies))
	}
}

// warnComparison adds the warnings of a comparison of handicap models.
func (r *Report) warnComparison(warnings []rating.Warning) {
	for _, w := range warnings {
		r.warn(WarningKind(w.Kind), comparisonText(w))
	}
}

func comparisonText(w rating.Warning) i18n.Message {
	switch w.Kind {
	case rating.HandicapIsGap:
		return i18n.Of("the handicap is a function of the players' difference: a line cannot separate its value and the ratings")
	case rating.HandicapFollows:
		return i18n.Of("the handicap follows the players' difference (R² = %s): the slope's standard error is about %s times larger than with handicaps drawn independently of the pair; claim nothing from it",
			fmt.Sprintf("%.3f", w.Following), fmt.Sprintf("%.0f", 1/math.Sqrt(1-w.Following)))
	case rating.HandicapIsPair:
		return i18n.Of("the handicap is a function of the pair: all %d pairs that met again had the same one, so its worth shows only in cycles of players", w.Pairs)
	case rating.FirstMoveIgnored:
		return i18n.Of("even games have a first-move effect (p = %s) that only %s and %s contain", format.PValue(w.P),
			shortModel(rating.FirstMoveOnly), shortModel(rating.LogFreeFirst))
	case rating.DrawsAreHalves:
		return i18n.Of("draws count as half a win: likelihoods and criteria compare these models with each other, not with models of draws")
	}
	return i18n.Verbatim(string(w.Kind))
}

// closeAIC is an AIC difference. If two models differ by no more than this, the games do not distinguish them.
const closeAIC = 2

func (r *Report) warnClose(least float64) {
	near := []string{}
	models := slices.Clone(r.Models)
	slices.SortStableFunc(models, func(a, b Model) int { return cmp.Compare(*a.AIC, *b.AIC) })
	for _, m := range models {
		if *m.AIC-least <= closeAIC {
			near = append(near, m.Name)
		}
	}
	if len(near) > 1 {
		r.warn(CloseModels, i18n.Of("the games do not choose between %s: their AIC are within %d of each other",
			i18n.List(near), closeAIC))
	}
}

// warnModel adds warnings if results contradict the model. It makes two tests. Their level is 5% for both
// together.
func (r *Report) warnModel(g rating.Goodness, residuals []rating.Residual) {
	if p := 2 * g.Bootstrap; g.Samples > 0 && report.Significant(p) {
		r.warn(ModelFails,
			i18n.Of("the model does not explain all results (p = %s): pairings differ from the ratings by more than chance",
				format.PValue(p)))
	}
	if p := 2 * g.Worst; g.Samples > 0 && len(residuals) > 0 && report.Significant(p) {
		w := residuals[0]
		r.warn(PairingFails,
			i18n.Of("%s scored %s of %d against %s, where the ratings expect %s (p = %s, for all pairings together)", w.A,
				fmt.Sprintf("%.1f", w.Points), w.Games, w.B, fmt.Sprintf("%.1f", w.Expected), format.PValue(p)))
	}
}

// These constants limit the search for cycles, because its time grows with the cube of the number of players.
const (
	cyclePlayers = 300
	cyclesShown  = 3
)

// warnCycles adds a warning for each cycle: three players of whom each beats the next. The level is 5% for
// all triples together.
func (r *Report) warnCycles(t crosstable.Table) {
	if len(r.Players) > cyclePlayers {
		return
	}
	cycles, err := t.Cycles(cyclesShown)
	if err != nil {
		return
	}
	for _, c := range cycles {
		if report.Significant(c.PHolm) {
			r.warn(CycleFound,
				i18n.Of("%[1]s beats %[2]s, %[2]s beats %[3]s, and %[3]s beats %[1]s (p = %[4]s, for all triples together): one number per player cannot say that",
					c.Players[0], c.Players[1], c.Players[2], format.PValue(c.PHolm)))
		}
	}
}
