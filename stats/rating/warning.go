package rating

// A Warning is a reason for doubt about a comparison of handicap models. Kind determines which fields are set.
type Warning struct {
	Kind  WarningKind
	Model HandicapModel // the other model of CloseModels
	// Difference is the difference of AIC between Model and the best model.
	Difference float64
	P          float64 // of the first-move effect in even games
	Following  float64 // R² of the handicap on the players
	Pairs      int     // pairs of players who met again, always under the same handicap
}

// A WarningKind is the subject of a [Warning].
type WarningKind string

// The kinds of a Warning.
const (
	CloseModels      WarningKind = "close_models"       // AIC differ by 2 or less, which means nothing
	HandicapIsGap    WarningKind = "handicap_is_gap"    // a function of the players' difference: nothing distinguishes its worth from ratings
	HandicapFollows  WarningKind = "handicap_follows"   // it nearly is one: standard errors are large
	HandicapIsPair   WarningKind = "handicap_is_pair"   // players who met again always had the same handicap
	FirstMoveIgnored WarningKind = "first_move_ignored" // even games have an effect that only FirstMoveOnly and LogFreeFirst contain
	DrawsAreHalves   WarningKind = "draws_are_halves"   // likelihoods are not comparable with models of draws
)
