package rating

// Warning is a reason for doubt about a comparison of handicap models. Which
// fields have a meaning depends on Kind.
type Warning struct {
	Kind  WarningKind
	Model HandicapModel // the other model of CloseModels
	// Difference is how much AIC lies between Model and the best one.
	Difference float64
	P          float64 // of the first-move effect in even games
	Following  float64 // R² of the handicap on who plays
	Pairs      int     // of players who met again, all under one handicap
}

// WarningKind is what a [Warning] is about.
type WarningKind string

// The kinds.
const (
	CloseModels      WarningKind = "close_models"       // AIC differ by 2 or less, which means nothing
	HandicapIsGap    WarningKind = "handicap_is_gap"    // a function of the players' difference: nothing tells its worth from ratings
	HandicapFollows  WarningKind = "handicap_follows"   // it nearly is one: standard errors are large
	HandicapIsPair   WarningKind = "handicap_is_pair"   // those who met again always had the same one
	FirstMoveIgnored WarningKind = "first_move_ignored" // even games have an effect that only FirstMoveOnly and LogFreeFirst contain
	DrawsAreHalves   WarningKind = "draws_are_halves"   // likelihoods do not compare with models of draws
)
